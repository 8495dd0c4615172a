/* SPDX-License-Identifier: MIT */
/*
 * Counters, their waiters, the ready queue and its sleeping workers under every
 * interleaving (counter_core.c, ready.c).  The threads here use them as
 * counter_wait.c, worker.c and lane.c do.
 */
#include "lib/tap.h"

#include <errno.h>
#include <string.h>

#include "mc.h"
#include "mc_tap.h"
#include "pool/ready.h"
#include "pool/counter_core.h"
#include "sys/eventcount.h"
#include "ready_list.h"

/* --- counters -------------------------------------------------------------- */

/* One waiting thread, with the data of counter_wait.c; checked for late
 * accesses. */
struct waiting {
	struct plait__waiter_group group;
	struct plait__waiter waiters[2];
};

static struct plait__counter_core *cores[2];
static struct plait__eventcount events[MC_THREADS_MAX];
static uint32_t payload;
static uint32_t notified;
static plait_error failure;

static void begin_counters(void)
{
	uint32_t i;

	for (i = 0; i < 2; i++) {
		cores[i] = mc_alloc(sizeof(*cores[i]));
		plait__counter_core_init(cores[i]);
	}
	for (i = 0; i < MC_THREADS_MAX; i++)
		plait__eventcount_init(&events[i], 0);
	AT_PLAIN_WRITE(payload) = 0;
	notified = 0;
	memset(&failure, 0, sizeof(failure));
	failure.size = sizeof(failure);
	failure.status = PLAIT_E_FAILED;
}

static void raise_to(struct plait__counter_core *core, uint64_t sequence,
		     const plait_error *why)
{
	struct plait__released_waiters released;
	struct plait__waiter *waiter;

	plait__counter_core_raise(core, sequence, why, &released);
	for (waiter = released.lanes; waiter != NULL; waiter = waiter->next)
		notified++;
}

/* Wait for `sequence` of the first `count` counters, or until the deadline. */
static int wait_for(uint32_t self, uint32_t count, uint64_t sequence,
		    uint64_t deadline_ns)
{
	struct waiting *waiting = mc_alloc(sizeof(*waiting));
	uint32_t key = plait__eventcount_prepare(&events[self]);
	bool parked[2] = { false, false };
	uint32_t missing = count;
	int result = 0;
	uint32_t i;

	at_init_u32(&waiting->group.remaining, count);
	waiting->group.event = &events[self];
	for (i = 0; i < count; i++) {
		waiting->waiters[i].kind = PLAIT__WAITER_THREAD;
		waiting->waiters[i].group = &waiting->group;
		parked[i] = plait__counter_core_park(cores[i],
						     &waiting->waiters[i], sequence);
		if (!parked[i])
			missing = at_sub_u32(&waiting->group.remaining, 1) - 1;
	}
	if (missing == 0)
		plait__eventcount_cancel(&events[self]);
	else
		result = plait__eventcount_wait(&events[self], key, deadline_ns);
	for (i = 0; i < count; i++)
		if (parked[i])
			plait__counter_core_unpark(cores[i],
						   &waiting->waiters[i]);
	/* From here on no thread may refer to it. */
	mc_free(waiting);
	return result;
}

static void check_reached(uint32_t count, uint64_t sequence)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		MC_CHECK(plait__counter_core_reached(cores[i], sequence));
}

static void run_wait(uint32_t self)
{
	if (self == 0) {
		AT_PLAIN_WRITE(payload) = 1;
		raise_to(cores[0], 1, NULL);
		return;
	}
	if (mc_choose(2))
		MC_CHECK(wait_for(self, 1, 1, UINT64_MAX) == 0);
	while (plait__counter_core_get(cores[0]) < 1)
		at_spin_pause();
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
}

/* Each waits for a sequence of its own. */
static void run_wait_in_steps(uint32_t self)
{
	if (self == 0) {
		raise_to(cores[0], 1, NULL);
		raise_to(cores[0], 2, NULL);
		return;
	}
	MC_CHECK(wait_for(self, 1, self, UINT64_MAX) == 0);
	check_reached(1, self);
}

/* Both of two counters, raised by two threads. */
static void run_wait_all(uint32_t self)
{
	if (self < 2) {
		raise_to(cores[self], 1, NULL);
		return;
	}
	MC_CHECK(wait_for(self, 2, 1, UINT64_MAX) == 0);
	check_reached(2, 1);
}

/* The wait may time out at any moment; its memory is freed at once. */
static void run_wait_briefly(uint32_t self)
{
	int result;

	if (self == 0) {
		raise_to(cores[0], 1, NULL);
		return;
	}
	result = wait_for(self, 1, 1, 5000);
	MC_CHECK(result == -ETIMEDOUT ||
		 plait__counter_core_reached(cores[0], 1));
}

/* A thread that sees the value may destroy the counter, once the raiser is
 * gone. */
static void run_destroy(uint32_t self)
{
	if (self == 0) {
		raise_to(cores[0], 1, NULL);
		return;
	}
	if (mc_choose(2))
		MC_CHECK(wait_for(self, 1, 1, UINT64_MAX) == 0);
	else
		while (!plait__counter_core_reached(cores[0], 1))
			at_spin_pause();
	plait__counter_core_fini(cores[0]);
	mc_free(cores[0]);
}

/*
 * Two queues emit in turn: the second raises as soon as it sees the first
 * one's value, which may not be done with raising yet.
 */
static void run_destroy_after_two(uint32_t self)
{
	if (self < 2) {
		while (!plait__counter_core_reached(cores[0], self))
			at_spin_pause();
		raise_to(cores[0], self + 1, NULL);
		return;
	}
	if (mc_choose(2))
		MC_CHECK(wait_for(self, 1, 2, UINT64_MAX) == 0);
	else
		while (!plait__counter_core_reached(cores[0], 2))
			at_spin_pause();
	plait__counter_core_fini(cores[0]);
	mc_free(cores[0]);
}

/* A lane is notified by the raiser or sees the value itself, never both. */
static void run_lane(uint32_t self)
{
	static struct plait__waiter waiter;

	if (self == 0) {
		AT_PLAIN_WRITE(payload) = 1;
		raise_to(cores[0], 1, NULL);
		return;
	}
	memset(&waiter, 0, sizeof(waiter));
	waiter.kind = PLAIT__WAITER_LANE;
	if (plait__counter_core_park(cores[0], &waiter, 1))
		return;
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
	notified += 10;
}

static void end_lane(void)
{
	MC_CHECK(notified == 1 || notified == 10);
}

/* A failed sequence is seen to have failed, and by its status. */
static void run_failure(uint32_t self)
{
	plait_error error = { 0 };

	if (self == 0) {
		raise_to(cores[0], 1, NULL);
		raise_to(cores[0], 2, &failure);
		return;
	}
	if (mc_choose(2))
		wait_for(self, 1, 2, UINT64_MAX);
	else
		while (!plait__counter_core_reached(cores[0], 2))
			at_spin_pause();
	MC_CHECK(!plait__counter_core_failed(cores[0], 1));
	MC_CHECK(plait__counter_core_failed(cores[0], 2));
	error.size = sizeof(error);
	MC_CHECK(plait__counter_core_query_failure(cores[0], &error) ==
		 PLAIT_E_FAILED);
}

/* A gate that is failed releases all waiters. */
static void run_stop(uint32_t self)
{
	struct plait__released_waiters released;

	if (self == 0) {
		raise_to(cores[0], 1, NULL);
		AT_PLAIN_WRITE(payload) = 1;
		plait__counter_core_fail_from(cores[0], 2, &failure, &released);
		return;
	}
	if (mc_choose(2))
		MC_CHECK(wait_for(self, 1, 7, UINT64_MAX) == 0);
	else
		while (!plait__counter_core_reached(cores[0], 7))
			at_spin_pause();
	MC_CHECK(plait__counter_core_failed(cores[0], 7));
	MC_CHECK(!plait__counter_core_failed(cores[0], 1));
	MC_CHECK(plait__counter_core_reached(cores[0], 7));
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
	MC_CHECK(plait__counter_core_get(cores[0]) == 2);
}

/* A thread that looks while a gate recovers sees it failed or not there yet. */
static void run_look_at_reset(uint32_t self)
{
	struct plait__released_waiters released;

	if (self == 0) {
		plait__counter_core_fail_from(cores[0], 2, &failure, &released);
		plait__counter_core_reset(cores[0]);
		return;
	}
	MC_CHECK(plait__counter_core_query(cores[0], 7) !=
		 PLAIT__COUNTER_CORE_REACHED);
}

/* And one that recovers goes on where it stopped. */
static void run_reset(uint32_t self)
{
	struct plait__released_waiters released;

	if (self == 0) {
		AT_PLAIN_WRITE(payload) = 1;
		plait__counter_core_fail_from(cores[0], 2, &failure, &released);
		if (!plait__counter_core_reset(cores[0]))
			return; /* a thread waits, and is notified of the
				 * failure */
		MC_CHECK(!plait__counter_core_failed(cores[0], 2));
		raise_to(cores[0], 7, NULL);
		return;
	}
	if (mc_choose(2)) {
		MC_CHECK(wait_for(self, 1, 7, UINT64_MAX) == 0);
	} else {
		while (plait__counter_core_get(cores[0]) < 2)
			at_spin_pause();
		MC_CHECK(AT_PLAIN_READ(payload) == 1);
	}
}

static void end_counters(void)
{
	uint32_t i;

	for (i = 0; i < MC_THREADS_MAX; i++)
		MC_CHECK(at_load_relaxed_u32(&events[i].sleepers) == 0);
}

#define COUNTER(id, text, run, end, threads, pre, stale, spur)                \
	static const struct mc_scenario id = { text,  begin_counters, run,    \
					       end,   threads,     pre,       \
					       stale, spur,        8000 }

COUNTER(counter_wait, "counter, a thread waits", run_wait, end_counters, 2, 4,
	2, 1);
COUNTER(counter_steps, "counter, two threads, two steps", run_wait_in_steps,
	end_counters, 3, 2, 1, 0);
COUNTER(counter_all, "two counters, one thread", run_wait_all, end_counters,
	3, 2, 1, 0);
COUNTER(counter_briefly, "counter, deadline", run_wait_briefly, end_counters,
	2, 3, 2, 1);
COUNTER(counter_destroy, "counter, destroyed when reached", run_destroy, NULL,
	2, 3, 2, 0);
COUNTER(counter_two, "counter, two raisers, destroyed", run_destroy_after_two,
	NULL, 3, 3, 1, 0);
COUNTER(counter_inspect, "counter, inspected while a gate recovers",
	run_look_at_reset, end_counters, 2, 3, 2, 0);
COUNTER(counter_lane, "counter, a lane waits", run_lane, end_lane, 2, 5, 3, 0);
COUNTER(counter_failure, "counter, failure", run_failure, end_counters, 2, 3,
	2, 0);
COUNTER(counter_stop, "counter, failed gate", run_stop, end_counters, 2, 3, 2,
	0);
COUNTER(counter_reset, "counter, gate that recovers", run_reset, end_counters,
	2, 3, 2, 0);

/* --------------------------------------------------------------------------- */

enum { COUNTERS = 11 };

static const struct mc_scenario *const scenarios[] = {
	&counter_wait, &counter_steps, &counter_all, &counter_briefly,
	&counter_destroy, &counter_lane, &counter_failure, &counter_stop,
	&counter_reset, &counter_two, &counter_inspect, &ready_worker,
	&ready_workers, &ready_external, &ready_one_by_one, &ready_helper,
	&ready_swap, &ready_tasks, &ready_starved, &ready_bound,
	&ready_seeking,
};

static void explore_counters(void)
{
	size_t i;

	for (i = 0; i < COUNTERS; i++)
		mc_proves(scenarios[i]);
}

static void explore_ready(void)
{
	size_t i;

	for (i = COUNTERS; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "pool/counter_core.c",
					     "pool/counter_core.h",
					     "pool/ready.c", "pool/ready.h",
					     NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "counters", explore_counters },
	{ "ready", explore_ready },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
