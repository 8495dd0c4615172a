/* SPDX-License-Identifier: MIT */
/* Host engine: chooses serial, lane-parallel or work-stealing execution of a
 * run. */
#include "run/host/host_engine.h"

#include "run/external/cancel_external.h"
#include "run/external/coroutine_command.h"
#include "run/host/lane_compiler.h"
#include "run/host/lane_tasks.h"
#include "run/host/mode_timer.h"
#include "run/host/steal_setup.h"
#include "run/blocked_on.h"
#include "run/command_text.h"
#include "run/host/call_op.h"
#include "run/record/recorder.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/clock.h"
#include "sys/env.h"

#include <string.h>

/* The ways to run. */
enum way { SERIAL, WIDE, STEAL, WAYS };

/* The operations of each. */
struct code {
	plait__call_op *ops[WAYS];
};

/* Compiled once, for all instances. */
struct compiled {
	plait__lane_program serial;
	plait__lane_program wide;
	plait__steal_program steal;
	struct code code;	/* of the plan's own kernels */
	bool has_wide;		/* more than one lane */
	bool has_steal;	/* work stealing takes the place of `wide` */
	bool has_external;	/* has commands that complete outside their
				 * lane */
	bool needs_wide;	/* such commands may await another lane of
				 * the run */
	uint32_t threads;	/* that can run at once, if has_wide */
	bool chooses;		/* between parallel and serial execution */
	plait__mode_timer timer; /* if so */
};

/* The lanes of one instance, for each way to run. */
struct state {
	plait__lane_set serial;
	plait__lane_set wide;
	plait__steal_set steal;
	plait__timed_run timed_run;
	uint64_t start_ns;
};

/* ---- per plan ---- */

/* Returns true if a thread that must not wait cannot complete a run alone. */
static bool find_submits(const plait__program *program)
{
	for (uint32_t i = 0; i < program->plan->command_count; i++)
		if (plait__external_matches(program, i) &&
		    program->plan->commands[i].kind != PLAIT__CMD_WAIT)
			return true;
	return false;
}

static bool find_external(const plait__program *program)
{
	for (uint32_t i = 0; i < program->plan->command_count; i++)
		if (plait__external_matches(program, i))
			return true;
	return false;
}

/* Lanes that may run at once: more would wait for a processor.  Never 0. */
static uint32_t find_threads(plait__pool *pool)
{
	uint32_t threads = plait__pool_worker_count(pool) + 1;
	uint32_t processors = plait__pool_processor_count(pool);
	uint64_t said;

	if (plait__env_query_number(PLAIT__ENV_LANES, &said))
		return said == 0 ? UINT32_MAX : (uint32_t)said;
	return threads < processors ? threads : processors;
}

/* Runs choose between parallel and serial execution, if there are threads for
 * it. */
static void make_timer(struct compiled *compiled,
		       const plait__program *program)
{
	uint64_t worth_ns = PLAIT__MODE_TIMER_WORTH_NS;
	uint32_t lanes = program->plan->lanes_count;

	compiled->chooses =
		compiled->has_wide && !compiled->needs_wide &&
		plait__pool_worker_count(program->context->pool) != 0;
	if (!compiled->chooses)
		return;
	(void)plait__env_query_number(PLAIT__ENV_LANES_GAIN_NS, &worth_ns);
	plait__mode_timer_init(&compiled->timer,
			       lanes < compiled->threads ? lanes :
							   compiled->threads,
			       worth_ns);
}

static plait_status compile_lanes(struct compiled *compiled,
				  const plait__program *program,
				  const plait__lane_merge *merge,
				  plait_error *error)
{
	if (compiled->has_steal)
		return plait__steal_program_compile(&compiled->steal, program,
						    merge, error);
	return plait__lane_program_compile(&compiled->wide, program, false,
					   merge, error);
}

/* Compile the plan's own lanes, or fewer. */
static plait_status compile_wide(struct compiled *compiled,
				 const plait__program *program,
				 plait_error *error)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	const plait__plan *plan = program->plan;
	plait__lane_merge merge;
	plait_status status;

	if (compiled->threads >= plan->lanes_count || compiled->needs_wide)
		return compile_lanes(compiled, program, NULL, error);
	status = plait__lane_merge_make(&merge, plan, compiled->threads,
					allocator, error);
	if (status != PLAIT_OK)
		return status;
	status = compile_lanes(compiled, program, &merge, error);
	plait__lane_merge_free(&merge, plan, allocator);
	return status;
}

/* Threads that wait come and go, so no coroutine is bound to one of them. */
static plait_status check_bound(const plait__program *program,
				plait_error *error)
{
	char room[PLAIT__COMMAND_TEXT_BYTES];

	if (plait__pool_worker_count(program->context->pool) != 0)
		return PLAIT_OK;
	for (uint32_t i = 0; i < program->plan->command_count; i++)
		if (plait__coroutine_command_is_bound(program, i))
			return plait__fail(error, PLAIT_E_UNSUPPORTED,
					   "%s continues only on its first "
					   "worker, and the context has none: "
					   "set PLAIT_WORKERS to at least 1, or "
					   "use a function of an inbox",
					   plait__command_text(program->plan, i,
							       room));
	return PLAIT_OK;
}

/* plait__engine.prepare: compile the serial program, and with several lanes the
 * parallel or the work-stealing one. */
static plait_status prepare(plait__program *program, plait_error *error)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	struct compiled *compiled = plait__alloc(allocator, sizeof(*compiled));
	plait_status status;

	program->compiled = compiled;
	if (compiled == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to make a plan ready to run");
	status = check_bound(program, error);
	if (status != PLAIT_OK)
		return status;
	compiled->has_wide = program->plan->lanes_count > 1;
	compiled->has_external = find_external(program);
	program->submits = find_submits(program);
	compiled->needs_wide = compiled->has_wide && compiled->has_external;
	if (compiled->has_wide)
		compiled->threads = find_threads(program->context->pool);
	make_timer(compiled, program);
	status = plait__lane_program_compile(&compiled->serial, program, true,
					     NULL, error);
	compiled->has_steal = !compiled->has_external &&
			      plait__steal_program_applies(program->plan);
	if (status == PLAIT_OK && compiled->has_wide)
		status = compile_wide(compiled, program, error);
	compiled->code = (struct code){ {
		compiled->serial.ops.items, compiled->wide.ops.items,
		compiled->steal.ops
	} };
	return status;
}

static void recalibrate(plait__program *program)
{
	struct compiled *compiled = program->compiled;

	if (compiled->chooses)
		plait__mode_timer_restart(&compiled->timer);
}

static void discard(plait__program *program)
{
	struct compiled *compiled = program->compiled;

	if (compiled == NULL)
		return;
	plait__lane_program_free(&compiled->serial);
	plait__lane_program_free(&compiled->wide);
	plait__steal_program_free(&compiled->steal);
	plait__free(plait__program_allocator(program), compiled,
		    sizeof(*compiled));
	program->compiled = NULL;
}

/* ---- exchange of kernels ---- */

static uint64_t count_ops(const struct compiled *compiled, enum way way)
{
	return way == SERIAL ? compiled->serial.ops.count :
	       way == WIDE ? compiled->wide.ops.count :
			     compiled->steal.op_count;
}

/* No instance has this version (kernel_versions.c). */
static void forget(plait__program *program, void *made)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	const struct compiled *compiled = program->compiled;
	struct code *code = made;

	for (enum way way = SERIAL; way < WAYS; way++)
		plait__free(allocator, code->ops[way],
			    count_ops(compiled, way) * sizeof(plait__call_op));
	plait__free(allocator, code, sizeof(*code));
}

/* Operations are remade from those of the plan's own kernels, which no exchange
 * changes. */
static plait_status recode(plait__program *program,
			   plait__object *const *kernels, void **out,
			   plait_error *error)
{
	const struct compiled *compiled = program->compiled;
	struct code *code = plait__alloc(plait__program_allocator(program),
					 sizeof(*code));
	bool good = code != NULL;

	for (enum way way = SERIAL; good && way < WAYS; way++) {
		uint32_t count = (uint32_t)count_ops(compiled, way);

		if (count == 0)
			continue;
		code->ops[way] = plait__call_op_remake(
			program, kernels, compiled->code.ops[way], count);
		good = code->ops[way] != NULL;
	}
	*out = code;
	return good ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to exchange a kernel of a plan");
}

/* ---- per instance ---- */

/* Called when all lanes are done.  The calling thread ran the last one. */
static void end_run(plait__instance *instance)
{
	struct compiled *compiled = instance->program->compiled;
	struct state *state = instance->state;

	/* A stopped run is no measurement. */
	if (state->timed_run.is_timed &&
	    at_load_relaxed_u32(&instance->stop) == 0)
		plait__mode_timer_end(&compiled->timer, &state->timed_run,
				      plait__clock_now_ns() - state->start_ns);
	plait__instance_complete(instance);
}

/* plait__engine.make: the lanes of an instance for each way to run that the
 * plan has. */
static plait_status make(plait__instance *instance, plait_error *error)
{
	const struct compiled *compiled = instance->program->compiled;
	struct state *state = plait__cacheline_alloc(
		plait__program_allocator(instance->program), sizeof(*state));
	plait_status status;

	instance->state = state;
	if (state == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an instance of a plan");
	status = plait__lane_set_make(&state->serial, instance,
				      &compiled->serial, end_run, error);
	if (status == PLAIT_OK && compiled->has_steal)
		status = plait__steal_set_make(&state->steal, instance,
					       &compiled->steal, end_run,
					       error);
	else if (status == PLAIT_OK && compiled->has_wide)
		status = plait__lane_set_make(&state->wide, instance,
					      &compiled->wide, end_run,
					      error);
	return status;
}

/* Any run can be recorded: the loops test for a recording. */
static plait_status make_record(plait__instance *instance, plait_error *error)
{
	(void)instance;
	(void)error;
	return PLAIT_OK;
}

static void unmake(plait__instance *instance)
{
	struct state *state = instance->state;

	if (state == NULL)
		return;
	plait__lane_set_free(&state->serial);
	plait__lane_set_free(&state->wide);
	plait__steal_set_free(&state->steal);
	plait__cacheline_free(plait__program_allocator(instance->program),
			      state, sizeof(*state));
	instance->state = NULL;
}

/* ---- a run ---- */

/* Returns true for parallel execution, false for the serial program. */
static bool is_parallel(struct state *state, struct compiled *compiled,
			const plait__instance *instance)
{
	if ((instance->flags & (PLAIT_RUN_SERIAL | PLAIT_RUN_PARALLEL)) != 0)
		return (instance->flags & PLAIT_RUN_PARALLEL) != 0;
	if (!compiled->chooses)
		return compiled->needs_wide;
	/* Recording takes time, too. */
	if (instance->recording != NULL)
		return plait__mode_timer_is_parallel(&compiled->timer);
	plait__mode_timer_begin(&compiled->timer, &state->timed_run);
	if (state->timed_run.is_timed)
		state->start_ns = plait__clock_now_ns();
	return state->timed_run.parallel;
}

/* How the run is executed.  Plans of one lane ask nothing else. */
static enum way choose(struct state *state, struct compiled *compiled,
		       const plait__instance *instance)
{
	state->timed_run.is_timed = false;
	if (!compiled->has_wide || !is_parallel(state, compiled, instance))
		return SERIAL;
	return compiled->has_steal ? STEAL : WIDE;
}

static uint32_t count_lanes(const struct compiled *compiled, enum way way)
{
	return way == SERIAL ? 1 :
	       way == WIDE ? compiled->wide.lane_count :
			     compiled->steal.lane_count;
}

/* plait__engine.start.  The run may be over when this returns. */
static void start(plait__instance *instance, bool inline_ok)
{
	struct compiled *compiled = instance->program->compiled;
	struct state *state = instance->state;
	const struct code *code = instance->version != NULL ?
				  instance->version->code : &compiled->code;
	enum way way = choose(state, compiled, instance);
	plait__lane_set *set = way == SERIAL ? &state->serial : &state->wide;

	if (instance->recording != NULL)
		plait__recorder_begin(instance->recording,
				      count_lanes(compiled, way));
	if (way == STEAL) {
		state->steal.ops = code->ops[STEAL];
		plait__steal_set_start(&state->steal, inline_ok);
		return;
	}
	set->ops = code->ops[way];
	plait__lane_set_start(set, inline_ok);
}

/* The instance may serve another run by now, so nothing is read here that runs
 * change. */
static bool drive(plait__instance *instance)
{
	const struct compiled *compiled = instance->program->compiled;
	struct state *state = instance->state;

	if (plait__lane_set_drive(&state->serial))
		return true;
	if (compiled->has_steal)
		return plait__steal_set_drive(&state->steal);
	return compiled->has_wide && plait__lane_set_drive(&state->wide);
}

static void describe_blocked(plait__instance *instance, plait__blocked_on *out)
{
	const struct compiled *compiled = instance->program->compiled;
	struct state *state = instance->state;

	plait__external_describe_blocked(state->serial.externals, out);
	if (compiled->needs_wide)
		plait__external_describe_blocked(state->wide.externals, out);
	if (out->command == PLAIT__NONE)
		out->command = plait__lane_set_find_command(&state->serial);
	if (out->command == PLAIT__NONE)
		out->command = plait__lane_set_find_command(&state->wide);
	/* Relaxed: only for an error text. */
	out->lanes_left += at_load_relaxed_u32(&state->serial.remaining) +
			   at_load_relaxed_u32(&state->wide.remaining);
}

/* The run is not over before its canceller is done with it; only one of its
 * sets has parked lanes. */
static void cancel(plait__instance *instance)
{
	const struct compiled *compiled = instance->program->compiled;
	struct state *state = instance->state;

	if (compiled->has_external)
		plait__cancel_external(state->serial.externals);
	if (compiled->needs_wide)
		plait__cancel_external(state->wide.externals);
}

const plait__engine plait__host_engine = {
	.name = "host",
	.maps = true,
	.prepare = prepare,
	.discard = discard,
	.recalibrate = recalibrate,
	.make = make,
	.make_record = make_record,
	.recode = recode,
	.forget = forget,
	.unmake = unmake,
	.start = start,
	.drive = drive,
	.describe_blocked = describe_blocked,
	.cancel = cancel,
};
