/* SPDX-License-Identifier: MIT */
/*
 * The clock: CLOCK_MONOTONIC in nanoseconds. Deadlines are times of this clock;
 * UINT64_MAX is never. The explorer replaces it with a virtual clock.
 */
#ifndef PLAIT_SRC_SYS_CLOCK_H
#define PLAIT_SRC_SYS_CLOCK_H

#include <stdint.h>

#define PLAIT__CLOCK_NEVER UINT64_MAX

uint64_t plait__clock_now_ns(void);

/* The slow paths of the next two, which read the clock. */
uint64_t plait__clock_after(uint64_t timeout_ns);
uint64_t plait__clock_until(uint64_t deadline_ns);

/* Returns the deadline of a timeout that starts now. A timeout that does not
 * fit, such as PLAIT_FOREVER, becomes never; 0 has expired at once. */
static inline uint64_t plait__clock_deadline(uint64_t timeout_ns)
{
	return timeout_ns == PLAIT__CLOCK_NEVER ?
		       PLAIT__CLOCK_NEVER : plait__clock_after(timeout_ns);
}

/* Returns the time left until a deadline: 0 after it, never for never. */
static inline uint64_t plait__clock_left_ns(uint64_t deadline_ns)
{
	return deadline_ns == PLAIT__CLOCK_NEVER ?
		       PLAIT__CLOCK_NEVER : plait__clock_until(deadline_ns);
}

#endif
