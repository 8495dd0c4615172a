/* SPDX-License-Identifier: MIT */
/*
 * Commands that a segment may contain, and regions that their device decides.
 * Such a region is part of a segment: its predicate is a word in memory of its
 * device, a segment may contain all of its commands, and no argument is the number
 * of its iteration.  Loops with rotations are unrolled (unroll_loops.c).  A region that
 * encloses one decided by the host is decided by the host, too.
 */
#include "run/queue/compile_device_loops.h"

#include "run/queue/queue_command.h"
#include "run/queue/unroll_loops.h"

#include "run/args/payload_util.h"

#include "base/alloc.h"
#include "object/kernel/device_code.h"
#include "plan/rotation.h"
#include "sys/env.h"

/* Minimum commands per segment, unless PLAIT_SEGMENTS is set; 0 disables. */
enum { DEFAULT_MIN_COMMANDS = 4 };

/* ---- commands that a segment may contain ---- */

static bool is_on_device(const plait__queue_program *compiled,
			 const plait__device *device,
			 const plait__plan_arg *arg)
{
	const plait__plan *plan = compiled->program->plan;
	bool is = true;

	for (uint32_t i = 0; i < plait__rotation_arg_period(plan, arg); i++)
		is = is && plait__queue_command_memory_device(
				   compiled, plait__rotation_arg_slot(
						     plan, arg, i)) == device;
	return is;
}

/* The command has a payload, which segment_device has
 * checked. */
static bool can_segment(const plait__queue_program *compiled, uint32_t command,
			const plait__device *device)
{
	const plait__plan_object *plan_object = compiled->program->plan_object;
	const plait__plan *plan = plan_object->plan;
	const plait__plan_payload *payload = plait__payload_of(plan, command);
	/* A plan without arguments has no array of them. */
	const plait__plan_arg *args = payload->arg_count > 0 ?
		&plan->args[payload->arg_first] : NULL;

	switch (plan->commands[command].kind) {
	case PLAIT__CMD_LAUNCH:
		/* A launch without items is no launch. */
		return !plait__payload_has_series(plan, payload) &&
		       !plait__payload_has_host_value(plan, command) &&
		       plait__device_code_find(
			       (const plait__kernel *)
				       plan_object->kernels[payload->kernel],
			       device) != NULL;
	case PLAIT__CMD_COPY:
		/* Segments cannot take memory that runs are given. */
		return payload->bytes > 0 &&
		       !plait__queue_command_is_foreign(compiled, command) &&
		       !plait__payload_is_param_copy(plan, command) &&
		       is_on_device(compiled, device, &args[0]) &&
		       is_on_device(compiled, device, &args[1]);
	case PLAIT__CMD_FILL:
		return payload->bytes > 0 &&
		       !plait__payload_is_param_copy(plan, command) &&
		       is_on_device(compiled, device, &args[0]);
	default:
		return false;
	}
}

/* Returns the device that may have the command in a segment, or null. */
static plait__device *segment_device(
	const plait__queue_program *compiled, uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_command *at = &plan->commands[command];
	plait__device *device = compiled->lanes[at->lane].device;

	if ((plait__device_facts(device)->capabilities &
	     PLAIT_CAP_SEGMENT) == 0 || (at->flags & PLAIT__CMD_MEMBER) != 0 ||
	    plait__queue_program_ahead(compiled, command) != PLAIT__NONE)
		return NULL;
	if (at->kind == PLAIT__CMD_JOIN)
		return device;
	if (at->kind == PLAIT__CMD_REGION || at->kind == PLAIT__CMD_ENTER)
		return compiled->regions[at->link].on_device ? device : NULL;
	return plait__payload_of(plan, command) != NULL &&
			       can_segment(compiled, command, device) ?
		       device :
		       NULL;
}

const void *plait__compile_segment_place(const plait__queue_program *compiled,
					 uint32_t command)
{
	const plait__device *device =
		segment_device(compiled, command);
	const plait__plan *plan = compiled->program->plan;

	return device != NULL &&
			       plait__device_facts(device)
					       ->in_order_segments != 0 ?
		       (const void *)&compiled->lanes[plan->commands[command]
							      .lane] :
		       device;
}

/* ---- which regions are ---- */

/* Let the host decide a region and those that enclose it. */
static void keep_on_host(plait__queue_program *compiled, uint32_t region,
			 const char *why, uint32_t reason_command)
{
	for (; region != PLAIT__NONE && compiled->regions[region].on_device;
	     region = compiled->regions[region].outer) {
		compiled->regions[region].on_device = false;
		compiled->regions[region].reason = why;
		compiled->regions[region].reason_command = reason_command;
		why = "the host decides one in it";
		reason_command = PLAIT__NONE;
	}
}

static plait__device *device_of(const plait__queue_program *compiled,
				uint32_t region)
{
	return compiled->lanes[compiled->regions[region].home].device;
}

/* Why the predicate is no word of the device; null if it is. */
static const char *why_host_decides(const plait__queue_program *compiled,
				    uint32_t region)
{
	const plait__plan *plan = compiled->program->plan;
	const plait__plan_payload *payload =
		plait__payload_at(plan, plan->regions[region].predicate);
	const plait__device *device = device_of(compiled, region);
	const plait__plan_arg *word;

	if (plan->regions[region].kind == PLAIT__REGION_REPEAT)
		return compiled->regions[region].ahead ?
			       "it is submitted ahead" :
			       compiled->regions[region].reason;
	if ((plait__device_facts(device)->capabilities & PLAIT_CAP_REGION) ==
	    0)
		return "its device cannot decide any";
	if (compiled->regions[region].function != NULL)
		return "its predicate is a function";
	if (payload == NULL || payload->arg_count != 1 ||
	    plan->regions[region].kind > PLAIT__REGION_CASE)
		return "its predicate is no word";
	word = &plan->args[payload->arg_first];
	return word->kind == PLAIT__ARG_MEMORY &&
			       is_on_device(compiled, device, word) ?
		       NULL :
		       "its predicate is not in memory of its device";
}

/* Loops of which an argument is the number of the iteration are decided by the
 * host: a device graph has fixed values. */
static void keep_indexed_on_host(plait__queue_program *compiled)
{
	const plait__plan *plan = compiled->program->plan;

	for (uint32_t i = 0; i < plan->args_count; i++) {
		const plait__plan_arg *arg = &plan->args[i];

		if (plait__payload_arg_is_number(arg))
			keep_on_host(compiled,
				     arg->kind == PLAIT__ARG_INDEX ?
					     arg->index :
					     plan->series[arg->index].region,
				     "an argument is the number "
				     "of its iteration",
				     PLAIT__NONE);
	}
}

/* ---- rotations ---- */

static uint32_t region_around(const plait__queue_program *compiled,
			      uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;

	return plan->bodies[plan->nodes[plan->commands[command].node].body]
		.region;
}

static bool is_inside(const plait__queue_program *compiled, uint32_t command,
		      uint32_t region)
{
	uint32_t at = region_around(compiled, command);

	while (at != PLAIT__NONE && at != region)
		at = compiled->regions[at].outer;
	return at == region;
}

/* Returns true if the commands has rotations of another loop than this one. */
static bool follows_another(const plait__plan *plan,
			    const plait__plan_payload *payload, uint32_t region)
{
	bool follows = false;

	for (uint32_t i = 0; i < payload->arg_count; i++) {
		const plait__plan_arg *arg =
			&plan->args[payload->arg_first + i];

		follows |= arg->kind == PLAIT__ARG_ROTATION &&
			   plan->rotations[arg->index].region != region;
	}
	return follows;
}

static uint32_t common_multiple(uint32_t a, uint32_t b)
{
	uint32_t sum = a;

	while (sum % b != 0)
		sum += a;
	return sum;
}

/* Why a loop cannot be unrolled for the rotation of a command; or null. */
static const char *rotation_fault(const plait__queue_program *compiled,
				  uint32_t command,
				  const plait__plan_rotation *rotation)
{
	const plait__plan *plan = compiled->program->plan;

	if (rotation->prologue != 0)
		return "buffers rotate with its iterations after a prologue";
	if (!is_inside(compiled, command, rotation->region))
		return "a buffer that rotates with its iterations is used "
		       "behind it";
	if (follows_another(plan, plait__payload_of(plan, command),
			    rotation->region))
		return "buffers of a command in it rotate with several loops";
	return compiled->regions[rotation->region].period >
			       PLAIT__UNROLL_PERIOD ?
		       "its rotations have too many iterations in common" :
		       NULL;
}

static void follow_rotation(plait__queue_program *compiled, uint32_t command,
			    const plait__plan_rotation *rotation)
{
	plait__queue_region *region = &compiled->regions[rotation->region];
	const char *why;

	region->period = common_multiple(region->period, rotation->slot_count);
	why = rotation_fault(compiled, command, rotation);
	if (why != NULL)
		keep_on_host(compiled, rotation->region, why, command);
	if (!region->on_device)
		region->period = 1;
}

/* The device graph of a loop with rotations has its body once for each iteration of
 * their period. */
static void find_periods(plait__queue_program *compiled)
{
	const plait__plan *plan = compiled->program->plan;

	for (uint32_t i = 0; i < plan->regions_count; i++)
		compiled->regions[i].period = 1;
	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_payload *payload = plait__payload_of(plan, i);

		for (uint32_t k = 0; payload != NULL && k < payload->arg_count;
		     k++) {
			const plait__plan_arg *arg =
				&plan->args[payload->arg_first + k];

			if (arg->kind == PLAIT__ARG_ROTATION)
				follow_rotation(compiled, i,
						&plan->rotations[arg->index]);
		}
	}
}

/* Let the host decide loops whose unrolled bodies are too long.  `counts`: zeros,
 * per region. */
static void keep_long_on_host(plait__queue_program *compiled, uint32_t *counts)
{
	const plait__plan *plan = compiled->program->plan;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		uint32_t region = region_around(compiled, i), copies = 1;

		for (; region != PLAIT__NONE;
		     region = compiled->regions[region].outer) {
			copies *= compiled->regions[region].period;
			counts[region] += copies;
			if (copies > PLAIT__UNROLL_COMMANDS)
				copies = PLAIT__UNROLL_COMMANDS;
			if (counts[region] > PLAIT__UNROLL_COMMANDS)
				counts[region] = PLAIT__UNROLL_COMMANDS + 1;
		}
	}
	for (uint32_t i = 0; i < plan->regions_count; i++)
		if (counts[i] > PLAIT__UNROLL_COMMANDS &&
		    compiled->regions[i].period > 1)
			keep_on_host(compiled, i, "its body, once for each "
				     "iteration of its rotations, is too long",
				     PLAIT__NONE);
}

/* All commands of a region, and its stubs, must be of its device. */
static void keep_mixed_on_host(plait__queue_program *compiled)
{
	const plait__plan *plan = compiled->program->plan;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *at = &plan->commands[i];
		uint32_t region = plan->bodies[plan->nodes[at->node].body]
					  .region;

		if (at->kind == PLAIT__CMD_ENTER &&
		    compiled->lanes[at->lane].device !=
			    device_of(compiled, at->link))
			keep_on_host(compiled, at->link,
				     "it has lanes of several "
				     "devices",
				     PLAIT__NONE);
		if (region != PLAIT__NONE &&
		    compiled->regions[region].on_device &&
		    segment_device(compiled, i) !=
			    device_of(compiled, region))
			keep_on_host(compiled, region,
				     "no segment of its device can "
				     "contain a command of it",
				     i);
	}
}

/* Count the commands of each body, without stubs. */
static void count_work(plait__queue_program *compiled)
{
	const plait__plan *plan = compiled->program->plan;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		uint32_t body = plan->nodes[plan->commands[i].node].body;

		if (plan->commands[i].kind == PLAIT__CMD_ENTER)
			continue;
		while (plait__queue_program_is_device_body(compiled, body)) {
			compiled->body_work[body]++;
			body = compiled->regions[plan->bodies[body].region]
				       .outer_body;
		}
	}
}

/* Find each region and its stubs in plan->order, also in bodies without
 * stages. */
static void find_orders(plait__queue_program *compiled,
			const plait__plan_body *body)
{
	const plait__plan *plan = compiled->program->plan;
	uint32_t end = body->command_first + body->command_count;

	for (uint32_t i = body->command_first; i < end; i++) {
		const plait__plan_command *at =
			&plan->commands[plan->order[i]];
		plait__queue_region *region;

		if (at->kind != PLAIT__CMD_REGION)
			continue;
		region = &compiled->regions[at->link];
		region->order_first = i;
		region->order_count = plan->regions[at->link].lane_count;
		if (region->order_count > end - i)
			region->order_count = end - i;
	}
}

/* count_work has filled body_work. */
static void fill_shape(plait__queue_program *compiled, uint32_t number)
{
	const plait__plan_region *region =
		&compiled->program->plan->regions[number];
	plait__queue_region *out = &compiled->regions[number];

	out->shape = (plait_work_region){
		.size = sizeof(out->shape),
		.kind = region->kind,
		.body_work = &compiled->body_work[region->body_first],
		.body_count = region->body_count,
	};
	for (uint32_t i = 0; i < region->body_count; i++)
		out->inner_count += out->shape.body_work[i];
}

/* ---- all of it ---- */

static uint64_t find_min_commands(const plait__queue_program *compiled)
{
	uint64_t min_commands = DEFAULT_MIN_COMMANDS;
	uint32_t some = 0;

	for (uint32_t i = 0; i < compiled->program->plan->lanes_count; i++)
		some |= plait__device_facts(compiled->lanes[i].device)
				->capabilities;
	/* The completion of each command is recorded separately. */
	if (compiled->records || (some & PLAIT_CAP_SEGMENT) == 0)
		return 0;
	(void)plait__env_query_number(PLAIT__ENV_SEGMENTS, &min_commands);
	return min_commands;
}

static bool wants_loops(const plait__queue_program *compiled)
{
	uint64_t wanted = 1;

	(void)plait__env_query_number(PLAIT__ENV_REGIONS, &wanted);
	return compiled->min_commands > 0 && !compiled->host_decides &&
	       compiled->program->plan->regions_count > 0 && wanted > 0;
}

static bool limit_unrolled(plait__queue_program *compiled)
{
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);
	uint32_t regions = compiled->program->plan->regions_count;
	uint32_t *counts =
		plait__alloc_array(allocator, regions, sizeof(*counts));

	if (counts == NULL)
		return false;
	keep_long_on_host(compiled, counts);
	plait__free(allocator, counts, regions * sizeof(*counts));
	return true;
}

bool plait__compile_device_loops(plait__queue_program *compiled)
{
	const plait__plan *plan = compiled->program->plan;
	bool some = false;
	const char *why;

	compiled->min_commands = find_min_commands(compiled);
	if (!wants_loops(compiled))
		return true;
	compiled->body_work =
		plait__alloc_array(plait__program_allocator(compiled->program),
				   plan->bodies_count,
				   sizeof(*compiled->body_work));
	if (compiled->body_work == NULL)
		return false;
	for (uint32_t i = 0; i < plan->regions_count; i++)
		compiled->regions[i].on_device = true;
	for (uint32_t i = 0; i < plan->regions_count; i++)
		if ((why = why_host_decides(compiled, i)) != NULL)
			keep_on_host(compiled, i, why, PLAIT__NONE);
	keep_indexed_on_host(compiled);
	find_periods(compiled);
	if (!limit_unrolled(compiled))
		return false;
	keep_mixed_on_host(compiled);
	count_work(compiled);
	for (uint32_t i = 0; i < plan->bodies_count; i++)
		find_orders(compiled, &plan->bodies[i]);
	for (uint32_t i = 0; i < plan->regions_count; i++) {
		some |= compiled->regions[i].on_device;
		fill_shape(compiled, i);
	}
	compiled->has_device_loops = some;
	return true;
}
