/* SPDX-License-Identifier: MIT */
/*
 * Offsets of arguments; and sizes of groups, on a stand-in whose driver understates
 * what a kernel can run (32; it runs 256, and says 512 of the device): the
 * driver's answer counts, and its refusal names the kernel and the group.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "standin/opencl/standin.h"

static plait_error error;
static plait_context *context;
static plait_device *device;
static plait_queue *queue;
static plait_kernel *kernel;
static atomic_uint runs;

static int32_t count(void *const *arguments, const plait_launch *launch,
		     void *data)
{
	(void)arguments, (void)launch, (void)data;
	atomic_fetch_add(&runs, 1);
	return 0;
}

static void open_it(void)
{
	static const struct fakecl_setup setup = { .devices = 1 };
	static char options[4200];
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .options = options };
	const plait_queue_desc named = { .size = sizeof(named),
					 .label = "upper" };
	const plait_source source = {
		.size = sizeof(source), .form = PLAIT_SOURCE_OPENCL_C,
		.code = "__kernel void count(uint x) { }\n",
	};
	const plait_kernel_desc wanted = {
		.size = sizeof(wanted), .sources = &source, .source_count = 1,
		.signature = "count(x: u32)",
	};

	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	error = (plait_error){ .size = sizeof(error) };
	standin()->reset(&setup);
	atomic_store(&runs, 0);
	standin()->teach("count", NULL, count);
	(void)snprintf(options, sizeof(options), "opencl:loader=%s",
		       standin_path);
	if (!OK_THAT(plait_context_open(&desc, &context, &error) == PLAIT_OK,
		     "%s", error.text))
		exit(1);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	IS_INT(plait_queue_create(device, &named, &queue, &error), PLAIT_OK);
	OK_THAT(plait_kernel_create(context, &wanted, &kernel, &error) ==
		PLAIT_OK, "%s", error.text);
}

static plait_status launch(uint64_t group)
{
	const uint32_t x = 1;
	const plait_argument argument = { .size = sizeof(argument),
					  .value = &x, .bytes = sizeof(x) };
	const plait_launch geometry = { .size = sizeof(geometry),
					.items = { 1024 },
					.group = { group } };
	plait_status status = plait_queue_launch(queue, kernel, &geometry,
						 &argument, 1, &error);

	return status == PLAIT_OK ?
	       plait_queue_finish(queue, PLAIT_FOREVER, &error) : status;
}

static void limits(void)
{
	open_it();
	IS_INT(launch(32), PLAIT_OK);
	IS_INT(launch(256), PLAIT_OK);
	IS_UINT(atomic_load(&runs), 2);
	IS_INT(launch(512), PLAIT_E_UNSUPPORTED);
	OK_THAT(strstr(error.text, "CL_INVALID_WORK_GROUP_SIZE (-54)") &&
		strstr(error.text, "kernel count with groups of 512 x 1 x 1") &&
		strstr(error.text, "at most 32") &&
		strstr(error.text, "queue \"upper\""), "%s", error.text);
	IS_INT(launch(1024), PLAIT_E_UNSUPPORTED);
	OK_THAT(strstr(error.text, "count: a group of 1024 items; the device "
		       "can run at most 512") != NULL, "%s", error.text);
	IS_INT(launch(64), PLAIT_OK);
	IS_UINT(atomic_load(&runs), 3);
	plait_kernel_release(kernel);
	plait_queue_release(queue);
	plait_context_release(context);
	standin_is_clean();
}

/* A view that the host takes: the error has the numbers and the way out. */
static void offsets(void)
{
	const plait_source source = {
		.size = sizeof(source), .form = PLAIT_SOURCE_OPENCL_C,
		.code = "__kernel void count(__global uint *x) { }\n",
	};
	const plait_kernel_desc wanted = {
		.size = sizeof(wanted), .sources = &source, .source_count = 1,
		.signature = "count(x: inout pointer u32)",
	};
	const plait_buffer_desc bytes = { .size = sizeof(bytes),
					  .bytes = 1024 };
	const plait_launch one = { .size = sizeof(one), .items = { 1 } };
	plait_argument argument = { .size = sizeof(argument),
				    .kind = PLAIT_ARGUMENT_BUFFER,
				    .offset_bytes = 132 };

	open_it();
	plait_kernel_release(kernel);
	IS_INT(plait_kernel_create(context, &wanted, &kernel, &error),
	       PLAIT_OK);
	IS_INT(plait_buffer_create(device, &bytes, &argument.buffer, &error),
	       PLAIT_OK);
	IS_INT(plait_queue_launch(queue, kernel, &one, &argument, 1, &error),
	       PLAIT_E_UNSUPPORTED);
	OK_THAT(strstr(error.text, "argument 0 \"x\" of count") &&
		strstr(error.text, "offset of 132 bytes") &&
		strstr(error.text, "alignment, 128"), "%s", error.text);
	argument.offset_bytes = 128;
	IS_INT(plait_queue_launch(queue, kernel, &one, &argument, 1, &error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
	plait_buffer_release(argument.buffer);
	plait_kernel_release(kernel);
	plait_queue_release(queue);
	plait_context_release(context);
	standin_is_clean();
}

static const struct tap_scenario all[] = {
	{ "offsets of arguments", offsets },
	{ "limits of groups", limits },
};

TAP_MAIN(all)
