/* SPDX-License-Identifier: MIT */
/* Ops of a rank in a flow with devices; see rank_place.h. */
#include "flow/rank_place.h"

#include "flow/device_place.h"
#include "flow/device_room.h"
#include "flow/flow_wait.h"
#include "flow/rank/program_hash.h"
#include "flow/room_supply.h"

plait_status plait__rank_place_check(const plait__flow_task *task,
				     bool *out_alone, plait_error *error)
{
	const plait__flow *flow = task->flow;
	plait__flow_task copy = *task;

	*out_alone = false;
	if (flow->devices == NULL || task->kind != PLAIT__OP_LAUNCH)
		return PLAIT_OK;
	*out_alone = !flow->ranks->has_equal_devices;
	for (uint32_t i = 0; i < flow->devices->count; i++) {
		const plait__flow_device *at = &flow->devices->items[i];

		*out_alone |= at->memory != PLAIT__MEMORY_HOST &&
			      plait__flow_devices_is_lost(flow, at);
	}
	return plait__place_find(&copy, error);
}

plait_status plait__rank_place_begin(plait__flow_task *task,
				     const plait__device_split *split,
				     plait_error *error)
{
	if (task->flow->devices == NULL)
		return PLAIT_OK;
	task->flow->submitter = split;
	return plait__place_task(task, error);
}

void plait__rank_place_end(plait__flow_task *task, plait_status status)
{
	if (task->flow->devices == NULL)
		return;
	if (status == PLAIT_OK)
		plait__place_commit(task);
	else
		plait__place_undo(task);
}

plait_status plait__rank_place_supply(plait__flow *flow,
				      plait__device_split *split,
				      plait_error *error)
{
	uint64_t behind;
	plait_status status = plait__room_supply_make(flow, split, &behind,
							error);

	if (status != PLAIT_OK || behind == 0)
		return status;
	status = plait__flow_wait_for_memory(flow, behind, false, error);
	/* The caller has not taken the event yet. */
	if (status == PLAIT_EVENT_READY) {
		plait__flow_wait_past_event(flow);
		status = PLAIT_OK;
	}
	return status;
}

void plait__rank_place_leave(plait__flow *flow, plait__device_split *split)
{
	if (split->supplies)
		plait__room_supply_leave(flow, split);
}

/* Up to the index of the device: "host:0". */
static uint64_t mix_backend(uint64_t kinds, const plait__device *device)
{
	for (const char *at = device->object.label; *at != '\0' && *at != ':';
	     at++)
		kinds = plait__program_hash_mix(kinds, (unsigned char)*at);
	return plait__program_hash_mix(kinds, ':');
}

uint64_t plait__rank_place_kinds(const plait__flow *flow)
{
	uint64_t kinds = 0;

	for (uint32_t i = 0; flow->devices != NULL && i < flow->devices->count;
	     i++)
		kinds = mix_backend(kinds, flow->devices->items[i].device);
	return kinds;
}
