/* SPDX-License-Identifier: MIT */
/* Policies after the parents; see parent_policy.h. */
#include "flow/policy/parent_policy.h"

static bool has(uint64_t set, uint32_t index)
{
	return set >> index & 1;
}

/* Returns true if the parent can give its lane to a task that may run on the
 * devices. */
static bool offers(const plait__parent_request *request, uint32_t parent,
		   uint64_t devices)
{
	const plait__policy_parent *p = &request->parents[parent];

	return has(devices, p->device) &&
	       (request->policy == PLAIT__PARENT_SAME || !p->inherited);
}

static uint64_t offered_devices(const plait__parent_request *request)
{
	uint64_t found = 0;

	for (uint32_t i = 0; i < request->parent_count; i++)
		if (offers(request, i, request->device->candidates))
			found |= (uint64_t)1 << request->parents[i].device;
	return found;
}

/* Returns the first parent that offers its lane. */
static uint32_t find_parent(const plait__parent_request *request,
			    uint64_t devices)
{
	for (uint32_t i = 0; i < request->parent_count; i++)
		if (offers(request, i, devices))
			return i;
	return PLAIT__PARENT_NONE;
}

/* ---- steps of the policies ---- */

static void choose_device(const plait__parent_request *request,
			  uint64_t candidates, plait__device_figures *figures,
			  plait__parent_choice *choice)
{
	plait__device_request device = *request->device;

	device.candidates = candidates;
	choice->by_device = plait__device_policy_choose(&device, figures);
	choice->device = choice->by_device.device;
	choice->device_chosen = true;
}

static void inherit(const plait__parent_request *request, uint32_t parent,
		    plait__parent_choice *choice)
{
	choice->parent = parent;
	choice->device = request->parents[parent].device;
	choice->by_lane = (plait__lane_choice){
		.lane = request->parents[parent].lane,
		.reason = PLAIT__LANE_REASON_PARENT,
	};
}

static void take_new(const plait__parent_request *request,
		     plait__parent_choice *choice)
{
	choice->by_lane = plait__lane_policy_choose(request->lane,
						    choice->device);
}

/* ---- policies ---- */

/* SAME and DISJOINT: a parent first, whatever its device. */
static void choose_parent(const plait__parent_request *request,
			  plait__device_figures *figures,
			  plait__parent_choice *choice)
{
	uint64_t candidates = request->device->candidates;
	uint32_t parent = find_parent(request, candidates);

	if (parent != PLAIT__PARENT_NONE) {
		inherit(request, parent, choice);
		return;
	}
	choose_device(request, candidates, figures, choice);
	take_new(request, choice);
}

/* EARLY_DISJOINT: the device first.  DEVICE_DISJOINT: the device first, out of
 * those that offer a lane, if there are such. */
static void choose_device_first(const plait__parent_request *request,
				plait__device_figures *figures,
				plait__parent_choice *choice)
{
	bool narrow = request->policy == PLAIT__PARENT_DEVICE_DISJOINT &&
		      choice->offered != 0;
	uint32_t parent;

	choose_device(request, narrow ? choice->offered :
					request->device->candidates,
		      figures, choice);
	parent = find_parent(request, (uint64_t)1 << choice->device);
	if (parent != PLAIT__PARENT_NONE)
		inherit(request, parent, choice);
	else
		take_new(request, choice);
}

static plait_status choose_best(const plait__parent_request *request,
				plait__device_figures *figures,
				plait__parent_choice *choice)
{
	plait__place_command *command = request->command;
	plait__lane_choice lanes;
	uint32_t count = request->placement->lane_count;
	plait_status status;

	choose_device(request, request->device->candidates, figures, choice);
	command->device = choice->device;
	status = plait__place_choose(request->placement, command,
				     &choice->by_lane.lane, &choice->start_ns);
	if (status != PLAIT_OK)
		return status;
	lanes = plait__lane_policy_choose(request->lane, choice->device);
	choice->by_lane.lane_count = lanes.lane_count;
	choice->by_lane.busy_count = lanes.busy_count;
	choice->by_lane.reason = choice->by_lane.lane == count ?
				 PLAIT__LANE_REASON_NEW :
				 PLAIT__LANE_REASON_START_FIRST;
	choice->by_lane.free_ns =
		request->placement->lanes[choice->by_lane.lane].free_at;
	return PLAIT_OK;
}

plait_status plait__parent_policy_choose(const plait__parent_request *request,
					 plait__device_figures *figures,
					 plait__parent_choice *out)
{
	*out = (plait__parent_choice){
		.parent = PLAIT__PARENT_NONE,
		.offered = offered_devices(request),
	};
	switch (request->policy) {
	case PLAIT__PARENT_BEST:
		return choose_best(request, figures, out);
	case PLAIT__PARENT_SAME:
	case PLAIT__PARENT_DISJOINT:
		choose_parent(request, figures, out);
		return PLAIT_OK;
	default:
		choose_device_first(request, figures, out);
		return PLAIT_OK;
	}
}
