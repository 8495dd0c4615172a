/* SPDX-License-Identifier: MIT */
/* Monotonic time and saturating deadlines; see clock.h. */
#include "sys/clock.h"

#include <time.h>

#ifdef PLAIT_EXPLORE
#include "mc.h"
#endif

enum { NS_PER_S = 1000000000 };

uint64_t plait__clock_now_ns(void)
{
#ifdef PLAIT_EXPLORE
	return mc_clock_now_ns();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
#endif
}

uint64_t plait__clock_after(uint64_t timeout_ns)
{
	uint64_t deadline;

	if (__builtin_add_overflow(plait__clock_now_ns(), timeout_ns,
				   &deadline))
		return PLAIT__CLOCK_NEVER;
	return deadline;
}

uint64_t plait__clock_until(uint64_t deadline_ns)
{
	uint64_t now = plait__clock_now_ns();

	return deadline_ns > now ? deadline_ns - now : 0;
}
