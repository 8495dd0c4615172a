/* SPDX-License-Identifier: MIT */
/*
 * An event count: sleep until a condition that lives elsewhere, in words
 * that others store to.  The event holds no condition of its own.
 *
 * Who waits:                              Who publishes:
 *     key = plait__eventcount_prepare(event);      store what makes it true;
 *     if (true already)                       plait__eventcount_notify(event);
 *         plait__eventcount_cancel(event);
 *     else
 *         plait__eventcount_wait(event, key, deadline_ns);
 *     and look again
 *
 * Why no wake is lost: the waiter adds itself to `sleepers`, fences, looks;
 * the publisher stores, fences, looks at `sleepers`.  One of the two sees
 * the other.  If the publisher sees the waiter, it moves `epoch`, and then a
 * key from before does not let the kernel put the waiter to sleep.
 *
 * The fence of the publisher costs 5-20 ns.  With PLAIT__EVENTCOUNT_ASYMMETRIC it is
 * only a compiler fence and the waiter pays for both (membarrier, some
 * microseconds, on a path that sleeps anyway); where the kernel has no
 * membarrier the event silently keeps both fences.
 *
 * `epoch` is a futex word of its own and 32 bits: between prepare and wait it
 * would have to come round once, 2^32 wakes, to be mistaken.  All sleepers are
 * woken: they may wait for different conditions.
 * Zeroed memory is an event with no flags and no sleepers.
 */
#ifndef PLAIT_SRC_SYS_EVENTCOUNT_H
#define PLAIT_SRC_SYS_EVENTCOUNT_H

#include <stdbool.h>

#include "sys/atomic.h"
#include "sys/backoff.h"

enum { PLAIT__EVENTCOUNT_ASYMMETRIC = 1 };

struct plait__eventcount {
	at_u32 epoch;    /* moves when sleepers are woken; the futex word */
	at_u32 sleepers; /* between prepare and the end of wait or cancel */
	uint32_t asymmetric_fence;  /* constant after init */
};

void plait__eventcount_init(struct plait__eventcount *event, uint32_t flags);

/* Announce; the condition must be looked at after this, then cancel or wait. */
uint32_t plait__eventcount_prepare(struct plait__eventcount *event);
void plait__eventcount_cancel(struct plait__eventcount *event);

/* 0: look again; -ETIMEDOUT: the deadline passed, look once more. */
int plait__eventcount_wait(struct plait__eventcount *event, uint32_t key,
			   uint64_t deadline_ns);

/* The slow half of notify; not to be called by itself. */
void plait__eventcount_wake(struct plait__eventcount *event);

/* After the stores that made a condition true; orders them by itself. */
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
 * The whole backoff: spin, yield, sleep until ready(arg) or the deadline.
 * `ready` reads with acquire what publishers store before they notify.
 * 0 or -ETIMEDOUT; after a timeout it has been asked once more.
 */
int plait__eventcount_await(struct plait__eventcount *event, bool (*ready)(void *arg),
			    void *arg, uint64_t deadline_ns,
			    enum plait__backoff_policy policy);

#endif
