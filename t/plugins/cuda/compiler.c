/* SPDX-License-Identifier: MIT */
/*
 * Failing calls of NVRTC, on stand-ins for the driver and for NVRTC: the error
 * names NVRTC, no object of the driver is left, and the driver was not misused.
 */
#include <stdlib.h>
#include <string.h>

#include "standin/cuda/rig.h"
#include "lib/suite.h"

static char standin_path[4096];
#define THINGS_BACKEND "cuda"
#define THINGS_OPTIONS "cuda:driver=%s"
#include "plugins/things.h"

enum { MOST = 9, INTERNAL_ERROR = NVRTC_ERROR_INTERNAL_ERROR };

/* No cache, so that every kernel is compiled. */
static void set_path(void)
{
	const char *build = getenv("abs_top_builddir");

	if (build == NULL)
		build = ".";
	(void)snprintf(standin_path, sizeof(standin_path),
		       "%s/t/standin/cuda/.libs/standin_cuda.so,"
		       "nvrtc=%s/t/standin/cuda/.libs/standin_nvrtc.so", build, build);
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
}

static void look_back(int number)
{
	uint64_t left = 0;

	for (unsigned kind = 0; kind < STANDIN_KINDS; kind++)
		left += rig_live(kind) + rig_leaked(kind);
	OK_THAT(left == 0 && rig_misused() == NULL && broken == 0,
		"call %d: %d things are left, %s was misused", number,
		(int)left, rig_misused() ? rig_misused() : "nothing");
}

/* Returns true if the kernel could not be built. */
static bool try(int number)
{
	struct things things = { .context = NULL };
	plait_error error = { .size = sizeof(error) };
	char setting[32];
	plait_status status;

	rig_configure("devices=2");
	(void)snprintf(setting, sizeof(setting), ":%d:%d", number,
		       INTERNAL_ERROR);
	setenv("STANDIN_NVRTC", setting, 1);
	status = open_things(&things, &error);
	if (status == PLAIT_OK)
		status = create(&things, &error);
	if (status != PLAIT_OK)
		HAS_STR(error.text, "NVRTC");
	release(&things);
	plait_context_release(things.context);
	unsetenv("STANDIN_NVRTC");
	look_back(number);
	return status != PLAIT_OK;
}

static void every_call(void)
{
	int told = 0;

	if (!rig_load())
		return;
	set_path();
	for (int number = 1; number <= MOST; number++)
		told += try(number);
	OK_THAT(told > 3, "%d calls failed", told);
}

static const struct tap_scenario all[] = {
	{ "every call", every_call },
};

TAP_MAIN(all)
