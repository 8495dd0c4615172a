/* SPDX-License-Identifier: MIT */
/*
 * The reference of bench/opencl: direct OpenCL calls, with the necessary checks
 * only.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl.h"
#include "opencl/calls.h"

static struct opencl_calls cl;
static cl_device_id parts[2];
static cl_context context;
static cl_command_queue queues[2];
static cl_program program;
static cl_kernel empty, less, number, work[2];
static cl_mem word, numbers[2];

static void die(const char *what, cl_int code)
{
	fprintf(stderr, "opencl: by hand: %s (%d)\n", what, (int)code);
	exit(1);
}

static void must(const char *what, cl_int code)
{
	if (code != CL_SUCCESS)
		die(what, code);
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

	if (library == NULL)
		die("no libOpenCL.so.1", 0);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *found = dlsym(library, functions[i].name);

		if (found == NULL)
			die(functions[i].name, 0);
		memcpy((char *)&cl + functions[i].offset, &found,
		       sizeof(found));
	}
}

static void split(void)
{
	cl_device_partition_property how[] = { CL_DEVICE_PARTITION_EQUALLY, 0,
					       0 };
	cl_platform_id platform;
	cl_device_id device;
	cl_uint units;

	must("no platform", cl.clGetPlatformIDs(1, &platform, NULL));
	must("no device", cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1,
					    &device, NULL));
	must("clGetDeviceInfo", cl.clGetDeviceInfo(
			device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units),
			&units, NULL));
	how[1] = (cl_device_partition_property)(units / 2);
	must("the device cannot be split", cl.clCreateSubDevices(
			device, how, 2, parts, NULL));
}

static cl_kernel kernel(const char *name)
{
	cl_int code;
	cl_kernel made = cl.clCreateKernel(program, name, &code);

	must(name, code);
	return made;
}

static cl_mem memory(void)
{
	cl_int code;
	cl_mem made = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL,
					&code);

	must("clCreateBuffer", code);
	return made;
}

static void build(void)
{
	const char *text = EMPTY_TEXT LESS_TEXT NUMBER_TEXT WORK_TEXT;
	const cl_uint turns = WORK;
	cl_int code;

	program = cl.clCreateProgramWithSource(context, 1, &text, NULL, &code);
	must("clCreateProgramWithSource", code);
	must("clBuildProgram", cl.clBuildProgram(program, 0, NULL,
						 "-cl-std=CL1.2", NULL, NULL));
	empty = kernel("empty");
	less = kernel("less");
	number = kernel("number");
	word = memory();
	must("number", cl.clSetKernelArg(number, 0, sizeof(word), &word));
	must("less", cl.clSetKernelArg(less, 0, sizeof(word), &word));
	for (int i = 0; i < 2; i++) {
		work[i] = kernel("work");
		numbers[i] = memory();
		must("work", cl.clSetKernelArg(work[i], 0, sizeof(cl_mem),
					       &numbers[i]));
		must("work", cl.clSetKernelArg(work[i], 1, sizeof(turns),
					       &turns));
	}
}

void hand_open(void)
{
	cl_int code;

	load();
	split();
	context = cl.clCreateContext(NULL, 2, parts, NULL, NULL, &code);
	must("clCreateContext", code);
	for (int i = 0; i < 2; i++) {
		queues[i] = cl.clCreateCommandQueue(context, parts[i], 0,
						    &code);
		must("clCreateCommandQueue", code);
	}
	build();
}

void hand_close(void)
{
	cl.clReleaseMemObject(word);
	cl.clReleaseKernel(empty);
	cl.clReleaseKernel(less);
	cl.clReleaseKernel(number);
	for (int i = 0; i < 2; i++) {
		cl.clReleaseMemObject(numbers[i]);
		cl.clReleaseKernel(work[i]);
		cl.clReleaseCommandQueue(queues[i]);
	}
	cl.clReleaseProgram(program);
	cl.clReleaseContext(context);
	for (int i = 0; i < 2; i++)
		cl.clReleaseDevice(parts[i]);
}

static void launch(int queue, cl_kernel what, cl_uint count,
		   const cl_event *waits, cl_event *event)
{
	const size_t one = 1;

	must("clEnqueueNDRangeKernel", cl.clEnqueueNDRangeKernel(
			queues[queue], what, 1, NULL, &one, NULL, count, waits,
			event));
}

void hand_chain(void)
{
	for (int i = 0; i < CHAIN; i++)
		launch(0, empty, 0, NULL, NULL);
	must("clFinish", cl.clFinish(queues[0]));
}

void hand_numbers(void)
{
	for (cl_uint i = 0; i < CHAIN; i++) {
		must("number", cl.clSetKernelArg(number, 1, sizeof(i), &i));
		launch(0, number, 0, NULL, NULL);
	}
	must("clFinish", cl.clFinish(queues[0]));
}

void hand_loop(void)
{
	cl_uint left = TIMES;

	must("clEnqueueWriteBuffer", cl.clEnqueueWriteBuffer(
			queues[0], word, CL_FALSE, 0, sizeof(left), &left, 0,
			NULL, NULL));
	do {
		launch(0, less, 0, NULL, NULL);
		must("clEnqueueReadBuffer", cl.clEnqueueReadBuffer(
				queues[0], word, CL_TRUE, 0, sizeof(left),
				&left, 0, NULL, NULL));
	} while (left != 0);
}

void hand_diamond(int count)
{
	const cl_uint one = 1;
	cl_event begun, done;
	int other = count - 1;

	must("clEnqueueFillBuffer", cl.clEnqueueFillBuffer(
			queues[0], numbers[0], &one, 4, 0, 4, 0, NULL, NULL));
	must("clEnqueueFillBuffer", cl.clEnqueueFillBuffer(
			queues[0], numbers[1], &one, 4, 0, 4, 0, NULL,
			&begun));
	must("clFlush", cl.clFlush(queues[0]));
	launch(other, work[1], 1, &begun, &done);
	must("clFlush", cl.clFlush(queues[other]));
	launch(0, work[0], 0, NULL, NULL);
	must("clEnqueueCopyBuffer", cl.clEnqueueCopyBuffer(
			queues[0], numbers[1], numbers[0], 0, 0, 4, 1, &done,
			NULL));
	must("clFinish", cl.clFinish(queues[0]));
	cl.clReleaseEvent(begun);
	cl.clReleaseEvent(done);
}
