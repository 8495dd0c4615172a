/* SPDX-License-Identifier: MIT */
/*
 * Beside bench/coroutine, minima as there: StarPU, whose OpenMP runtime has
 * tasks that are continued.  A task submits one of 1 us and awaits it
 * (starpu_omp_taskwait); its thread runs others meanwhile.  The main thread
 * takes part in the region, as one of OMP_NUM_THREADS.
 *
 *   OMP_NUM_THREADS=2 bench/coroutine_starpu [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <starpu.h>

enum { TASKS = 1000, LEAF_NS = 1000 };

static double min = 1e18;
static int rounds = 50;

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static void submit(void (*function)(void *buffers[], void *arg))
{
	struct starpu_omp_task_region_attr task = {
		.cl = { .cpu_funcs = { function }, .where = STARPU_CPU },
		.if_clause = 1, .untied_clause = 1,
	};

	starpu_omp_task_region(&task);
}

static void spin(void *buffers[], void *arg)
{
	const double end = now() + LEAF_NS;

	(void)buffers;
	(void)arg;
	while (now() < end)
		;
}

static void await(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	submit(spin);
	starpu_omp_taskwait();
}

static void measure(void *arg)
{
	(void)arg;
	for (int round = 0; round <= rounds; round++) {
		const double begin = now();
		double took;

		for (int i = 0; i < TASKS; i++)
			submit(await);
		starpu_omp_taskwait();
		took = (now() - begin) / TASKS;
		if (round > 0 && took < min)
			min = took;
	}
}

static void region(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	starpu_omp_single(measure, NULL, 0);
}

int main(int argc, char **argv)
{
	struct starpu_omp_parallel_region_attr parallel = {
		.cl = { .cpu_funcs = { region }, .where = STARPU_CPU },
		.if_clause = 1,
	};

	if (argc > 1)
		rounds = atoi(argv[1]);
	if (starpu_omp_init() != 0) {
		fprintf(stderr, "coroutine_starpu: no OpenMP runtime\n");
		return 1;
	}
	starpu_omp_parallel_region(&parallel);
	starpu_omp_shutdown();
	printf("%-44s %9.1f ns\n", "a StarPU task that awaits a task of 1 us",
	       min);
	return 0;
}
