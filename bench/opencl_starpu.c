/* SPDX-License-Identifier: MIT */
/*
 * The StarPU side of bench/opencl: the chain of empty kernels as dependent tasks,
 * resubmitted for each line of input; replies wall time and CPU time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <starpu.h>

#include "opencl.h"

static struct starpu_opencl_program program;
static struct starpu_codelet codelet;
static struct starpu_task *tasks[CHAIN];

static void die(const char *what, int code)
{
	fprintf(stderr, "opencl_starpu: %s (%d)\n", what, code);
	exit(1);
}

static void launch(void *buffers[], void *arg)
{
	const size_t one = 1;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_int code;

	(void)buffers;
	(void)arg;
	code = starpu_opencl_load_kernel(&kernel, &queue, &program, "empty",
					 starpu_worker_get_devid(
						 starpu_worker_get_id()));
	if (code == CL_SUCCESS)
		code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one,
					      NULL, 0, NULL, NULL);
	if (code != CL_SUCCESS)
		die("a kernel", code);
	starpu_opencl_release_kernel(kernel);
}

static void start(void)
{
	struct starpu_conf conf;

	/* The only device of most machines is the processor. */
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	setenv("STARPU_SILENT", "1", 0);
	starpu_conf_init(&conf);
	conf.ncpus = 0;
	conf.ncuda = 0;
	conf.nopencl = 1;
	conf.nmic = 0;
	conf.nmpi_ms = 0;
	conf.catch_signals = 0;
	if (starpu_init(&conf) != 0 || starpu_opencl_worker_get_count() == 0)
		die("StarPU finds no device of OpenCL", 0);
	if (starpu_opencl_load_opencl_from_string(EMPTY_TEXT, &program,
						  NULL) != 0)
		die("StarPU does not build the kernel", 0);
}

static void make_tasks(void)
{
	starpu_codelet_init(&codelet);
	codelet.opencl_funcs[0] = launch;
	codelet.opencl_flags[0] = STARPU_OPENCL_ASYNC;
	codelet.where = STARPU_OPENCL;
	for (int i = 0; i < CHAIN; i++) {
		tasks[i] = starpu_task_create();
		tasks[i]->cl = &codelet;
		tasks[i]->destroy = 0;
		if (i > 0)
			starpu_task_declare_deps_array(tasks[i], 1,
						       &tasks[i - 1]);
	}
}

static double now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void run(void)
{
	for (int i = 0; i < CHAIN; i++)
		if (starpu_task_submit(tasks[i]) != 0)
			die("a task", i);
	starpu_task_wait_for_all();
}

int main(void)
{
	char line[16];

	start();
	make_tasks();
	starpu_pause();
	while (fgets(line, sizeof(line), stdin) != NULL) {
		double wall, cpu;

		starpu_resume();
		wall = now_ns(CLOCK_MONOTONIC);
		cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
		run();
		printf("%.0f %.0f\n", now_ns(CLOCK_MONOTONIC) - wall,
		       now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu);
		fflush(stdout);
		starpu_pause();
	}
	starpu_resume();
	for (int i = 0; i < CHAIN; i++)
		starpu_task_destroy(tasks[i]);
	starpu_shutdown();
	return 0;
}
