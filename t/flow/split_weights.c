/* SPDX-License-Identifier: MIT */
/*
 * Random split launches, whose pieces are cut by the measured times of devices of
 * unlike speed, against a sequential model.  Flows have the times of those before
 * them.
 */
#include "random_splits.h"

#include <stdio.h>
#include <unistd.h>

enum { FEW = 12 };

static void run_on(const char *backends, uint32_t devices, const char *options)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/plait-weights-%d", (int)getpid());
	(void)unlink(path);
	flow_backends = backends;
	flow_devices = devices;
	flow_options = options;
	flow_times = path;
	run_rounds(FEW);
	OK(unlink(path) == 0);
	flow_times = NULL;
	flow_flags = 0;
	flow_memory_bytes = 0;
}

static void two(void)
{
	run_on("host,chaos", 2, "chaos:devices=2,item_ns=400+100");
}

static void several(void)
{
	run_on("host,chaos", 4, "chaos:devices=4,item_ns=10+90000+300+40");
}

/* The memories have room for three of the four arrays. */
static void narrow(void)
{
	flow_memory_bytes = 3 * N * sizeof(uint64_t);
	run_on("host,chaos", 3, "chaos:devices=3,item_ns=400+100+7");
}

/* Records explain the shares; the proof refuses a wrong order. */
static void proved(void)
{
	flow_flags = PLAIT_FLOW_RECORD | PLAIT_FLOW_CHECK;
	run_on("host,chaos", 2, "chaos:devices=2,item_ns=1+100");
}

static void mixed(void)
{
	run_on("chaos,host", 2, "chaos:devices=1,item_ns=400");
}

static const struct tap_scenario all[] = {
	{ "two devices", two },
	{ "several devices", several },
	{ "memories of few data", narrow },
	{ "proved flows", proved },
	{ "the host among the devices", mixed },
};

TAP_MAIN(all)
