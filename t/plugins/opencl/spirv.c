/* SPDX-License-Identifier: MIT */
/*
 * Kernels from SPIR-V: on a stand-in for OpenCL, which takes a text behind the
 * magic number for it, and a real module on a driver that takes it.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/suite.h"
#include "standin/opencl/standin.h"

enum { COUNT = 64, MAGIC = 0x07230203 };

/* add(x: inout pointer u32, a: u32), as an assembler wrote it:
 *
 *	OpCapability Addresses, Kernel, Int64; OpMemoryModel Physical64 OpenCL
 *	x[GlobalInvocationId.x] += a
 */
static const uint32_t module[] = {
	0x7230203, 0x10000, 0x70000, 0x12, 0x0, 0x20011, 0x4,
	0x20011, 0x6, 0x20011, 0xb, 0x3000e, 0x2, 0x2,
	0x5000f, 0x6, 0x1, 0x646461, 0x2, 0x40047, 0x2,
	0xb, 0x1c, 0x30047, 0x2, 0x16, 0x20013, 0x3,
	0x40015, 0x4, 0x20, 0x0, 0x40015, 0x5, 0x40,
	0x0, 0x40017, 0x6, 0x5, 0x3, 0x40020, 0x7,
	0x1, 0x6, 0x40020, 0x8, 0x5, 0x4, 0x50021,
	0x9, 0x3, 0x8, 0x4, 0x4003b, 0x7, 0x2,
	0x1, 0x50036, 0x3, 0x1, 0x0, 0x9, 0x30037,
	0x8, 0xa, 0x30037, 0x4, 0xb, 0x200f8, 0xc,
	0x6003d, 0x6, 0xd, 0x2, 0x2, 0x20, 0x50051,
	0x5, 0xe, 0xd, 0x0, 0x50046, 0x8, 0xf,
	0xa, 0xe, 0x6003d, 0x4, 0x10, 0xf, 0x2,
	0x4, 0x50080, 0x4, 0x11, 0x10, 0xb, 0x5003e,
	0xf, 0x11, 0x2, 0x4, 0x100fd, 0x10038,
};

static plait_error error;
static plait_context *context;
static plait_device *device;

/* x[i] += a, for all i. */
static int32_t add_all(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	uint32_t *x = *(uint32_t **)arguments[0];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		x[i] += *(uint32_t *)arguments[1];
	return 0;
}

static plait_status open_it(const char *options)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .wrap = "check",
					  .options = options };
	plait_status status;

	error = (plait_error){ .size = sizeof(error) };
	status = plait_context_open(&desc, &context, &error);
	if (status == PLAIT_OK)
		IS_INT(plait_context_device(context, 0, &device, &error),
		       PLAIT_OK);
	return status;
}

static void open_standin(const struct fakecl_setup *setup)
{
	static char options[4200];

	standin()->reset(setup);
	standin()->teach("add", NULL, add_all);
	(void)snprintf(options, sizeof(options), "opencl:loader=%.4000s",
		       standin_path);
	OK_THAT(open_it(options) == PLAIT_OK, "%s", error.text);
}

static void close_standin(void)
{
	plait_context_release(context);
	standin_is_clean();
}

static plait_status create(const void *code, uint64_t bytes,
			   const char *options, plait_kernel **out)
{
	const plait_source source = { .size = sizeof(source),
				      .form = PLAIT_SOURCE_SPIRV,
				      .code = code, .bytes = bytes,
				      .options = options };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "add(x: inout pointer u32, a: u32)",
	};

	*out = NULL;
	return plait_kernel_create(context, &desc, out, &error);
}

static void run(plait_kernel *kernel)
{
	const plait_launch items = { .size = sizeof(items),
				     .items = { COUNT, 0, 0 } };
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = COUNT * 4 };
	const uint32_t a = 35;
	uint32_t words[COUNT];
	plait_buffer *buffer = NULL;
	plait_queue *queue = NULL;
	uint32_t right = 0;

	IS_INT(plait_buffer_create(device, &desc, &buffer, &error), PLAIT_OK);
	IS_INT(plait_queue_create(device, NULL, &queue, &error), PLAIT_OK);
	IS_INT(plait_queue_fill(queue, buffer, 0, COUNT * 4, 7, 4, &error),
	       PLAIT_OK);
	OK_THAT(plait_queue_launch(queue, kernel, &items,
				   PLAIT_ARGUMENTS(PLAIT_BUFFER(buffer),
						   PLAIT_VALUE(a)),
				   &error) == PLAIT_OK, "%s", error.text);
	IS_INT(plait_queue_read(queue, buffer, 0, words, sizeof(words),
				&error), PLAIT_OK);
	OK_THAT(plait_queue_finish(queue, PLAIT_FOREVER, &error) == PLAIT_OK,
		"%s", error.text);
	while (right < COUNT && words[right] == 42)
		right++;
	IS_UINT(right, COUNT);
	plait_queue_release(queue);
	plait_buffer_release(buffer);
}

/* ---- on the stand-in ---- */

static const struct {
	uint32_t magic;
	char text[60];
} fake = { MAGIC, "__kernel void add(__global uint *x, uint a) { }\n" };

static void taken(void)
{
	const struct fakecl_setup setup = { .devices = 1, .spirv = true };
	const uint32_t other = ~(uint32_t)MAGIC;
	plait_kernel *kernel;

	open_standin(&setup);
	OK_THAT(create(&fake, sizeof(fake), NULL, &kernel) == PLAIT_OK, "%s",
		error.text);
	run(kernel);
	plait_kernel_release(kernel);
	IS_INT(create(&other, sizeof(other), NULL, &kernel), PLAIT_E_INVALID);
	HAS_STR(error.text, "the driver does not take this SPIR-V");
	close_standin();
}

static void not_taken(void)
{
	const struct fakecl_setup setup = { .devices = 1 };
	plait_kernel *kernel;

	open_standin(&setup);
	IS_INT(create(&fake, sizeof(fake), NULL, &kernel),
	       PLAIT_E_UNSUPPORTED);
	close_standin();
}

/* The second context finds the binary of the first one's module. */
static void cached(void)
{
	const struct fakecl_setup setup = {
		.devices = 1, .spirv = true,
		.fail = "clCreateProgramWithILKHR",
	};
	char folder[96];
	plait_kernel *kernel;

	(void)snprintf(folder, sizeof(folder), "%s/cache", suite_folder());
	setenv("PLAIT_CACHE_DIR", folder, 1);
	for (uint64_t i = 0; i < 3; i++) {
		open_standin(&setup);
		/* Other options are another program. */
		OK_THAT(create(&fake, sizeof(fake), i == 2 ? "-w" : NULL,
			       &kernel) == PLAIT_OK, "%s", error.text);
		run(kernel);
		plait_kernel_release(kernel);
		plait_context_release(context);
		IS_UINT(standin_report().calls, i != 1);
	}
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
}

static void failing(void)
{
	struct fakecl_setup setup = {
		.devices = 1, .spirv = true, .code = CL_OUT_OF_HOST_MEMORY,
		.fail = "clCreateProgramWithILKHR", .fail_call = 1,
	};
	plait_kernel *kernel;

	open_standin(&setup);
	IS_INT(create(&fake, sizeof(fake), NULL, &kernel), PLAIT_E_NOMEM);
	HAS_STR(error.text, "clCreateProgramWithILKHR");
	OK(create(&fake, sizeof(fake), NULL, &kernel) == PLAIT_OK);
	plait_kernel_release(kernel);
	close_standin();
	/* Without the function, or the device's word for it, there is none. */
	setup.fail = "clGetExtensionFunctionAddressForPlatform";
	open_standin(&setup);
	IS_INT(create(&fake, sizeof(fake), NULL, &kernel),
	       PLAIT_E_UNSUPPORTED);
	close_standin();
}

/* ---- on a driver ---- */

static void real(void)
{
	uint32_t broken[sizeof(module) / sizeof(module[0])];
	plait_kernel *kernel;
	plait_status status;

	if (open_it(NULL) != PLAIT_OK) {
		NOTE("no driver: %s", error.text);
		return;
	}
	status = create(module, sizeof(module), NULL, &kernel);
	if (status == PLAIT_E_UNSUPPORTED) {
		NOTE("no SPIR-V: %s", error.text);
		plait_context_release(context);
		return;
	}
	OK_THAT(status == PLAIT_OK, "%s", error.text);
	run(kernel);
	plait_kernel_release(kernel);
	memcpy(broken, module, sizeof(broken));
	broken[0] = 0;
	IS_INT(create(broken, sizeof(broken), NULL, &kernel),
	       PLAIT_E_INVALID);
	plait_context_release(context);
}

static const struct tap_scenario all[] = {
	{ "taken", taken },
	{ "not taken", not_taken },
	{ "cached", cached },
	{ "failing", failing },
	{ "real", real },
};

int main(int argc, char **argv)
{
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	(void)standin();
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
