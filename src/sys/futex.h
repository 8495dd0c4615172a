/* SPDX-License-Identifier: MIT */
/*
 * System calls of the atomics layer: futex and membarrier. Only atomic.h
 * includes this; other code calls at_futex_*() and at_membarrier().
 */
#ifndef PLAIT_SRC_SYS_FUTEX_H
#define PLAIT_SRC_SYS_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

/* See at_futex_wait(). The deadline is absolute, so a retry keeps it. */
int plait__futex_wait(_Atomic uint32_t *word, uint32_t expected,
		      uint64_t deadline_ns);

/* Cannot fail for a mapped word. */
void plait__futex_wake(_Atomic uint32_t *word, int32_t count);

/* The same, for a word in memory that several processes map. */
int plait__futex_wait_shared(_Atomic uint32_t *word, uint32_t expected,
			     uint64_t deadline_ns);
void plait__futex_wake_shared(_Atomic uint32_t *word);

/* Returns true if this process may use private expedited membarriers;
 * registers it. */
bool plait__futex_barrier_available(void);

/* Register now if that is fast: with one thread it is immediate, while with
 * several the kernel waits until each thread has switched, for 5 to 20 ms. */
void plait__futex_barrier_prepare(void);

/* Returns 0 or a negative errno. */
int plait__futex_barrier(void);

#endif
