/* SPDX-License-Identifier: MIT */
/* Flows on the stand-in for CUDA, alone and with other backends: random split
 * launches, also as stretches that the flow finds, and stencils in coordinates of the
 * whole. */
#include "flow/array_stencils.h"
#include "flow/random_splits.h"
#include "standin_systems.h"

enum { ROUNDS = 8 };

static void run_random(void)
{
	run_rounds(ROUNDS);
}

static void found(void)
{
	flow_flags = PLAIT_FLOW_REPEATS;
	steps_repeat = true;
	alone();
	mixed();
	OK(repeated > 100);
	steps_repeat = false;
	flow_flags = 0;
}

static void stencils_of_devices(void)
{
	standin_prepare("devices=2");
	choose_system("host,cuda", 2);
	run_stencils(1);
	choose_system("host,cuda,chaos", 4);
	run_stencils(0);
}

static const struct tap_scenario all[] = {
	{ "three devices", alone },
	{ "three devices with slow copies", slow_copies },
	{ "with other backends, and the host", mixed },
	{ "stretches that are found", found },
	{ "stencils", stencils_of_devices },
};

TAP_MAIN(all)
