/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL backend on a stand-in whose commands fail, whose device is lost,
 * or which lacks a requested feature: every call ends, its error names the
 * cause, and no object is left.
 */
#include "plugins/things.h"

enum { MOST = 4000 };

static plait_status run_it(struct things *things, plait_error *error)
{
	plait_status status = open_things(things, error);

	if (status == PLAIT_OK)
		status = create(things, error);
	return status == PLAIT_OK ? use(things, error) : status;
}

static void close_it(struct things *things, const char *what, uint64_t number)
{
	struct fakecl_report report;

	release(things);
	plait_context_release(things->context);
	OK_THAT(all_gone(), "%s %u", what, (unsigned)number);
	report = standin_report();
	OK_THAT(report.live == 0 && report.sin[0] == '\0' && broken == 0,
		"%s %u: %u objects are left; %s", what, (unsigned)number,
		(unsigned)report.live, report.sin);
}

/* ---- one command fails ---- */

static bool try_command(const struct fakecl_setup *setup)
{
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	struct fakecl_report report;
	plait_status status;

	standin()->reset(setup);
	broken = 0;
	status = run_it(&things, &error);
	report = standin_report();
	/* The backend waits for an unmap in another way; for a command behind
	 * a failed one the driver reports only that. */
	if (status != PLAIT_OK)
		OK_THAT(report.failed != NULL &&
			(strstr(error.text, " failed with CL_OUT_OF_RESOURCES (-5)") ||
			 strstr(error.text, "a command after a failed one "
				"failed with CL_EXEC_STATUS_ERROR")),
			"command %u: %d, %s", (unsigned)setup->fail_command,
			status, error.text);
	if (report.failed != NULL)
		OK_THAT(use_again(&things, &error) == PLAIT_OK,
			"behind command %u: %s",
			(unsigned)setup->fail_command, error.text);
	close_it(&things, "command", setup->fail_command);
	return report.failed != NULL;
}

static void commands(void)
{
	struct fakecl_setup setup = { .devices = 1,
				      .code = CL_OUT_OF_RESOURCES };

	for (setup.mode = 0; setup.mode < FAKECL_MODES; setup.mode++) {
		setup.fail_command = 1;
		while (setup.fail_command < MOST && try_command(&setup))
			setup.fail_command++;
		OK_THAT(setup.fail_command > 8 && setup.fail_command < MOST,
			"mode %u: %u commands", setup.mode,
			(unsigned)setup.fail_command);
	}
}

/* ---- which command failed ---- */

static const char *const labels[] = { "one", "two", "three", "four", "five" };

/* Submit five commands at once; the last is a fill that the driver gets in
 * pieces. */
static plait_status submit_all(struct things *things, uint32_t *out,
			       plait_error *error)
{
	plait_command all[] = {
		{ .kind = PLAIT_COMMAND_FILL, .target = things->x,
		  .bytes = BYTES, .pattern = 7, .pattern_bytes = 4 },
		{ .kind = PLAIT_COMMAND_COPY, .target = things->wrapped,
		  .source = things->x, .bytes = BYTES },
		{ .kind = PLAIT_COMMAND_WRITE, .target = things->x,
		  .host = out, .bytes = 8 },
		{ .kind = PLAIT_COMMAND_READ, .source = things->x,
		  .host = out, .bytes = BYTES },
		{ .kind = PLAIT_COMMAND_FILL, .target = things->x,
		  .target_offset = 3, .bytes = 22, .pattern = 7,
		  .pattern_bytes = 4 },
	};

	for (size_t i = 0; i < TAP_COUNT(all); i++) {
		all[i].size = sizeof(all[i]);
		all[i].label = labels[i];
	}
	return plait_queue_submit(things->a, all, TAP_COUNT(all), NULL, error);
}

static bool try_label(const struct fakecl_setup *setup)
{
	uint64_t failing = setup->fail_command;
	const char *label = labels[failing > 4 ? 4 : failing - 1];
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	uint32_t out[COUNT] = { 1 };
	plait_status status;
	bool failed;

	standin()->reset(setup);
	IS_INT(open_things(&things, &error), PLAIT_OK);
	IS_INT(create(&things, &error), PLAIT_OK);
	IS_INT(submit_all(&things, out, &error), PLAIT_OK);
	status = plait_queue_finish(things.a, PLAIT_FOREVER, &error);
	failed = standin_report().failed != NULL;
	OK_THAT(failed == (status != PLAIT_OK) &&
		(!failed || (strstr(error.text, label) != NULL &&
			     strstr(error.text, "failed with CL_OUT_OF_RESOURCES"))),
		"command %u, %s%s: %s", (unsigned)failing, label,
		setup->goes_on ? ", the driver goes on" : "", error.text);
	IS_INT(failed ? submit_all(&things, out, &error) : PLAIT_OK, PLAIT_OK);
	IS_INT(plait_queue_finish(things.a, PLAIT_FOREVER, &error), PLAIT_OK);
	close_it(&things, "labels, command", failing);
	return failed;
}

static void which(void)
{
	struct fakecl_setup setup = { .devices = 1,
				      .code = CL_OUT_OF_RESOURCES };

	things_more = ",events=all";
	for (uint32_t i = 0; i < 4 * FAKECL_MODES; i++) {
		setup.mode = i / 4;
		setup.late = i % 2 != 0;
		setup.goes_on = i / 2 % 2 != 0;
		setup.fail_command = 1;
		while (setup.fail_command < MOST && try_label(&setup))
			setup.fail_command++;
		OK_THAT(setup.fail_command == 8, "mode %u: %u commands", setup.mode,
			(unsigned)setup.fail_command);
	}
	things_more = "";
}

/* An event's status -1 has no known cause: it is not an error code of a
 * call. */
static void nameless(void)
{
	static const char *const more[] = { "", ",events=all" };
	struct fakecl_setup setup = { .devices = 1, .code = -1 };

	for (uint32_t i = 0; i < 2 * FAKECL_MODES; i++) {
		struct things things = { .context = NULL };
		plait_error error = { .size = sizeof(error) };
		uint32_t out[COUNT] = { 1 };

		setup.mode = i / 2;
		/* The last command's status is known without an event per command. */
		setup.fail_command = i % 2 == 0 ? 7 : 1;
		things_more = more[i % 2];
		standin()->reset(&setup);
		IS_INT(open_things(&things, &error), PLAIT_OK);
		IS_INT(create(&things, &error), PLAIT_OK);
		IS_INT(submit_all(&things, out, &error), PLAIT_OK);
		IS_INT(plait_queue_finish(things.a, PLAIT_FOREVER, &error),
		       PLAIT_E_FAILED);
		IS_INT(error.origin, -1);
		HAS_STR(error.text, "ended with status -1; the driver gives "
				    "no cause, for command ");
		close_it(&things, "nameless", i);
	}
	things_more = "";
}

/* ---- a lost device ---- */

static bool try_loss(const struct fakecl_setup *setup)
{
	uint64_t number = setup->fail_call + setup->fail_command;
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	plait_status status;
	bool lost;

	standin()->reset(setup);
	broken = 0;
	status = run_it(&things, &error);
	lost = standin_report().failed != NULL;
	OK_THAT(lost || status == PLAIT_OK, "%s", error.text);
	if (status == PLAIT_OK || things.map == NULL) {
		close_it(&things, "lost at", number);
		return lost;
	}
	/* A second use fails with the same cause. */
	status = use_again(&things, &error);
	OK_THAT(status == PLAIT_E_LOST &&
		strstr(error.text, "CL_DEVICE_NOT_AVAILABLE"), "%d, %s",
		status, error.text);
	close_it(&things, "lost at", number);
	return true;
}

static void loss(void)
{
	struct fakecl_setup setup = { .devices = 1, .fail_rest = true,
				      .code = CL_DEVICE_NOT_AVAILABLE };

	for (setup.mode = 0; setup.mode < FAKECL_MODES; setup.mode++) {
		setup.fail_command = 0;
		setup.fail_call = 1;
		while (setup.fail_call < MOST && try_loss(&setup))
			setup.fail_call++;
		OK_THAT(setup.fail_call > 60 && setup.fail_call < MOST,
			"mode %u: %u calls", setup.mode,
			(unsigned)setup.fail_call);
		setup.fail_call = 0;
		setup.fail_command = 1;
		while (setup.fail_command < MOST && try_loss(&setup))
			setup.fail_command++;
	}
}

/* ---- missing, too large, refused ---- */

static void refuses(const struct fakecl_setup *setup, const char *options,
		    plait_status want, const char *text)
{
	char all[4300];
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .options = all, .workers = 1 };
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;

	standin()->reset(setup);
	(void)snprintf(all, sizeof(all), "opencl:loader=%s%s", standin_path,
		       options);
	IS_INT(plait_context_open(&desc, &context, &error), want);
	HAS_STR(error.text, text);
	plait_context_release(context);
	standin_is_clean();
}

static void nothing_there(void)
{
	const struct fakecl_setup none = { .no_platform = true };
	const struct fakecl_setup empty = { .devices = 0 };
	const struct fakecl_setup one = { .devices = 1 };

	refuses(&none, "", PLAIT_E_UNAVAILABLE, "finds no platform: no driver");
	refuses(&empty, "", PLAIT_E_UNAVAILABLE,
		"the platforms Stand-in have no device");
	refuses(&one, ",type=gpu", PLAIT_E_UNAVAILABLE, "no device of the");
	refuses(&one, ",device=abacus", PLAIT_E_UNAVAILABLE, "device=abacus");
	refuses(&one, ",platform=abacus", PLAIT_E_UNAVAILABLE,
		"platform=abacus");
	refuses(&one, ",events=none", PLAIT_E_INVALID,
		"events=none: last or all is wanted");
	refuses(&one, ",warm=maybe", PLAIT_E_INVALID,
		"warm=maybe: yes or no is wanted");
	refuses(&one, ",split=5", PLAIT_E_UNAVAILABLE,
		"split=5: stand-in device has 4 compute units");
}

static void too_large(void)
{
	const struct fakecl_setup setup = { .devices = 1, .gpu = true };
	plait_buffer_desc desc = { .size = sizeof(desc),
				   .bytes = (uint64_t)17 << 20 };
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	plait_device *device = NULL;
	plait_buffer *buffers[5] = { NULL };

	standin()->reset(&setup);
	IS_INT(open_things(&things, &error), PLAIT_OK);
	OK(plait_context_device(things.context, 0, &device, &error) ==
	   PLAIT_OK);
	IS_INT(plait_buffer_create(device, &desc, &buffers[0], &error),
	       PLAIT_E_NOMEM);
	HAS_STR(error.text, "17825792 bytes asked, 67108864 of its 67108864 "
		"left, and at most 16777216 at once");
	desc.bytes = (uint64_t)16 << 20;
	for (int i = 0; i < 4; i++)
		IS_INT(plait_buffer_create(device, &desc, &buffers[i],
					   &error), PLAIT_OK);
	desc.bytes = 1;
	IS_INT(plait_buffer_create(device, &desc, &buffers[4], &error),
	       PLAIT_E_NOMEM);
	HAS_STR(error.text, "1 bytes asked, 0 of its 67108864 left");
	for (int i = 0; i < 4; i++)
		plait_buffer_release(buffers[i]);
	close_it(&things, "large", 0);
}

/* Kernel texts that do not build, with wrong parameters, or another name. */
static void wrong_kernels(void)
{
	static const struct {
		const char *code, *text;
	} wrong[] = {
		{ "KERNEL(map) { no such language }",
		  "the compiler refuses it" },
		{ "__kernel void map(__global uint *x) { }",
		  "has 1 parameters, its signature 4" },
		{ "__kernel void mop(__global uint *x) { }",
		  "its code has no kernel function map" },
	};
	const struct fakecl_setup setup = { .devices = 1 };
	plait_source source = { .size = sizeof(source) };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "map(from: in pointer u32, to: inout pointer "
			     "u32, a: u32, b: u32)",
	};
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	plait_kernel *kernel, *right;
	plait_status status;

	standin()->reset(&setup);
	IS_INT(open_things(&things, &error), PLAIT_OK);
	IS_INT(create(&things, &error), PLAIT_OK);
	right = things.map;
	for (size_t i = 0; i < TAP_COUNT(wrong); i++) {
		source.code = wrong[i].code;
		source.form = i > 0 ? PLAIT_SOURCE_OPENCL_C :
				      PLAIT_SOURCE_PORTABLE;
		/* Some errors show at once, some when a device first uses the kernel. */
		status = plait_kernel_create(things.context, &desc, &kernel,
					     &error);
		things.map = kernel;
		if (status == PLAIT_OK)
			status = use(&things, &error);
		IS_INT(status, PLAIT_E_INVALID);
		HAS_STR(error.text, wrong[i].text);
		plait_kernel_release(kernel);
		things.map = right;
		IS_INT(use_again(&things, &error), PLAIT_OK);
	}
	close_it(&things, "wrong", 0);
}

/* Valid and invalid binaries of the driver; the stand-in's are text. */
static void binaries(void)
{
	static const struct {
		const char *code;
		plait_status want;
		const char *text;
	} all[] = {
		{ "fakecl binary\n__kernel void map(__global uint *a, "
		  "__global uint *b, uint c, uint d) { }", PLAIT_OK, "" },
		{ "fakecl binary\n__kernel void map(__global uint *a) { }",
		  PLAIT_E_INVALID, "has 1 parameters, its signature 4" },
		{ "fakecl binary\nno such language", PLAIT_E_INVALID,
		  "the compiler refuses it" },
		{ "garbage", PLAIT_E_INVALID,
		  "the driver does not take this binary" },
	};
	const struct fakecl_setup setup = { .devices = 1 };
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };

	standin()->reset(&setup);
	IS_INT(open_things(&things, &error), PLAIT_OK);
	IS_INT(create(&things, &error), PLAIT_OK);
	for (size_t i = 0; i < TAP_COUNT(all); i++) {
		const plait_source source = {
			.size = sizeof(source), .code = all[i].code,
			.form = PLAIT_SOURCE_OPENCL_BINARY,
			.bytes = strlen(all[i].code),
		};
		const plait_kernel_desc desc = {
			.size = sizeof(desc), .sources = &source,
			.source_count = 1,
			.signature = "map(from: in pointer u32, to: inout "
				     "pointer u32, a: u32, b: u32)",
		};
		plait_kernel *right = things.map, *kernel = NULL;

		IS_INT(plait_kernel_create(things.context, &desc, &kernel,
					   &error), all[i].want);
		if (all[i].want == PLAIT_OK) {
			things.map = kernel;
			IS_INT(use_again(&things, &error), PLAIT_OK);
			things.map = right;
		} else {
			HAS_STR(error.text, all[i].text);
		}
		plait_kernel_release(kernel);
	}
	close_it(&things, "binaries", 0);
}

int main(int argc, char **argv)
{
	static const struct tap_scenario all[] = {
		{ "commands", commands },
		{ "which", which },
		{ "nameless", nameless },
		{ "loss", loss },
		{ "nothing there", nothing_there },
		{ "too large", too_large },
		{ "wrong kernels", wrong_kernels },
		{ "binaries", binaries },
	};

	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	standin()->teach("map", NULL, map_words);
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
