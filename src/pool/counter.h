/* SPDX-License-Identifier: MIT */
/*
 * Counters: 64-bit values that only grow and keep their first failure. They
 * order lanes, and threads wait for them. The rules are those of
 * plait/plugin.h; the signal of a plait_backend_point is a plait__counter,
 * cast.
 */
#ifndef PLAIT_SRC_POOL_COUNTER_H
#define PLAIT_SRC_POOL_COUNTER_H

#include "plait/plugin.h"

typedef struct plait__pool plait__pool;
typedef struct plait__counter plait__counter;

/* Create a counter. `flags`: 0 or PLAIT_BACKEND_SIGNAL_GATE. PLAIT_E_NOMEM,
 * PLAIT_E_UNSUPPORTED. */
plait_status plait__counter_create(plait__pool *pool, uint32_t flags,
				   plait__counter **out, plait_error *error);

/* Destroy a counter that has no waiters and no emission in flight. Null is
 * allowed. */
void plait__counter_destroy(plait__counter *counter);

/* Returns PLAIT_OK, PLAIT_PENDING, or the failure. `out_reached` may be
 * null. */
plait_status plait__counter_poll(const plait_backend_point *point,
				 uint64_t *out_reached, plait_error *error);

/*
 * Wait for all points or for any. Any: the first point of the array that has
 * happened decides. A pool without workers runs lanes meanwhile.
 * PLAIT_E_TIMEOUT is never early; PLAIT_E_NOMEM only for more than 8 points, or
 * when every record of a waiting thread is in use.
 */
plait_status plait__counter_wait(plait__pool *pool,
				 const plait_backend_point *points,
				 uint32_t count, uint32_t any,
				 uint64_t timeout_ns, plait_error *error);

/*
 * Call `function` once: on the raising thread, or at once if the point has
 * happened. The callback's record is free again before the call.
 * PLAIT_E_NOMEM, but never if every user of the pool keeps within its
 * reservation.
 */
plait_status plait__counter_notify(const plait_backend_point *point,
				   plait_notify_function function,
				   void *user_data, plait_error *error);

/*
 * Reserve memory for `count` more callbacks in flight. Every user reserves: a
 * callback without a reservation takes a record that another user has reserved.
 */
plait_status plait__counter_reserve_callbacks(plait__pool *pool, uint32_t count,
					      plait_error *error);
void plait__counter_unreserve_callbacks(plait__pool *pool, uint32_t count);

/* Raise a gate; with `failure`, fail it from that point on. Callbacks run
 * inside, on this thread, without the gate's lock. PLAIT_E_STATE (not a gate, or
 * failed before), PLAIT_E_INVALID (less than its value). */
plait_status plait__counter_raise(const plait_backend_point *point,
				  const plait_error *failure,
				  plait_error *error);

/*
 * Emit a sequence, failed unless `failure` is null. Caller: one thread at a
 * time, each sequence once, in order. Callbacks run inside, on this thread. The
 * counter may be destroyed before this function returns.
 */
void plait__counter_emit(plait__counter *counter, uint64_t sequence,
			 const plait_error *failure);

/* Clear the failure; a gate has the value again at which it failed. PLAIT_E_BUSY
 * while waiters are linked. */
plait_status plait__counter_reset(plait__counter *counter,
				  plait_error *error);

#endif
