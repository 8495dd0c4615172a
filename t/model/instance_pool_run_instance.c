/* SPDX-License-Identifier: MIT */
/*
 * Ownership of a program's instances, under every interleaving: an instance is
 * one thread's at a time, no thread sleeps while one is free, a thread that
 * sees the end of a run finds its instance free, and a call's instance is
 * returned once, whether its caller waits or is lost.  A run is counted as the
 * pool's before it is no longer expected.  instance_pool.c and run_instance.c as
 * they are.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "run/instance_pool.h"
#include "run/kernel_versions.h"
#include "run/record/recorder.h"
#include "run/run.h"
#include "run/run_turns.h"
#include "run/skipped_calls.h"

#include "base/error.h"
#include "object/wait/wait_loop.h"

#include <string.h>

enum { INSTANCES = 3 };

static plait__context context;
static plait__plan_object plan_object;
static plait__program program;
static plait__instance instances[INSTANCES];
static void execute(plait__instance *instance, bool called);
static const plait__engine engine = { .name = "none", .start = execute };
static plait__run run_of_user;
static plait__plan plan;
static const plait__frame_layout layout; /* without parameters */
static uint32_t users[INSTANCES];	/* the thread that has it */
static uint32_t taken;			/* when it begins */
static uint32_t payload;
static uint32_t kept;			/* instances */
static bool lost;			/* the caller ends in the call */
static bool stops;			/* a thread may cancel the run */
static at_u32 holds;			/* of the plan */
static at_u32 submitted;

/* --- the other functions that the sources are linked with */

void plait__progress_wake(plait__context *of)
{
	(void)of;
}

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

void plait__context_abandon(plait__context *of, const plait_error *why)
{
	MC_CHECK(why != NULL);
	MC_CHECK(of == &context);
}

void plait__object_hold(plait__object *object)
{
	MC_CHECK(object == &plan_object.object);
	at_add_u32(&holds, 1);
}

void plait__object_drop(plait__object *object)
{
	MC_CHECK(object == &run_of_user.object);
}

void plait__object_drop_deferred(plait__object *object)
{
	MC_CHECK(object == &plan_object.object);
	MC_CHECK(at_sub_u32(&holds, 1) > 0);
}

#define NOTHING(name, ...)                                                    \
	void name(__VA_ARGS__)                                                \
	{                                                                     \
	}
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING(plait__skipped_calls_number, plait__instance *instance)
NOTHING(plait__handle_note_past, plait__handle_slot *slot, void *of,
	uint64_t event)
NOTHING(plait__section_leave, plait__section *section,
	const plait_error *failure)
NOTHING(plait__bind_parameters_release, plait__frame *frame)

plait_status plait__bind_parameters(plait__frame *frame,
				    const plait_run_desc *desc,
				    plait_error *error)
{
	(void)frame;
	(void)desc;
	(void)error;
	return PLAIT_OK;
}

void plait__run_races_end_call(const plait__run_races *begun)
{
	(void)begun;
}

bool plait__run_conflicts_between(const plait__instance *one,
				  const plait__instance *other)
{
	(void)one;
	(void)other;
	return true;
}

void plait__run_conflicts_note(const plait__instance *instance)
{
	(void)instance;
}

void plait__progress_expect(plait__context *of)
{
	(void)of;
}

void plait__progress_unexpect(plait__context *of)
{
	(void)of;
}

void plait__kernel_versions_adopt(plait__instance *instance)
{
	(void)instance;
}

plait_status plait__recorder_acquire(plait__recorder *recorder,
				     plait__recording **out, plait_error *error)
{
	(void)recorder;
	(void)error;
	*out = NULL;
	return PLAIT_OK;
}

void plait__recorder_release(plait__recorder *recorder,
			     plait__recording *recording)
{
	(void)recorder;
	(void)recording;
}

void plait__recorder_end(plait__recorder *recorder,
			 plait__recording *recording)
{
	(void)recorder;
	(void)recording;
}

const char *plait__command_text(const plait__plan *of, uint32_t command,
				char room[PLAIT__COMMAND_TEXT_BYTES])
{
	(void)of;
	(void)command;
	room[0] = '\0';
	return room;
}

/* --- acquire and release */

static void use(plait__instance *instance, uint32_t self)
{
	MC_CHECK(AT_PLAIN_READ(users[instance->index]) == 0);
	AT_PLAIN_WRITE(users[instance->index]) = self + 1;
}

static plait__instance *acquire(uint32_t self, uint32_t flags)
{
	plait__instance *instance;
	plait_status status = plait__instance_acquire(
		&program, PLAIT__PROGRAM_FREE, flags, &instance, NULL);

	MC_CHECK(status == PLAIT_OK || flags != 0);
	if (status != PLAIT_OK)
		return NULL;
	use(instance, self);
	(void)plait__instance_begin(instance, NULL, NULL);
	return instance;
}

static void release(plait__instance *instance, uint32_t self)
{
	MC_CHECK(AT_PLAIN_READ(users[instance->index]) == self + 1);
	AT_PLAIN_WRITE(users[instance->index]) = 0;
	plait__instance_release(instance);
}

/* Two runs in a row; the second only if there is an instance. */
static void run_two(uint32_t self)
{
	plait__instance *first = acquire(self, 0);
	plait__instance *second = acquire(self, PLAIT_RUN_NO_WAIT);

	release(first, self);
	if (second != NULL)
		release(second, self);
}

static void run_turns(uint32_t self)
{
	release(acquire(self, 0), self);
	if (self == 0)
		release(acquire(self, 0), self);
}

static void run_list(uint32_t self)
{
	plait__instance *instance;

	if (self == 0) {
		run_two(self);
		return;
	}
	instance = acquire(self, PLAIT_RUN_NO_WAIT);
	if (instance != NULL)
		release(instance, self);
}

/* Calls that conflict: a failure keeps no turn. */
static void call_with_turn(uint32_t self)
{
	plait__instance *instance;

	MC_CHECK(plait__instance_acquire(
			 &program, PLAIT__PROGRAM_FREE | PLAIT__PROGRAM_TURN,
			 0, &instance, NULL) == PLAIT_OK);
	use(instance, self);
	if (plait__run_turns_try(instance))
		AT_PLAIN_WRITE(payload) = self + 1;
	release(instance, self);
}

static void run_with_turn(uint32_t self)
{
	call_with_turn(self);
	call_with_turn(self);
}

/* --- ends of runs */

static void end_run_of(plait__instance *instance, uint32_t self)
{
	AT_PLAIN_WRITE(payload) = 1;
	MC_CHECK(AT_PLAIN_READ(users[instance->index]) == self + 1);
	AT_PLAIN_WRITE(users[instance->index]) = 0;
	plait__instance_complete(instance);
}

/* Thread 0 ends a run on a queue; the others have waited for it. */
static void run_end(uint32_t self)
{
	plait_error error = { .size = sizeof(error) };
	plait__instance *instance;

	if (self == 0) {
		end_run_of(&instances[0], self);
		return;
	}
	if (stops) {
		plait__fail(&error, PLAIT_E_CANCELLED, "cancelled");
		plait__mutex_lock(&run_of_user.lock);
		if (at_load_acquire_u32(&run_of_user.outcome.done) == 0)
			plait__instance_stop(run_of_user.instance, &error);
		plait__mutex_unlock(&run_of_user.lock);
	}
	while (at_load_acquire_u32(&run_of_user.outcome.done) == 0)
		at_spin_pause();
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
	MC_CHECK(run_of_user.outcome.status == PLAIT_OK || stops);
	instance = acquire(self, PLAIT_RUN_NO_WAIT);
	MC_CHECK(instance != NULL);
	release(instance, self);
}

static bool is_over(void *arg)
{
	const plait__instance *instance = arg;

	return at_load_acquire_u32(&instance->called) == PLAIT__CALLER_DONE;
}

/* Thread 0 calls, thread 1 runs the lanes. */
static void run_call(uint32_t self)
{
	plait__instance *instance = &instances[0];
	plait__wait_request request = { .context = &context,
					.ready = is_over,
					.arg = instance };

	if (self == 1) {
		while (at_load_acquire_u32(&submitted) == 0)
			at_spin_pause();
		AT_PLAIN_WRITE(payload) = 1;
		plait__instance_complete(instance);
		return;
	}
	at_store_relaxed_u64(&instance->caller, plait__thread_token());
	at_store_relaxed_u32(&instance->called, PLAIT__CALLER_WAITS);
	at_store_release_u32(&submitted, 1);
	if (lost) {
		AT_PLAIN_WRITE(users[0]) = 0;
		plait__instance_caller_exited(instance);
		return;
	}
	(void)plait__wait_run(&request, NULL);
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
	MC_CHECK(instance->outcome.status == PLAIT_OK);
	release(instance, self);
}

/* A thread waits for the instance of the call. */
static void run_call_awaited(uint32_t self)
{
	plait__instance *instance;

	if (self != 2) {
		run_call(self);
		return;
	}
	instance = acquire(self, 0);
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
	release(instance, self);
}

/* Thread 0 abandons its run; the other one waits for the instance. */
static void run_kept(uint32_t self)
{
	plait_error why = { .size = sizeof(why), .status = PLAIT_E_LOST };
	plait__instance *instance;

	if (self == 0) {
		AT_PLAIN_WRITE(kept) = 1;
		plait__instance_abandon(&instances[0], &why);
		end_run_of(&instances[0], self);
		return;
	}
	MC_CHECK(plait__instance_acquire(&program, PLAIT__PROGRAM_FREE, 0,
					 &instance, &why) == PLAIT_E_LOST);
	MC_CHECK(why.status == PLAIT_E_LOST);
	MC_CHECK(AT_PLAIN_READ(kept) == 1);
}

/* --- runs that the pool executes, beside a backend that must be driven */

/* The run lets the backend go on, and ends. */
static void execute(plait__instance *instance, bool called)
{
	MC_CHECK(!called);
	at_store_release_u32(&submitted, 1);
	end_run_of(instance, 0);
}

/* Thread 0 is the queue, which reaches the run and so starts it.  Thread 1 waits
 * inside the backend, unless it may have to work for the run.  The backend does
 * not know the run, so it must not conclude that nothing can happen any more. */
static void run_in_pool(uint32_t self)
{
	const plait__progress_driver *driver = &context.driver;

	if (self == 0) {
		plait__instance_start_reached(&instances[0]);
		return;
	}
	if (at_load_acquire_u32(&submitted) != 0) {
		MC_CHECK(plait__progress_has_pool_run(driver) ||
			 at_load_relaxed_u32(&driver->pool_runs_ended) == 1);
		return;
	}
	if (plait__progress_expects_pool_run(driver) ||
	    plait__progress_has_pool_run(driver))
		return;
	MC_CHECK(at_load_relaxed_u32(&submitted) == 1);
}

/* --- scenarios */

static void set_instance(uint32_t i)
{
	memset(&instances[i], 0, sizeof(instances[i]));
	instances[i].program = &program;
	instances[i].index = i;
	instances[i].frame.layout = &layout;
	at_init_u32(&instances[i].next_free, 0);
	at_init_u32(&instances[i].ending, 0);
	at_init_u32(&instances[i].stop, 0);
	at_init_u32(&instances[i].abandoned, 0);
	at_init_u32(&instances[i].called, PLAIT__CALLER_NONE);
	at_init_u32(&instances[i].turn, PLAIT__TURN_NONE);
	plait__mutex_init(&instances[i].lock);
	AT_PLAIN_WRITE(users[i]) = 0;
}

static void begin_with(uint32_t count, uint32_t in_use)
{
	program.conflicts.kind = PLAIT__CONFLICTS_NEVER;
	taken = in_use;
	lost = false;
	stops = false;
	program.plan_object = &plan_object;
	program.plan = &plan;
	program.context = &context;
	program.engine = &engine;
	program.instances = instances;
	program.instance_count = count;
	program.asymmetric_fence = true;
	program.counts_runs = false;
	program.turns.has_bit = false;
	program.turns.executing = NULL;
	program.turns.deferred = NULL;
	plait__mutex_init(&program.turns.lock);
	at_init_u64(&program.free, 0);
	at_init_u32(&program.first_free, 0);
	at_init_u32(&program.waiters, 0);
	at_init_u32(&program.turns.members, 0);
	at_init_ptr(&program.recorder, NULL);
	at_init_ptr(&program.version, NULL);
	plait__eventcount_init(&context.wait_event, 0);
	for (uint32_t i = 0; i < INSTANCES; i++)
		set_instance(i);
	AT_PLAIN_WRITE(payload) = 0;
	AT_PLAIN_WRITE(kept) = 0;
	at_init_u32(&holds, 0);
	at_init_u32(&submitted, 0);
	for (uint32_t i = count; i-- > in_use;)
		plait__instance_release(&instances[i]);
}

static void begin_one(void)
{
	begin_with(1, 0);
}

static void begin_one_heavy(void)
{
	begin_with(1, 0);
	program.asymmetric_fence = false;
}

/* Both instances are free, and so is the turn. */
static void begin_turns(void)
{
	begin_with(2, 2);
	program.conflicts.kind = PLAIT__CONFLICTS_ALWAYS;
	at_init_u32(&program.first_free, PLAIT__PROGRAM_TURN);
	for (uint32_t i = 2; i-- > 0;)
		plait__instance_release(&instances[i]);
	taken = 0;
}

/* The list alone. */
static void begin_list(void)
{
	begin_with(3, 1);
}

static void begin_ending(void)
{
	begin_with(1, 1);
	AT_PLAIN_WRITE(users[0]) = 1;
	memset(&run_of_user, 0, sizeof(run_of_user));
	at_init_u32(&run_of_user.outcome.done, 0);
	plait__mutex_init(&run_of_user.lock);
	run_of_user.instance = &instances[0];
	instances[0].run = &run_of_user;
	at_init_u32(&holds, 1);
	taken = 0;
}

static void begin_ending_stopped(void)
{
	begin_ending();
	stops = true;
}

static void begin_call(void)
{
	begin_with(1, 1);
	AT_PLAIN_WRITE(users[0]) = 1;
	taken = 0;
}

static void begin_call_lost(void)
{
	begin_call();
	lost = true;
}

/* A queue has yet to reach the run. */
static void begin_expected(void)
{
	begin_with(1, 1);
	AT_PLAIN_WRITE(users[0]) = 1;
	at_init_u32(&holds, 1);
	taken = 0;
	program.counts_runs = true;
	at_init_u32(&context.driver.pool_runs, 0);
	at_init_u32(&context.driver.pool_runs_ended, 0);
	at_init_u32(&context.driver.pool_runs_expected, 0);
	plait__program_expect(&program);
}

/* All that are not kept are free again, once. */
static void end(void)
{
	uint32_t left = AT_PLAIN_READ(kept);
	plait__instance *instance;

	taken += left;
	for (uint32_t i = taken; i < program.instance_count; i++)
		MC_CHECK(acquire(i, PLAIT_RUN_NO_WAIT) != NULL);
	MC_CHECK(plait__instance_acquire(&program, PLAIT__PROGRAM_FREE,
					 PLAIT_RUN_NO_WAIT, &instance,
					 NULL) == (left > 0 ? PLAIT_E_LOST :
							  PLAIT_E_BUSY));
	MC_CHECK(at_load_relaxed_u32(&program.waiters) == 0);
	MC_CHECK(!plait__progress_expects_pool_run(&context.driver) &&
		 !plait__progress_has_pool_run(&context.driver));
	/* The plan is kept, too. */
	MC_CHECK(at_load_relaxed_u32(&holds) == left);
}

#define INSTANCE(id, text, begin, run, threads, pre, stale)                   \
	static const struct mc_scenario id = { text, begin,   run, end,       \
					       threads, pre, stale, 0, 4000 }

INSTANCE(one, "one instance, two threads", begin_one, run_turns, 2, 4, 2);
INSTANCE(one_of_three, "one instance, three threads", begin_one, run_turns, 3,
	2, 1);
INSTANCE(one_heavy, "one instance, without membarrier", begin_one_heavy,
	run_turns, 2, 4, 2);
INSTANCE(turns, "calls that conflict", begin_turns, run_with_turn, 2, 4, 2);
INSTANCE(list, "a list of two, two threads", begin_list, run_list, 2, 5, 2);
INSTANCE(ending, "a thread that sees the end finds the instance",
	begin_ending, run_end, 2, 4, 2);
INSTANCE(ending_stopped, "the run is cancelled as it ends",
	begin_ending_stopped, run_end, 2, 4, 2);
INSTANCE(abandoned_run, "an abandoned run, and a waiter for its instance",
	begin_ending, run_kept, 2, 4, 2);
INSTANCE(call, "a call that waits", begin_call, run_call, 2, 4, 2);
INSTANCE(call_awaited, "a call, and a waiter for its instance", begin_call,
	run_call_awaited, 3, 3, 1);
INSTANCE(call_lost, "a caller that is lost", begin_call_lost, run_call, 2, 4,
	2);
INSTANCE(call_lost_awaited, "a lost caller, and a waiter for its instance",
	begin_call_lost, run_call_awaited, 3, 3, 1);

INSTANCE(expected, "a run that its queue reaches, and a wait in the backend",
	begin_expected, run_in_pool, 2, 4, 2);

static const struct mc_scenario *const scenarios[] = {
	&one, &list, &turns, &ending, &call, &call_lost, &one_heavy,
	&call_lost_awaited, &ending_stopped, &abandoned_run, &expected,
	&one_of_three, &call_awaited,
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
	static const char *const files[] = {
		"run/instance_pool.c",
		"run/run_instance.c",
		NULL
	};

	mc_notices(scenarios, FOR_ORDERS, files);
}

static const struct tap_scenario all[] = {
	{ "instances", explore },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
