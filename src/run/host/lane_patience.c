/* SPDX-License-Identifier: MIT */
/* The checks of a lane in a loop; see lane_patience.h. */
#include "run/host/lane_patience.h"

#include "pool/time_slice.h"

/* Iterations between checks whether other tasks want the thread. */
#ifdef PLAIT_EXPLORE
enum { PATIENCE = 1 };
#else
enum { PATIENCE = 256 };
#endif

enum {
	/* In a time slice with a limit: most iterations between two looks at
	 * the clock, and the time that they may take before they are halved. */
	LIMITED_PATIENCE = 32,
	LIMITED_NS = 1000
};

/* Returns true if the slice of the waiting thread is over.  The clock is read
 * more seldom if iterations are short. */
static bool check_slice(plait__lane_patience *patience)
{
	uint64_t now_ns = plait__clock_now_ns();
	bool is_short = now_ns - patience->checked_ns < LIMITED_NS;

	patience->checked_ns = now_ns;
	if (!is_short)
		patience->whole = (patience->whole + 1) / 2;
	else if (patience->whole < LIMITED_PATIENCE)
		patience->whole *= 2;
	return plait__time_slice_is_over();
}

bool plait__lane_patience_check(plait__lane_patience *patience,
				const plait__task *task)
{
	const bool limited = plait__time_slice_is_limited();
	const bool first = patience->whole == 0;
	bool over;

	if (first)
		patience->whole = limited ? 1 : PATIENCE;
	over = limited && check_slice(patience);
	patience->left = patience->whole;
	return over || (!first && plait__task_should_yield(task));
}
