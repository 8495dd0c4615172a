/* SPDX-License-Identifier: MIT */
/*
 * Messages of compilers about kernels that they built: the call gives all, the
 * log at level info has the first warning; on the host and on a stand-in for
 * OpenCL.
 */
#include <stdlib.h>

#include "lib/suite.h"
#include "standin/opencl/standin.h"

static plait_error error;
static plait_context *context;
static plait_device *device;
static char heard[512];
static uint32_t lines; /* of the log, about kernels, at level info */

static void listen(void *user_data, int32_t level, const char *line)
{
	(void)user_data;
	if (level != PLAIT_LOG_INFO || strstr(line, "kernel ") == NULL)
		return;
	lines++;
	(void)snprintf(heard, sizeof(heard), "%s", line);
}

static plait_context *open_on(const char *backends, plait_device **out)
{
	static char options[4200];
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = backends,
					  .options = options, .log = listen,
					  .log_level = PLAIT_LOG_INFO };
	plait_context *opened = NULL;

	(void)snprintf(options, sizeof(options), "opencl:loader=%.4000s",
		       standin_path);
	OK_THAT(plait_context_open(&desc, &opened, &error) == PLAIT_OK, "%s",
		error.text);
	IS_INT(plait_context_device(opened, 0, out, &error), PLAIT_OK);
	return opened;
}

static void begin(const char *backends)
{
	static const struct fakecl_setup setup = { .devices = 1 };

	error = (plait_error){ .size = sizeof(error) };
	lines = 0;
	standin()->reset(&setup);
	context = open_on(backends, &device);
}

static void end(void)
{
	plait_context_release(context);
	standin_is_clean();
}

static plait_kernel *create(uint32_t form, const char *code,
			    const char *options)
{
	const plait_source source = { .size = sizeof(source), .form = form,
				      .code = code, .options = options };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "f(x: inout pointer u32)",
	};
	plait_kernel *made = NULL;

	OK_THAT(plait_kernel_create(context, &desc, &made, &error) == PLAIT_OK,
		"%s", error.text);
	return made;
}

/* The messages are `want`, also in a buffer that is too small. */
static void check(plait_kernel *kernel, const char *want)
{
	char text[2000] = "", small[4];
	uint64_t bytes = 0;

	IS_INT(plait_kernel_messages(kernel, device, text, sizeof(text),
				     &bytes, &error), PLAIT_OK);
	IS_STR(text, want);
	IS_UINT(bytes, strlen(want) + 1);
	IS_INT(plait_kernel_messages(kernel, device, small, sizeof(small),
				     NULL, &error), PLAIT_OK);
	OK(strncmp(small, want, 3) == 0);
	IS_INT(plait_kernel_messages(kernel, device, NULL, 0, &bytes, &error),
	       PLAIT_OK);
	IS_UINT(bytes, strlen(want) + 1);
}

static const char clean[] = "__kernel void f(__global uint *x) { }\n";
static const char warned[] = "__kernel void f(__global uint *x) { }\n"
			     "#warning so it is\n";

static void on_device(void)
{
	plait_kernel *kernel;

	begin("opencl");
	kernel = create(PLAIT_SOURCE_OPENCL_C, clean, NULL);
	check(kernel, "");
	IS_UINT(lines, 0);
	plait_kernel_release(kernel);
	kernel = create(PLAIT_SOURCE_OPENCL_C, warned, NULL);
	check(kernel, "Start\na.cl:7:1: warning: so it is\nEnd\n");
	IS_UINT(lines, 1);
	IS_STR(heard, "kernel f for opencl:0: a.cl:7:1: warning: so it is");
	plait_kernel_release(kernel);
	end();
}

/* Compiled twice: without a cache, and into it; then taken from it. */
static void on_host(void)
{
	static const char text[] = "int f(unsigned *x)\n"
				   "{ int unused = 3; return 0; }\n";
	char cache[96], all[2000];
	uint64_t bytes;

	(void)snprintf(cache, sizeof(cache), "%s/cache", suite_folder());
	for (uint32_t i = 0; i < 3; i++) {
		plait_kernel *kernel;

		setenv("PLAIT_CACHE_DIR", i > 0 ? cache : "/dev/null/cache",
		       1);
		begin("host");
		kernel = create(PLAIT_SOURCE_C, text,
				"-Wunused-variable -Wno-error");
		if (i < 2) {
			IS_INT(plait_kernel_messages(kernel, device, all,
						     sizeof(all), &bytes,
						     &error), PLAIT_OK);
			HAS_STR(all, "f:2:");
			HAS_STR(all, "warning: unused variable");
			HAS_STR(heard, "kernel f for the host: f:2:");
		} else {
			check(kernel, "");
		}
		IS_UINT(lines, i < 2);
		plait_kernel_release(kernel);
		end();
	}
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
}

static int32_t nothing(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments, (void)launch, (void)user_data;
	return 0;
}

static void bad_input(void)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = "f(x: u32)",
					 .function = nothing };
	plait_device *other;
	plait_context *second;
	plait_kernel *kernel;
	char text[16];

	begin("host");
	IS_INT(plait_kernel_create(context, &desc, &kernel, &error), PLAIT_OK);
	check(kernel, "");
	second = open_on("host", &other);
	IS_INT(plait_kernel_messages(kernel, other, text, sizeof(text), NULL,
				     &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "of another context than kernel \"f\"");
	IS_INT(plait_kernel_messages(NULL, device, text, sizeof(text), NULL,
				     &error), PLAIT_E_HANDLE);
	IS_INT(plait_kernel_messages(kernel, NULL, text, sizeof(text), NULL,
				     &error), PLAIT_E_HANDLE);
	plait_kernel_release(kernel);
	IS_INT(plait_kernel_messages(kernel, device, text, sizeof(text), NULL,
				     &error), PLAIT_E_HANDLE);
	plait_context_release(second);
	end();
}

static const struct tap_scenario all[] = {
	{ "on a device", on_device },
	{ "on the host", on_host },
	{ "bad input", bad_input },
};

int main(int argc, char **argv)
{
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	(void)standin();
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
