/* SPDX-License-Identifier: MIT */
/*
 * The lock-free core of a counter: a monotonic value, its first failure, and
 * the waiters that are parked at it. Independent of lanes, threads and pools,
 * so that the explorer (t/model/mc) runs this source. Used by counter.c,
 * lane.c and counter_wait.c.
 *
 * Waiter:                           Raiser (one at a time):
 *     lock                              store value
 *     link the waiter, store lowest     fence
 *     fence                             if lowest <= value:
 *     if value has reached it:              lock, unlink those, unlock,
 *         unlink                            wake or return them
 *     unlock                            add to settled
 *
 * The two fences guarantee that one side sees the other's store: either the
 * waiter sees the value, or the raiser sees `lowest` and finds the waiter under
 * the lock. `settled` is the raiser's last access: a thread that saw the value
 * waits for `settled` before it frees the core. Each raiser adds the step by
 * which it advanced the value, because the next raiser may start as soon as it
 * sees the value, and may finish first.
 */
#ifndef PLAIT_SRC_POOL_COUNTER_CORE_H
#define PLAIT_SRC_POOL_COUNTER_CORE_H

#include <stdbool.h>

#include "plait/base.h"

#include "pool/cacheline.h"
#include "sys/eventcount.h"
#include "sys/mutex.h"

/* In `lowest` and `failed_from`: none. In `value`: every sequence is
 * reached. */
#define PLAIT__COUNTER_CORE_NEVER UINT64_MAX

/* The waiters of one thread that waits for several points. Guarded by the
 * locks of their cores. */
struct plait__waiter_group {
	at_u32 remaining; /* points to go before the wake-up; set by the thread */
	struct plait__eventcount *event; /* outlives the group */
};

enum plait__waiter_kind {
	PLAIT__WAITER_LANE,
	PLAIT__WAITER_THREAD,
	PLAIT__WAITER_CALLBACK
};

/* Linked under the core's lock. The thread that unlinks a waiter owns it. The
 * party that parks sets `kind` and `group`, and clears `linked`. */
struct plait__waiter {
	struct plait__waiter *next;
	struct plait__waiter *previous;
	uint64_t sequence;
	enum plait__waiter_kind kind;
	bool linked;
	plait_status status;        /* outcome, set when it is unlinked */
	struct plait__waiter_group *group; /* only of PLAIT__WAITER_THREAD */
};

struct plait__counter_core {
	/* Line 0, for the fast path: polled by waiters, written by the
	 * raiser. */
	PLAIT__CACHELINE_ALIGNED at_u64 value;
	at_u64 failed_from; /* first failed sequence; stored before `value` */

	/* Line 1 and on: the slow path. */
	PLAIT__CACHELINE_ALIGNED at_u64 lowest; /* lowest sequence waited for */
	at_u64 settled; /* the part of `value` that raisers have finished */
	struct plait__mutex lock; /* guards the rest; a leaf */
	struct plait__waiter *first; /* sorted by sequence */
	struct plait__waiter *last;
	uint64_t stopped_at; /* the true value while `value` is NEVER */
	plait_error failure;
};

/* Waiters that a raise has unlinked, oldest first, chained by `next`. */
struct plait__released_waiters {
	struct plait__waiter *lanes;
	struct plait__waiter *callbacks;
};

void plait__counter_core_init(struct plait__counter_core *core);

/* Wait until the last raiser has left; the memory may then be freed. */
void plait__counter_core_fini(struct plait__counter_core *core);

/* Acquire: pairs with the store in raise; all that precedes the emission is
 * visible. */
static inline bool plait__counter_core_reached(
	const struct plait__counter_core *core, uint64_t sequence)
{
	return at_load_acquire_u64(&core->value) >= sequence;
}

/* Returns true if a sequence that was reached has failed. Nothing may reset
 * the core meanwhile: the caller holds its lock, or is its raiser; or it looks at
 * the value again, as plait__counter_core_query does. */
static inline bool plait__counter_core_failed(
	const struct plait__counter_core *core, uint64_t sequence)
{
	/* Acquire: pairs with the store in reset. */
	uint64_t from = at_load_acquire_u64(&core->failed_from);

	return from <= sequence && from != PLAIT__COUNTER_CORE_NEVER;
}

enum plait__counter_core_state {
	PLAIT__COUNTER_CORE_PENDING,
	PLAIT__COUNTER_CORE_REACHED,
	PLAIT__COUNTER_CORE_FAILED
};

/*
 * Returns whether the sequence is pending, reached or failed. A reset restores
 * the value of a failed gate before it clears the failure; so a reader that
 * finds no failure reads the value again.
 */
static inline enum plait__counter_core_state plait__counter_core_query(
	const struct plait__counter_core *core, uint64_t sequence)
{
	if (!plait__counter_core_reached(core, sequence))
		return PLAIT__COUNTER_CORE_PENDING;
	if (plait__counter_core_failed(core, sequence))
		return PLAIT__COUNTER_CORE_FAILED;
	if (plait__counter_core_reached(core, sequence))
		return PLAIT__COUNTER_CORE_REACHED;
	return PLAIT__COUNTER_CORE_PENDING;
}

/* Returns the true value, also of a gate that failed. */
uint64_t plait__counter_core_get(struct plait__counter_core *core);

/* Copy the failure of a core that has one; returns its status. */
plait_status plait__counter_core_query_failure(struct plait__counter_core *core,
					       plait_error *error);

/*
 * Raise to `sequence`, failed unless `failure` is null. Wakes sleeping threads;
 * *out receives lanes and callbacks, which the caller schedules and calls. The
 * caller must not touch the core afterwards.
 */
void plait__counter_core_raise(struct plait__counter_core *core,
			       uint64_t sequence, const plait_error *failure,
			       struct plait__released_waiters *out);

/*
 * Fail the core from `sequence` on, for present and future waiters. *out
 * receives lanes and callbacks as in raise. The caller holds the lock that
 * orders raisers, and delivers *out after unlocking.
 */
void plait__counter_core_fail_from(struct plait__counter_core *core,
				   uint64_t sequence,
				   const plait_error *failure,
				   struct plait__released_waiters *out);

/* Link a waiter. Returns false, with nothing linked, if the sequence is
 * reached. */
bool plait__counter_core_park(struct plait__counter_core *core,
			      struct plait__waiter *waiter, uint64_t sequence);

/* Unlink a waiter if it is still linked. No raiser touches it afterwards. */
void plait__counter_core_unpark(struct plait__counter_core *core,
				struct plait__waiter *waiter);

/* Clear the failure. Returns false, with nothing changed, while waiters are
 * linked. */
bool plait__counter_core_reset(struct plait__counter_core *core);

#endif
