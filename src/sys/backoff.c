/* SPDX-License-Identifier: MIT */
/* Spin and yield counts of the backoff; see backoff.h. */
#include "sys/backoff.h"

#include "sys/atomic.h"
#include "sys/clock.h"
#include "sys/thread.h"

/*
 * A pause takes 5-45 ns, so 20 take 0.1-0.9 us: longer than a hand-off between
 * cores (0.05-0.25 us), shorter than a time slice. A yield takes 0.3 us; a
 * time slice of another thread or more if one wants the processor, so that a hundred
 * may take a second. The explorer needs each step once.
 */
#ifdef PLAIT_EXPLORE
enum { SHARED_SPINS = 1, SHARED_YIELDS = 1, DEDICATED_SPINS = 2 };
#else
enum { SHARED_SPINS = 20, SHARED_YIELDS = 100, DEDICATED_SPINS = 200000 };
#endif

/* All yields, with those in which threads that the wait is for run a while. */
#define YIELDS_NS UINT64_C(1000000)

void plait__backoff_init(struct plait__backoff *backoff,
			 enum plait__backoff_policy policy)
{
	backoff->spins_left = SHARED_SPINS;
	backoff->yields_left = SHARED_YIELDS;
	backoff->yields_until_ns = 0;
	if (policy == PLAIT__BACKOFF_DEDICATED) {
		backoff->spins_left = DEDICATED_SPINS;
	} else if (policy == PLAIT__BACKOFF_SLEEP) {
		backoff->spins_left = 0;
		backoff->yields_left = 0;
	}
}

/* The time that the yields may take is over.  The explorer has no clock. */
static bool is_late(struct plait__backoff *backoff)
{
#ifdef PLAIT_EXPLORE
	(void)backoff;
	return false;
#else
	uint64_t now;

	if (backoff->yields_until_ns == PLAIT__CLOCK_NEVER)
		return false;
	now = plait__clock_now_ns();
	if (backoff->yields_until_ns == 0)
		backoff->yields_until_ns = now + YIELDS_NS;
	return now >= backoff->yields_until_ns;
#endif
}

bool plait__backoff_step(struct plait__backoff *backoff)
{
	if (backoff->spins_left > 0) {
		backoff->spins_left--;
		at_spin_pause();
		return true;
	}
	if (backoff->yields_left > 0 && !is_late(backoff)) {
		backoff->yields_left--;
		plait__thread_yield();
		return true;
	}
	return false;
}
