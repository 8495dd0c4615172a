/* SPDX-License-Identifier: MIT */
/*
 * Codes of OpenCL that a program can cause: the error has the code's name and
 * number, the place, and advice.
 */
#include "plugins/things.h"

static const struct {
	const char *function;
	cl_int code;
	plait_status want;
	const char *name, *advice;
} all[] = {
	{ "clGetPlatformIDs", -1001, PLAIT_E_UNAVAILABLE, "no driver works",
	  "Debian has one" },
	{ "clCreateBuffer", CL_INVALID_BUFFER_SIZE, PLAIT_E_FAILED,
	  "CL_INVALID_BUFFER_SIZE (-61)", "largest allocation" },
	{ "clEnqueueFillBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE,
	  PLAIT_E_NOMEM, "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)",
	  "memory= of the options" },
	{ "clCreateSubDevices", CL_DEVICE_PARTITION_FAILED, PLAIT_E_UNAVAILABLE,
	  "CL_DEVICE_PARTITION_FAILED (-18)", "split= of the options" },
	{ "clCreateCommandQueue", CL_INVALID_QUEUE_PROPERTIES, PLAIT_E_UNAVAILABLE,
	  "CL_INVALID_QUEUE_PROPERTIES (-35)", "events= of the options" },
	{ "clCreateSubBuffer", CL_MISALIGNED_SUB_BUFFER_OFFSET,
	  PLAIT_E_UNSUPPORTED, "CL_MISALIGNED_SUB_BUFFER_OFFSET (-13)",
	  "align the view" },
	{ "clBuildProgram", CL_BUILD_PROGRAM_FAILURE, PLAIT_E_INVALID,
	  "CL_BUILD_PROGRAM_FAILURE (-11)", "log says why" },
	{ "clBuildProgram", CL_COMPILER_NOT_AVAILABLE, PLAIT_E_UNSUPPORTED,
	  "CL_COMPILER_NOT_AVAILABLE (-3)", "a binary of this driver" },
	{ "clBuildProgram", CL_INVALID_BUILD_OPTIONS, PLAIT_E_INVALID,
	  "CL_INVALID_BUILD_OPTIONS (-43)", "plait's own options" },
	{ "clSetKernelArg", CL_INVALID_ARG_SIZE, PLAIT_E_FAILED,
	  "CL_INVALID_ARG_SIZE (-51)", "signature" },
	{ "clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, PLAIT_E_NOMEM,
	  "CL_OUT_OF_RESOURCES (-5)", "fewer items a group" },
	{ "clEnqueueNDRangeKernel", CL_INVALID_WORK_GROUP_SIZE,
	  PLAIT_E_UNSUPPORTED, "CL_INVALID_WORK_GROUP_SIZE (-54)",
	  "reqd_work_group_size" },
	{ "clEnqueueNDRangeKernel", CL_INVALID_WORK_ITEM_SIZE,
	  PLAIT_E_UNSUPPORTED, "CL_INVALID_WORK_ITEM_SIZE (-55)",
	  "fewer items a group" },
	{ "clEnqueueNDRangeKernel", CL_INVALID_GLOBAL_WORK_SIZE,
	  PLAIT_E_FAILED, "CL_INVALID_GLOBAL_WORK_SIZE (-63)", "fewer items" },
	{ "clEnqueueNDRangeKernel", CL_INVALID_PROGRAM_EXECUTABLE,
	  PLAIT_E_FAILED, "CL_INVALID_PROGRAM_EXECUTABLE (-45)",
	  "not built for this device" },
	{ "clEnqueueCopyBuffer", CL_INVALID_MEM_OBJECT, PLAIT_E_FAILED,
	  "CL_INVALID_MEM_OBJECT (-38)", "imported memory" },
	{ "clFlush", CL_INVALID_COMMAND_QUEUE, PLAIT_E_FAILED,
	  "CL_INVALID_COMMAND_QUEUE (-36)", "imported queue" },
	{ "clFlush", CL_DEVICE_NOT_AVAILABLE, PLAIT_E_LOST,
	  "CL_DEVICE_NOT_AVAILABLE (-2)", "open a new context" },
};

static void codes(void)
{
	for (size_t i = 0; i < TAP_COUNT(all); i++) {
		const struct fakecl_setup setup = {
			.devices = 1, .fail = all[i].function, .fail_call = 1,
			.code = all[i].code,
		};
		struct things things = { .context = NULL };
		plait_error error = { .size = sizeof(error) };
		plait_status status;

		standin()->reset(&setup);
		status = open_things(&things, &error);
		if (status == PLAIT_OK)
			status = create(&things, &error);
		if (status == PLAIT_OK)
			status = use(&things, &error);
		OK_THAT(status == all[i].want &&
			strstr(error.text, all[i].name) != NULL &&
			strstr(error.text, all[i].advice) != NULL,
			"%s: %d, %s", all[i].function, status, error.text);
		release(&things);
		plait_context_release(things.context);
	}
}

/* Options that the compiler refuses are those of the source. */
static void options(void)
{
	const struct fakecl_setup setup = {
		.devices = 1, .fail = "clBuildProgram", .fail_call = 1,
		.code = CL_INVALID_BUILD_OPTIONS,
	};
	const plait_source source = {
		.size = sizeof(source), .form = PLAIT_SOURCE_OPENCL_C,
		.code = "__kernel void map(__global uint *x) { }",
		.options = "-no-such-option",
	};
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "map(x: inout pointer u32)",
	};
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	plait_kernel *kernel = NULL;

	standin()->reset(&setup);
	IS_INT(open_things(&things, &error), PLAIT_OK);
	IS_INT(plait_kernel_create(things.context, &desc, &kernel, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "kernel map: the compiler refuses "
		"\"-no-such-option\": CL_INVALID_BUILD_OPTIONS (-43)");
	HAS_STR(error.text, "see options of the kernel's plait_source");
	plait_context_release(things.context);
}

int main(int argc, char **argv)
{
	static const struct tap_scenario scenarios[] = {
		{ "codes", codes },
		{ "options", options },
	};

	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	standin()->teach("map", NULL, map_words);
	return tap_main(argc, argv, scenarios, TAP_COUNT(scenarios));
}
