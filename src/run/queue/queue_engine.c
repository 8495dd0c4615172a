/* SPDX-License-Identifier: MIT */
/* The engine for queues of any backend; see queue_engine.h. */
#include "run/queue/queue_engine.h"

#include "run/record/recorder.h"

#include "base/alloc.h"
#include "base/error.h"

/* Of an instance. */
struct states {
	plait__queue_instance *plain;
	at_ptr recorded;	/* plait__queue_instance, or null: make_record */
};

static plait_status no_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to make a plan ready to run");
}

/* ---- per plan ---- */

static bool make_tables(plait__queue_program *queued)
{
	const plait__plan *plan = queued->program->plan;
	const plait_allocator *allocator =
		plait__program_allocator(queued->program);

	plait__vector_init(&queued->items, allocator,
			   sizeof(plait__queue_stage));
	plait__vector_init(&queued->nexts, allocator, sizeof(uint32_t));
	plait__vector_init(&queued->batches, allocator,
			   sizeof(plait__queue_batch));
	plait__vector_init(&queued->submissions, allocator,
			   sizeof(plait__queue_submission));
	plait__vector_init(&queued->waits, allocator, sizeof(uint32_t));
	plait__vector_init(&queued->work, allocator, sizeof(uint32_t));
	plait__vector_init(&queued->segments, allocator,
			   sizeof(plait__queue_segment));
	plait__vector_init(&queued->members, allocator, sizeof(uint32_t));
	plait__vector_init(&queued->edge_starts, allocator, sizeof(uint32_t));
	plait__vector_init(&queued->edges, allocator, sizeof(uint32_t));
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

static plait_status compile(plait__queue_program *queued, plait_error *error)
{
	const plait__plan *plan = queued->program->plan;
	uint32_t *next_commands = NULL;
	plait_status status;
	bool good;

	queued->mark_count = plan->command_count + plan->regions_count +
			     plan->lanes_count;
	status = plait__compile_lanes(queued, error);
	if (status != PLAIT_OK)
		return status;
	good = plait__compile_device_loops(queued) &&
	       plait__compile_stages(queued, &next_commands) &&
	       plait__compile_segments(queued, next_commands);
	if (good)
		plait__compile_predicates(queued);
	/* Of one that decides all there is something to tell when it runs. */
	if (good && !queued->decides)
		plait__log_decisions(queued);
	good = good &&
	       plait__compile_batches(queued, next_commands);
	plait__free(plait__program_allocator(queued->program), next_commands,
		    plan->command_count * sizeof(*next_commands));
	return good ? PLAIT_OK : no_memory(error);
}

/* Where backends get on by themselves, somebody has to, too. */
static plait_status start_pilot(const plait__queue_program *queued,
				plait_error *error)
{
	for (uint32_t i = 0; i < queued->port_count; i++)
		if ((queued->ports[i].port->any & PLAIT_CAP_NEEDS_PUMP) == 0)
			return plait__progress_start(queued->program->context,
						     error);
	return PLAIT_OK;
}

static void free_queued(plait__queue_program *queued)
{
	const plait__program *program = queued->program;
	const plait_allocator *allocator = plait__program_allocator(program);
	const plait__plan *plan = program->plan;

	plait__vector_fini(&queued->items);
	plait__vector_fini(&queued->nexts);
	plait__vector_fini(&queued->batches);
	plait__vector_fini(&queued->submissions);
	plait__vector_fini(&queued->waits);
	plait__vector_fini(&queued->work);
	plait__vector_fini(&queued->segments);
	plait__vector_fini(&queued->members);
	plait__vector_fini(&queued->edge_starts);
	plait__vector_fini(&queued->edges);
	plait__free(allocator, queued->segment_of,
		    plan->command_count * sizeof(*queued->segment_of));
	plait__free(allocator, queued->member_index,
		    plan->command_count * sizeof(*queued->member_index));
	plait__free(allocator, queued->body_work,
		    plan->bodies_count * sizeof(*queued->body_work));
	plait__free(allocator, queued->lanes,
		    plan->lanes_count * sizeof(*queued->lanes));
	plait__free(allocator, queued->ports,
		    plan->lanes_count * sizeof(*queued->ports));
	plait__free(allocator, queued->bodies,
		    plan->bodies_count * sizeof(*queued->bodies));
	plait__free(allocator, queued->regions,
		    plan->regions_count * sizeof(*queued->regions));
	plait__free(allocator, queued, sizeof(*queued));
}

static plait_status make_queued(const plait__program *program, bool records,
				bool decides, plait__queue_program **out,
				plait_error *error)
{
	plait__queue_program *queued = plait__alloc(plait__program_allocator(program),
						    sizeof(*queued));
	plait_status status;

	*out = NULL;
	if (queued == NULL)
		return no_memory(error);
	queued->program = program;
	queued->records = records;
	queued->decides = decides;
	status = make_tables(queued) ? compile(queued, error) :
		 no_memory(error);
	if (status == PLAIT_OK)
		*out = queued;
	else
		free_queued(queued);
	return status;
}

static plait_status prepare(plait__program *program, plait_error *error)
{
	plait__queue_program *queued;
	plait_status status = make_queued(program, false, false, &queued,
					  error);

	program->compiled = queued;
	/* Where it is wanted there is nobody to be told that it failed. */
	if (status == PLAIT_OK && queued->has_loops)
		status = make_queued(program, false, true, &queued->decider,
				     error);
	return status == PLAIT_OK ? start_pilot(queued, error) : status;
}

static void discard(plait__program *program)
{
	plait__queue_program *queued = program->compiled;

	if (queued == NULL)
		return;
	if (queued->recorded != NULL)
		free_queued(queued->recorded);
	if (queued->decider != NULL)
		free_queued(queued->decider);
	free_queued(queued);
	program->compiled = NULL;
}

/* ---- per instance ---- */

static void over(plait__pollable *piloted)
{
	plait__instance_complete(((plait__queue_instance *)(void *)piloted)
				     ->instance);
}

static void free_one(plait__queue_instance *state)
{
	const plait__program *program = state->queued->program;

	plait__queue_instance_free(state);
	plait__free(plait__program_allocator(program), state, sizeof(*state));
}

static void free_state(plait__queue_instance *state)
{
	plait__queue_instance *decider = at_load_acquire_ptr(&state->decider);

	if (decider != NULL)
		free_one(decider);
	free_one(state);
}

/* `pilot`: whose decider it is, or null. */
static plait_status make_state(plait__instance *instance,
			       const plait__queue_program *queued,
			       plait__pollable *pilot,
			       plait__queue_instance **out, plait_error *error)
{
	plait__queue_instance *state = plait__alloc(
		plait__program_allocator(instance->program), sizeof(*state));
	plait_status status;

	*out = NULL;
	if (state == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an instance of a plan");
	state->instance = instance;
	state->queued = queued;
	state->pilot = pilot != NULL ? pilot : &state->piloted;
	state->piloted.over = over;
	status = plait__queue_instance_make(state, error);
	if (status == PLAIT_OK)
		*out = state;
	else
		free_one(state);
	return status;
}

plait_status plait__queue_engine_host_decided(plait__queue_instance *state,
					      plait__queue_instance **out,
					      plait_error *error)
{
	plait_status status;

	*out = at_load_acquire_ptr(&state->decider);
	if (*out != NULL)
		return PLAIT_OK;
	status = make_state(state->instance, state->queued->decider,
			    &state->piloted, out, error);
	if (status == PLAIT_OK)
		plait__device_loops_set_host_decided(state, *out);
	return status;
}

static plait_status make(plait__instance *instance, plait_error *error)
{
	struct states *states = plait__alloc(
		plait__program_allocator(instance->program), sizeof(*states));
	plait__queue_instance *decider;
	plait_status status;

	instance->state = states;
	if (states == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an instance of a plan");
	status = make_state(instance, instance->program->compiled, NULL,
			    &states->plain, error);
	/* Its first run would need it. */
	if (status == PLAIT_OK &&
	    plait__device_graphs_lacks_any(states->plain))
		status = plait__queue_engine_host_decided(states->plain, &decider, error);
	return status;
}

/* Recorded runs have queues of their own; called with the plan's `preparing`
 * held. */
static plait_status make_record(plait__instance *instance, plait_error *error)
{
	plait__queue_program *queued = instance->program->compiled;
	struct states *states = instance->state;
	plait__queue_instance *state;
	plait_status status = PLAIT_OK;

	if (at_load_acquire_ptr(&states->recorded) != NULL)
		return PLAIT_OK;
	if (queued->recorded == NULL)
		status = make_queued(instance->program, true, false,
				     &queued->recorded, error);
	if (status == PLAIT_OK)
		status = make_state(instance, queued->recorded, NULL, &state,
				    error);
	/* Release: pairs with the loads in start and in cancel. */
	if (status == PLAIT_OK)
		at_store_release_ptr(&states->recorded, state);
	return status;
}

static void unmake(plait__instance *instance)
{
	struct states *states = instance->state;
	plait__queue_instance *recorded;

	if (states == NULL)
		return;
	recorded = at_load_acquire_ptr(&states->recorded);
	if (recorded != NULL)
		free_state(recorded);
	if (states->plain != NULL)
		free_state(states->plain);
	plait__free(plait__program_allocator(instance->program), states,
		    sizeof(*states));
	instance->state = NULL;
}

/* ---- a run ---- */

static void start(plait__instance *instance, bool inline_ok)
{
	struct states *states = instance->state;
	plait__queue_instance *state = states->plain;

	(void)inline_ok;
	if (instance->recording != NULL) {
		state = at_load_acquire_ptr(&states->recorded);
		plait__recorder_begin(instance->recording, UINT32_MAX);
	}
	plait__run_driver_begin(state);
	/* It may be over before this returns. */
	plait__progress_add(instance->program->context, &state->piloted);
}

static bool drive(plait__instance *instance)
{
	return !plait__callback_scope_is_active() &&
	       plait__progress_drive(instance->program->context);
}

static void cancel(plait__instance *instance)
{
	struct states *states = instance->state;
	plait__queue_instance *recorded =
		at_load_acquire_ptr(&states->recorded);

	plait__device_loops_cancel(states->plain);
	if (recorded != NULL)
		plait__device_loops_cancel(recorded);
}

static void find(plait__instance *instance, plait__blocked_on *out)
{
	struct states *states = instance->state;
	plait__queue_instance *recorded =
		at_load_acquire_ptr(&states->recorded);

	plait__blocked_queue_describe(states->plain, out);
	if (recorded != NULL)
		plait__blocked_queue_describe(recorded, out);
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

const plait__engine plait__queue_engine = {
	.name = "queues",
	.needs_others = true,
	.prepare = prepare,
	.discard = discard,
	.make = make,
	.make_record = make_record,
	.unmake = unmake,
	.start = start,
	.drive = drive,
	.recode = recode,
	.find = find,
	.cancel = cancel,
};
