/* SPDX-License-Identifier: MIT */
/* Random programs whose tasks repeat, on devices of the simulator, with memories of
 * their own and all kinds of links between them. */
#include "random_repeats.h"

#include "simulated_systems.h"

enum { FEW = 6 };

static void run_random(void)
{
	run_some_repeats(FEW);
}

TAP_MAIN(simulated_systems)
