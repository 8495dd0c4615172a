/* SPDX-License-Identifier: MIT */
/*
 * Data-parallel loops: the bodies that both sides of bench/loops.py execute, as
 * one macro each, and the timing of a batch.  PLAIT: bench/loops.c, portable
 * source; OpenMP: bench/loops_omp.c.
 */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Statements for item i of n; x is read, y written.  `rising` costs more from
 * item to item, `front` has its work in the first sixteenth. */
#define SAXPY_BODY y[i] = 0.5f * x[i] + y[i];
#define SUM_BODY(turns)                                                       \
	float sum = x[i];                                                     \
	for (uint32_t j = 0; j < (turns); j++)                                \
		sum = sum * 0.999f + 0.5f;                                    \
	y[i] = sum;
#define COMPUTE_BODY SUM_BODY(64)
#define RISING_BODY SUM_BODY((uint32_t)(128 * i / n))
#define FRONT_BODY SUM_BODY(i < n / 16 ? 1024 : 0)

static inline double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline int ascending(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/*
 * Print minimum and median of the nanoseconds per call, in batches of at least
 * 1 ms.  With `pause_ns` the thread sleeps before each call, which is timed
 * alone: the other threads are asleep by then.
 */
static inline void report(void (*call)(void), int batches, long pause_ns)
{
	const struct timespec pause = { 0, pause_ns };
	double *took = calloc((size_t)batches, sizeof(*took)), start;
	long times = 1;

	if (took == NULL)
		exit(1);
	for (start = now_ns(); now_ns() - start < 2e7;)
		call();
	for (; pause_ns == 0; times *= 2) {
		start = now_ns();
		for (long i = 0; i < times; i++)
			call();
		if (now_ns() - start > 1e6)
			break;
	}
	for (int b = 0; b < batches; b++) {
		if (pause_ns != 0)
			nanosleep(&pause, NULL);
		start = now_ns();
		for (long i = 0; i < times; i++)
			call();
		took[b] = (now_ns() - start) / (double)times;
	}
	qsort(took, (size_t)batches, sizeof(*took), ascending);
	printf("%.0f %.0f\n", took[0], took[batches / 2]);
	free(took);
}

#endif
