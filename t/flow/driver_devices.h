/* SPDX-License-Identifier: MIT */
/* Devices of a driver of OpenCL for flows: a whole device, two or four parts, or
 * two parts and the host. */
#ifndef T_DRIVER_DEVICES_H
#define T_DRIVER_DEVICES_H

#include "lib/driver.h"

#include "flows.h"

/* Choose the last `devices` devices for the next flows; returns false, with the
 * scenario skipped, if the device has too few parts. */
static inline bool use_driver(uint32_t devices)
{
	static const char *const options[] = {
		NULL, NULL, "opencl:split=2", "opencl:split=2", "opencl:split=4",
	};
	plait_context_desc desc = { .size = sizeof(desc),
				    .backends = "host,opencl",
				    .options = options[devices] };
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;

	/* PoCL: as many compute units as threads. */
	(void)setenv("POCL_MAX_PTHREAD_COUNT", "4", 0);
	look_for_driver();
	flow_backends = desc.backends;
	flow_options = desc.options;
	flow_devices = devices;
	NOTE("%u devices, %s", devices, desc.options ? desc.options : "whole");
	if (plait_context_open(&desc, &context, &error) != PLAIT_OK &&
	    strstr(error.text, "compute units") != NULL)
		return SKIP("%s", error.text), false;
	plait_context_release(context);
	return true;
}

#endif
