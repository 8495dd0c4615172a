/* SPDX-License-Identifier: MIT */
/* Three-state futex mutex; see mutex.h. */
#include "sys/mutex.h"

#include "sys/clock.h"

enum {
	FREE = 0,
	HELD = 1,
	CONTENDED = 2 /* held, with possible sleepers: unlock wakes one */
};

/* Critical sections are short; a sleep and a wake-up cost a thousand pauses. */
#ifdef PLAIT_EXPLORE
enum { SPIN_LIMIT = 1 };
#else
enum { SPIN_LIMIT = 60 };
#endif

void plait__mutex_init(struct plait__mutex *mutex)
{
	at_init_u32(&mutex->state, FREE);
}

/* Acquire: pairs with the exchange in unlock. */
bool plait__mutex_trylock(struct plait__mutex *mutex)
{
	uint32_t expected = FREE;

	return at_cas_u32(&mutex->state, &expected, HELD);
}

static bool lock_spinning(struct plait__mutex *mutex)
{
	int spins;

	for (spins = 0; spins < SPIN_LIMIT; spins++) {
		if (at_load_relaxed_u32(&mutex->state) == FREE &&
		    plait__mutex_trylock(mutex))
			return true;
		at_spin_pause();
	}
	return false;
}

void plait__mutex_lock(struct plait__mutex *mutex)
{
	if (plait__mutex_trylock(mutex) || lock_spinning(mutex))
		return;
	/*
	 * A thread that gets the mutex by this exchange leaves CONTENDED
	 * behind, even without other waiters: at worst one wake-up too many.
	 * Acquire: pairs with the exchange in unlock.
	 */
	while (at_exchange_u32(&mutex->state, CONTENDED) != FREE)
		(void)at_futex_wait(&mutex->state, CONTENDED,
				    PLAIT__CLOCK_NEVER);
}

void plait__mutex_unlock(struct plait__mutex *mutex)
{
	/* Release: pairs with trylock and the exchange in lock. */
	if (at_exchange_u32(&mutex->state, FREE) == CONTENDED)
		at_futex_wake_one(&mutex->state);
}
