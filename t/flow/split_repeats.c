/* SPDX-License-Identifier: MIT */
/*
 * Random split launches that repeat, on simulated devices: the flow finds stretches of
 * them, whose runs are cut short at random places; also in memories that have no room
 * for all data.
 */
#include "random_splits.h"

#include "simulated_systems.h"

static void run_limited(uint64_t bytes)
{
	flow_memory_bytes = bytes;
	repeated = 0;
	run_rounds(tap_soak() ? 300 : 6);
	NOTE("%llu bytes: %llu tasks were parts of runs",
	     (unsigned long long)bytes, (unsigned long long)repeated);
}

/* Arrays of 2,400 bytes each: all of them, two, some elements. */
static void run_random(void)
{
	flow_flags = PLAIT_FLOW_REPEATS;
	steps_repeat = true;
	tap_brief();
	run_limited(0);
	OK_THAT(repeated > 100, "%llu tasks", (unsigned long long)repeated);
	run_limited(4 * 2400);
	OK_THAT(repeated > 100, "%llu tasks", (unsigned long long)repeated);
	run_limited(4900);
	IS_UINT(repeated, 0);
	run_limited(1000);
	tap_verbose();
	flow_memory_bytes = 0;
	flow_flags = 0;
}

TAP_MAIN(simulated_systems)
