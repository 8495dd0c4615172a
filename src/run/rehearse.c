/* SPDX-License-Identifier: MIT */
/*
 * Synthetic work of a known length for rehearsals: a chain of dependent
 * multiplications.  The chain takes time of a core, not of a clock, so a thread
 * that is preempted gains nothing.
 */
#include "run/rehearse.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/clock.h"

enum {
	/* Iterations that are timed, and how often; the fastest timing
	 * counts. */
	TIMED_TURNS = 20000,
	TIMINGS = 16,
	/* Upper limit of a command's work: an hour. */
	MOST_SECONDS = 3600
};

struct plait__rehearsal {
	uint64_t *spins;	/* by command */
	uint32_t count;
};

int32_t plait__rehearse_work(void *spins)
{
	uint64_t left = *(const uint64_t *)spins;
	uint64_t x = left;
	at_u64 result;

	while (left-- > 0)
		x = x * UINT64_C(6364136223846793005) + 1;
	/* Keeps the compiler from dropping the chain. */
	at_store_relaxed_u64(&result, x);
	return 0;
}

/* ns per iteration, without disturbance. */
static double time_turn(void)
{
	uint64_t spins = TIMED_TURNS;
	uint64_t best = UINT64_MAX;

	for (uint32_t i = 0; i < TIMINGS; i++) {
		uint64_t start = plait__clock_now_ns();
		uint64_t ns;

		(void)plait__rehearse_work(&spins);
		ns = plait__clock_now_ns() - start;
		best = ns < best ? ns : best;
	}
	return best > 0 ? (double)best / TIMED_TURNS : 1;
}

/* A barrier's stub on another lane does no work. */
static uint64_t count_turns(const plait__plan_command *command,
			    uint64_t unit_ns, double turn_ns)
{
	double ns = (double)command->cost * (double)unit_ns;

	if (command->kind == PLAIT__CMD_BARRIER_STUB)
		return 0;
	if (ns > MOST_SECONDS * 1e9)
		ns = MOST_SECONDS * 1e9;
	return (uint64_t)(ns / turn_ns);
}

plait_status plait__rehearse_make(const plait__program *program,
				  plait__rehearsal **out, plait_error *error)
{
	const plait_allocator *allocator = plait__program_allocator(program);
	const plait__plan_object *plan_object = program->plan_object;
	const plait__plan *plan = program->plan;
	plait__rehearsal *rehearsal;
	double turn_ns;

	*out = NULL;
	if (!plan_object->rehearses)
		return PLAIT_OK;
	rehearsal = plait__alloc(allocator, sizeof(*rehearsal));
	if (rehearsal != NULL) {
		rehearsal->count = plan->command_count;
		rehearsal->spins = plait__alloc_array(allocator,
						      plan->command_count,
						      sizeof(uint64_t));
	}
	if (rehearsal == NULL ||
	    (rehearsal->spins == NULL && plan->command_count > 0)) {
		plait__rehearse_free(program, rehearsal);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to rehearse a plan");
	}
	turn_ns = plan_object->rehearsal_unit_ns > 0 ? time_turn() : 1;
	for (uint32_t i = 0; i < plan->command_count; i++)
		rehearsal->spins[i] = count_turns(&plan->commands[i],
						  plan_object->rehearsal_unit_ns,
						  turn_ns);
	*out = rehearsal;
	return PLAIT_OK;
}

void plait__rehearse_free(const plait__program *program,
			  plait__rehearsal *rehearsal)
{
	const plait_allocator *allocator = plait__program_allocator(program);

	if (rehearsal == NULL)
		return;
	plait__free(allocator, rehearsal->spins,
		    rehearsal->count * sizeof(uint64_t));
	plait__free(allocator, rehearsal, sizeof(*rehearsal));
}

void *plait__rehearse_spins(plait__rehearsal *rehearsal, uint32_t command)
{
	return &rehearsal->spins[command];
}

/* The branch that was hinted; without a hint the longest one. */
static uint32_t choose_branch(const plait__plan *plan,
			      const plait__plan_region *region)
{
	uint32_t best = 0;

	if (region->times < region->body_count)
		return region->times;
	for (uint32_t i = 1; i < region->body_count; i++)
		if (plan->bodies[region->body_first + i].makespan >
		    plan->bodies[region->body_first + best].makespan)
			best = i;
	return best;
}

uint32_t plait__rehearse_choose(const plait__plan *plan, uint32_t region,
				uint64_t done)
{
	const plait__plan_region *at = &plan->regions[region];
	uint64_t times = at->times > 0 ? at->times : 1;

	if (at->kind == PLAIT__REGION_CASE)
		return choose_branch(plan, at);
	return done < times;
}
