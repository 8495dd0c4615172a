/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL backend on a stand-in, each call of which fails once: the error
 * names the call, or the call does not matter; no object is left; later
 * commands in the same context work.
 */
#include "lib/suite.h"
#include "plugins/things.h"

enum { MOST = 4000 };

/* ---- native objects of the driver ---- */

static plait_status take(struct things *things, plait_buffer **out_buffer,
			 plait_queue **out_queue, plait_error *error)
{
	plait_wrap_desc memory = { .size = sizeof(memory), .bytes = BYTES,
				   .native_kind = PLAIT_NATIVE_CL_MEMORY };
	plait_queue_desc queue = { .size = sizeof(queue),
				   .native_kind = PLAIT_NATIVE_CL_QUEUE };
	plait_device *device = things->devices[0];
	uint64_t told, offset;
	plait_status status;

	if ((status = plait_device_native(device, PLAIT_NATIVE_CL_PLATFORM,
					  &told, error)) ||
	    (status = plait_device_native(device, PLAIT_NATIVE_CL_DEVICE,
					  &told, error)) ||
	    (status = plait_device_native(device, PLAIT_NATIVE_CL_CONTEXT,
					  &told, error)) ||
	    (status = plait_queue_native(things->a, PLAIT_NATIVE_CL_QUEUE,
					 &queue.native, error)) ||
	    (status = plait_buffer_native(things->x, PLAIT_NATIVE_CL_MEMORY,
					  &memory.native, &offset, error)) ||
	    (status = plait_buffer_wrap(device, &memory, out_buffer, error)))
		return status;
	return plait_queue_create(device, &queue, out_queue, error);
}

/* Use a buffer and a queue that wrap native objects. */
static plait_status use_natives(struct things *things, plait_error *error)
{
	plait_buffer *buffer = NULL;
	plait_queue *queue = NULL;
	uint32_t out[COUNT] = { 0 };
	plait_error more = { .size = sizeof(more) };
	plait_status status = take(things, &buffer, &queue, error), said;

	if (status == PLAIT_OK)
		status = plait_queue_fill(queue, buffer, 0, BYTES, 5, 4, error);
	if (status == PLAIT_OK)
		status = plait_queue_read(queue, buffer, 0, out, BYTES, error);
	said = queue != NULL ? plait_queue_finish(queue, PLAIT_FOREVER, &more) :
			       PLAIT_OK;
	if (status == PLAIT_OK && said != PLAIT_OK)
		*error = more;
	if (status == PLAIT_OK)
		status = said;
	if (status == PLAIT_OK)
		IS_UINT(out[COUNT - 1], 5);
	plait_queue_release(queue);
	plait_buffer_release(buffer);
	return status;
}

/* ---- each call ---- */

static plait_status (*use_more)(struct things *things, plait_error *error);

/* Returns true if the call to fail was reached. */
static bool try(const struct fakecl_setup *setup)
{
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	struct fakecl_report report;
	plait_status status;

	standin()->reset(setup);
	broken = 0;
	status = open_things(&things, &error);
	if (status == PLAIT_OK)
		status = create(&things, &error);
	if (status == PLAIT_OK)
		status = use(&things, &error);
	if (status == PLAIT_OK && use_more != NULL)
		status = use_more(&things, &error);
	report = standin_report();
	if (status != PLAIT_OK)
		OK_THAT(report.failed != NULL &&
			strstr(error.text, report.failed) != NULL,
			"call %u: %s failed, and it says: %s",
			(unsigned)setup->fail_call, report.failed ?
			report.failed : "nothing", error.text);
	if (things.context != NULL && report.failed != NULL)
		OK_THAT(use_again(&things, &error) == PLAIT_OK,
			"behind %s: %s", report.failed, error.text);
	if (things.context != NULL && report.failed != NULL &&
	    use_more != NULL)
		OK_THAT(use_more(&things, &error) == PLAIT_OK,
			"once more: %s", error.text);
	release(&things);
	plait_context_release(things.context);
	OK_THAT(all_gone(), "call %u", (unsigned)setup->fail_call);
	report = standin_report();
	OK_THAT(report.live == 0 && report.sin[0] == '\0' && broken == 0,
		"call %u, %s: %u objects are left; %s",
		(unsigned)setup->fail_call, report.failed ? report.failed :
		"none", (unsigned)report.live, report.sin);
	return report.failed != NULL;
}

static void sweep(uint32_t mode, bool late)
{
	static const int32_t codes[] = {
		CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
		CL_INVALID_OPERATION
	};
	struct fakecl_setup setup = { .mode = mode, .late = late,
				      .devices = 1 };

	for (setup.fail_call = 1; setup.fail_call < MOST; setup.fail_call++) {
		setup.code = codes[setup.fail_call % TAP_COUNT(codes)];
		if (!try(&setup))
			break;
	}
	OK_THAT(setup.fail_call > 60 && setup.fail_call < MOST,
		"mode %u: %u calls", mode, (unsigned)setup.fail_call);
}

static void without_cache(void)
{
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	for (uint32_t mode = 0; mode < FAKECL_MODES; mode++)
		sweep(mode, false);
}

static void each_event(void)
{
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	things_more = ",events=all";
	for (uint32_t mode = 0; mode < FAKECL_MODES; mode++)
		sweep(mode, mode % 2 == 0);
	things_more = "";
}

/* Each built kernel runs once before its first use. */
static void warm(void)
{
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	things_more = ",warm=yes";
	for (uint32_t mode = 0; mode < FAKECL_MODES; mode++)
		sweep(mode, mode % 2 == 0);
	things_more = "";
}

static void natives(void)
{
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	use_more = use_natives;
	for (uint32_t mode = 0; mode < FAKECL_MODES; mode++)
		sweep(mode, false);
	use_more = NULL;
}

static void with_cache(void)
{
	const struct fakecl_setup plain = { .devices = 1 };
	char cache[96];

	(void)snprintf(cache, sizeof(cache), "%s/cache", suite_folder());
	setenv("PLAIT_CACHE_DIR", cache, 1);
	(void)try(&plain);
	for (uint32_t mode = 0; mode < FAKECL_MODES; mode++)
		sweep(mode, true);
}

int main(int argc, char **argv)
{
	static const struct tap_scenario all[] = {
		{ "without cache", without_cache },
		{ "with cache", with_cache },
		{ "an event for each command", each_event },
		{ "run once before they are used", warm },
		{ "natives", natives },
	};

	standin()->teach("map", NULL, map_words);
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
