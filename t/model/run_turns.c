/* SPDX-License-Identifier: MIT */
/*
 * Turns of the runs of one plan, under every interleaving: runs that conflict
 * execute one after the other, each deferred run is started once, runs that do
 * not conflict are not kept waiting by each other's presence, and at the end
 * the turn is free.  run_turns.c and instance_pool.c as they are; conflicts
 * are a table of this file.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "run/instance_pool.h"
#include "run/run_turns.h"

#include "base/error.h"
#include "object/wait/wait_loop.h"

#include <string.h>

enum { INSTANCES = 3, BUFFERS = 2 };

static plait__context context;
static plait__program program;
static plait__instance instances[INSTANCES];
static uint32_t bound[INSTANCES];	/* the buffer of the run, or NOTHING */
static uint32_t noted[INSTANCES];	/* ranges: what others compare */
static at_u32 granted[INSTANCES];	/* calls of on_turn */
static uint32_t memory[BUFFERS];
static at_u32 lost;
static uint32_t buffer_of[INSTANCES];	/* the thread's */

enum mode { CALLS, RUNS, TRIES, WITHDRAWS, ABANDONS, OVERLAPS };
static enum mode modes[INSTANCES];	/* the thread's */
static plait__instance *holder, *victim;	/* of `cancels` */

/* --- the other functions that the sources are linked with */

void plait__context_notify_waiters(plait__context *of)
{
	plait__eventcount_notify(&of->wait_event);
}

plait_status plait__wait_run(plait__wait_request *request, plait_error *error)
{
	(void)error;
	(void)plait__eventcount_await(&request->context->wait_event,
				      request->ready, request->arg, UINT64_MAX,
				      PLAIT__BACKOFF_SLEEP);
	return PLAIT_OK;
}

void plait__run_conflicts_note(const plait__instance *instance)
{
	AT_PLAIN_WRITE(noted[instance->index]) =
		AT_PLAIN_READ(bound[instance->index]);
}

bool plait__run_conflicts_between(const plait__instance *one,
				  const plait__instance *other)
{
	return program.conflicts.kind == PLAIT__CONFLICTS_ALWAYS ||
	       AT_PLAIN_READ(noted[one->index]) ==
		       AT_PLAIN_READ(noted[other->index]);
}

static void grant(plait__instance *instance, const plait_error *why)
{
	if (why != NULL) {
		MC_CHECK(AT_PLAIN_READ(why->status) == PLAIT_E_LOST);
		at_store_relaxed_u32(&lost, 1);
	}
	MC_CHECK(at_add_u32(&granted[instance->index], 1) == 0);
}

/* --- runs */

static plait__instance *acquire(uint32_t self)
{
	uint32_t bits = PLAIT__PROGRAM_FREE;
	plait__instance *instance;

	if (modes[self] == CALLS || modes[self] == TRIES)
		bits |= PLAIT__PROGRAM_TURN;
	MC_CHECK(plait__instance_acquire(&program, bits, 0, &instance, NULL) ==
		 PLAIT_OK);
	at_store_relaxed_u32(&granted[instance->index], 0);
	AT_PLAIN_WRITE(bound[instance->index]) = buffer_of[self];
	instance->flags = modes[self] == OVERLAPS ? PLAIT_RUN_OVERLAP : 0;
	return instance;
}

/* The commands of the run: plain accesses, so that a missing order is a
 * race. */
static void execute(uint32_t self)
{
	uint32_t *word = &memory[buffer_of[self]];

	/* The work of an abandoned run goes on. */
	for (uint32_t i = 0; i < INSTANCES; i++)
		MC_CHECK(at_load_relaxed_u32(&instances[i].abandoned) == 0);
	if (modes[self] != OVERLAPS)
		AT_PLAIN_WRITE(*word) = AT_PLAIN_READ(*word) + 1;
}

static void await_turn(const plait__instance *instance)
{
	while (at_load_acquire_u32(&granted[instance->index]) == 0)
		at_spin_pause();
}

static bool withdraw(plait__instance *instance)
{
	plait__instance *ready;
	bool deferred = plait__run_turns_withdraw(instance, &ready);

	plait__run_turns_start(ready);
	return deferred;
}

static bool is_lost(const plait__instance *instance)
{
	if (instance->turn_lost == NULL)
		return false;
	MC_CHECK(AT_PLAIN_READ(instance->turn_lost->status) == PLAIT_E_LOST);
	return true;
}

/* Returns true if the run executes. */
static bool take(plait__instance *instance, uint32_t self)
{
	if (modes[self] == TRIES)
		return plait__run_turns_try(instance);
	if (plait__run_turns_take(instance))
		return !is_lost(instance);
	if (modes[self] == WITHDRAWS && withdraw(instance))
		return false;
	await_turn(instance);
	return at_load_relaxed_u32(&lost) == 0;
}

static void run_each(uint32_t self)
{
	plait__instance *instance = acquire(self);

	if (take(instance, self))
		execute(self);
	if (modes[self] == ABANDONS) {
		AT_PLAIN_WRITE(instance->abandoned_why.status) = PLAIT_E_LOST;
		at_store_release_u32(&instance->abandoned, 1);
	}
	/* Runs end their turn before their queue goes on. */
	if (modes[self] != CALLS)
		plait__run_turns_give(instance);
	plait__instance_release(instance);
}

static void run_twice(uint32_t self)
{
	run_each(self);
	if (self == 0)
		run_each(self);
}

/* The victim is reached by one thread and cancelled by the other, while the
 * holder keeps its turn. */
static void run_cancels(uint32_t self)
{
	if (self == 0) {
		if (!plait__run_turns_take(victim))
			await_turn(victim);
		MC_CHECK(at_load_relaxed_u32(&victim->stop) == 1 &&
			 AT_PLAIN_READ(victim->iterations) == 1);
		return;
	}
	/* Stands for why it was stopped. */
	AT_PLAIN_WRITE(victim->iterations) = 1;
	at_store_release_u32(&victim->stop, 1);
	if (withdraw(victim))
		grant(victim, NULL);
}

/* --- scenarios */

static void set_instance(uint32_t i)
{
	memset(&instances[i], 0, sizeof(instances[i]));
	instances[i].program = &program;
	instances[i].index = i;
	at_init_u32(&instances[i].next_free, 0);
	at_init_u32(&instances[i].ending, 0);
	at_init_u32(&instances[i].abandoned, 0);
	at_init_u32(&instances[i].stop, 0);
	at_init_u32(&instances[i].turn, PLAIT__TURN_NONE);
	at_init_u32(&granted[i], 0);
	AT_PLAIN_WRITE(bound[i]) = 0;
	AT_PLAIN_WRITE(noted[i]) = 0;
	buffer_of[i] = 0;
	modes[i] = CALLS;
}

static void begin_as(uint32_t kind)
{
	program.context = &context;
	program.instances = instances;
	program.instance_count = INSTANCES;
	program.asymmetric_fence = true;
	program.conflicts.kind = kind;
	program.on_turn = grant;
	program.turns.has_bit = false;
	program.turns.executing = NULL;
	program.turns.deferred = NULL;
	plait__mutex_init(&program.turns.lock);
	at_init_u32(&program.turns.members, 0);
	at_init_u64(&program.free, 0);
	at_init_u32(&program.first_free, PLAIT__PROGRAM_TURN);
	at_init_u32(&program.waiters, 0);
	at_init_u32(&lost, 0);
	plait__eventcount_init(&context.wait_event, 0);
	for (uint32_t i = 0; i < BUFFERS; i++)
		AT_PLAIN_WRITE(memory[i]) = 0;
	for (uint32_t i = 0; i < INSTANCES; i++)
		set_instance(i);
	for (uint32_t i = INSTANCES; i-- > 0;)
		plait__instance_release(&instances[i]);
}

static void begin_calls(void)
{
	begin_as(PLAIT__CONFLICTS_ALWAYS);
}

static void begin_calls_heavy(void)
{
	begin_as(PLAIT__CONFLICTS_ALWAYS);
	program.asymmetric_fence = false;
}

static void begin_modes(uint32_t kind, enum mode first, enum mode second)
{
	begin_as(kind);
	modes[0] = first;
	modes[1] = second;
	modes[2] = second;
}

static void begin_runs(void)
{
	begin_modes(PLAIT__CONFLICTS_ALWAYS, RUNS, RUNS);
}

static void begin_mixed(void)
{
	begin_modes(PLAIT__CONFLICTS_ALWAYS, CALLS, RUNS);
}

static void begin_tries(void)
{
	begin_modes(PLAIT__CONFLICTS_ALWAYS, RUNS, TRIES);
}

static void begin_withdraws(void)
{
	begin_modes(PLAIT__CONFLICTS_ALWAYS, CALLS, WITHDRAWS);
}

static void begin_abandons(void)
{
	begin_modes(PLAIT__CONFLICTS_ALWAYS, ABANDONS, RUNS);
}

/* The one that is abandoned may be a member. */
static void begin_abandons_member(void)
{
	begin_modes(PLAIT__CONFLICTS_ALWAYS, RUNS, ABANDONS);
}

static void begin_cancels(void)
{
	begin_modes(PLAIT__CONFLICTS_ALWAYS, RUNS, RUNS);
	holder = acquire(0);
	MC_CHECK(plait__run_turns_take(holder));
	victim = acquire(1);
}

static void begin_overlaps(void)
{
	begin_modes(PLAIT__CONFLICTS_ALWAYS, CALLS, OVERLAPS);
}

/* The threads 0 and 1 have one buffer, thread 2 another one. */
static void begin_buffers(void)
{
	begin_modes(PLAIT__CONFLICTS_BY_BUFFER, CALLS, RUNS);
	buffer_of[2] = 1;
}

static void begin_buffers_heavy(void)
{
	begin_buffers();
	program.asymmetric_fence = false;
}

/* The threads 0 and 1 have different buffers. */
static void begin_apart(void)
{
	begin_modes(PLAIT__CONFLICTS_BY_BUFFER, CALLS, RUNS);
	buffer_of[1] = 1;
}

static void end(void)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < INSTANCES; i++)
		kept += at_load_relaxed_u32(&instances[i].abandoned);
	MC_CHECK(at_load_relaxed_u32(&program.turns.members) == kept);
	MC_CHECK(program.turns.deferred == NULL);
	MC_CHECK(program.turns.has_bit == (kept > 0));
	MC_CHECK(kept > 0 || at_load_relaxed_u32(&program.first_free) ==
				     (PLAIT__PROGRAM_FREE |
				      PLAIT__PROGRAM_TURN));
}

/* Exactly the holder still has its turn. */
static void end_cancels(void)
{
	plait__instance_release(victim);
	plait__instance_release(holder);
	end();
}

#define TURNS(id, text, begin, run, threads, pre, stale)                      \
	static const struct mc_scenario id = { text, begin,   run, end,       \
					       threads, pre, stale, 0, 4000 }

TURNS(calls, "calls that conflict", begin_calls, run_twice, 2, 4, 2);
TURNS(calls_heavy, "calls, without membarrier", begin_calls_heavy, run_twice,
	2, 4, 2);
TURNS(calls_of_three, "calls of three threads", begin_calls, run_each, 3, 2,
	1);
TURNS(runs, "runs on queues that conflict", begin_runs, run_twice, 2, 4, 2);
TURNS(mixed, "a call and runs", begin_mixed, run_each, 3, 2, 1);
TURNS(tries, "a run, and calls that must not wait", begin_tries, run_each, 3,
	2, 1);
TURNS(withdraws, "a deferred run is cancelled", begin_withdraws, run_each, 3,
	2, 1);
TURNS(abandons, "a run that is abandoned", begin_abandons, run_each, 2, 4, 2);
TURNS(abandons_member, "a member that is abandoned", begin_abandons_member,
	run_twice, 2, 4, 2);
static const struct mc_scenario cancels = {
	"a run is cancelled while it is reached", begin_cancels, run_cancels,
	end_cancels, 2, 4, 2, 0, 4000
};
TURNS(overlaps, "a run that may overlap", begin_overlaps, run_each, 3, 2, 1);
TURNS(buffers, "runs with two buffers", begin_buffers, run_each, 3, 2, 1);
TURNS(buffers_two, "runs with one bound buffer", begin_buffers, run_twice, 2,
	4, 2);
TURNS(buffers_heavy, "bound buffers, without membarrier", begin_buffers_heavy,
	run_twice, 2, 4, 2);
TURNS(apart, "runs that do not conflict", begin_apart, run_twice, 2, 4, 2);

static const struct mc_scenario *const scenarios[] = {
	&calls, &buffers_two, &apart, &runs, &withdraws, &abandons,
	&abandons_member, &cancels,
	&calls_heavy, &buffers_heavy, &mixed, &tries, &overlaps, &buffers,
	&calls_of_three,
};

/* The other scenarios exercise no further order that could be weakened. */
enum { FOR_ORDERS = 11 };

static void explore(void)
{
	for (size_t i = 0; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "run/run_turns.c", NULL };

	mc_notices(scenarios, FOR_ORDERS, files);
}

static const struct tap_scenario all[] = {
	{ "turns", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
