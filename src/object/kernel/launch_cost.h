/* SPDX-License-Identifier: MIT */
/*
 * Measured cost of a kernel on one thread, per unit (item or group) of its
 * launches. The expectation decides how a launch is divided, never its result.
 */
#ifndef PLAIT_SRC_OBJECT_KERNEL_LAUNCH_COST_H
#define PLAIT_SRC_OBJECT_KERNEL_LAUNCH_COST_H

#include <stdbool.h>

#include "sys/atomic.h"

/* Zeroed memory: nothing is known. Hints that all threads share. */
typedef struct plait__launch_cost {
	at_u64 unit_ps; /* picoseconds; 0: unknown */
	at_u32 untimed; /* short launches since the last timed one */
} plait__launch_cost;

/* Returns the expected duration in ns, 0 if unknown. */
uint64_t plait__launch_cost_expect(const plait__launch_cost *cost,
				   uint64_t units);

/* Returns true if a launch that is known to be short is to be timed again:
 * every 64th, since its cost may depend on its arguments. */
bool plait__launch_cost_is_due(plait__launch_cost *cost);

/* Note a measured duration. */
void plait__launch_cost_learn(plait__launch_cost *cost, uint64_t units,
			      uint64_t duration_ns);

#endif
