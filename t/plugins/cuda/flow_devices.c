/* SPDX-License-Identifier: MIT */
/* Flows on the stand-in for CUDA, alone and with other backends: random split
 * launches, and stencils in coordinates of the whole. */
#include "standin/cuda/place.h"

#include "flow/array_stencils.h"
#include "flow/random_splits.h"

enum { ROUNDS = 8 };

static void choose(const char *backends, uint32_t devices)
{
	static char options[1200];

	snprintf(options, sizeof(options), "cuda:driver=%s", standin_path);
	flow_backends = backends;
	flow_options = options;
	flow_devices = devices;
}

static void run_on(const char *backends, uint32_t devices)
{
	choose(backends, devices);
	run_rounds(ROUNDS);
}

static void alone(void)
{
	standin_prepare("devices=3");
	run_on("host,cuda", 3);
}

static void mixed(void)
{
	standin_prepare("devices=2");
	run_on("host,cuda,chaos", 4);
	run_on("host,cuda", 3);
}

static void stencils_of_devices(void)
{
	standin_prepare("devices=2");
	choose("host,cuda", 2);
	run_stencils(1);
	choose("host,cuda,chaos", 4);
	run_stencils(0);
}

static const struct tap_scenario all[] = {
	{ "three devices", alone },
	{ "with other backends, and the host", mixed },
	{ "stencils", stencils_of_devices },
};

TAP_MAIN(all)
