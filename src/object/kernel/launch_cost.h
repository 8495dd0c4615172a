/* SPDX-License-Identifier: MIT */
/*
 * Measured cost of a kernel on one thread, per unit (item or group) of its
 * launches. The expectation decides how a launch is divided, never its result.
 */
#ifndef PLAIT_SRC_OBJECT_KERNEL_LAUNCH_COST_H
#define PLAIT_SRC_OBJECT_KERNEL_LAUNCH_COST_H

#include <stdbool.h>

#include "sys/atomic.h"

/* Of the launches that are known to be short, one in so many is timed. */
enum { PLAIT__LAUNCH_COST_INTERVAL = 64 };

/* Zeroed memory: nothing is known. Hints that all threads share. */
typedef struct plait__launch_cost {
	at_u64 unit_ps; /* picoseconds; 0: unknown */
	at_u64 short_units; /* most units of a short launch; 0: unknown */
	at_u32 untimed; /* short launches since the last timed one */
} plait__launch_cost;

/* Returns the expected duration in ns, 0 if unknown. */
uint64_t plait__launch_cost_expect(const plait__launch_cost *cost,
				   uint64_t units);

/* Returns true if the launch is known to be short. */
static inline bool plait__launch_cost_is_short(const plait__launch_cost *cost,
					       uint64_t units)
{
	return units <= at_load_relaxed_u64(&cost->short_units);
}

/* Returns true if a launch that is known to be short is to be timed again:
 * its cost may depend on its arguments. */
static inline bool plait__launch_cost_is_due(plait__launch_cost *cost)
{
	/* Relaxed, and not atomic as a whole: one more or less is harmless. */
	uint32_t untimed = at_load_relaxed_u32(&cost->untimed) + 1;

	if (untimed >= PLAIT__LAUNCH_COST_INTERVAL)
		untimed = 0;
	at_store_relaxed_u32(&cost->untimed, untimed);
	return untimed == 0;
}

/* Note a measured duration; launches below `short_ns` are short. */
void plait__launch_cost_learn(plait__launch_cost *cost, uint64_t units,
			      uint64_t duration_ns, uint64_t short_ns);

#endif
