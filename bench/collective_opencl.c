/* SPDX-License-Identifier: MIT */
/*
 * Allreduce of f32 on the four parts of an OpenCL device: a ring as a plan,
 * beside the same copies and launches by hand, direct calls of the driver on
 * one queue for each part, with a kernel for one element.  In turn; minimum and
 * median of all turns.
 *
 *	POCL_MAX_PTHREAD_COUNT=4 bench/collective_opencl [TURNS]
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/calls.h"
#include "plait/plait.h"
#include "sys/clock.h"

enum { RANKS = 4, MOST_TURNS = 10000 };

static struct opencl_calls cl;
static cl_device_id parts[RANKS];
static cl_context hand_context;
static cl_command_queue queues[RANKS];
static cl_program program;
static cl_kernel add;
static cl_mem data[RANKS], staged[RANKS];

static plait_error error = { .size = sizeof(error) };
static plait_context *context;

static void must(const char *what, int64_t code)
{
	if (code == 0)
		return;
	fprintf(stderr, "%s: %d %s\n", what, (int)code, error.text);
	exit(1);
}

/* ---- by hand ---- */

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

	must("libOpenCL.so.1", library == NULL);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *found = dlsym(library, functions[i].name);

		must(functions[i].name, found == NULL);
		memcpy((char *)&cl + functions[i].offset, &found,
		       sizeof(found));
	}
}

static void open_parts(void)
{
	const cl_device_partition_property how[] = {
		CL_DEVICE_PARTITION_EQUALLY, 1, 0
	};
	cl_platform_id platform;
	cl_device_id device;
	cl_int code;

	must("no platform", cl.clGetPlatformIDs(1, &platform, NULL));
	must("no device", cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1,
					    &device, NULL));
	must("a device of four units is needed",
	     cl.clCreateSubDevices(device, how, RANKS, parts, NULL));
	hand_context = cl.clCreateContext(NULL, RANKS, parts, NULL, NULL,
					  &code);
	must("clCreateContext", code);
	for (int i = 0; i < RANKS; i++) {
		queues[i] = cl.clCreateCommandQueue(hand_context, parts[i], 0,
						    &code);
		must("clCreateCommandQueue", code);
	}
}

static void build(void)
{
	const char *text =
		"__kernel void add(__global float *to,\n"
		"		   __global const float *from, uint first)\n"
		"{ size_t i = first + get_global_id(0); to[i] += from[i]; }\n";
	cl_int code;

	program = cl.clCreateProgramWithSource(hand_context, 1, &text, NULL,
					       &code);
	must("clCreateProgramWithSource", code);
	must("clBuildProgram", cl.clBuildProgram(program, 0, NULL,
						 "-cl-std=CL1.2", NULL, NULL));
	add = cl.clCreateKernel(program, "add", &code);
	must("clCreateKernel", code);
}

static cl_mem make_memory(uint64_t bytes)
{
	cl_int code;
	cl_mem made = cl.clCreateBuffer(hand_context, CL_MEM_READ_WRITE, bytes,
					NULL, &code);

	must("clCreateBuffer", code);
	return made;
}

/* Copy chunk `first` on the queue of the target, after `event`, which becomes
 * that of the copy. */
static void copy(uint32_t rank, cl_mem from, cl_mem to, uint64_t first,
		 uint64_t count, cl_event *event)
{
	cl_event before = *event;

	must("clEnqueueCopyBuffer", cl.clEnqueueCopyBuffer(
			queues[rank], from, to, first * 4, first * 4,
			count * 4, before != NULL, before != NULL ? &before :
			NULL, event));
	if (before != NULL)
		cl.clReleaseEvent(before);
}

static void reduce(uint32_t rank, uint64_t first, uint64_t count,
		   cl_event *event)
{
	const cl_uint start = (cl_uint)first;
	const size_t items = count;

	must("argument", cl.clSetKernelArg(add, 0, sizeof(cl_mem),
					   &data[rank]));
	must("argument", cl.clSetKernelArg(add, 1, sizeof(cl_mem),
					   &staged[rank]));
	must("argument", cl.clSetKernelArg(add, 2, sizeof(start), &start));
	cl.clReleaseEvent(*event);
	must("clEnqueueNDRangeKernel", cl.clEnqueueNDRangeKernel(
			queues[rank], add, 1, NULL, &items, NULL, 0, NULL,
			event));
}

/* One step of the ring for all chunks; the first three reduce. */
static void step(uint32_t number, uint64_t chunk, cl_event *events)
{
	for (uint32_t r = 0; r < RANKS; r++) {
		uint32_t from = (r + number + 1) % RANKS;
		uint32_t to = (from + 1) % RANKS;
		bool reduces = number < RANKS - 1;

		copy(to, data[from], reduces ? staged[to] : data[to], r * chunk,
		     chunk, &events[r]);
		if (reduces)
			reduce(to, r * chunk, chunk, &events[r]);
	}
	for (uint32_t r = 0; r < RANKS; r++)
		must("clFlush", cl.clFlush(queues[r]));
}

static void run_by_hand(uint64_t count)
{
	cl_event events[RANKS] = { NULL };

	for (uint32_t i = 0; i < 2 * (RANKS - 1); i++)
		step(i, count / RANKS, events);
	for (uint32_t r = 0; r < RANKS; r++) {
		must("clFinish", cl.clFinish(queues[r]));
		cl.clReleaseEvent(events[r]);
	}
}

/* ---- plan ---- */

static plait_schedule *make_ring(void)
{
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_COLL_ALLREDUCE,
		.flags = PLAIT_COLL_IN_PLACE, .ranks = RANKS,
	};
	plait_schedule *schedule;
	plait_coll *coll;

	must("ring", plait_coll_known(context, "ring", &desc, &coll, &error));
	must("ring", plait_coll_compile(coll, NULL, &schedule, &error));
	plait_coll_release(coll);
	return schedule;
}

static plait_plan *make_plan(plait_schedule *schedule, uint64_t count)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = count * 4 };
	plait_buffer *buffers[RANKS];
	const plait_collective_desc collective = {
		.size = sizeof(collective), .element = PLAIT_ELEMENT_FLOAT,
		.element_bits = 32, .count = count, .outputs = buffers,
	};
	plait_graph *graph;
	plait_plan *plan;

	for (uint32_t i = 0; i < RANKS; i++) {
		plait_device *device;

		must("device", plait_context_device(context, i, &device,
						    &error));
		must("buffer", plait_buffer_create(device, &desc, &buffers[i],
						   &error));
	}
	must("graph", plait_schedule_graph(schedule, &collective, &graph,
					   &error));
	must("plan", plait_graph_freeze(graph, NULL, &plan, &error));
	for (uint32_t i = 0; i < RANKS; i++)
		plait_buffer_release(buffers[i]);
	plait_graph_release(graph);
	return plan;
}

/* ---- rows ---- */

/* In us. */
static double plan_times[MOST_TURNS], hand_times[MOST_TURNS];

static void end_time(uint64_t *start, double *out)
{
	uint64_t now = plait__clock_now_ns();

	*out = (double)(now - *start) / 1000;
	*start = now;
}

static int compare_times(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void measure(plait_plan *plan, uint64_t count, uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++) {
		uint64_t start = plait__clock_now_ns();

		must("call", plait_plan_call(plan, NULL, NULL, &error));
		end_time(&start, &plan_times[i]);
		run_by_hand(count);
		end_time(&start, &hand_times[i]);
	}
	qsort(plan_times, turns, sizeof(*plan_times), compare_times);
	qsort(hand_times, turns, sizeof(*hand_times), compare_times);
}

static void print_row(plait_schedule *schedule, uint64_t count, uint32_t turns)
{
	plait_plan *plan = make_plan(schedule, count);

	for (uint32_t i = 0; i < RANKS; i++) {
		data[i] = make_memory(count * 4);
		staged[i] = make_memory(count * 4);
	}
	measure(plan, count, turns);
	printf("%9llu bytes: plan %9.2f %9.2f us, by hand %9.2f %9.2f us; "
	       "ratios %.2f %.2f\n", (unsigned long long)count * 4,
	       plan_times[0], plan_times[turns / 2], hand_times[0],
	       hand_times[turns / 2], plan_times[0] / hand_times[0],
	       plan_times[turns / 2] / hand_times[turns / 2]);
	plait_plan_release(plan);
	for (uint32_t i = 0; i < RANKS; i++) {
		cl.clReleaseMemObject(data[i]);
		cl.clReleaseMemObject(staged[i]);
	}
}

int main(int argc, char **argv)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .options = "opencl:split=4" };
	int wanted = argc > 1 ? atoi(argv[1]) : 50;
	uint32_t turns = wanted < 1 ? 1 :
			 wanted > MOST_TURNS ? MOST_TURNS : (uint32_t)wanted;
	plait_schedule *schedule;

	load();
	open_parts();
	build();
	must("context", plait_context_open(&desc, &context, &error));
	schedule = make_ring();
	for (uint64_t count = 1 << 14; count <= 1 << 24; count <<= 2)
		print_row(schedule, count, turns);
	plait_schedule_release(schedule);
	plait_context_release(context);
	return 0;
}
