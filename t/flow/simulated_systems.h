/* SPDX-License-Identifier: MIT */
/* Systems of simulated devices, on each of which random programs or graphs run. */
#ifndef T_FLOW_SIMULATED_SYSTEMS_H
#define T_FLOW_SIMULATED_SYSTEMS_H

#include "flows.h"

/* Defined by the test: run some, on the system that is set. */
static void run_random(void);

static void run_on(uint32_t devices, const char *options)
{
	flow_backends = "host,chaos";
	flow_devices = devices;
	flow_options = options;
	NOTE("%u devices, %s", devices, options);
	run_random();
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

static const struct tap_scenario simulated_systems[] = {
	{ "one device", alone },
	{ "peers", peers },
	{ "devices without links", strangers },
	{ "devices that share a memory", shared },
	{ "the host and devices", mixed },
};

#endif
