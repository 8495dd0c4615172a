/* SPDX-License-Identifier: MIT */
/*
 * The backoff of waiting: spin for less than a microsecond, offer the core a
 * hundred times, then sleep.  Pure spinning is hundreds of times slower as
 * soon as threads outnumber cores; sleeping at once costs 15-40 us a hop.
 *
 *     plait__backoff_init(&backoff, policy);
 *     while (!ready()) {
 *         if (plait__backoff_step(&backoff))
 *             continue;                     (spun or yielded: look again)
 *         sleep as eventcount.h says
 *     }
 */
#ifndef PLAIT_SRC_SYS_BACKOFF_H
#define PLAIT_SRC_SYS_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

enum plait__backoff_policy {
	PLAIT__BACKOFF_SHARED,    /* the backoff; for cores that others use too */
	PLAIT__BACKOFF_DEDICATED, /* spin some milliseconds before the rest */
	PLAIT__BACKOFF_SLEEP      /* sleep at once; for waits that are long */
};

struct plait__backoff {
	uint32_t spins_left;
	uint32_t yields_left;
};

void plait__backoff_init(struct plait__backoff *backoff,
			 enum plait__backoff_policy policy);

/* True after one step of spinning or yielding; false: time to sleep. */
bool plait__backoff_step(struct plait__backoff *backoff);

#endif
