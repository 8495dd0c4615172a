/* SPDX-License-Identifier: MIT */
/*
 * Random programs whose launches run on devices: of the simulator, with memories
 * of their own and all kinds of links between them; or of a driver of OpenCL
 * (FLOW_DRIVER), where the launches call functions.
 */
#include "random_programs.h"

#ifdef FLOW_DRIVER
#include "driver_devices.h"

enum { ROUNDS_ON_DRIVER = 20 };

static void run_on(uint32_t devices)
{
	if (use_driver(devices))
		run_rounds(ROUNDS_ON_DRIVER);
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

/* The host is one of the devices. */
static void mixed(void)
{
	run_on(3);
}

static const struct tap_scenario all[] = {
	{ "the whole device", whole },
	{ "two parts", halves },
	{ "four parts", quarters },
	{ "two parts and the host", mixed },
};
#else
enum { FEW = 24 };

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

/* The order and the values of each program are proved; none is refused. */
static void proved(void)
{
	flow_flags = PLAIT_FLOW_CHECK;
	run_on(2, "chaos:devices=2");
	run_on(3, "chaos:devices=3,peers=none");
	run_on(3, "chaos:devices=2,shared=1");
}

/* Memories that hold the data of a task, with partial results or without: the order, the values and
 * the evictions of each program are proved. */
static void narrow(void)
{
	static const uint64_t limits[] = { 102400, 4096, 5000 };

	flow_flags = PLAIT_FLOW_CHECK;
	flow_has_repetitions = false;
	for (int i = 0; i < 3; i++) {
		flow_memory_bytes = limits[i];
		flow_has_sums = i == 0;
		NOTE("%llu bytes", (unsigned long long)limits[i]);
		run_on(1, "chaos:devices=1");
		run_on(2, "chaos:devices=2,quirks=all");
		run_on(3, "chaos:devices=2,shared=1");
		run_on(4, "chaos:devices=4,peers=ring,quirks=shuffle");
	}
	flow_flags = 0;
	run_on(3, "chaos:devices=3,peers=none");
	flow_has_repetitions = flow_has_sums = true;
	flow_memory_bytes = 0;
}

static const struct tap_scenario all[] = {
	{ "one device", alone },
	{ "proved programs", proved },
	{ "peers", peers },
	{ "devices without links", strangers },
	{ "devices that share a memory", shared },
	{ "the host and devices", mixed },
	{ "memories of few data", narrow },
};
#endif

TAP_MAIN(all)
