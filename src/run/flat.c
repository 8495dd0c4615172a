/* SPDX-License-Identifier: MIT */
/*
 * The engine for plans on the host: which of its two flat programs a run
 * takes, and the crews that run them.
 */
#include "run/flat.h"

#include "run/help.h"
#include "run/op.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/clock.h"

#include <string.h>

/* What all instances share. */
struct compiled {
	plait__flat serial;
	plait__flat wide;
	plait__helped helped;
	bool has_wide;		/* more than one lane */
	bool has_helped;	/* a band takes the place of wide */
	bool needs_wide;	/* some wait for what others may bring */
	uint64_t total_cost;	/* of body 0 */
	/* The fastest serial run so far, of the first few; see choose. */
	at_u64 serial_ns;
	at_u32 measured;
};

struct state {
	plait__crew serial;
	plait__crew wide;
	plait__band helped;
	bool measures;
	uint64_t start_ns;
};

enum {
	/* Serial runs that are timed before lanes are thought worth it. */
	MEASURED_RUNS = 3,
	/* What a second lane must save to be woken for. */
	WORTH_NS = 2000
};

/* ---- per plan ---- */

static uint64_t add_costs(const plait__plan *plan)
{
	const plait__plan_body *body = &plan->bodies[0];
	uint64_t total = 0;

	for (uint32_t i = 0; i < body->command_count; i++)
		total += plan->commands[body->command_first + i].cost;
	return total;
}

static bool find_outside(const plait__program *program)
{
	const plait__plan *plan = program->plan;
	const plait__store_function *predicate;

	for (uint32_t i = 0; i < plan->regions_count; i++) {
		predicate = plait__op_predicate(program, i);
		if (predicate != NULL && predicate->inbox != NULL)
			return true;
	}
	for (uint32_t i = 0; i < plan->command_count; i++)
		if (plait__op_is_outside(plan, i) ||
		    (plan->commands[i].flags & PLAIT__CMD_MEMBER) != 0)
			return true;
	return false;
}

static plait_status prepare(plait__program *program, plait_error *error)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	struct compiled *compiled = plait__alloc(allocator, sizeof(*compiled));
	plait_status status;

	program->compiled = compiled;
	if (compiled == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to make a plan ready to run");
	if (find_outside(program))
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plans with signals, groups or functions "
				   "of an inbox cannot be run yet");
	compiled->has_wide = program->plan->lanes_count > 1;
	compiled->total_cost = add_costs(program->plan);
	compiled->needs_wide = compiled->has_wide &&
			       find_outside(program);
	status = plait__flat_compile(&compiled->serial, program, true, error);
	compiled->has_helped = plait__helped_can(program->plan);
	if (status == PLAIT_OK && compiled->has_helped)
		status = plait__helped_compile(&compiled->helped, program,
					       error);
	else if (status == PLAIT_OK && compiled->has_wide)
		status = plait__flat_compile(&compiled->wide, program, false,
					     error);
	return status;
}

static void discard(plait__program *program)
{
	struct compiled *compiled = program->compiled;

	if (compiled == NULL)
		return;
	plait__flat_free(&compiled->serial);
	plait__flat_free(&compiled->wide);
	plait__helped_free(&compiled->helped);
	plait__free(plait__program_allocator(program), compiled,
		    sizeof(*compiled));
	program->compiled = NULL;
}

/* ---- per instance ---- */

static plait_status make(plait__instance *instance, plait_error *error)
{
	plait__program *program = instance->program;
	const struct compiled *compiled = program->compiled;
	struct state *state = plait__line_alloc(
		plait__program_allocator(program), sizeof(*state));
	plait_status status;

	instance->state = state;
	if (state == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an instance of a plan");
	status = plait__crew_make(&state->serial, instance, &compiled->serial,
				  error);
	if (status == PLAIT_OK && compiled->has_helped)
		status = plait__band_make(&state->helped, instance,
					  &compiled->helped, error);
	else if (status == PLAIT_OK && compiled->has_wide)
		status = plait__crew_make(&state->wide, instance,
					  &compiled->wide, error);
	return status;
}

static void unmake(plait__instance *instance)
{
	struct state *state = instance->state;

	if (state == NULL)
		return;
	plait__crew_free(&state->serial);
	plait__crew_free(&state->wide);
	plait__band_free(&state->helped);
	plait__line_free(plait__program_allocator(instance->program), state,
			 sizeof(*state));
	instance->state = NULL;
}

/* ---- a run ---- */

/*
 * Lanes are worth it when what they save is more than it costs to have them:
 * the plan says how much shorter, the first runs how long.
 */
static bool is_worth(const struct compiled *compiled, const plait__plan *plan)
{
	uint64_t serial_ns = at_load_relaxed_u64(&compiled->serial_ns);
	uint64_t total = compiled->total_cost;

	if (total == 0 || plan->makespan >= total)
		return false;
	return (double)serial_ns * (double)(total - plan->makespan) /
		       (double)total > WORTH_NS;
}

/* All lanes, or the serial program? */
static bool choose(struct state *state, const struct compiled *compiled,
		   const plait__instance *instance)
{
	plait__pool *pool = instance->program->context->pool;

	state->measures = false;
	if (!compiled->has_wide)
		return false;
	if (compiled->needs_wide)
		return true;
	if ((instance->flags & (PLAIT_RUN_SERIAL | PLAIT_RUN_PARALLEL)) != 0)
		return (instance->flags & PLAIT_RUN_PARALLEL) != 0;
	if (plait__pool_worker_count(pool) == 0)
		return false;
	state->measures = at_load_relaxed_u32(&compiled->measured) <
			  MEASURED_RUNS;
	return !state->measures &&
	       is_worth(compiled, instance->program->plan);
}

static void start(plait__instance *instance, bool here)
{
	const struct compiled *compiled = instance->program->compiled;
	struct state *state = instance->state;
	bool all = choose(state, compiled, instance);

	state->start_ns = state->measures ? plait__clock_now_ns() : 0;
	if (all && compiled->has_helped)
		plait__band_start(&state->helped, here);
	else
		plait__crew_start(all ? &state->wide : &state->serial, here);
}

static bool drive(plait__instance *instance)
{
	const struct compiled *compiled = instance->program->compiled;
	struct state *state = instance->state;

	/* Another run may have the instance by now, so nothing is read here
	 * that runs change. */
	if (plait__crew_drive(&state->serial))
		return true;
	if (compiled->has_helped)
		return plait__band_drive(&state->helped);
	return compiled->has_wide && plait__crew_drive(&state->wide);
}

void plait__flat_helped_over(plait__band *band)
{
	plait__instance_over(band->instance);
}

void plait__flat_over(plait__crew *crew)
{
	plait__instance *instance = crew->instance;
	struct compiled *compiled = instance->program->compiled;
	struct state *state = instance->state;
	uint64_t ns;

	if (state->measures) {
		ns = plait__clock_now_ns() - state->start_ns;
		/* Relaxed: runs that overlap may lose one another's. */
		if (at_load_relaxed_u32(&compiled->measured) == 0 ||
		    ns < at_load_relaxed_u64(&compiled->serial_ns))
			at_store_relaxed_u64(&compiled->serial_ns, ns);
		at_add_u32(&compiled->measured, 1);
	}
	for (uint32_t i = 0; i < crew->flat->lane_count; i++) {
		instance->iterations += crew->hands[i].iterations;
		crew->hands[i].iterations = 0;
	}
	plait__instance_over(instance);
}

const plait__engine plait__engine_flat = {
	.name = "flat",
	.prepare = prepare,
	.discard = discard,
	.make = make,
	.unmake = unmake,
	.start = start,
	.drive = drive,
};
