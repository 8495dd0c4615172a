/* SPDX-License-Identifier: MIT */
/* Helpers for tests of the pool: short ways to submit and to wait. */
#ifndef T_POOL_H
#define T_POOL_H

#include "pool/counter.h"
#include "pool/lane.h"
#include "pool/pool.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/atomic.h"
#include "sys/clock.h"
#include "sys/thread.h"

#include <string.h>

#include "tap.h"

static inline plait__pool *new_pool(uint32_t workers)
{
	plait__pool *pool = NULL;

	IS_INT(plait__pool_create(plait__alloc_default(), workers, &pool,
				  NULL), PLAIT_OK);
	return pool;
}

static inline plait__lane *new_lane_of(plait__pool *pool, uint64_t capacity,
				       const char *label)
{
	plait_queue_request request = { .size = sizeof(request),
					.capacity = capacity,
					.label = label };
	plait__lane *lane = NULL;

	IS_INT(plait__lane_create(pool, &request, &lane, NULL), PLAIT_OK);
	return lane;
}

static inline plait__lane *new_lane(plait__pool *pool)
{
	return new_lane_of(pool, 0, NULL);
}

static inline plait__counter *new_counter(plait__pool *pool, uint32_t flags)
{
	plait__counter *counter = NULL;

	IS_INT(plait__counter_create(pool, flags, &counter, NULL), PLAIT_OK);
	return counter;
}

static inline plait__counter *new_gate(plait__pool *pool)
{
	return new_counter(pool, PLAIT_BACKEND_SIGNAL_GATE);
}

static inline plait_backend_point point(plait__counter *counter,
					uint64_t sequence)
{
	plait_backend_point out = { (plait_backend_signal *)counter,
				    sequence };

	return out;
}

static inline plait_work call(int32_t (*function)(void *), void *user_data)
{
	plait_work work = { .size = sizeof(work),
			    .kind = PLAIT_WORK_CALL,
			    .function = function,
			    .user_data = user_data };

	return work;
}

/* Wait for {before, n}, do `count` works, emit {after, m}; null: without. */
static inline plait_status send(plait__lane *lane, plait__counter *before,
				uint64_t n, const plait_work *work,
				uint32_t count, plait__counter *after,
				uint64_t m, plait_error *error)
{
	plait_backend_point wait = point(before, n);
	plait_backend_point emit = point(after, m);
	plait_submission submission = {
		.size = sizeof(submission), .work = work,
		.work_count = count,	    .waits = &wait,
		.wait_count = before != NULL, .emits = &emit,
		.emit_count = after != NULL
	};

	return plait__lane_submit(lane, &submission, 1, error);
}

/* Does the same with one call. */
static inline plait_status send_call(plait__lane *lane, plait__counter *before,
				     uint64_t n, int32_t (*function)(void *),
				     void *user_data, plait__counter *after,
				     uint64_t m)
{
	plait_work work = call(function, user_data);

	return send(lane, before, n, &work, function != NULL, after, m, NULL);
}

static inline plait_status wait_point(plait__pool *pool,
				      plait__counter *counter, uint64_t n,
				      plait_error *error)
{
	plait_backend_point wanted = point(counter, n);

	return plait__counter_wait(pool, &wanted, 1, 0, TAP_PATIENCE_NS,
				   error);
}

static inline plait_status raise_gate(plait__counter *gate, uint64_t n)
{
	plait_backend_point wanted = point(gate, n);

	return plait__counter_raise(&wanted, NULL, NULL);
}

/* Poll, with a deadline, until the word is `wanted`. */
static inline bool becomes(at_u32 *word, uint32_t wanted)
{
	uint64_t deadline = plait__clock_deadline(TAP_PATIENCE_NS);

	while (at_load_acquire_u32(word) != wanted) {
		if (plait__clock_left_ns(deadline) == 0)
			return false;
		plait__thread_yield();
	}
	return true;
}

static inline int32_t count_up(void *arg)
{
	at_add_u32(arg, 1);
	return 0;
}

static inline int32_t return_seven(void *arg)
{
	(void)arg;
	return 7;
}

#endif
