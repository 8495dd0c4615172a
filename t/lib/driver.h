/* SPDX-License-Identifier: MIT */
/*
 * Choice of a driver for tests of plans: the stand-ins for CUDA (ON_CUDA), or
 * an installed driver of OpenCL, on two halves of its device.  Drivers are not
 * instrumented; and before 2.42 glibc can lose a wake-up of a condition
 * variable, on which drivers for processors sleep.
 */
#ifndef T_DRIVER_H
#define T_DRIVER_H

#include <stdlib.h>
#include <string.h>

#include "plait/plait.h"
#include "tap.h"

#ifdef ON_CUDA
#include "standin/cuda/place.h"

#define DRIVER_BACKEND "cuda"
#define DRIVER_OPTIONS driver_options

static char driver_options[1100];

/* With each context other commands of the plans are graphs of the driver. */
static inline void look_for_driver(void)
{
	static const char *const fewest[] = { "1", "0", "4" };
	static unsigned times;

	(void)setenv("PLAIT_SEGMENTS", fewest[times % TAP_COUNT(fewest)], 1);
	if (times++ > 0)
		return;
	standin_prepare("devices=2");
	(void)snprintf(driver_options, sizeof(driver_options),
		       "cuda:driver=%s", standin_path);
}
#else
#define DRIVER_BACKEND "opencl"
/* Tests of images use a whole device: parts have none. */
#ifndef DRIVER_OPTIONS
#define DRIVER_OPTIONS "opencl:split=2"
#endif

/* Skips the whole test where there is no driver. */
static inline void look_for_driver(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = DRIVER_BACKEND,
					  .options = DRIVER_OPTIONS };
	const char *sanitizer = getenv("PLAIT_SANITIZER");
	static plait_context *context;
	plait_error error = { .size = sizeof(error) };

	if (context != NULL)
		return;
	if (!tap_soak())
		SKIP_ALL("drivers of OpenCL: only with PLAIT_SOAK=1");
	if (sanitizer != NULL && strcmp(sanitizer, "no") != 0)
		SKIP_ALL("drivers are not built with a sanitizer");
	if (plait_context_open(&desc, &context, &error) == PLAIT_E_UNAVAILABLE)
		SKIP_ALL("%s", error.text);
	plait_context_release(context);
}
#endif

#endif
