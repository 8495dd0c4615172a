/* SPDX-License-Identifier: MIT */
/*
 * Signatures that do not fit their function are refused when the kernel is
 * created: the error has the parameter's number, its name and both types.  On
 * the stand-in, with and without a description of parameters, and on a driver if
 * there is one, from its compiler and from the cache.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin/opencl/standin.h"

static plait_error error;
static plait_context *context;

struct wrong {
	const char *text;
	const char *signature;
	const char *said[3];
};

#define ADD "__kernel void add(__global int *x, int y) { x[0] += y; }\n"
#define SUM "__kernel void sum(__global float *x, __local float *s, uint n)\n" \
	"{ s[0] = x[n]; x[0] = s[0]; }\n"

static const struct wrong wrongs[] = {
	{ ADD, "add(x: inout pointer i32, y: f64)",
	  { "argument 1 \"y\" of add", "f64", NULL } },
	{ ADD, "add(x: inout pointer i32, y: f32)",
	  { "argument 1 \"y\" of add", "f32", " int" } },
	{ ADD, "add(x: inout pointer i32, y: in pointer i32)",
	  { "argument 1 \"y\" of add", "pointer i32", " int" } },
	{ ADD, "add(x: u64, y: i32)",
	  { "argument 0 \"x\" of add", "u64", "__global int*" } },
	{ SUM, "sum(x: inout pointer f32, s: pointer f32, n: u32)",
	  { "argument 1 \"s\" of sum", "__local ", "write local" } },
	{ SUM, "sum(x: inout pointer f32, s: u64, n: u32)",
	  { "argument 1 \"s\" of sum", "__local ", "write local" } },
	{ ADD, "add(x: local i32, y: i32)",
	  { "argument 0 \"x\" of add", "local i32", "no local memory" } },
	{ ADD, "add(x: inout pointer i32, y: local i32)",
	  { "argument 1 \"y\" of add", "local i32", "no local memory" } },
};

static plait_status create(const char *text, const char *signature)
{
	const plait_source source = { .size = sizeof(source), .code = text,
				      .form = PLAIT_SOURCE_OPENCL_C };
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = signature,
					 .sources = &source,
					 .source_count = 1 };
	plait_kernel *kernel = NULL;
	plait_status status;

	error = (plait_error){ .size = sizeof(error) };
	status = plait_kernel_create(context, &desc, &kernel, &error);
	plait_kernel_release(kernel);
	return status;
}

static void refuse_all(void)
{
	for (size_t i = 0; i < TAP_COUNT(wrongs); i++) {
		const struct wrong *wrong = &wrongs[i];
		bool said = true;

		IS_INT(create(wrong->text, wrong->signature), PLAIT_E_INVALID);
		for (size_t k = 0; k < 3 && wrong->said[k] != NULL; k++)
			said &= strstr(error.text, wrong->said[k]) != NULL;
		OK_THAT(said, "%s: %s", wrong->signature, error.text);
	}
}

/* Integers of a size are one kind; vectors of the size of an integer pass. */
static void accept_all(void)
{
	IS_INT(create(ADD, "add(x: inout pointer i32, y: i32)"), PLAIT_OK);
	IS_INT(create(ADD, "add(x: inout pointer f32, y: u32)"), PLAIT_OK);
	IS_INT(create("#define VALUE int\n"
		      "__kernel void add(__global int *x, VALUE y)\n"
		      "{ x[0] += y; }\n",
		      "add(x: inout pointer i32, y: u32)"), PLAIT_OK);
	IS_INT(create("__kernel void pair(__global int2 *x, int2 y)\n"
		      "{ x[0] += y; }\n",
		      "pair(x: inout pointer i32, y: u64)"), PLAIT_OK);
	IS_INT(create(SUM, "sum(x: inout pointer f32, s: local f32, n: u32)"),
	       PLAIT_OK);
}

static bool open_it(const char *options)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .options = options };

	error = (plait_error){ .size = sizeof(error) };
	return plait_context_open(&desc, &context, &error) == PLAIT_OK;
}

static void on_standin(bool no_info)
{
	const struct fakecl_setup setup = { .devices = 1,
					    .no_info = no_info };
	char options[4200];

	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	standin()->reset(&setup);
	(void)snprintf(options, sizeof(options), "opencl:loader=%s",
		       standin_path);
	if (!OK_THAT(open_it(options), "%s", error.text))
		return;
	refuse_all();
	accept_all();
	plait_context_release(context);
	standin_is_clean();
}

static void described(void)
{
	on_standin(false);
}

static void from_the_text(void)
{
	on_standin(true);
}

static void on_driver(void)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");

	if (sanitizer != NULL && strcmp(sanitizer, "no") != 0) {
		SKIP("drivers are not instrumented");
		return;
	}
	if (!open_it(NULL)) {
		SKIP("no driver: %s", error.text);
		return;
	}
	for (int i = 0; i < 2; i++) {
		accept_all();
		refuse_all();
	}
	plait_context_release(context);
}

static const struct tap_scenario all[] = {
	{ "parameters as the driver describes them", described },
	{ "parameters that the driver does not describe", from_the_text },
	{ "a driver", on_driver },
};

TAP_MAIN(all)
