/* SPDX-License-Identifier: MIT */
/* Spin and yield counts of the backoff; see backoff.h. */
#include "sys/backoff.h"

#include "sys/atomic.h"
#include "sys/thread.h"

/*
 * A pause takes 5-45 ns, so 20 take 0.1-0.9 us: longer than a hand-off between
 * cores (0.05-0.25 us), shorter than a time slice. A yield takes 0.3 us. The
 * explorer needs each step once.
 */
#ifdef PLAIT_EXPLORE
enum { SHARED_SPINS = 1, SHARED_YIELDS = 1, DEDICATED_SPINS = 2 };
#else
enum { SHARED_SPINS = 20, SHARED_YIELDS = 100, DEDICATED_SPINS = 200000 };
#endif

void plait__backoff_init(struct plait__backoff *backoff,
			 enum plait__backoff_policy policy)
{
	backoff->spins_left = SHARED_SPINS;
	backoff->yields_left = SHARED_YIELDS;
	if (policy == PLAIT__BACKOFF_DEDICATED) {
		backoff->spins_left = DEDICATED_SPINS;
	} else if (policy == PLAIT__BACKOFF_SLEEP) {
		backoff->spins_left = 0;
		backoff->yields_left = 0;
	}
}

bool plait__backoff_step(struct plait__backoff *backoff)
{
	if (backoff->spins_left > 0) {
		backoff->spins_left--;
		at_spin_pause();
		return true;
	}
	if (backoff->yields_left > 0) {
		backoff->yields_left--;
		plait__thread_yield();
		return true;
	}
	return false;
}
