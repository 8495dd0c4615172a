/* SPDX-License-Identifier: MIT */
/* Flows on a driver of OpenCL: random split launches of compiled code, on the
 * whole device, on parts of it, and on parts and the host, also as stretches that the
 * flow finds; and stencils in coordinates of the whole. */
#include "flow/array_stencils.h"
#include "flow/driver_devices.h"
#include "flow/random_splits.h"

enum { ROUNDS = 8 };

static void run_on(uint32_t devices)
{
	if (use_driver(devices))
		run_rounds(ROUNDS);
}

static void whole(void)
{
	run_on(1);
}

static void halves(void)
{
	run_on(2);
}

static void quarters(void)
{
	run_on(4);
}

static void mixed(void)
{
	run_on(3);
}

static void found(void)
{
	flow_flags = PLAIT_FLOW_REPEATS;
	steps_repeat = true;
	for (uint32_t devices = 1; devices <= 3; devices++)
		run_on(devices);
	OK(repeated > 100);
	steps_repeat = false;
	flow_flags = 0;
}

static void stencils_of_parts(void)
{
	for (uint32_t devices = 1; devices <= 3; devices++)
		if (use_driver(devices))
			run_stencils(devices % 2);
}

static const struct tap_scenario all[] = {
	{ "the whole device", whole },
	{ "two parts", halves },
	{ "four parts", quarters },
	{ "two parts and the host", mixed },
	{ "stretches that are found", found },
	{ "stencils", stencils_of_parts },
};

TAP_MAIN(all)
