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

/* Numbers decide what counts as done. */
static void fixed(void)
{
	flow_flags = PLAIT_FLOW_FIXED;
	run_programs(ROUNDS / 3);
	flow_flags = PLAIT_FLOW_FIXED | PLAIT_FLOW_CHECK;
	run_programs(ROUNDS / 3);
}

static const struct tap_scenario all[] = {
	{ "programs", programs },
	{ "proved programs", proved },
	{ "fixed programs", fixed },
};

TAP_MAIN(all)
