/* SPDX-License-Identifier: MIT */
/*
 * A mutex of four bytes on a futex word. Zeroed memory is an unlocked mutex.
 * Not recursive, not fair; the thread that locked it unlocks it. For short
 * critical sections: no callback runs inside one.
 *
 *     FREE --lock--> HELD --lock by another--> CONTENDED (it sleeps)
 *      ^--unlock------'                           |
 *      ^--unlock, wake one------------------------'
 */
#ifndef PLAIT_SRC_SYS_MUTEX_H
#define PLAIT_SRC_SYS_MUTEX_H

#include <stdbool.h>

#include "sys/atomic.h"

struct plait__mutex {
	at_u32 state; /* FREE, HELD or CONTENDED; the futex word */
};

void plait__mutex_init(struct plait__mutex *mutex);
void plait__mutex_lock(struct plait__mutex *mutex);
bool plait__mutex_trylock(struct plait__mutex *mutex);
void plait__mutex_unlock(struct plait__mutex *mutex);

#endif
