/* SPDX-License-Identifier: MIT */
/*
 * Random programs whose launches run on devices with memories of their own: of
 * the simulator, with all kinds of links between them.
 */
#include "random_programs.h"

enum { FEW = 10 };

static void run_on(uint32_t devices, const char *options)
{
	flow_backends = "host,chaos";
	flow_devices = devices;
	flow_options = options;
	NOTE("%u devices, %s", devices, options);
	run_programs(FEW);
}

static void alone(void)
{
	run_on(1, "chaos:devices=1");
}

static void peers(void)
{
	run_on(2, "chaos:devices=2,quirks=all");
	run_on(4, "chaos:devices=4");
}

static void strangers(void)
{
	run_on(3, "chaos:devices=3,peers=none");
	run_on(4, "chaos:devices=4,peers=ring,quirks=shuffle");
}

static void shared(void)
{
	run_on(3, "chaos:devices=3,shared=1");
}

/* The host is one of the devices. */
static void mixed(void)
{
	run_on(3, "chaos:devices=2,quirks=late_notify+slow_host");
}

static const struct tap_scenario all[] = {
	{ "one device", alone },
	{ "peers", peers },
	{ "devices without links", strangers },
	{ "devices that share a memory", shared },
	{ "the host and devices", mixed },
};

TAP_MAIN(all)
