/* SPDX-License-Identifier: MIT */
/*
 * A small mutex on one futex word.  Zeroed memory is an unlocked mutex.
 * Not recursive, not fair, no owner: whoever locked unlocks.  For short
 * critical sections; nothing is called out to while one is held.
 *
 *     FREE --lock--> HELD --lock by another--> WANTED (it sleeps)
 *      ^--unlock------'                           |
 *      ^--unlock, wake one------------------------'
 */
#ifndef PLAIT_SRC_SYS_MUTEX_H
#define PLAIT_SRC_SYS_MUTEX_H

#include <stdbool.h>

#include "sys/atomic.h"

struct plait__mutex {
	at_u32 state; /* FREE, HELD or WANTED; the futex word too */
};

void plait__mutex_init(struct plait__mutex *mutex);
void plait__mutex_lock(struct plait__mutex *mutex);
bool plait__mutex_trylock(struct plait__mutex *mutex);
void plait__mutex_unlock(struct plait__mutex *mutex);

#endif
