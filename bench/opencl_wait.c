/* SPDX-License-Identifier: MIT */
/*
 * Waiting for long kernels: plait's queue and plan beside direct calls of the
 * driver with clFinish, interleaved in one process, on the same device.  Minimum
 * and median in milliseconds, and the median of the ratio of a round; above 1
 * plait is faster.
 *
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/opencl_wait [rounds]
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opencl/calls.h"
#include "plait/native.h"
#include "plait/plait.h"

enum { MOST_ROUNDS = 1001, SIDE = 384, GRID = 1024, STEPS = 10 };

static const char text[] =
	"__kernel void gemm(__global float *x, __global float *y, uint n)\n"
	"{ uint i = get_global_id(0) / n, j = get_global_id(0) % n;\n"
	"  float s = 0; for (uint k = 0; k < n; k++)\n"
	"  s += x[i * n + k] * x[k * n + j]; y[i * n + j] = s; }\n"
	"__kernel void heat(__global float *x, __global float *y, uint n)\n"
	"{ uint i = get_global_id(0) / n, j = get_global_id(0) % n;\n"
	"  uint u = i > 0 ? i - 1 : i, d = i + 1 < n ? i + 1 : i;\n"
	"  uint l = j > 0 ? j - 1 : j, r = j + 1 < n ? j + 1 : j;\n"
	"  y[i * n + j] = x[i * n + j] * 0.6f + 0.1f * (x[u * n + j] +\n"
	"  x[d * n + j] + x[i * n + l] + x[i * n + r]); }\n";

/* A program: `steps` launches over n * n items, back and forth. */
static const struct work {
	const char *name;
	const char *signature;
	uint32_t n;
	int steps;
} works[] = {
	{ "gemm", "gemm(x: inout pointer f32, y: inout pointer f32, n: u32)",
	  SIDE, 1 },
	{ "heat", "heat(x: inout pointer f32, y: inout pointer f32, n: u32)",
	  GRID, STEPS },
};

enum { WORKS = sizeof(works) / sizeof(*works), SIDES = 3 };

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_device *device;
static plait_buffer *buffers[2];
static plait_queue *queue;
static plait_kernel *kernels[WORKS];
static plait_plan *plans[WORKS];
static cl_command_queue plain;
static cl_kernel made[WORKS][2];
static struct opencl_calls cl;

static void must(plait_status status)
{
	if (status >= PLAIT_OK)
		return;
	fprintf(stderr, "opencl_wait: %s\n", error.text);
	exit(1);
}

static void need(cl_int code)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "opencl_wait: OpenCL gives %d\n", (int)code);
	exit(1);
}

#define STATUS_NAME(name, parameters, arguments) \
	{ #name, offsetof(struct opencl_calls, name) },
#define MAKES_NAME(type, name, parameters, arguments) \
	{ #name, offsetof(struct opencl_calls, name) },

static void load(void)
{
	static const struct {
		const char *name;
		size_t offset;
	} functions[] = { OPENCL_CALLS(STATUS_NAME, MAKES_NAME) };
	void *library = dlopen("libOpenCL.so.1", RTLD_NOW);

	for (size_t i = 0; library != NULL &&
	     i < sizeof(functions) / sizeof(*functions); i++) {
		void *found = dlsym(library, functions[i].name);

		memcpy((char *)&cl + functions[i].offset, &found,
		       sizeof(found));
	}
}

/* --- by hand -------------------------------------------------------------- */

static void *native(uint32_t kind)
{
	uint64_t told;

	must(plait_device_native(device, kind, &told, &error));
	return (void *)(uintptr_t)told;
}

static cl_mem memory_of(const plait_buffer *buffer)
{
	uint64_t told, offset;

	must(plait_buffer_native((plait_buffer *)(uintptr_t)buffer,
				 PLAIT_NATIVE_CL_MEMORY, &told, &offset,
				 &error));
	return (cl_mem)(uintptr_t)told;
}

static void set(cl_kernel kernel, int turn, uint32_t n)
{
	cl_mem x = memory_of(buffers[turn]), y = memory_of(buffers[!turn]);

	need(cl.clSetKernelArg(kernel, 0, sizeof(x), &x));
	need(cl.clSetKernelArg(kernel, 1, sizeof(y), &y));
	need(cl.clSetKernelArg(kernel, 2, sizeof(n), &n));
}

static void prepare_plain(void)
{
	const char *lines = text;
	cl_context driver = native(PLAIT_NATIVE_CL_CONTEXT);
	cl_device_id id = native(PLAIT_NATIVE_CL_DEVICE);
	cl_program program;
	cl_int code;

	plain = cl.clCreateCommandQueue(driver, id, 0, &code);
	need(code);
	program = cl.clCreateProgramWithSource(driver, 1, &lines, NULL, &code);
	need(code);
	need(cl.clBuildProgram(program, 1, &id, "-cl-std=CL1.2", NULL, NULL));
	for (int i = 0; i < WORKS; i++)
		for (int turn = 0; turn < 2; turn++) {
			made[i][turn] = cl.clCreateKernel(
				program, works[i].name, &code);
			need(code);
			set(made[i][turn], turn, works[i].n);
		}
}

static void run_plain(int i)
{
	const size_t items = (size_t)works[i].n * works[i].n;

	for (int k = 0; k < works[i].steps; k++)
		need(cl.clEnqueueNDRangeKernel(plain, made[i][k % 2], 1, NULL,
					       &items, NULL, 0, NULL, NULL));
	need(cl.clFinish(plain));
}

/* --- plait ---------------------------------------------------------------- */

static void fill_arguments(plait_argument out[3], int turn, const uint32_t *n)
{
	memset(out, 0, 3 * sizeof(*out));
	for (int i = 0; i < 2; i++)
		out[i] = (plait_argument){ .size = sizeof(*out),
					   .kind = PLAIT_ARGUMENT_BUFFER,
					   .buffer = buffers[turn ^ i] };
	out[2] = (plait_argument){ .size = sizeof(*out), .value = n,
				   .bytes = sizeof(*n) };
}

static plait_launch items_of(const struct work *work)
{
	return (plait_launch){ .size = sizeof(plait_launch),
			       .items = { (uint64_t)work->n * work->n } };
}

static void run_queue(int i)
{
	const plait_launch items = items_of(&works[i]);
	plait_argument arguments[3];

	for (int k = 0; k < works[i].steps; k++) {
		fill_arguments(arguments, k % 2, &works[i].n);
		must(plait_queue_launch(queue, kernels[i], &items, arguments,
					3, &error));
	}
	must(plait_queue_finish(queue, PLAIT_FOREVER, &error));
}

static void run_plan(int i)
{
	must(plait_plan_call(plans[i], NULL, NULL, &error));
}

static void prepare_plan(int i)
{
	const plait_launch items = items_of(&works[i]);
	plait_argument arguments[3];
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_LAUNCH,
				 .kernel = kernels[i], .launch = &items,
				 .arguments = arguments, .argument_count = 3,
				 .device = device };
	plait_graph *graph;
	plait_node node;

	must(plait_graph_create(context, &graph, &error));
	for (int k = 0; k < works[i].steps; k++) {
		const plait_node before = node;

		fill_arguments(arguments, k % 2, &works[i].n);
		must(plait_graph_add(graph, &desc, &before, k > 0, &node,
				     &error));
	}
	must(plait_graph_freeze(graph, NULL, &plans[i], &error));
	must(plait_plan_prepare(plans[i], &error));
	plait_graph_release(graph);
}

static void prepare(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl" };
	const plait_buffer_desc bytes = { .size = sizeof(bytes),
					  .bytes = GRID * GRID * 4 };
	plait_device_info info = { .size = sizeof(info) };

	must(plait_context_open(&desc, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
	must(plait_device_query(device, &info, &error));
	printf("%s\n", info.description);
	must(plait_queue_create(device, NULL, &queue, &error));
	for (int i = 0; i < 2; i++) {
		must(plait_buffer_create(device, &bytes, &buffers[i], &error));
		must(plait_queue_fill(queue, buffers[i], 0, bytes.bytes, 0, 4,
				      &error));
	}
	must(plait_queue_finish(queue, PLAIT_FOREVER, &error));
	for (int i = 0; i < WORKS; i++) {
		const plait_source source = { .size = sizeof(source),
					      .code = text, .file = "wait.cl",
					      .form = PLAIT_SOURCE_OPENCL_C };
		const plait_kernel_desc kernel = {
			.size = sizeof(kernel), .sources = &source,
			.signature = works[i].signature, .source_count = 1,
		};

		must(plait_kernel_create(context, &kernel, &kernels[i],
					 &error));
		prepare_plan(i);
	}
}

/* --- times ---------------------------------------------------------------- */

static double times[SIDES][MOST_ROUNDS];

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int ascending(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static void measure(int i, int rounds)
{
	static void (*const run[SIDES])(int) = { run_plain, run_queue,
						 run_plan };
	static const char *const names[SIDES] = { "clFinish", "queue",
						  "plan" };
	double ratio[MOST_ROUNDS];

	for (int round = -2; round < rounds; round++)
		for (int k = 0; k < SIDES; k++) {
			/* Each side is first, second and last in turn. */
			int side = (k + round + 3) % SIDES;
			double began = now_ms();

			run[side](i);
			if (round >= 0)
				times[side][round] = now_ms() - began;
		}
	for (int side = SIDES - 1; side >= 0; side--) {
		for (int round = 0; round < rounds; round++)
			ratio[round] = times[0][round] / times[side][round];
		qsort(ratio, (size_t)rounds, sizeof(*ratio), ascending);
		qsort(times[side], (size_t)rounds, sizeof(double), ascending);
		printf("%-6s %-10s %10.3f %10.3f %8.3f\n", works[i].name,
		       names[side], times[side][0], times[side][rounds / 2],
		       ratio[rounds / 2]);
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 51;

	if (rounds < 1 || rounds > MOST_ROUNDS)
		rounds = 51;
	load();
	prepare();
	prepare_plain();
	printf("%-6s %-10s %10s %10s %8s\n", "", "", "minimum", "median",
	       "ratio");
	for (int i = 0; i < WORKS; i++)
		measure(i, rounds);
	for (int i = 0; i < WORKS; i++) {
		plait_plan_release(plans[i]);
		plait_kernel_release(kernels[i]);
	}
	plait_queue_release(queue);
	plait_buffer_release(buffers[0]);
	plait_buffer_release(buffers[1]);
	cl.clReleaseCommandQueue(plain);
	plait_context_release(context);
	return 0;
}
