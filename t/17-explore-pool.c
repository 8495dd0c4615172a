/* SPDX-License-Identifier: MIT */
/*
 * The pool's protocols under every interleaving: counters and who waits for
 * them (tally.c), what is ready and who sleeps for it (ready.c).  The threads
 * here do what wait.c, worker.c and lane.c do with them.
 */
#include "tap.h"

#include <errno.h>
#include <string.h>

#include "mc.h"
#include "mc_tap.h"
#include "pool/ready.h"
#include "pool/tally.h"
#include "sys/event.h"

/* --- counters -------------------------------------------------------------- */

/* One thread that waits, as wait.c lays it out; checked for late touches. */
struct waiting {
	struct plait__group group;
	struct plait__waiter waiters[2];
};

static struct plait__tally *tallies[2];
static struct plait__event events[MC_THREADS_MAX];
static uint32_t payload;
static uint32_t told;
static plait_error failure;

static void tally_begin(void)
{
	uint32_t i;

	for (i = 0; i < 2; i++) {
		tallies[i] = mc_alloc(sizeof(*tallies[i]));
		plait__tally_init(tallies[i]);
	}
	for (i = 0; i < MC_THREADS_MAX; i++)
		plait__event_init(&events[i], 0);
	AT_PLAIN_WRITE(payload) = 0;
	told = 0;
	memset(&failure, 0, sizeof(failure));
	failure.size = sizeof(failure);
	failure.status = PLAIT_E_FAILED;
}

static void raise_to(struct plait__tally *tally, uint64_t sequence,
		     const plait_error *why)
{
	struct plait__released released;
	struct plait__waiter *waiter;

	plait__tally_raise(tally, sequence, why, &released);
	for (waiter = released.lanes; waiter != NULL; waiter = waiter->next)
		told++;
}

/* Wait for `sequence` of the first `count` tallies, or until the deadline. */
static int wait_for(uint32_t self, uint32_t count, uint64_t sequence,
		    uint64_t deadline_ns)
{
	struct waiting *waiting = mc_alloc(sizeof(*waiting));
	uint32_t key = plait__event_prepare(&events[self]);
	bool parked[2] = { false, false };
	uint32_t missing = count;
	int result = 0;
	uint32_t i;

	at_init_u32(&waiting->group.remaining, count);
	waiting->group.event = &events[self];
	for (i = 0; i < count; i++) {
		waiting->waiters[i].kind = PLAIT__WAITER_THREAD;
		waiting->waiters[i].group = &waiting->group;
		parked[i] = plait__tally_park(tallies[i],
					      &waiting->waiters[i], sequence);
		if (!parked[i])
			missing = at_sub_u32(&waiting->group.remaining, 1) - 1;
	}
	if (missing == 0)
		plait__event_cancel(&events[self]);
	else
		result = plait__event_wait(&events[self], key, deadline_ns);
	for (i = 0; i < count; i++)
		if (parked[i])
			plait__tally_unpark(tallies[i], &waiting->waiters[i]);
	/* From here on nobody may know of it. */
	mc_free(waiting);
	return result;
}

static void check_reached(uint32_t count, uint64_t sequence)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		MC_CHECK(plait__tally_reached(tallies[i], sequence));
}

static void run_wait(uint32_t self)
{
	if (self == 0) {
		AT_PLAIN_WRITE(payload) = 1;
		raise_to(tallies[0], 1, NULL);
		return;
	}
	if (mc_choose(2))
		MC_CHECK(wait_for(self, 1, 1, UINT64_MAX) == 0);
	while (plait__tally_get(tallies[0]) < 1)
		at_spin_pause();
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
}

/* Each waits for a sequence of its own. */
static void run_wait_in_steps(uint32_t self)
{
	if (self == 0) {
		raise_to(tallies[0], 1, NULL);
		raise_to(tallies[0], 2, NULL);
		return;
	}
	MC_CHECK(wait_for(self, 1, self, UINT64_MAX) == 0);
	check_reached(1, self);
}

/* Both of two counters, raised by two threads. */
static void run_wait_all(uint32_t self)
{
	if (self < 2) {
		raise_to(tallies[self], 1, NULL);
		return;
	}
	MC_CHECK(wait_for(self, 2, 1, UINT64_MAX) == 0);
	check_reached(2, 1);
}

/* It may time out at any moment; its memory goes at once. */
static void run_wait_briefly(uint32_t self)
{
	int result;

	if (self == 0) {
		raise_to(tallies[0], 1, NULL);
		return;
	}
	result = wait_for(self, 1, 1, 5000);
	MC_CHECK(result == -ETIMEDOUT ||
		 plait__tally_reached(tallies[0], 1));
}

/* Who sees the value may destroy the counter, once the raiser is gone. */
static void run_destroy(uint32_t self)
{
	if (self == 0) {
		raise_to(tallies[0], 1, NULL);
		return;
	}
	if (mc_choose(2))
		MC_CHECK(wait_for(self, 1, 1, UINT64_MAX) == 0);
	else
		while (!plait__tally_reached(tallies[0], 1))
			at_spin_pause();
	plait__tally_fini(tallies[0]);
	mc_free(tallies[0]);
}

/*
 * Two queues emit in turn: the second raises as soon as it sees the first
 * one's value, which may not be done with raising yet.
 */
static void run_destroy_after_two(uint32_t self)
{
	if (self < 2) {
		while (!plait__tally_reached(tallies[0], self))
			at_spin_pause();
		raise_to(tallies[0], self + 1, NULL);
		return;
	}
	if (mc_choose(2))
		MC_CHECK(wait_for(self, 1, 2, UINT64_MAX) == 0);
	else
		while (!plait__tally_reached(tallies[0], 2))
			at_spin_pause();
	plait__tally_fini(tallies[0]);
	mc_free(tallies[0]);
}

/* A lane is told by the raiser or sees it for itself, never both. */
static void run_lane(uint32_t self)
{
	static struct plait__waiter waiter;

	if (self == 0) {
		AT_PLAIN_WRITE(payload) = 1;
		raise_to(tallies[0], 1, NULL);
		return;
	}
	memset(&waiter, 0, sizeof(waiter));
	waiter.kind = PLAIT__WAITER_LANE;
	if (plait__tally_park(tallies[0], &waiter, 1))
		return;
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
	told += 10;
}

static void end_lane(void)
{
	MC_CHECK(told == 1 || told == 10);
}

/* A failed sequence is seen to have failed, and by its status. */
static void run_failure(uint32_t self)
{
	plait_error error = { 0 };

	if (self == 0) {
		raise_to(tallies[0], 1, NULL);
		raise_to(tallies[0], 2, &failure);
		return;
	}
	if (mc_choose(2))
		wait_for(self, 1, 2, UINT64_MAX);
	else
		while (!plait__tally_reached(tallies[0], 2))
			at_spin_pause();
	MC_CHECK(!plait__tally_failed(tallies[0], 1));
	MC_CHECK(plait__tally_failed(tallies[0], 2));
	error.size = sizeof(error);
	MC_CHECK(plait__tally_query_failure(tallies[0], &error) ==
		 PLAIT_E_FAILED);
}

/* A gate that is failed lets everybody go. */
static void run_stop(uint32_t self)
{
	struct plait__released released;

	if (self == 0) {
		raise_to(tallies[0], 1, NULL);
		AT_PLAIN_WRITE(payload) = 1;
		plait__tally_stop(tallies[0], 2, &failure, &released);
		return;
	}
	if (mc_choose(2))
		MC_CHECK(wait_for(self, 1, 7, UINT64_MAX) == 0);
	else
		while (!plait__tally_reached(tallies[0], 7))
			at_spin_pause();
	MC_CHECK(plait__tally_failed(tallies[0], 7));
	MC_CHECK(!plait__tally_failed(tallies[0], 1));
	MC_CHECK(plait__tally_reached(tallies[0], 7));
	MC_CHECK(AT_PLAIN_READ(payload) == 1);
	MC_CHECK(plait__tally_get(tallies[0]) == 2);
}

/* Who looks while a gate recovers sees it failed or not there yet. */
static void run_look_at_reset(uint32_t self)
{
	struct plait__released released;

	if (self == 0) {
		plait__tally_stop(tallies[0], 2, &failure, &released);
		plait__tally_reset(tallies[0]);
		return;
	}
	MC_CHECK(plait__tally_look(tallies[0], 7) != PLAIT__TALLY_HAPPENED);
}

/* And one that recovers goes on where it stopped. */
static void run_reset(uint32_t self)
{
	struct plait__released released;

	if (self == 0) {
		AT_PLAIN_WRITE(payload) = 1;
		plait__tally_stop(tallies[0], 2, &failure, &released);
		if (!plait__tally_reset(tallies[0]))
			return; /* somebody waits, and is told of the failure */
		MC_CHECK(!plait__tally_failed(tallies[0], 2));
		raise_to(tallies[0], 7, NULL);
		return;
	}
	if (mc_choose(2)) {
		MC_CHECK(wait_for(self, 1, 7, UINT64_MAX) == 0);
	} else {
		while (plait__tally_get(tallies[0]) < 2)
			at_spin_pause();
		MC_CHECK(AT_PLAIN_READ(payload) == 1);
	}
}

static void end_tally(void)
{
	uint32_t i;

	for (i = 0; i < MC_THREADS_MAX; i++)
		MC_CHECK(at_load_relaxed_u32(&events[i].sleepers) == 0);
}

#define TALLY(id, text, run, end, threads, pre, stale, spur)                  \
	static const struct mc_scenario id = { text,  tally_begin, run,       \
					       end,   threads,     pre,       \
					       stale, spur,        8000 }

TALLY(tally_wait, "counter, a thread waits", run_wait, end_tally, 2, 4, 2, 1);
TALLY(tally_steps, "counter, two threads, two steps", run_wait_in_steps,
	end_tally, 3, 2, 1, 0);
TALLY(tally_all, "two counters, one thread", run_wait_all, end_tally, 3, 2, 1,
	0);
TALLY(tally_briefly, "counter, deadline", run_wait_briefly, end_tally, 2, 3, 2,
	1);
TALLY(tally_destroy, "counter, destroyed when reached", run_destroy, NULL, 2,
	3, 2, 0);
TALLY(tally_two, "counter, two raisers, destroyed", run_destroy_after_two,
	NULL, 3, 3, 1, 0);
TALLY(tally_look, "counter, looked at while a gate recovers",
	run_look_at_reset, end_tally, 2, 3, 2, 0);
TALLY(tally_lane, "counter, a lane waits", run_lane, end_lane, 2, 5, 3, 0);
TALLY(tally_failure, "counter, failure", run_failure, end_tally, 2, 3, 2, 0);
TALLY(tally_stop, "counter, failed gate", run_stop, end_tally, 2, 3, 2, 0);
TALLY(tally_reset, "counter, gate that recovers", run_reset, end_tally, 2, 3,
	2, 0);

/* --- ready list ------------------------------------------------------------ */

enum { ITEMS = 2 };

static struct plait__ready ready;
static struct plait__ready_item items[ITEMS];
static struct plait__sleeper sleepers[MC_THREADS_MAX];
static uint32_t contents[ITEMS];
static at_u32 ran;
static at_u32 go;

static void ready_begin(void)
{
	uint32_t i;

	memset(&ready, 0, sizeof(ready));
	memset(items, 0, sizeof(items));
	memset(sleepers, 0, sizeof(sleepers));
	for (i = 0; i < MC_THREADS_MAX; i++)
		plait__event_init(&sleepers[i].event, 0);
	for (i = 0; i < ITEMS; i++) {
		items[i].level = PLAIT__READY_NORMAL;
		AT_PLAIN_WRITE(contents[i]) = 0;
	}
	at_init_u32(&ran, 0);
	at_init_u32(&go, 0);
}

static void push(uint32_t i)
{
	AT_PLAIN_WRITE(contents[i]) = i + 1;
	plait__ready_push(&ready, &items[i]);
}

static void take(const struct plait__ready_item *item)
{
	uint32_t i = (uint32_t)(item - items);

	MC_CHECK(AT_PLAIN_READ(contents[i]) == i + 1);
	AT_PLAIN_WRITE(contents[i]) = 0;
	at_add_u32(&ran, 1);
	at_futex_wake_all(&ran);
}

static void work(uint32_t self)
{
	struct plait__ready_item *item;

	while ((item = plait__ready_seek(&ready, &sleepers[self])) != NULL)
		take(item);
}

static void run_workers(uint32_t self)
{
	if (self != 0) {
		work(self);
		return;
	}
	push(0);
	push(1);
	plait__ready_close(&ready);
}

/* Sleeps rather than spins: each pause would be a choice. */
static void wait_until_ran(uint32_t count)
{
	while (at_load_acquire_u32(&ran) < count)
		at_futex_wait(&ran, count - 1, UINT64_MAX);
}

/* Nobody closes before all has run: only wakes keep it going. */
static void run_one_by_one(uint32_t self)
{
	if (self != 0) {
		work(self);
		return;
	}
	push(0);
	wait_until_ran(1);
	push(1);
	wait_until_ran(2);
	plait__ready_close(&ready);
}

/*
 * A thread that waits for `go` and helps meanwhile: if a push woke it but it
 * is released at the same time, the worker must get the wake.
 */
static void wait_and_help(uint32_t self)
{
	struct plait__sleeper *sleeper = &sleepers[self];
	struct plait__ready_item *item;
	uint32_t key;

	while (at_load_acquire_u32(&go) == 0) {
		key = plait__event_prepare(&sleeper->event);
		if (!plait__ready_enlist(&ready, sleeper)) {
			plait__event_cancel(&sleeper->event);
			item = plait__ready_pop(&ready);
			if (item != NULL)
				take(item);
			continue;
		}
		if (at_load_acquire_u32(&go) == 0)
			plait__event_wait(&sleeper->event, key, UINT64_MAX);
		else
			plait__event_cancel(&sleeper->event);
		plait__ready_delist(&ready, sleeper);
	}
}

static void run_helper(uint32_t self)
{
	if (self == 1) {
		work(self);
		return;
	}
	if (self == 2) {
		wait_and_help(self);
		return;
	}
	push(0);
	at_store_release_u32(&go, 1);
	plait__event_notify(&sleepers[2].event);
	wait_until_ran(1);
	push(1);
	plait__ready_close(&ready);
}

/* Two threads that give up their turn to each other's items. */
static void run_swap(uint32_t self)
{
	struct plait__ready_item *item;

	AT_PLAIN_WRITE(contents[self]) = self + 1;
	item = plait__ready_swap(&ready, &items[self]);
	MC_CHECK(item != NULL);
	take(item);
}

/* Idle is true when nothing runs that could make something ready. */
static void run_guests(uint32_t self)
{
	struct plait__ready_item *item;

	if (self == 0)
		push(0);
	do {
		item = plait__ready_take(&ready);
		if (item == NULL) {
			at_spin_pause();
			continue;
		}
		take(item);
		if (item == &items[0])
			push(1);
		plait__ready_finish(&ready);
	} while (at_load_relaxed_u32(&go) == 0 && !plait__ready_idle(&ready));
	if (self == 0)
		MC_CHECK(at_load_relaxed_u32(&ran) == ITEMS);
}

static void end_ready(void)
{
	uint32_t i;

	MC_CHECK(at_load_relaxed_u32(&ran) == ITEMS);
	MC_CHECK(at_load_relaxed_u32(&ready.count) == 0);
	MC_CHECK(ready.seekers == 0 && ready.sleepers == NULL);
	for (i = 0; i < MC_THREADS_MAX; i++)
		MC_CHECK(at_load_relaxed_u32(&sleepers[i].event.sleepers) ==
			 0);
}

#define READY(id, text, run, threads, pre, stale, spur)                       \
	static const struct mc_scenario id = { text,      ready_begin, run,   \
					       end_ready, threads,     pre,   \
					       stale,     spur,        8000 }

READY(ready_worker, "ready list, one worker", run_workers, 2, 4, 2, 0);
READY(ready_workers, "ready list, two workers", run_workers, 3, 2, 1, 0);
READY(ready_one_by_one, "ready list, one by one", run_one_by_one, 3, 2, 1, 0);
READY(ready_helper, "ready list, a worker and a waiting thread", run_helper, 3,
	2, 1, 0);
READY(ready_guests, "ready list, guests", run_guests, 2, 4, 2, 0);
READY(ready_swap, "ready list, turns", run_swap, 2, 4, 2, 0);

/* --------------------------------------------------------------------------- */

enum { TALLIES = 11 };

static const struct mc_scenario *const scenarios[] = {
	&tally_wait,	&tally_steps,	   &tally_all,	   &tally_briefly,
	&tally_destroy, &tally_lane,	   &tally_failure, &tally_stop,
	&tally_reset,   &tally_two,	   &tally_look,
	&ready_worker,	&ready_workers,	   &ready_guests,  &ready_one_by_one,
	&ready_helper,	&ready_swap,
};

static void explore_counters(void)
{
	size_t i;

	for (i = 0; i < TALLIES; i++)
		mc_proves(scenarios[i]);
}

static void explore_ready(void)
{
	size_t i;

	for (i = TALLIES; i < TAP_COUNT(scenarios); i++)
		mc_proves(scenarios[i]);
}

static void mutants(void)
{
	static const char *const files[] = { "tally.c", "tally.h", "ready.c",
					     "ready.h", NULL };

	mc_notices(scenarios, TAP_COUNT(scenarios), files);
}

static const struct tap_scenario all[] = {
	{ "counters", explore_counters },
	{ "ready", explore_ready },
	{ "weaker orders", mutants },
};

TAP_MAIN(all)
