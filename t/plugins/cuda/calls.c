/* SPDX-License-Identifier: MIT */
/*
 * The CUDA backend on the stand-in for its driver, each call of which fails
 * once: the error names the call, or the call does not matter; no object is
 * left; later commands in the same context work.  After a sticky error the
 * device is lost and its errors say so.
 */
#include <stdlib.h>
#include <string.h>

#include "standin/cuda/place.h"

#define THINGS_BACKEND "cuda"
#define THINGS_OPTIONS "cuda:driver=%s"
#include "plugins/things.h"

/* The number of first and of last calls of a function that fail; MOST in the
 * soak. */
enum { FEW = 3, MOST = 4000 };

#define NAME(version, name, symbol, parameters, arguments) #name,
static const char *const names[] = { CUDA_CALLS(NAME) };

/* Returns true for calls whose failure leaves their object behind. */
static bool lets_go(const char *name)
{
	static const char *const words[] = { "Destroy", "Free", "Unload",
					     "Unregister", "Release", "Push",
					     "Pop" };

	for (size_t i = 0; i < TAP_COUNT(words); i++)
		if (strstr(name, words[i]) != NULL)
			return true;
	return false;
}

static plait_status run(struct things *things, plait_error *error)
{
	plait_status status = open_things(things, error);

	if (status == PLAIT_OK)
		status = create(things, error);
	return status == PLAIT_OK ? use(things, error) : status;
}

static void end(struct things *things)
{
	release(things);
	plait_context_release(things->context);
	OK(all_gone());
}

/* Returns true if a device is missing, and the report says why. */
static bool is_left_out(const struct things *things, const char *name)
{
	static char report[16384];
	uint32_t count = 0;
	char said[120];

	if (things->context == NULL ||
	    plait_context_device_count(things->context, &count, NULL) != 0 ||
	    count != 1)
		return false;
	(void)plait_context_report(things->context, report, sizeof(report),
				   NULL, NULL);
	(void)snprintf(said, sizeof(said), "left out: %s failed", name);
	return OK_THAT(strstr(report, said) != NULL, "%s: %s", name, report);
}

/* Fail call `number` of `name`; null: no call fails. */
static void try(const char *name, uint64_t number, int code)
{
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	plait_status status;

	standin_prepare("devices=2");
	if (name != NULL)
		rig_fail(name, number, code);
	broken = 0;
	status = run(&things, &error);
	if (name == NULL)
		OK_THAT(status == PLAIT_OK, "nothing fails: %s", error.text);
	else if (status != PLAIT_OK && is_left_out(&things, name))
		status = PLAIT_OK;
	else if (status != PLAIT_OK)
		OK_THAT(strstr(error.text, name) != NULL,
			"%s %d failed, and it says: %s", name, (int)number,
			error.text);
	if (things.context != NULL && status != PLAIT_OK)
		OK_THAT(use_again(&things, &error) == PLAIT_OK,
			"behind %s: %s", name, error.text);
	end(&things);
	OK_THAT(name != NULL && lets_go(name) ? true : standin_left() == 0,
		"%s %d: %d objects are left", name ? name : "nothing",
		(int)number, (int)standin_left());
	IS_UINT(broken, 0);
	/* Discard the objects that a failed call left behind. */
	for (int device = 0; device < 2; device++)
		(void)cu.cuDevicePrimaryCtxReset(device);
}

/* Fail the calls whose names start with `begin`; returns their number. */
static uint64_t try_calls(const char *begin)
{
	static const int codes[] = { CUDA_ERROR_OUT_OF_MEMORY,
				     CUDA_ERROR_INVALID_VALUE,
				     CUDA_ERROR_UNKNOWN };
	uint64_t most = tap_soak() ? MOST : FEW;
	uint64_t counts[TAP_COUNT(names)], tried = 0;

	try(NULL, 0, 0);
	/* Again, with a filled cache. */
	try(NULL, 0, 0);
	for (size_t i = 0; i < TAP_COUNT(names); i++)
		counts[i] = strncmp(names[i], begin, strlen(begin)) == 0 ?
			    rig_calls(names[i]) : 0;
	for (size_t i = 0; i < TAP_COUNT(names); i++)
		for (uint64_t k = 1; k <= counts[i]; k++) {
			if (k > most && k + most <= counts[i])
				continue;
			try(names[i], k, codes[(i + k) % TAP_COUNT(codes)]);
			tried++;
		}
	return tried;
}

static void every_call(void)
{
	uint64_t tried = try_calls("cu");

	OK_THAT(tried > 60, "%d calls failed", (int)tried);
	/* Without the pool of released memory. */
	things_more = ",pool=0";
	tried = try_calls("cuMem");
	OK_THAT(tried > 10, "%d calls of memory failed", (int)tried);
	things_more = "";
}

/* A mapping that cannot be copied back, neither by unmap nor at the buffer's
 * end. */
static void mapped_for_ever(void)
{
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	void *pointer;

	standin_prepare("devices=2");
	broken = 0;
	OK(open_things(&things, &error) == PLAIT_OK);
	OK(create(&things, &error) == PLAIT_OK);
	IS_INT(plait_buffer_map(things.x, 0, BYTES, PLAIT_MAP_WRITE, &pointer,
				&error), PLAIT_OK);
	rig_fail("cuMemcpyHtoDAsync", 1, CUDA_ERROR_UNKNOWN);
	OK(plait_buffer_unmap(things.x, pointer, &error) != PLAIT_OK);
	OK_THAT(strstr(error.text, "cuMemcpyHtoDAsync") != NULL, "%s",
		error.text);
	rig_fail("cuMemcpyHtoDAsync", 1, CUDA_ERROR_UNKNOWN);
	end(&things);
	IS_UINT(broken, 0);
	IS_INT(standin_left(), 0);
}

/* An illegal access of a kernel loses the device. */
static void lost(void)
{
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };

	standin_prepare("devices=2");
	OK(open_things(&things, &error) == PLAIT_OK);
	OK(create(&things, &error) == PLAIT_OK);
	rig_fault(1, CUDA_ERROR_ILLEGAL_ADDRESS);
	IS_INT(use(&things, &error), PLAIT_E_LOST);
	OK_THAT(strstr(error.text, "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL &&
		strstr(error.text, "cuda:0") != NULL &&
		strstr(error.text, "lost") != NULL, "%s", error.text);
	/* The device stays lost. */
	OK(submit_first(&things, &error) != PLAIT_OK ||
	   plait_queue_finish(things.a, PLAIT_FOREVER, &error) ==
	   PLAIT_E_LOST);
	OK_THAT(strstr(error.text, "lost") != NULL, "%s", error.text);
	end(&things);
	for (unsigned kind = 0; kind < STANDIN_KINDS; kind++)
		IS_UINT(rig_live(kind), 0);
}

/* The user captures a stream meanwhile: no call spoils it, and the mode of this
 * thread is the user's behind each. */
static void captured(void)
{
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;

	standin_prepare("devices=2,captured=1");
	(void)cu.cuInit(0);
	WORKS(cu.cuThreadExchangeStreamCaptureMode(&mode));
	OK_THAT(run(&things, &error) == PLAIT_OK, "%s", error.text);
	end(&things);
	IS_STR(rig_misused(), NULL);
	IS_UINT(standin_left(), 0);
	WORKS(cu.cuThreadExchangeStreamCaptureMode(&mode));
	IS_INT(mode, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

static const struct tap_scenario all[] = {
	{ "every call", every_call },
	{ "mapped for ever", mapped_for_ever },
	{ "lost", lost },
	{ "captured", captured },
};

TAP_MAIN(all)
