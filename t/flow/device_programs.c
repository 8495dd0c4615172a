/* SPDX-License-Identifier: MIT */
/*
 * Random programs whose launches run on devices: of the simulator, with memories
 * of their own and all kinds of links between them; or of a driver of OpenCL
 * (FLOW_DRIVER), where the launches call functions.
 */
#include "random_programs.h"

/* ---- advice ---- */

static uint64_t advice_state;

static void advise(struct array *array)
{
	const plait_box box = random_box(array);
	plait_device *device = NULL;
	uint32_t count = 0;

	OK(plait_context_device_count(flow_rig.context, &count, NULL) ==
	   PLAIT_OK);
	if (!one_in(5))
		OK(plait_context_device(
			   flow_rig.context,
			   count - 1 - (uint32_t)below(flow_devices), &device,
			   NULL) == PLAIT_OK);
	OK_THAT(plait_data_advise(array->data, one_in(2) ? &box : NULL, device,
				  (plait_advice)below(3), &flow_rig.error) ==
		PLAIT_OK, "advice: %s", flow_rig.error.text);
}

/* Random numbers of its own leave the program as it is. */
static void advise_something(void)
{
	const uint64_t kept = state;

	state = advice_state;
	if (one_in(3))
		advise(&arrays[below(DATA)]);
	advice_state = state;
	state = kept;
}

static void set_advice(bool on)
{
	before_step = on ? advise_something : NULL;
	advice_state = tap_seed() * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

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

static void advised(void)
{
	set_advice(true);
	run_on(2);
	set_advice(false);
}

static const struct tap_scenario all[] = {
	{ "the whole device", whole },
	{ "two parts", halves },
	{ "four parts", quarters },
	{ "two parts and the host", mixed },
	{ "advice at random places", advised },
};
#else
enum { FEW = 24 };

#include "simulated_systems.h"

static void run_random(void)
{
	run_programs(FEW);
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
	static const uint64_t limits[] = { 102400, 4096, 5000, 1500, 600 };

	flow_flags = PLAIT_FLOW_CHECK;
	flow_has_repetitions = false;
	for (int i = 0; i < 5; i++) {
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

/* ---- any system ---- */

/* 1 to 8 memories beside the host's, which may be that of one of the devices. */
static void draw_devices(void)
{
	static const char *const peers[] = { "all", "ring", "none" };
	static const char *const quirks[] = { "", ",quirks=shuffle",
					      ",quirks=all",
					      ",quirks=late_notify" };
	static char options[120];
	uint64_t simulated = 1 + below(8);
	const char *links = peers[below(3)];

	snprintf(options, sizeof(options),
		 "chaos:devices=%u,peers=%s%s%s,seed=%u", (unsigned)simulated,
		 links, one_in(4) ? ",shared=1" : "", quirks[below(4)],
		 1 + (unsigned)below(1000000));
	flow_options = options;
	flow_devices = (uint32_t)simulated + (simulated < 8 && one_in(3));
}

/* Memories hold the data of a task, but no partial results, or all that is needed. */
static void draw_room(void)
{
	static const uint64_t limits[] = { 0, 0, 102400, 4096, 5000, 1500 };

	flow_memory_bytes = limits[below(TAP_COUNT(limits))];
	flow_has_repetitions = flow_memory_bytes == 0;
	flow_has_sums = flow_memory_bytes == 0 || flow_memory_bytes > 65536;
	flow_flags = one_in(3) ? PLAIT_FLOW_CHECK : 0;
}

static void draw_policies(void)
{
	flow_choose = (uint32_t)below(PLAIT_CHOOSE_MINMAX_TIME + 1);
	flow_parent = (uint32_t)below(PLAIT_PARENT_DEVICE_DISJOINT + 1);
	flow_lane = (uint32_t)below(PLAIT_LANE_ALWAYS_NEW + 1);
	flow_device_lanes = (uint32_t)below(4);
	flow_threshold = one_in(2) ? 0 : 1 + (uint32_t)below(1000);
}

static void draw_system(void)
{
	draw_devices();
	draw_room();
	draw_policies();
}

/* A system of its own for each program. */
static void any_system(void)
{
	flow_backends = "host,chaos";
	before_program = draw_system;
	run_programs(10 * FEW);
	before_program = NULL;
}

/* Hints change no value. */
static void advised(void)
{
	set_advice(true);
	for (int i = 0; i < 2; i++) {
		flow_flags = i == 0 ? PLAIT_FLOW_CHECK : 0;
		run_on(1, "chaos:devices=1");
		run_on(2, "chaos:devices=2,quirks=all");
		run_on(3, "chaos:devices=3,peers=none");
		run_on(3, "chaos:devices=2,shared=1");
	}
	flow_memory_bytes = 5000;
	flow_has_repetitions = flow_has_sums = false;
	run_on(2, "chaos:devices=2");
	run_on(4, "chaos:devices=4,peers=ring,quirks=shuffle");
	flow_has_repetitions = flow_has_sums = true;
	flow_memory_bytes = 0;
	set_advice(false);
}

static const struct tap_scenario all[] = {
	{ "one device", alone },
	{ "proved programs", proved },
	{ "peers", peers },
	{ "devices without links", strangers },
	{ "devices that share a memory", shared },
	{ "the host and devices", mixed },
	{ "memories of few data", narrow },
	{ "any system", any_system },
	{ "advice at random places", advised },
};
#endif

TAP_MAIN(all)
