/* SPDX-License-Identifier: MIT */
/*
 * The one clock: CLOCK_MONOTONIC in nanoseconds.  Deadlines are points on
 * it; UINT64_MAX is never.  The explorer has a virtual one in its place.
 */
#ifndef PLAIT_SRC_SYS_CLOCK_H
#define PLAIT_SRC_SYS_CLOCK_H

#include <stdint.h>

#define PLAIT__CLOCK_NEVER UINT64_MAX

uint64_t plait__clock_now_ns(void);

/*
 * The deadline of a timeout that starts now.  Saturates: a timeout that
 * does not fit, PLAIT_FOREVER first of all, is never.  0 is already over.
 */
uint64_t plait__clock_deadline(uint64_t timeout_ns);

/* What is left until the deadline; never stays never. */
uint64_t plait__clock_left_ns(uint64_t deadline_ns);

#endif
