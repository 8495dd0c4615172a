/* SPDX-License-Identifier: MIT */
/*
 * Eventcount: threads sleep until a condition holds that lives in other words.
 * The event itself holds no condition.
 *
 * Waiter:                                  Publisher:
 *     key = plait__eventcount_prepare(e);      store what makes it true;
 *     if (condition)                           plait__eventcount_notify(e);
 *         plait__eventcount_cancel(e);
 *     else
 *         plait__eventcount_wait(e, key, deadline_ns);
 *     check the condition again
 *
 * No wake-up is lost: the waiter increments `sleepers`, fences and checks the
 * condition; the publisher stores, fences and checks `sleepers`. At least one
 * of the two sees the other. If the publisher sees the waiter, it advances
 * `epoch`, and the kernel does not let a thread sleep on an older key.
 *
 * The publisher's fence costs 5-20 ns. With PLAIT__EVENTCOUNT_ASYMMETRIC it is
 * only a compiler fence, and the waiter pays for both sides (membarrier, some
 * microseconds, on a path that sleeps anyway); without membarrier in the kernel
 * the event keeps both fences.
 *
 * `epoch` is a futex word of its own with 32 bits: only 2^32 wake-ups between
 * prepare and wait could make a key valid again. All sleepers are woken,
 * because they may wait for different conditions. Zeroed memory is an event
 * without flags and sleepers.
 */
#ifndef PLAIT_SRC_SYS_EVENTCOUNT_H
#define PLAIT_SRC_SYS_EVENTCOUNT_H

#include <stdbool.h>

#include "sys/atomic.h"
#include "sys/backoff.h"

enum { PLAIT__EVENTCOUNT_ASYMMETRIC = 1 };

struct plait__eventcount {
	at_u32 epoch;    /* advances at each wake-up; the futex word */
	/* Threads between prepare and the end of wait or cancel. */
	at_u32 sleepers;
	uint32_t asymmetric_fence;  /* constant after init */
};

void plait__eventcount_init(struct plait__eventcount *event, uint32_t flags);

/* Announce a waiter. The caller then checks its condition, and cancels or
 * waits. */
uint32_t plait__eventcount_prepare(struct plait__eventcount *event);
void plait__eventcount_cancel(struct plait__eventcount *event);

/* Returns 0 or, after the deadline, -ETIMEDOUT; the caller checks again in
 * both cases. */
int plait__eventcount_wait(struct plait__eventcount *event, uint32_t key,
			   uint64_t deadline_ns);

/* The slow path of notify; called by notify only. */
void plait__eventcount_wake(struct plait__eventcount *event);

/* Wake the sleepers after the stores that made a condition true. Contains
 * the fence that the stores need. */
static inline void plait__eventcount_notify(struct plait__eventcount *event)
{
	/* Pairs with the fence (or membarrier) in prepare. */
	if (event->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
	if (at_load_relaxed_u32(&event->sleepers) != 0)
		plait__eventcount_wake(event);
}

/*
 * Spin, yield, then sleep until ready(arg) or the deadline. `ready` reads with
 * acquire what publishers store before they notify. Returns 0 or -ETIMEDOUT,
 * the latter after one more call of `ready`.
 */
int plait__eventcount_await(struct plait__eventcount *event,
			    bool (*ready)(void *arg), void *arg,
			    uint64_t deadline_ns,
			    enum plait__backoff_policy policy);

#endif
