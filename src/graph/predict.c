/* SPDX-License-Identifier: MIT */
/* Predictions as users see them: of a plan as a whole, and of its lanes. */
#include "graph/frozen.h"

#include "base/alloc.h"
#include "base/desc.h"
#include "base/error.h"
#include "plan/simulate.h"

#include <string.h>

enum {
	SYSTEM_FIRST_BYTES = sizeof(plait_system_desc),
	SIMULATION_FIRST_BYTES = sizeof(plait_simulation),
	LANE_FIRST_BYTES = sizeof(plait_lane_use)
};

/* What the caller gave for the lanes. */
struct lanes {
	plait_lane_use *first;	/* null: not wanted */
	uint64_t count;
	uint32_t stride;
};

static plait_status check_lanes(const plait__plan *plan, struct lanes *lanes,
				plait_error *error)
{
	if (lanes->first == NULL || plan->lanes_count == 0) {
		lanes->first = NULL;
		return PLAIT_OK;
	}
	if (lanes->count < plan->lanes_count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "room for %llu lanes, the plan has %u",
				   (unsigned long long)lanes->count,
				   plan->lanes_count);
	lanes->stride = lanes->first->size;
	if (lanes->stride % sizeof(uint64_t) == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "plait_lane_use: size %u; set it to "
			   "sizeof(plait_lane_use)", lanes->stride);
}

/* Commands and waits are those of all bodies; times those of the plan's own,
 * where a region stands for what happens in it. */
static void add_commands(const plait__plan *plan,
			 const plait__timeline *timeline, plait_lane_use *uses)
{
	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *command = &plan->commands[i];
		const plait__simulate_span *span = &timeline->spans[i];
		plait_lane_use *use = &uses[command->lane];

		if (i < plan->bodies[0].command_count) {
			if (command->position == 0)
				use->start = span->start;
			use->end = span->end;
		}
		use->commands++;
		use->waits += command[1].wait_first - command[0].wait_first;
	}
}

static plait_lane_use *use_lanes(const plait__plan *plan,
				 const plait__timeline *timeline,
				 const plait_allocator *allocator)
{
	plait_lane_use *uses = plait__alloc_array(
		allocator, plan->lanes_count, sizeof(*uses));

	if (uses == NULL)
		return NULL;
	for (uint32_t i = 0; i < plan->lanes_count; i++) {
		uint32_t device = plan->lanes[i].device;
		uint32_t name = plan->devices[device].name;

		uses[i].device = device;
		uses[i].busy = timeline->lane_busy[i];
		uses[i].device_name = name < plan->strings_count ?
				      plan->strings + name : "";
	}
	add_commands(plan, timeline, uses);
	return uses;
}

/* Each record is as large as the first one says. */
static plait_status write_lanes(const struct lanes *lanes,
				const plait_lane_use *uses, uint32_t count,
				plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++) {
		char *record = (char *)lanes->first +
			       (uint64_t)i * lanes->stride;

		memcpy(record, &lanes->stride, sizeof(lanes->stride));
		status = plait__desc_write(record, &uses[i], sizeof(uses[i]),
					   LANE_FIRST_BYTES, "plait_lane_use",
					   error);
	}
	return status;
}

static plait_status fill_lanes(const plait__frozen *frozen,
			       const plait__timeline *timeline,
			       const struct lanes *lanes, plait_error *error)
{
	const plait__plan *plan = frozen->plan;
	const plait_allocator *allocator =
		plait__context_allocator(frozen->object.context);
	plait_lane_use *uses;
	plait_status status;

	if (lanes->first == NULL)
		return PLAIT_OK;
	uses = use_lanes(plan, timeline, allocator);
	if (uses == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the use of %u lanes",
				   plan->lanes_count);
	status = write_lanes(lanes, uses, plan->lanes_count, error);
	plait__free(allocator, uses,
		    (uint64_t)plan->lanes_count * sizeof(*uses));
	return status;
}

static void fill_answer(const plait__timeline *timeline,
			plait_simulation *out)
{
	*out = (plait_simulation){
		.makespan = timeline->makespan,
		.critical_cost = timeline->critical_cost,
		.critical_count = timeline->critical_count,
		.memory_peak = timeline->memory_peak,
	};
	for (uint32_t i = 0; i < timeline->lane_count; i++)
		if (__builtin_add_overflow(out->busy, timeline->lane_busy[i],
					   &out->busy))
			out->busy = UINT64_MAX;
}

static plait_status simulate(const plait__frozen *frozen,
			     const plait_system_desc *desc,
			     const struct lanes *lanes, plait_simulation *out,
			     plait_error *error)
{
	plait__simulate_system system = {
		.hop_cost = desc->hop_cost, .submit_cost = desc->submit_cost,
		.copy_alpha = desc->copy_alpha, .copy_beta = desc->copy_beta,
	};
	plait_simulation answer;
	plait__timeline *timeline;
	plait_status status = plait__plan_simulate(
		frozen->plan, &system,
		plait__context_allocator(frozen->object.context), &timeline,
		error);

	if (status != PLAIT_OK)
		return status;
	fill_answer(timeline, &answer);
	status = fill_lanes(frozen, timeline, lanes, error);
	plait__timeline_release(timeline);
	if (status == PLAIT_OK)
		status = plait__desc_write(out, &answer, sizeof(answer),
					   SIMULATION_FIRST_BYTES,
					   "plait_simulation", error);
	return status;
}

plait_status plait_plan_simulate(plait_plan *plan,
				 const plait_system_desc *system,
				 plait_simulation *out, plait_lane_use *lanes,
				 uint64_t lane_count, plait_error *error)
{
	plait_system_desc ours = { .size = sizeof(ours) };
	struct lanes room = { lanes, lane_count, 0 };
	plait__frozen *entered;
	plait_status status = plait__frozen_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	if (system != NULL)
		status = plait__desc_read(&ours, sizeof(ours),
					  SYSTEM_FIRST_BYTES, system,
					  "plait_system_desc", error);
	if (status == PLAIT_OK && ours.flags != 0)
		status = plait__fail(error, PLAIT_E_UNSUPPORTED,
				     "plait_system_desc: flags 0x%x are not "
				     "known", ours.flags);
	if (status == PLAIT_OK)
		status = check_lanes(entered->plan, &room, error);
	if (status == PLAIT_OK)
		status = simulate(entered, &ours, &room, out, error);
	plait__object_leave(&entered->object);
	return status;
}
