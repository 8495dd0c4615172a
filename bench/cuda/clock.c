/* SPDX-License-Identifier: MIT */
/* The clock of all programs of this folder. */
#include "bench.h"

#include <time.h>

double clock_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

void spin_ns(double nanoseconds)
{
	double end = clock_ns() + nanoseconds;

	while (clock_ns() < end)
		;
}
