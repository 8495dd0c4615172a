/* SPDX-License-Identifier: MIT */
/* Captured flows on the stand-in for CUDA: random graphs, alone, and with other
 * backends and the host. */
#include "flow/random_captures.h"
#include "standin_systems.h"

enum { FEW = 8 };

static void run_random(void)
{
	run_graphs(FEW);
}

static const struct tap_scenario all[] = {
	{ "three devices", alone },
	{ "three devices with slow copies", slow_copies },
	{ "with other backends, and the host", mixed },
};

TAP_MAIN(all)
