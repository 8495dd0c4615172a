/* SPDX-License-Identifier: MIT */
/*
 * The launches of bench/flow_halves with StarPU: tasks on an OpenCL device, placed by its
 * policy dmda, whose order is inferred from their data.  Prints the least time and
 * the median of a row in ns for each task, submitted and run.
 *
 *	bench/flow_dmda ROW ROUNDS TURNS
 *
 * Fails with 77 where StarPU has no OpenCL, or no device of it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <starpu.h>

#ifndef STARPU_USE_OPENCL
int main(void)
{
	fprintf(stderr, "flow_dmda: this StarPU was built without OpenCL\n");
	return 77;
}
#else
enum { LAUNCHES = 512, MOST_ROUNDS = 2001 };

static const char text[] =
	"__kernel void work(__global uint *x, uint turns) { uint s = *x;\n"
	"for (uint i = 0; i < turns; i++) s = s * 1664525u + (s >> 16) + 1u;\n"
	"*x = s; }\n";

static uint32_t memory[LAUNCHES], turns;
static starpu_data_handle_t handles[LAUNCHES];
static struct starpu_opencl_program program;
static struct starpu_codelet codelet;
static struct starpu_perfmodel model;

static void die(const char *what, int code)
{
	fprintf(stderr, "flow_dmda: %s (%d)\n", what, code);
	exit(1);
}

static void launch(void *buffers[], void *arg)
{
	const size_t one = 1;
	cl_mem x = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	cl_command_queue queue;
	cl_kernel kernel;
	cl_int code;

	(void)arg;
	code = starpu_opencl_load_kernel(&kernel, &queue, &program, "work",
					 starpu_worker_get_devid(
						 starpu_worker_get_id()));
	if (code == CL_SUCCESS)
		code = clSetKernelArg(kernel, 0, sizeof(x), &x);
	if (code == CL_SUCCESS)
		code = clSetKernelArg(kernel, 1, sizeof(turns), &turns);
	if (code == CL_SUCCESS)
		code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one,
					      NULL, 0, NULL, NULL);
	if (code != CL_SUCCESS)
		die("a kernel", code);
	starpu_opencl_release_kernel(kernel);
}

static void start(void)
{
	static char symbol[40];
	struct starpu_conf conf;

	/* The only device of most machines is the processor. */
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	setenv("STARPU_SILENT", "1", 0);
	starpu_conf_init(&conf);
	conf.ncpus = conf.ncuda = conf.nmic = conf.nmpi_ms = 0;
	conf.nopencl = 1;
	conf.sched_policy_name = "dmda";
	conf.catch_signals = 0;
	if (starpu_init(&conf) != 0 || starpu_opencl_worker_get_count() == 0)
		exit(77);
	if (starpu_opencl_load_opencl_from_string(text, &program, NULL) != 0)
		die("StarPU does not build the kernel", 0);
	(void)snprintf(symbol, sizeof(symbol), "flow_dmda_%u", turns);
	model.type = STARPU_HISTORY_BASED;
	model.symbol = symbol;
	starpu_codelet_init(&codelet);
	codelet.opencl_funcs[0] = launch;
	codelet.opencl_flags[0] = STARPU_OPENCL_ASYNC;
	codelet.where = STARPU_OPENCL;
	codelet.nbuffers = 1;
	codelet.modes[0] = STARPU_RW;
	codelet.model = &model;
	for (int i = 0; i < LAUNCHES; i++)
		starpu_vector_data_register(&handles[i], STARPU_MAIN_RAM,
					    (uintptr_t)&memory[i], 1,
					    sizeof(*memory));
}

static void submit(starpu_data_handle_t on)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = &codelet;
	task->handles[0] = on;
	if (starpu_task_submit(task) != 0)
		die("a task", 0);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int ascending(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static void measure(int is_chain, int rounds)
{
	static double all[MOST_ROUNDS];

	for (int r = -2; r < rounds; r++) {
		const uint64_t begin = now();

		for (int i = 0; i < LAUNCHES; i++)
			submit(handles[is_chain ? 0 : i]);
		starpu_task_wait_for_all();
		all[r < 0 ? 0 : r] = (double)(now() - begin) / LAUNCHES;
	}
	qsort(all, (size_t)rounds, sizeof(*all), ascending);
	printf("%.0f %.0f\n", all[0], all[rounds / 2]);
}

int main(int argc, char **argv)
{
	if (argc != 4 || atoi(argv[2]) < 1 || atoi(argv[2]) > MOST_ROUNDS)
		return 2;
	turns = (uint32_t)atoi(argv[3]);
	start();
	measure(strcmp(argv[1], "chain") == 0, atoi(argv[2]));
	for (int i = 0; i < LAUNCHES; i++)
		starpu_data_unregister(handles[i]);
	starpu_opencl_unload_opencl(&program);
	starpu_shutdown();
	return 0;
}
#endif
