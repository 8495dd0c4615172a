/* SPDX-License-Identifier: MIT */
/*
 * The kernel's side of sleeping: futex and membarrier calls.  Only atomic.h
 * calls this; everybody else says at_futex_*() and at_membarrier().
 */
#ifndef PLAIT_SRC_SYS_FUTEX_H
#define PLAIT_SRC_SYS_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

/* See at_futex_wait(); the deadline is absolute, so a retry keeps it. */
int plait__futex_wait(_Atomic uint32_t *word, uint32_t expected,
		      uint64_t deadline_ns);

/* Cannot fail for a word that is mapped. */
void plait__futex_wake(_Atomic uint32_t *word, int32_t count);

/* May this process use private expedited membarriers?  Registers it. */
bool plait__futex_barrier_available(void);

/*
 * Registers it now if that costs nothing: a process of one thread is done at
 * once, while of several the kernel waits until each has been seen to switch,
 * which takes 5 to 20 ms.
 */
void plait__futex_barrier_prepare(void);

/* 0 or a negative errno. */
int plait__futex_barrier(void);

#endif
