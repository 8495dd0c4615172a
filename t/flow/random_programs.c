/* SPDX-License-Identifier: MIT */
/* Random programs on the host; see random_programs.h. */
#include "random_programs.h"

static void programs(void)
{
	run_programs(ROUNDS);
}

/* The order of each program is proved; none is refused. */
static void proved(void)
{
	flow_flags = PLAIT_FLOW_CHECK;
	run_programs(ROUNDS / 3);
}

static const struct tap_scenario all[] = {
	{ "programs", programs },
	{ "proved programs", proved },
};

TAP_MAIN(all)
