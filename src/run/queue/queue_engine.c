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

static bool make_tables(plait__queue_program *compiled)
{
	const plait__plan *plan = compiled->program->plan;
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);

	plait__vector_init(&compiled->stages, allocator,
			   sizeof(plait__queue_stage));
	plait__vector_init(&compiled->successors, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->batches, allocator,
			   sizeof(plait__queue_batch));
	plait__vector_init(&compiled->submissions, allocator,
			   sizeof(plait__queue_submission));
	plait__vector_init(&compiled->waits, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->work, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->segments, allocator,
			   sizeof(plait__queue_segment));
	plait__vector_init(&compiled->members, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->edge_starts, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->edges, allocator, sizeof(uint32_t));
	compiled->lanes = plait__alloc_array(allocator, plan->lanes_count,
					   sizeof(*compiled->lanes));
	compiled->ports = plait__alloc_array(allocator, plan->lanes_count,
					   sizeof(*compiled->ports));
	compiled->bodies = plait__alloc_array(allocator, plan->bodies_count,
					    sizeof(*compiled->bodies));
	compiled->regions = plait__alloc_array(allocator, plan->regions_count,
					     sizeof(*compiled->regions));
	return (compiled->lanes != NULL && compiled->ports != NULL) &&
	       compiled->bodies != NULL &&
	       (compiled->regions != NULL || plan->regions_count == 0);
}

static plait_status compile(plait__queue_program *compiled, plait_error *error)
{
	const plait__plan *plan = compiled->program->plan;
	uint32_t *next_commands = NULL;
	plait_status status;
	bool good;

	compiled->mark_count = plan->command_count + plan->regions_count +
			     plan->lanes_count;
	status = plait__compile_lanes(compiled, error);
	if (status != PLAIT_OK)
		return status;
	good = plait__compile_device_loops(compiled) &&
	       plait__compile_stages(compiled, &next_commands) &&
	       plait__compile_segments(compiled, next_commands);
	if (good)
		plait__compile_predicates(compiled);
	/* Of one that decides all there is something to tell when it runs. */
	if (good && !compiled->host_decides)
		plait__log_decisions(compiled);
	good = good &&
	       plait__compile_batches(compiled, next_commands);
	plait__free(plait__program_allocator(compiled->program), next_commands,
		    plan->command_count * sizeof(*next_commands));
	return good ? PLAIT_OK : no_memory(error);
}

/* Where backends get on by themselves, somebody has to, too. */
static plait_status start_progress_thread(const plait__queue_program *compiled,
				plait_error *error)
{
	for (uint32_t i = 0; i < compiled->port_count; i++)
		if ((compiled->ports[i].port->any & PLAIT_CAP_NEEDS_PUMP) == 0)
			return plait__progress_start(compiled->program->context,
						     error);
	return PLAIT_OK;
}

static void free_compiled(plait__queue_program *compiled)
{
	const plait__program *program = compiled->program;
	const plait_allocator *allocator = plait__program_allocator(program);
	const plait__plan *plan = program->plan;

	plait__vector_fini(&compiled->stages);
	plait__vector_fini(&compiled->successors);
	plait__vector_fini(&compiled->batches);
	plait__vector_fini(&compiled->submissions);
	plait__vector_fini(&compiled->waits);
	plait__vector_fini(&compiled->work);
	plait__vector_fini(&compiled->segments);
	plait__vector_fini(&compiled->members);
	plait__vector_fini(&compiled->edge_starts);
	plait__vector_fini(&compiled->edges);
	plait__free(allocator, compiled->segment_of,
		    plan->command_count * sizeof(*compiled->segment_of));
	plait__free(allocator, compiled->member_index,
		    plan->command_count * sizeof(*compiled->member_index));
	plait__free(allocator, compiled->body_work,
		    plan->bodies_count * sizeof(*compiled->body_work));
	plait__free(allocator, compiled->lanes,
		    plan->lanes_count * sizeof(*compiled->lanes));
	plait__free(allocator, compiled->ports,
		    plan->lanes_count * sizeof(*compiled->ports));
	plait__free(allocator, compiled->bodies,
		    plan->bodies_count * sizeof(*compiled->bodies));
	plait__free(allocator, compiled->regions,
		    plan->regions_count * sizeof(*compiled->regions));
	plait__free(allocator, compiled, sizeof(*compiled));
}

static plait_status make_compiled(const plait__program *program, bool records,
				bool decides, plait__queue_program **out,
				plait_error *error)
{
	plait__queue_program *compiled = plait__alloc(plait__program_allocator(program),
						    sizeof(*compiled));
	plait_status status;

	*out = NULL;
	if (compiled == NULL)
		return no_memory(error);
	compiled->program = program;
	compiled->records = records;
	compiled->host_decides = decides;
	status = make_tables(compiled) ? compile(compiled, error) :
		 no_memory(error);
	if (status == PLAIT_OK)
		*out = compiled;
	else
		free_compiled(compiled);
	return status;
}

static plait_status prepare(plait__program *program, plait_error *error)
{
	plait__queue_program *compiled;
	plait_status status = make_compiled(program, false, false, &compiled,
					  error);

	program->compiled = compiled;
	/* Where it is wanted there is nobody to be told that it failed. */
	if (status == PLAIT_OK && compiled->has_device_loops)
		status = make_compiled(program, false, true, &compiled->host_decided,
				     error);
	return status == PLAIT_OK ? start_progress_thread(compiled, error) : status;
}

static void discard(plait__program *program)
{
	plait__queue_program *compiled = program->compiled;

	if (compiled == NULL)
		return;
	if (compiled->recorded != NULL)
		free_compiled(compiled->recorded);
	if (compiled->host_decided != NULL)
		free_compiled(compiled->host_decided);
	free_compiled(compiled);
	program->compiled = NULL;
}

/* ---- per instance ---- */

static void over(plait__pollable *pollable)
{
	plait__instance_complete(((plait__queue_instance *)(void *)pollable)
				     ->instance);
}

static void free_one(plait__queue_instance *state)
{
	const plait__program *program = state->compiled->program;

	plait__queue_instance_free(state);
	plait__free(plait__program_allocator(program), state, sizeof(*state));
}

static void free_state(plait__queue_instance *state)
{
	plait__queue_instance *decider = at_load_acquire_ptr(&state->host_decided);

	if (decider != NULL)
		free_one(decider);
	free_one(state);
}

/* `note_target`: whose decider it is, or null. */
static plait_status make_state(plait__instance *instance,
			       const plait__queue_program *compiled,
			       plait__pollable *note_target,
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
	state->compiled = compiled;
	state->note_target = note_target != NULL ? note_target : &state->pollable;
	state->pollable.over = over;
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

	*out = at_load_acquire_ptr(&state->host_decided);
	if (*out != NULL)
		return PLAIT_OK;
	status = make_state(state->instance, state->compiled->host_decided,
			    &state->pollable, out, error);
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
	plait__queue_program *compiled = instance->program->compiled;
	struct states *states = instance->state;
	plait__queue_instance *state;
	plait_status status = PLAIT_OK;

	if (at_load_acquire_ptr(&states->recorded) != NULL)
		return PLAIT_OK;
	if (compiled->recorded == NULL)
		status = make_compiled(instance->program, true, false,
				     &compiled->recorded, error);
	if (status == PLAIT_OK)
		status = make_state(instance, compiled->recorded, NULL, &state,
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
	plait__progress_add(instance->program->context, &state->pollable);
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

static void describe_blocked(plait__instance *instance, plait__blocked_on *out)
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
	.find = describe_blocked,
	.cancel = cancel,
};
