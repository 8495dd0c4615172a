/* SPDX-License-Identifier: MIT */
/* Public predictions: plait_plan_simulate and plait_plan_critical_path. */
#include "graph/plan/plan_object.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "plan/simulate/simulate.h"

#include <string.h>

/* Lane records of the caller. */
struct lanes {
	plait_lane_use *first;	/* null = not wanted */
	uint64_t count;
	uint32_t stride;
};

static const char *text_at(const plait__plan *plan, uint32_t offset)
{
	return offset < plan->strings_count ? plan->strings + offset : "";
}

/* Check the record size, which the caller's first record gives. */
static plait_status check_stride(uint32_t stride, const char *name,
				 plait_error *error)
{
	if (stride % sizeof(uint64_t) == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%s: size %u; set it to sizeof(%s)", name, stride,
			   name);
}

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
	return check_stride(lanes->stride, "plait_lane_use", error);
}

/* A region occupies a stub's lane as long as its own. */
static const plait__simulate_span *
span_on_lane(const plait__plan *plan, const plait__timeline *timeline,
	     uint32_t number)
{
	if (plan->commands[number].kind == PLAIT__CMD_ENTER)
		number = plan->regions[plan->commands[number].link].command;
	return &timeline->spans[number];
}

/* Sum commands and waits over all bodies, times over body 0, where a region's
 * span includes its bodies.  The commands of body 0 come first, and those of a
 * track in their order. */
static void add_commands(const plait__plan *plan,
			 const plait__timeline *timeline, plait_lane_use *uses)
{
	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *command = &plan->commands[i];
		plait_lane_use *use = &uses[command->lane];

		if (i < plan->bodies[0].command_count) {
			const plait__simulate_span *span =
				span_on_lane(plan, timeline, i);

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

		uses[i].device = device;
		uses[i].busy = timeline->lane_busy[i];
		uses[i].device_name = text_at(plan,
					      plan->devices[device].name);
	}
	add_commands(plan, timeline, uses);
	return uses;
}

/* Write records with the stride of the first one.  check_lanes has checked the
 * room. */
static plait_status write_lanes(const struct lanes *lanes,
				const plait_lane_use *uses, uint32_t count,
				plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++) {
		char *record = (char *)lanes->first +
			       (uint64_t)i * lanes->stride;

		memcpy(record, &lanes->stride, sizeof(lanes->stride));
		status = PLAIT__STRUCT_WRITE(plait_lane_use, record, &uses[i],
					     error);
	}
	return status;
}

/* Write the use of each lane into the caller's array, if the caller has one. */
static plait_status fill_lanes(const plait__plan_object *plan_object,
			       const plait__timeline *timeline,
			       const struct lanes *lanes, plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	const plait_allocator *allocator =
		plait__context_allocator(plan_object->object.context);
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

/* ---- the critical path ---- */

static plait_critical_command describe(const plait__plan *plan,
				       const plait__timeline *timeline,
				       uint32_t number, uint32_t stride)
{
	const plait__plan_command *command = &plan->commands[number];

	return (plait_critical_command){
		.size = stride, .lane = command->lane, .node = command->node,
		.command = number,
		.label = plait__plan_node_name(plan, command->node),
		.start = timeline->spans[number].start,
		.end = timeline->spans[number].end,
	};
}

/* Write the critical path into the caller's array.  PLAIT_E_INVALID: too little
 * room. */
static plait_status write_critical(const plait__plan *plan,
				   const plait__timeline *timeline,
				   plait_critical_command *first,
				   uint64_t room, plait_error *error)
{
	uint32_t count = timeline->critical_count, stride;
	plait_status status;

	if (count > 0 && (first == NULL || room < count))
		return plait__fail(error, PLAIT_E_INVALID,
				   "room for %llu commands, the critical path "
				   "has %u", first == NULL ? 0ull :
				   (unsigned long long)room, count);
	if (count == 0)
		return PLAIT_OK;
	stride = first->size;
	status = check_stride(stride, "plait_critical_command", error);
	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++) {
		char *record = (char *)first + (uint64_t)i * stride;
		plait_critical_command ours = describe(
			plan, timeline, timeline->critical[i], stride);

		memcpy(record, &stride, sizeof(stride));
		status = PLAIT__STRUCT_WRITE(plait_critical_command, record,
					     &ours, error);
	}
	return status;
}

/* ---- both calls ---- */

static plait_status read_system(const plait_system_desc *from,
				plait__simulate_system *out,
				plait_error *error)
{
	plait_system_desc ours = { .size = sizeof(ours) };
	plait_status status = PLAIT_OK;

	if (from != NULL)
		status = PLAIT__STRUCT_READ(plait_system_desc, &ours, from,
					    error);
	if (status == PLAIT_OK && ours.flags != 0)
		status = plait__fail(error, PLAIT_E_UNSUPPORTED,
				     "plait_system_desc: flags 0x%x are not "
				     "known", ours.flags);
	*out = (plait__simulate_system){
		.hop_cost = ours.hop_cost, .submit_cost = ours.submit_cost,
		.copy_alpha = ours.copy_alpha, .copy_beta = ours.copy_beta,
	};
	return status;
}

static plait_status simulate(const plait__plan_object *plan_object,
			     const plait__simulate_system *system,
			     plait__timeline **out, plait_error *error)
{
	return plait__simulate_plan(
		plan_object->plan, system,
		plait__context_allocator(plan_object->object.context), out,
		error);
}

static plait_status answer(const plait__plan_object *plan_object,
			   const plait__simulate_system *system,
			   const struct lanes *lanes, plait_simulation *out,
			   plait_error *error)
{
	plait_simulation ours;
	plait__timeline *timeline;
	plait_status status = simulate(plan_object, system, &timeline, error);

	if (status != PLAIT_OK)
		return status;
	fill_answer(timeline, &ours);
	status = fill_lanes(plan_object, timeline, lanes, error);
	plait__simulate_release(timeline);
	if (status == PLAIT_OK)
		status = PLAIT__STRUCT_WRITE(plait_simulation, out, &ours,
					     error);
	return status;
}

plait_status plait_plan_simulate(plait_plan *plan,
				 const plait_system_desc *system,
				 plait_simulation *out, plait_lane_use *lanes,
				 uint64_t lane_count, plait_error *error)
{
	struct lanes room = { lanes, lane_count, 0 };
	plait__simulate_system ours;
	plait__plan_object *entered;
	plait_status status = plait__plan_object_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = read_system(system, &ours, error);
	if (status == PLAIT_OK)
		status = check_lanes(entered->plan, &room, error);
	if (status == PLAIT_OK)
		status = answer(entered, &ours, &room, out, error);
	plait__object_leave(&entered->object);
	return status;
}

plait_status plait_plan_critical_path(plait_plan *plan,
				      const plait_system_desc *system,
				      plait_critical_command *commands,
				      uint64_t count, plait_error *error)
{
	plait__timeline *timeline = NULL;
	plait__simulate_system ours;
	plait__plan_object *entered;
	plait_status status = plait__plan_object_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = read_system(system, &ours, error);
	if (status == PLAIT_OK)
		status = simulate(entered, &ours, &timeline, error);
	if (status == PLAIT_OK)
		status = write_critical(entered->plan, timeline, commands,
					count, error);
	plait__simulate_release(timeline);
	plait__object_leave(&entered->object);
	return status;
}
