/* SPDX-License-Identifier: MIT */
/* The engine for queues of any backend; see queued.h. */
#include "run/queued.h"

#include "base/alloc.h"
#include "base/error.h"

static plait_status no_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to make a plan ready to run");
}

/* ---- per plan ---- */

static bool make_tables(plait__queued *queued)
{
	const plait__plan *plan = queued->program->plan;
	const plait_allocator *allocator =
		plait__program_allocator(queued->program);

	plait__vector_init(&queued->items, allocator,
			   sizeof(plait__queued_item));
	plait__vector_init(&queued->nexts, allocator, sizeof(uint32_t));
	plait__vector_init(&queued->batches, allocator,
			   sizeof(plait__queued_batch));
	plait__vector_init(&queued->stretches, allocator,
			   sizeof(plait__queued_stretch));
	plait__vector_init(&queued->waits, allocator, sizeof(uint32_t));
	plait__vector_init(&queued->work, allocator, sizeof(uint32_t));
	queued->lanes = plait__alloc_array(allocator, plan->lanes_count,
					   sizeof(*queued->lanes));
	queued->ports = plait__alloc_array(allocator, plan->lanes_count,
					   sizeof(*queued->ports));
	queued->bodies = plait__alloc_array(allocator, plan->bodies_count,
					    sizeof(*queued->bodies));
	queued->regions = plait__alloc_array(allocator, plan->regions_count,
					     sizeof(*queued->regions));
	return (queued->lanes != NULL && queued->ports != NULL) &&
	       queued->bodies != NULL &&
	       (queued->regions != NULL || plan->regions_count == 0);
}

static plait_status compile(plait__queued *queued, plait_error *error)
{
	const plait__plan *plan = queued->program->plan;
	uint32_t *next_commands = NULL;
	plait_status status;
	bool good;

	queued->mark_count = plan->command_count + plan->regions_count +
			     plan->lanes_count;
	status = plait__queued_find_lanes(queued, error);
	if (status != PLAIT_OK)
		return status;
	good = plait__queued_find_items(queued, &next_commands) &&
	       plait__queued_find_batches(queued, next_commands);
	plait__free(plait__program_allocator(queued->program), next_commands,
		    plan->command_count * sizeof(*next_commands));
	return good ? PLAIT_OK : no_memory(error);
}

/* Where backends get on by themselves, somebody has to, too. */
static plait_status start_pilot(const plait__queued *queued,
				plait_error *error)
{
	for (uint32_t i = 0; i < queued->port_count; i++)
		if ((queued->ports[i].port->any & PLAIT_CAP_NEEDS_PUMP) == 0)
			return plait__pilot_start(queued->program->context,
						  error);
	return PLAIT_OK;
}

static plait_status prepare(plait__program *program, plait_error *error)
{
	plait__queued *queued = plait__alloc(plait__program_allocator(program),
					     sizeof(*queued));
	plait_status status;

	program->compiled = queued;
	if (queued == NULL)
		return no_memory(error);
	queued->program = program;
	status = make_tables(queued) ? compile(queued, error) :
		 no_memory(error);
	return status == PLAIT_OK ? start_pilot(queued, error) : status;
}

static void discard(plait__program *program)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	const plait__plan *plan = program->plan;
	plait__queued *queued = program->compiled;

	if (queued == NULL)
		return;
	plait__vector_fini(&queued->items);
	plait__vector_fini(&queued->nexts);
	plait__vector_fini(&queued->batches);
	plait__vector_fini(&queued->stretches);
	plait__vector_fini(&queued->waits);
	plait__vector_fini(&queued->work);
	plait__free(allocator, queued->lanes,
		    plan->lanes_count * sizeof(*queued->lanes));
	plait__free(allocator, queued->ports,
		    plan->lanes_count * sizeof(*queued->ports));
	plait__free(allocator, queued->bodies,
		    plan->bodies_count * sizeof(*queued->bodies));
	plait__free(allocator, queued->regions,
		    plan->regions_count * sizeof(*queued->regions));
	plait__free(allocator, queued, sizeof(*queued));
	program->compiled = NULL;
}

/* ---- per instance ---- */

static void over(plait__piloted *piloted)
{
	plait__instance_over(((plait__queued_state *)(void *)piloted)
				     ->instance);
}

static plait_status make(plait__instance *instance, plait_error *error)
{
	plait__program *program = instance->program;
	plait__queued_state *state = plait__alloc(
		plait__program_allocator(program), sizeof(*state));

	instance->state = state;
	if (state == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an instance of a plan");
	state->instance = instance;
	state->queued = program->compiled;
	state->piloted.over = over;
	return plait__queued_state_make(state, error);
}

static void unmake(plait__instance *instance)
{
	plait__queued_state *state = instance->state;

	if (state == NULL)
		return;
	plait__queued_state_free(state);
	plait__free(plait__program_allocator(instance->program), state,
		    sizeof(*state));
	instance->state = NULL;
}

/* ---- a run ---- */

static void start(plait__instance *instance, bool here)
{
	plait__queued_state *state = instance->state;

	(void)here;
	plait__queued_begin(state);
	/* It may be over before this returns. */
	plait__pilot_begin(instance->program->context, &state->piloted);
}

static bool drive(plait__instance *instance)
{
	return !plait__pool_in_call() &&
	       plait__pilot_drive(instance->program->context);
}

static void cancel(plait__instance *instance)
{
	plait__queued_state *state = instance->state;
	uint32_t count = state->queued->outside_count;

	if (count > 0)
		plait__outside_cancel(&state->outsides[count - 1].outside);
}

/* Instances take kernels from their version when a run begins. */
static plait_status recode(plait__program *program,
			   plait__object *const *kernels, void **out,
			   plait_error *error)
{
	(void)program;
	(void)kernels;
	(void)error;
	*out = NULL;
	return PLAIT_OK;
}

const plait__engine plait__engine_queued = {
	.name = "queues",
	.needs_others = true,
	.prepare = prepare,
	.discard = discard,
	.make = make,
	.unmake = unmake,
	.start = start,
	.drive = drive,
	.recode = recode,
	.cancel = cancel,
};
