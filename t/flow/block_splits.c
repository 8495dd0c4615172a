/* SPDX-License-Identifier: MIT */
/* Random split launches on simulated devices whose memories have room for some
 * elements: blocks that grow or give way, and as many pieces as that takes. */
#include "random_splits.h"

#include "simulated_systems.h"

static void run_random(void)
{
	/* Of 2,400 bytes each; the last one has a few elements of two. */
	static const uint64_t limits[] = { 0, 4900, 1000, 200 };

	flow_flags = PLAIT_FLOW_CHECK;
	tap_brief();
	for (uint32_t i = 0; i < TAP_COUNT(limits); i++) {
		flow_memory_bytes = limits[i];
		NOTE("%llu bytes", (unsigned long long)limits[i]);
		run_rounds(tap_soak() ? 300 : 1);
	}
	tap_verbose();
	flow_memory_bytes = 0;
	flow_flags = 0;
}

TAP_MAIN(simulated_systems)
