/* SPDX-License-Identifier: MIT */
/* Launches with direct OpenCL calls; see halves_hand.h. */
#include "halves_hand.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/calls.h"

/* BEHIND: launches behind one before its end is asked for. */
enum { MOST = 2, MEMORIES = 512, BEHIND = 16 };

static const char *text =
	"__kernel void work(__global uint *x, uint turns)\n"
	"{ uint s = *x; for (uint i = 0; i < turns; i++)\n"
	"s = s * 1664525u + (s >> 16) + 1u; *x = s; }\n";

static struct opencl_calls cl;
static uint32_t parts;
static cl_context context;
static cl_program program;
static cl_command_queue queues[MOST];
static cl_kernel kernels[MOST];
static cl_mem memories[MEMORIES];

/* Launches of a device that are not known to have ended, in order. */
static struct flight {
	cl_event events[MEMORIES];
	uint32_t first, count;
} flights[MOST];

static void must(const char *what, cl_int code)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "flow_halves: by hand: %s (%d)\n", what, (int)code);
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

	must("no libOpenCL.so.1", library == NULL);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *found = dlsym(library, functions[i].name);

		must(functions[i].name, found == NULL);
		memcpy((char *)&cl + functions[i].offset, &found,
		       sizeof(found));
	}
}

static void make_kernel(uint32_t part, cl_device_id device, cl_uint turns)
{
	cl_int code;

	queues[part] = cl.clCreateCommandQueue(context, device, 0, &code);
	must("clCreateCommandQueue", code);
	kernels[part] = cl.clCreateKernel(program, "work", &code);
	must("clCreateKernel", code);
	must("clSetKernelArg", cl.clSetKernelArg(kernels[part], 1,
						 sizeof(turns), &turns));
}

static void make_memories(void)
{
	cl_int code;

	for (int i = 0; i < MEMORIES; i++) {
		memories[i] = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, 8,
						NULL, &code);
		must("clCreateBuffer", code);
	}
}

void halves_hand_open(uint64_t in, const uint64_t *devices, uint32_t count,
		      uint32_t turns)
{
	cl_device_id ids[MOST];
	cl_int code;

	load();
	parts = count;
	context = (cl_context)(uintptr_t)in;
	for (uint32_t i = 0; i < parts; i++)
		ids[i] = (cl_device_id)(uintptr_t)devices[i];
	program = cl.clCreateProgramWithSource(context, 1, &text, NULL, &code);
	must("clCreateProgramWithSource", code);
	must("clBuildProgram", cl.clBuildProgram(program, parts, ids,
						 "-cl-std=CL1.2", NULL, NULL));
	for (uint32_t i = 0; i < parts; i++)
		make_kernel(i, ids[i], turns);
	make_memories();
}

void halves_hand_close(void)
{
	for (int i = 0; i < MEMORIES; i++)
		cl.clReleaseMemObject(memories[i]);
	for (uint32_t i = 0; i < parts; i++) {
		cl.clReleaseKernel(kernels[i]);
		cl.clReleaseCommandQueue(queues[i]);
	}
	cl.clReleaseProgram(program);
}

/* ---- ends ---- */

static bool has_ended(cl_event event)
{
	cl_int state;

	must("clGetEventInfo", cl.clGetEventInfo(
			event, CL_EVENT_COMMAND_EXECUTION_STATUS,
			sizeof(state), &state, NULL));
	must("a launch", state < 0 ? state : CL_SUCCESS);
	return state == CL_COMPLETE;
}

/* Release the events of those that have ended, from the oldest on. */
static void collect(struct flight *flight)
{
	while (flight->count > 0 && has_ended(flight->events[flight->first])) {
		cl.clReleaseEvent(flight->events[flight->first]);
		flight->first = (flight->first + 1) % MEMORIES;
		flight->count--;
	}
}

static void finish(void)
{
	for (uint32_t i = 0; i < parts; i++) {
		must("clFinish", cl.clFinish(queues[i]));
		collect(&flights[i]);
	}
}

/* ---- launches ---- */

/* A submission of one launch, which may begin at once. */
static void launch(uint32_t part, cl_mem memory)
{
	const size_t one = 1;
	struct flight *flight = &flights[part];
	cl_event *event = &flight->events[(flight->first + flight->count) %
					  MEMORIES];

	must("clSetKernelArg", cl.clSetKernelArg(kernels[part], 0,
						 sizeof(memory), &memory));
	must("clEnqueueNDRangeKernel", cl.clEnqueueNDRangeKernel(
			queues[part], kernels[part], 1, NULL, &one, NULL, 0,
			NULL, event));
	must("clFlush", cl.clFlush(queues[part]));
	if (++flight->count % BEHIND == 0)
		collect(flight);
}

void halves_hand_independent(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		launch(i % parts, memories[i % MEMORIES]);
	finish();
}

void halves_hand_chain(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		launch(0, memories[0]);
	finish();
}
