/* SPDX-License-Identifier: MIT */
/*
 * Backoff of a waiting thread: spin for less than a microsecond, yield a
 * hundred times, for a millisecond at most, then sleep. Spinning alone is
 * hundreds of times slower as soon as threads outnumber cores; sleeping at once
 * costs 15-40 us per hop; a yield lasts as long as other threads run.
 *
 *     plait__backoff_init(&backoff, policy);
 *     while (!ready()) {
 *         if (plait__backoff_step(&backoff))
 *             continue;                     (spun or yielded: check again)
 *         sleep as in eventcount.h
 *     }
 */
#ifndef PLAIT_SRC_SYS_BACKOFF_H
#define PLAIT_SRC_SYS_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

enum plait__backoff_policy {
	PLAIT__BACKOFF_SHARED,    /* as above; for shared cores */
	PLAIT__BACKOFF_DEDICATED, /* spin some milliseconds first */
	PLAIT__BACKOFF_SLEEP      /* sleep at once; for long waits */
};

struct plait__backoff {
	uint32_t spins_left;
	uint32_t yields_left;
	uint64_t yields_until_ns; /* 0: begun by the first one; PLAIT__CLOCK_NEVER */
};

void plait__backoff_init(struct plait__backoff *backoff,
			 enum plait__backoff_policy policy);

/* Spin or yield once and return true; return false when it is time to sleep. */
bool plait__backoff_step(struct plait__backoff *backoff);

#endif
