/* SPDX-License-Identifier: MIT */
/* Random programs whose tasks repeat, on the host. */
#include "random_repeats.h"

enum { PROGRAMS = 30 };

static void repeats(void)
{
	run_some_repeats(PROGRAMS);
}

static const struct tap_scenario all[] = {
	{ "repeats", repeats },
};

TAP_MAIN(all)
