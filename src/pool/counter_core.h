/* SPDX-License-Identifier: MIT */
/*
 * The heart of a counter: a value that only goes up, its first failure, and
 * who waits for it.  Knows no lanes, threads or pools; the explorer of
 * t/model/mc runs this file.  Called by counter.c, lane.c and wait.c.
 *
 * Who waits:                        Who raises (one at a time):
 *     lock                              store value
 *     link a waiter, store lowest       fence
 *     fence                             if lowest <= value:
 *     if value has come:                    lock, unlink those, unlock,
 *         unlink                            tell them
 *     unlock                            store settled
 *
 * The two fences make one of the two see the other's store: either the waiter
 * sees the value, or the raiser sees `lowest` and finds the waiter under the
 * lock.  `settled` is the last thing that a raiser touches: somebody who saw
 * the value waits for it before the memory goes.  Each raiser adds what it
 * added to the value, because the next one may raise as soon as it sees the
 * value, and be done first.
 */
#ifndef PLAIT_SRC_POOL_COUNTER_CORE_H
#define PLAIT_SRC_POOL_COUNTER_CORE_H

#include <stdbool.h>

#include "plait/base.h"

#include "pool/cacheline.h"
#include "sys/eventcount.h"
#include "sys/mutex.h"

/* Of `lowest` and `failed_from`: nobody, never.  Of `value`: all has come. */
#define PLAIT__COUNTER_CORE_NEVER UINT64_MAX

/* A thread that sleeps for several waiters.  Touched under a core's lock. */
struct plait__waiter_group {
	at_u32 remaining; /* how many points until it is to be woken */
	struct plait__eventcount *event; /* outlives the group */
};

enum plait__waiter_kind {
	PLAIT__WAITER_LANE,
	PLAIT__WAITER_THREAD,
	PLAIT__WAITER_CALLBACK
};

/* Linked under the core's lock; who unlinks it owns it. */
struct plait__waiter {
	struct plait__waiter *next;
	struct plait__waiter *previous;
	uint64_t sequence;
	enum plait__waiter_kind kind;
	bool linked;
	plait_status status;        /* how it went, set when it is unlinked */
	struct plait__waiter_group *group; /* of PLAIT__WAITER_THREAD */
};

struct plait__counter_core {
	/* Line 0: what waiters poll.  Written by who raises. */
	PLAIT__CACHELINE_ALIGNED at_u64 value;
	at_u64 failed_from; /* first failed sequence; before `value` */

	/* Line 1 and on: the slow path. */
	PLAIT__CACHELINE_ALIGNED at_u64 lowest; /* what is waited for next */
	at_u64 settled;           /* what of it the raisers are done with */
	struct plait__mutex lock; /* guards all below; nothing inside it */
	struct plait__waiter *first; /* sorted by sequence */
	struct plait__waiter *last;
	uint64_t stopped_at; /* the true value when `value` is NEVER */
	plait_error failure;
};

/* What a raise has set free, oldest first, chained by `next`. */
struct plait__released_waiters {
	struct plait__waiter *lanes;
	struct plait__waiter *callbacks;
};

void plait__counter_core_init(struct plait__counter_core *core);

/* Wait until the last raiser is gone; then the memory may go. */
void plait__counter_core_fini(struct plait__counter_core *core);

/* Acquire: pairs with the store in raise.  All that came before is visible. */
static inline bool plait__counter_core_reached(const struct plait__counter_core *core,
					       uint64_t sequence)
{
	return at_load_acquire_u64(&core->value) >= sequence;
}

/* Of a sequence that was reached, while nobody can reset the core: its lock
 * is held, or who asks is the one who raises it. */
static inline bool plait__counter_core_failed(const struct plait__counter_core *core,
					      uint64_t sequence)
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
 * Has the sequence come, and how?  A reset takes the value of a failed gate
 * back before it forgets the failure; so who finds no failure looks at the
 * value again.
 */
static inline enum plait__counter_core_state
plait__counter_core_query(const struct plait__counter_core *core, uint64_t sequence)
{
	if (!plait__counter_core_reached(core, sequence))
		return PLAIT__COUNTER_CORE_PENDING;
	if (plait__counter_core_failed(core, sequence))
		return PLAIT__COUNTER_CORE_FAILED;
	if (plait__counter_core_reached(core, sequence))
		return PLAIT__COUNTER_CORE_REACHED;
	return PLAIT__COUNTER_CORE_PENDING;
}

/* The true value, also of a gate that failed. */
uint64_t plait__counter_core_get(struct plait__counter_core *core);

/* Copy the failure of a core that has one; returns its status. */
plait_status plait__counter_core_query_failure(struct plait__counter_core *core,
					       plait_error *error);

/*
 * Raise to `sequence`, as failed when `failure` is not null.  Sleeping
 * threads are woken; the rest is the caller's to tell.  The caller must not
 * touch the core afterwards.
 */
void plait__counter_core_raise(struct plait__counter_core *core, uint64_t sequence,
			       const plait_error *failure,
			       struct plait__released_waiters *out);

/* Fail it from `sequence` on, for everybody who waits or ever will. */
void plait__counter_core_fail_from(struct plait__counter_core *core, uint64_t sequence,
				   const plait_error *failure,
				   struct plait__released_waiters *out);

/* True: it is linked.  False: the sequence has come. */
bool plait__counter_core_park(struct plait__counter_core *core,
			      struct plait__waiter *waiter, uint64_t sequence);

/* Unlink if it still is; afterwards no raiser touches it. */
void plait__counter_core_unpark(struct plait__counter_core *core,
				struct plait__waiter *waiter);

/* Forget the failure; false when somebody waits. */
bool plait__counter_core_reset(struct plait__counter_core *core);

#endif
