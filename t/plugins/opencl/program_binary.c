/* SPDX-License-Identifier: MIT */
/*
 * A kernel from a binary of the driver: built by the driver's own functions, in
 * the context and for the device whose native handles plait returns, and run
 * besides the same kernel from its text.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "plait/native.h"
#include "plait/plait.h"
#include "lib/tap.h"

enum { COUNT = 64 };

static const char text[] =
	"__kernel void add(__global uint *x, uint y)\n"
	"{ x[get_global_id(0)] += get_global_id(0) * y; }\n";

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_device *device;

static void *native(uint32_t kind)
{
	uint64_t told = 0;

	IS_INT(plait_device_native(device, kind, &told, &error), PLAIT_OK);
	return (void *)(uintptr_t)told;
}

static void *find(const char *name)
{
	static void *library;

	if (library == NULL)
		library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	return library != NULL ? dlsym(library, name) : NULL;
}

#define FIND(name) __typeof__(&(name)) do_##name = \
	(__typeof__(&(name)))(uintptr_t)find(#name)

/* Returns the binary; null when the driver built none. */
static unsigned char *build(size_t *bytes)
{
	FIND(clCreateProgramWithSource);
	FIND(clBuildProgram);
	FIND(clGetProgramInfo);
	FIND(clReleaseProgram);
	cl_device_id id = native(PLAIT_NATIVE_CL_DEVICE);
	const char *lines = text;
	unsigned char *binary = NULL;
	cl_program program;
	cl_int code = CL_SUCCESS;

	if (!OK(do_clCreateProgramWithSource && do_clBuildProgram &&
		do_clGetProgramInfo && do_clReleaseProgram))
		return NULL;
	program = do_clCreateProgramWithSource(
		native(PLAIT_NATIVE_CL_CONTEXT), 1, &lines, NULL, &code);
	IS_INT(code, CL_SUCCESS);
	IS_INT(do_clBuildProgram(program, 1, &id, "-cl-std=CL1.2", NULL,
				 NULL), CL_SUCCESS);
	/* The context has one device, for which the program was built. */
	IS_INT(do_clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
				   sizeof(*bytes), bytes, NULL), CL_SUCCESS);
	binary = calloc(1, *bytes);
	if (binary != NULL)
		IS_INT(do_clGetProgramInfo(program, CL_PROGRAM_BINARIES,
					   sizeof(binary), &binary, NULL),
		       CL_SUCCESS);
	do_clReleaseProgram(program);
	return binary;
}

static plait_kernel *kernel(uint32_t form, const void *code, uint64_t bytes,
			    plait_status want)
{
	const plait_source source = { .size = sizeof(source), .form = form,
				      .code = code, .bytes = bytes };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "add(x: inout pointer u32, y: u32)",
	};
	plait_kernel *made = NULL;

	OK_THAT(plait_kernel_create(context, &desc, &made, &error) == want,
		"form %u: %s", form, error.text);
	return made;
}

static void launch(plait_queue *queue, plait_kernel *add,
		   plait_buffer *buffer, uint32_t y)
{
	const plait_launch items = { .size = sizeof(items),
				     .items = { COUNT, 0, 0 } };
	const plait_argument arguments[] = {
		{ .size = sizeof(*arguments), .kind = PLAIT_ARGUMENT_BUFFER,
		  .buffer = buffer },
		{ .size = sizeof(*arguments), .value = &y,
		  .bytes = sizeof(y) },
	};

	IS_INT(plait_queue_launch(queue, add, &items, arguments, 2, &error),
	       PLAIT_OK);
}

static void run(plait_kernel *one, plait_kernel *other)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = COUNT * 4 };
	uint32_t words[COUNT];
	plait_buffer *buffer = NULL;
	plait_queue *queue = NULL;
	bool right = true;

	IS_INT(plait_buffer_create(device, &desc, &buffer, &error), PLAIT_OK);
	IS_INT(plait_queue_create(device, NULL, &queue, &error), PLAIT_OK);
	IS_INT(plait_queue_fill(queue, buffer, 0, COUNT * 4, 7, 4, &error),
	       PLAIT_OK);
	launch(queue, one, buffer, 3);
	launch(queue, other, buffer, 100);
	IS_INT(plait_queue_read(queue, buffer, 0, words, sizeof(words),
				&error), PLAIT_OK);
	for (uint32_t i = 0; i < COUNT; i++)
		right &= words[i] == 7 + 103 * i;
	OK(right);
	plait_queue_release(queue);
	plait_buffer_release(buffer);
}

static void binary(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl" };
	plait_kernel *from_text, *from_binary;
	unsigned char *code;
	size_t bytes = 0;

	if (plait_context_open(&desc, &context, &error) != PLAIT_OK)
		SKIP_ALL("no driver: %s", error.text);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	code = build(&bytes);
	if (OK(code != NULL && bytes > 0)) {
		from_text = kernel(PLAIT_SOURCE_OPENCL_C, text, 0, PLAIT_OK);
		from_binary = kernel(PLAIT_SOURCE_OPENCL_BINARY, code, bytes,
				     PLAIT_OK);
		run(from_text, from_binary);
		plait_kernel_release(from_binary);
		plait_kernel_release(from_text);
		memset(code, 0x5a, bytes);
		OK(kernel(PLAIT_SOURCE_OPENCL_BINARY, code, bytes,
			  PLAIT_E_INVALID) == NULL);
	}
	free(code);
	plait_context_release(context);
}

static const struct tap_scenario all[] = {
	{ "a binary of the driver", binary },
};

TAP_MAIN(all)
