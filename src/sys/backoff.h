/* SPDX-License-Identifier: MIT */
/*
 * The ladder of waiting: spin for less than a microsecond, offer the core a
 * hundred times, then sleep.  Pure spinning is hundreds of times slower as
 * soon as threads outnumber cores; sleeping at once costs 15-40 us a hop.
 *
 *     plait__wait_init(&ladder, policy);
 *     while (!ready()) {
 *         if (plait__wait_step(&ladder))
 *             continue;                     (spun or yielded: look again)
 *         sleep as eventcount.h says
 *     }
 */
#ifndef PLAIT_SRC_SYS_BACKOFF_H
#define PLAIT_SRC_SYS_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

enum plait__wait_policy {
	PLAIT__WAIT_SHARED,    /* the ladder; for cores that others use too */
	PLAIT__WAIT_DEDICATED, /* spin some milliseconds before the rest */
	PLAIT__WAIT_SLEEP      /* sleep at once; for waits that are long */
};

struct plait__wait {
	uint32_t spins_left;
	uint32_t yields_left;
};

void plait__wait_init(struct plait__wait *ladder,
		      enum plait__wait_policy policy);

/* True after one step of spinning or yielding; false: time to sleep. */
bool plait__wait_step(struct plait__wait *ladder);

#endif
