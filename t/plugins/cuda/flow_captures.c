/* SPDX-License-Identifier: MIT */
/* Captured flows on the stand-in for CUDA: random graphs, alone, and with other
 * backends and the host. */
#include "standin/cuda/place.h"

#include "flow/random_captures.h"

enum { FEW = 8 };

static void run_on(const char *backends, uint32_t devices)
{
	static char options[1200];

	snprintf(options, sizeof(options), "cuda:driver=%s", standin_path);
	flow_backends = backends;
	flow_options = options;
	flow_devices = devices;
	run_graphs(FEW);
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

static const struct tap_scenario all[] = {
	{ "three devices", alone },
	{ "with other backends, and the host", mixed },
};

TAP_MAIN(all)
