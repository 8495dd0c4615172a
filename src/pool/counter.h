/* SPDX-License-Identifier: MIT */
/*
 * Counters: what orders lanes, and what threads wait for.  64 bits, only up,
 * with the first failure kept.  The rules are those of plait/plugin.h; in a
 * plait_backend_point the signal is a plait__counter, cast.
 */
#ifndef PLAIT_SRC_POOL_COUNTER_H
#define PLAIT_SRC_POOL_COUNTER_H

#include "plait/plugin.h"

typedef struct plait__pool plait__pool;
typedef struct plait__counter plait__counter;

/* `flags`: PLAIT_BACKEND_SIGNAL_GATE.  PLAIT_E_NOMEM, PLAIT_E_UNSUPPORTED. */
plait_status plait__counter_create(plait__pool *pool, uint32_t flags,
				   plait__counter **out, plait_error *error);

/* Nobody waits for it and no emission is on its way.  Null is fine. */
void plait__counter_destroy(plait__counter *counter);

/* PLAIT_OK, PLAIT_PENDING, or the failure.  `out_reached` may be null. */
plait_status plait__counter_poll(const plait_backend_point *point,
				 uint64_t *out_reached, plait_error *error);

/*
 * Wait for all or for any; drives lanes when the pool has no workers.  Any:
 * the first in the array that has happened decides.  PLAIT_E_TIMEOUT never
 * comes early; PLAIT_E_NOMEM only for very many points.
 */
plait_status plait__counter_wait(plait__pool *pool,
				 const plait_backend_point *points,
				 uint32_t count, uint32_t any,
				 uint64_t timeout_ns, plait_error *error);

/* Once, on the thread that raises it, or here and now.  PLAIT_E_NOMEM, not if
 * room was reserved; which is free again before the function is called. */
plait_status plait__counter_notify(const plait_backend_point *point,
				   plait_notify_function function,
				   void *user_data, plait_error *error);

/*
 * Room for so many notifications at a time, beside what others have reserved;
 * who does not reserve may be in that room, so all do who care.
 */
plait_status plait__counter_reserve_callbacks(plait__pool *pool, uint32_t count,
					      plait_error *error);
void plait__counter_unreserve_callbacks(plait__pool *pool, uint32_t count);

/*
 * Raise a gate; with `failure`, fail it from there on.  PLAIT_E_STATE (not a
 * gate, or failed before), PLAIT_E_INVALID (less than before).
 */
plait_status plait__counter_raise(const plait_backend_point *point,
				  const plait_error *failure,
				  plait_error *error);

/*
 * An emission: `failure` is null or why it failed.  In order, each sequence
 * once, by one thread at a time; the counter may be gone afterwards.
 */
void plait__counter_emit(plait__counter *counter, uint64_t sequence,
			 const plait_error *failure);

/* Forget the failure.  PLAIT_E_BUSY when somebody waits for it. */
plait_status plait__counter_reset(plait__counter *counter,
				  plait_error *error);

#endif
