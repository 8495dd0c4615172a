/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for counters: spin, yield, then sleep with a waiter linked
 * at each missing point. In a pool without workers they run ready items
 * meanwhile.
 */
#include "pool/pool_internal.h"

#include "base/error.h"
#include "base/text.h"
#include "sys/clock.h"

/* Points with a waiter on the stack; more points need memory to sleep. */
enum { INLINE_WAITERS = 8 };

struct wait {
	plait__pool *pool;
	const plait_backend_point *points;
	uint32_t count;
	bool any;
	uint64_t timeout_ns;
	uint64_t deadline_ns;
	struct plait__external_thread *thread;
	/* one per point; null before the first sleep */
	struct plait__waiter *waiters;
	uint64_t waiter_bytes;         /* 0: on the stack */
};

static struct plait__counter_core *core_of(const plait_backend_point *point)
{
	return &((plait__counter *)point->signal)->core;
}

/* Returns PLAIT_PENDING or the result of the wait. The first point of the
 * array that failed (all) or has happened (any) decides. */
static plait_status decide(const struct wait *wait, plait_error *error)
{
	plait_status status = wait->any ? PLAIT_PENDING : PLAIT_OK;
	uint32_t i;

	for (i = 0; i < wait->count; i++) {
		const plait_backend_point *point = &wait->points[i];

		switch (plait__counter_core_query(core_of(point),
						  point->sequence)) {
		case PLAIT__COUNTER_CORE_PENDING:
			status = PLAIT_PENDING;
			break;
		case PLAIT__COUNTER_CORE_FAILED:
			return plait__counter_core_query_failure(core_of(point),
								 error);
		case PLAIT__COUNTER_CORE_REACHED:
			if (wait->any)
				return PLAIT_OK;
			break;
		}
	}
	return status;
}

static plait_status time_out(const struct wait *wait, plait_error *error)
{
	char time[PLAIT__TEXT_DURATION_BYTES];
	const plait_backend_point *point = wait->points;
	uint32_t missing = 0;
	uint32_t i;

	for (i = wait->count; i-- > 0;) {
		if (plait__counter_core_reached(core_of(&wait->points[i]),
						wait->points[i].sequence))
			continue;
		point = &wait->points[i];
		missing++;
	}
	return plait__fail(
		error, PLAIT_E_TIMEOUT,
		"%u of %u points missing after %s; the first "
		"is at %llu and %llu was waited for",
		missing, wait->count,
		plait__text_duration(wait->timeout_ns, time),
		(unsigned long long)plait__counter_core_get(core_of(point)),
		(unsigned long long)point->sequence);
}

/* --- sleeping ----------------------------------------------------------- */

static void unpark_all(struct wait *wait, uint32_t count)
{
	while (count-- > 0)
		plait__counter_core_unpark(core_of(&wait->points[count]),
					   &wait->waiters[count]);
}

/* Returns true with a waiter linked at every missing point, at least one. */
static bool park_all(struct wait *wait, struct plait__waiter_group *group)
{
	uint32_t i;

	for (i = 0; i < wait->count; i++) {
		struct plait__waiter *waiter = &wait->waiters[i];

		waiter->kind = PLAIT__WAITER_THREAD;
		waiter->group = group;
		waiter->linked = false;
		if (plait__counter_core_park(core_of(&wait->points[i]), waiter,
					     wait->points[i].sequence))
			continue;
		/* Reached: one point less (all), or the wait is over (any). */
		if (wait->any || at_sub_u32(&group->remaining, 1) == 1 ||
		    plait__counter_core_failed(core_of(&wait->points[i]),
					       wait->points[i].sequence)) {
			unpark_all(wait, i);
			return false;
		}
	}
	return true;
}

/* Sleep until a point happens or the deadline passes; may return after a
 * spurious wake-up. */
static void sleep_once(struct wait *wait)
{
	struct plait__sleeper *sleeper = &wait->thread->sleeper;
	struct plait__ready_queue *ready = &wait->pool->ready;
	bool runs_items = wait->pool->worker_count == 0;
	struct plait__waiter_group group = { .event = &sleeper->event };
	uint32_t key = plait__eventcount_prepare(&sleeper->event);

	at_init_u32(&group.remaining, wait->any ? 1 : wait->count);
	if (!park_all(wait, &group)) {
		plait__eventcount_cancel(&sleeper->event);
		return;
	}
	if (runs_items && !plait__ready_add_sleeper(ready, sleeper)) {
		plait__eventcount_cancel(&sleeper->event);
	} else {
		(void)plait__eventcount_wait(&sleeper->event, key,
					     wait->deadline_ns);
		if (runs_items)
			plait__ready_remove_sleeper(ready, sleeper);
	}
	unpark_all(wait, wait->count);
}

static plait_status prepare_sleep(struct wait *wait,
				  struct plait__waiter *inline_waiters,
				  plait_error *error)
{
	if (wait->thread == NULL)
		wait->thread = plait__external_thread_enter(wait->pool);
	if (wait->thread == NULL)
		goto no_memory;
	if (wait->waiters != NULL)
		return PLAIT_OK;
	wait->waiters = inline_waiters;
	if (wait->count <= INLINE_WAITERS)
		return PLAIT_OK;
	wait->waiters = plait__alloc_array(&wait->pool->allocator, wait->count,
					   sizeof(*wait->waiters));
	if (wait->waiters == NULL)
		goto no_memory;
	wait->waiter_bytes = wait->count * sizeof(*wait->waiters);
	return PLAIT_OK;

no_memory:
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to wait for %u points", wait->count);
}

/* --- waiting ------------------------------------------------------------ */

/* Returns true if an item of the ready queue was run; the caller polls again
 * first. */
static bool run_ready(struct wait *wait)
{
	bool more = plait__ready_has_items(&wait->pool->ready) ||
		    (wait->thread != NULL && wait->thread->item != NULL);

	if (wait->pool->worker_count != 0 || !more)
		return false;
	if (wait->thread == NULL)
		wait->thread = plait__external_thread_enter(wait->pool);
	return wait->thread != NULL && plait__external_thread_run(wait->thread);
}

static plait_status run_wait(struct wait *wait, plait_error *error)
{
	struct plait__waiter inline_waiters[INLINE_WAITERS];
	struct plait__backoff backoff;
	plait_status status;

	plait__backoff_init(&backoff, wait->pool->policy);
	for (;;) {
		bool ran = run_ready(wait);

		/* Read the clock before the points, so that a timeout is
		 * never early. */
		bool expired = plait__clock_left_ns(wait->deadline_ns) == 0;

		status = decide(wait, error);
		if (status != PLAIT_PENDING)
			return status;
		if (expired)
			return time_out(wait, error);
		if (ran || plait__backoff_step(&backoff))
			continue;
		status = prepare_sleep(wait, inline_waiters, error);
		if (status != PLAIT_OK)
			return status;
		sleep_once(wait);
	}
}

/* Also runs when the waiting thread ends inside a lane: no waiter is linked
 * then, and the thread's guard releases its record. */
static void free_waiters(void *arg)
{
	struct wait *wait = arg;

	if (wait->waiter_bytes != 0)
		plait__free(&wait->pool->allocator, wait->waiters,
			    wait->waiter_bytes);
}

plait_status plait__counter_wait(plait__pool *pool,
				 const plait_backend_point *points,
				 uint32_t count, uint32_t any,
				 uint64_t timeout_ns, plait_error *error)
{
	struct wait wait = { .pool = pool,
			     .points = points,
			     .count = count,
			     .any = any != 0,
			     .timeout_ns = timeout_ns };
	plait_status status;

	if (count == 0)
		return PLAIT_OK;
	status = decide(&wait, error);
	if (status != PLAIT_PENDING)
		return status;
	wait.deadline_ns = plait__clock_deadline(timeout_ns);
	PLAIT__THREAD_SCOPE inside = { free_waiters, &wait };
	status = run_wait(&wait, error);
	plait__thread_scope_end(&inside);
	if (wait.thread != NULL)
		plait__external_thread_leave(wait.thread);
	free_waiters(&wait);
	return status;
}
