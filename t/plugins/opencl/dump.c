/* SPDX-License-Identifier: MIT */
/* PLAIT_DUMP writes the texts that a driver compiles, and what its compiler
 * says: OpenCL C and portable source, on the stand-in. */
#include <stdlib.h>

#include "standin/opencl/standin.h"

static plait_error error;
static plait_context *context;
static char folder[] = "/tmp/plait-test-XXXXXX";

static plait_status create(uint32_t form, const char *text)
{
	const plait_source source = { .size = sizeof(source), .code = text,
				      .form = form };
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = "add(x: inout pointer "
						      "u32, n: u32)",
					 .sources = &source,
					 .source_count = 1 };
	plait_kernel *kernel = NULL;
	plait_status status = plait_kernel_create(context, &desc, &kernel,
						  &error);

	plait_kernel_release(kernel);
	return status;
}

static bool shell(const char *command)
{
	char line[400];

	(void)snprintf(line, sizeof(line), "cd %s && %s", folder, command);
	return system(line) == 0;
}

static void dumped(void)
{
	static const struct fakecl_setup setup = { .devices = 1 };
	static char options[4200];
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .options = options };

	error = (plait_error){ .size = sizeof(error) };
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	if (!OK(mkdtemp(folder) != NULL))
		return;
	setenv("PLAIT_DUMP", folder, 1);
	standin()->reset(&setup);
	(void)snprintf(options, sizeof(options), "opencl:loader=%s",
		       standin_path);
	if (!OK_THAT(plait_context_open(&desc, &context, &error) == PLAIT_OK,
		     "%s", error.text))
		return;
	IS_INT(create(PLAIT_SOURCE_OPENCL_C, "__kernel void add(__global "
		      "uint *x, uint n) { x[n] = 17; }\n"), PLAIT_OK);
	OK(shell("grep -q 'x.n. = 17' add-*.cl && ls add-*.log"));
	OK(shell("rm add-*"));
	IS_INT(create(PLAIT_SOURCE_PORTABLE,
		      "KERNEL(add) { EACH(i, n) x[i] += 18; }"), PLAIT_OK);
	OK(shell("grep -q '+= 18' add-*.cl && grep -q get_global_id add-*.cl"));
	OK(shell("rm add-*"));
	IS_INT(create(PLAIT_SOURCE_OPENCL_C, "no such language"),
	       PLAIT_E_INVALID);
	OK(shell("grep -q 'no such language' add-*.cl && "
		 "grep -q 'stand-in: there is no' add-*.log"));
	unsetenv("PLAIT_DUMP");
	plait_context_release(context);
	standin_is_clean();
	OK(shell("rm -r ../${PWD##*/}"));
}

static const struct tap_scenario all[] = {
	{ "PLAIT_DUMP", dumped },
};

TAP_MAIN(all)
