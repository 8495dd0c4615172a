/* SPDX-License-Identifier: MIT */
/*
 * Data-parallel loops by OpenMP, for bench/loops.py:
 *
 *	loops_omp KERNEL ITEMS BATCHES PAUSE_NS static|dynamic|serial
 *
 * The flags are those with which plait compiles portable source.
 */
#include "loops.h"

#include <string.h>

static float *x, *y;
static uint64_t n;

#define LOOPS(name, body)                                                     \
	static void name##_static(void)                                       \
	{                                                                     \
		_Pragma("omp parallel for schedule(static)")                  \
		for (uint64_t i = 0; i < n; i++) {                            \
			body                                                  \
		}                                                             \
	}                                                                     \
	static void name##_dynamic(void)                                      \
	{                                                                     \
		_Pragma("omp parallel for schedule(dynamic, 64)")             \
		for (uint64_t i = 0; i < n; i++) {                            \
			body                                                  \
		}                                                             \
	}                                                                     \
	static __attribute__((noinline)) void name##_serial(void)             \
	{                                                                     \
		for (uint64_t i = 0; i < n; i++) {                            \
			body                                                  \
		}                                                             \
	}

LOOPS(saxpy, SAXPY_BODY)
LOOPS(compute, COMPUTE_BODY)
LOOPS(rising, RISING_BODY)
LOOPS(front, FRONT_BODY)

#define ROW(name)                                                             \
	{ #name, { name##_static, name##_dynamic, name##_serial } }
static const struct {
	const char *name;
	void (*calls[3])(void);
} kernels[] = { ROW(saxpy), ROW(compute), ROW(rising), ROW(front) };
static const char *const schedules[] = { "static", "dynamic", "serial" };

int main(int argc, char **argv)
{
	if (argc != 6)
		return 2;
	n = strtoull(argv[2], NULL, 10);
	x = malloc(n * sizeof(*x));
	y = malloc(n * sizeof(*y));
	if (x == NULL || y == NULL)
		return 1;
	for (uint64_t i = 0; i < n; i++) {
		x[i] = (float)i / (float)n;
		y[i] = 0;
	}
	for (size_t k = 0; k < 4; k++)
		for (size_t s = 0; s < 3; s++)
			if (strcmp(kernels[k].name, argv[1]) == 0 &&
			    strcmp(schedules[s], argv[5]) == 0)
				report(kernels[k].calls[s], atoi(argv[3]),
				       atol(argv[4]));
	return 0;
}
