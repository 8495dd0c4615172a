/* SPDX-License-Identifier: MIT */
/* Random programs on the host; see random_programs.h. */
#include "random_programs.h"

static void programs(void)
{
	run_programs(ROUNDS);
}

static const struct tap_scenario all[] = {
	{ "programs", programs },
};

TAP_MAIN(all)
