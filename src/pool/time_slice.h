/* SPDX-License-Identifier: MIT */
/*
 * Time slice of a thread that executes lanes and tasks for a wait of its own:
 * the wait sets the limit, and a lane or task that may go on without end tests
 * it where it can be suspended, and then returns to the wait.  Workers have no
 * limit.
 */
#ifndef PLAIT_SRC_POOL_TIME_SLICE_H
#define PLAIT_SRC_POOL_TIME_SLICE_H

#include "sys/clock.h"
#include "sys/thread.h"

#include <stdbool.h>

/* End of the calling thread's slice; 0: no limit. */
extern PLAIT__THREAD_LOCAL uint64_t plait__time_slice_end_ns;

/* Limit the calling thread until `end_ns`, or not (PLAIT__CLOCK_NEVER).
 * Returns the limit to restore. */
static inline uint64_t plait__time_slice_enter(uint64_t end_ns)
{
	uint64_t outer_ns = plait__time_slice_end_ns;

	plait__time_slice_end_ns = end_ns == PLAIT__CLOCK_NEVER ? 0 : end_ns;
	return outer_ns;
}

static inline void plait__time_slice_leave(uint64_t outer_ns)
{
	plait__time_slice_end_ns = outer_ns;
}

static inline bool plait__time_slice_is_limited(void)
{
	return plait__time_slice_end_ns != 0;
}

static inline bool plait__time_slice_is_over(void)
{
	return plait__time_slice_is_limited() &&
	       plait__clock_now_ns() >= plait__time_slice_end_ns;
}

#endif
