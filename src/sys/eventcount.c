/* SPDX-License-Identifier: MIT */
/* Eventcount; the protocol is in eventcount.h. */
#include "sys/eventcount.h"

#include <errno.h>

void plait__eventcount_init(struct plait__eventcount *event, uint32_t flags)
{
	at_init_u32(&event->epoch, 0);
	at_init_u32(&event->sleepers, 0);
	event->asymmetric_fence = (flags & PLAIT__EVENTCOUNT_ASYMMETRIC) != 0 &&
		       at_membarrier_available();
}

uint32_t plait__eventcount_prepare(struct plait__eventcount *event)
{
	uint32_t key;

	/*
	 * The key is read before the caller checks its condition, so a later
	 * wake-up has changed the epoch. The fence keeps the check after the
	 * read.
	 */
	at_add_u32(&event->sleepers, 1);
	key = at_load_relaxed_u32(&event->epoch);
	/* Pairs with the fence in notify, asymmetric or not. */
	if (event->asymmetric_fence)
		(void)at_membarrier();
	else
		at_fence_seq_cst();
	return key;
}

void plait__eventcount_cancel(struct plait__eventcount *event)
{
	at_sub_u32(&event->sleepers, 1);
}

int plait__eventcount_wait(struct plait__eventcount *event, uint32_t key,
			   uint64_t deadline_ns)
{
	int result = 0;

	/* Acquire: pairs with the add in wake. Spurious wake-ups of the futex
	 * stay in this loop. */
	while (at_load_acquire_u32(&event->epoch) == key &&
	       result != -ETIMEDOUT)
		result = at_futex_wait(&event->epoch, key, deadline_ns);
	at_sub_u32(&event->sleepers, 1);
	return result == -ETIMEDOUT ? -ETIMEDOUT : 0;
}

void plait__eventcount_wake(struct plait__eventcount *event)
{
	/* Release: a thread that sees the new epoch sees all that was stored
	 * before. */
	at_add_u32(&event->epoch, 1);
	at_futex_wake_all(&event->epoch);
}

int plait__eventcount_await(struct plait__eventcount *event,
			    bool (*ready)(void *arg), void *arg,
			    uint64_t deadline_ns,
			    enum plait__backoff_policy policy)
{
	struct plait__backoff backoff;
	uint32_t key;

	plait__backoff_init(&backoff, policy);
	while (!ready(arg)) {
		if (plait__backoff_step(&backoff))
			continue;
		key = plait__eventcount_prepare(event);
		if (ready(arg)) {
			plait__eventcount_cancel(event);
			return 0;
		}
		if (plait__eventcount_wait(event, key, deadline_ns) ==
		    -ETIMEDOUT)
			return ready(arg) ? 0 : -ETIMEDOUT;
	}
	return 0;
}
