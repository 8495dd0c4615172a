/* SPDX-License-Identifier: MIT */
/* Random programs of flows on the stand-in for CUDA, with repetitions: alone, and
 * with other backends and the host. */
#include "flow/random_programs.h"
#include "standin_systems.h"

enum { FEW = 10 };

static void run_random(void)
{
	run_programs(FEW);
}

static const struct tap_scenario all[] = {
	{ "three devices", alone },
	{ "three devices with slow copies", slow_copies },
	{ "with other backends, and the host", mixed },
};

TAP_MAIN(all)
