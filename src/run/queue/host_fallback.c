/* SPDX-License-Identifier: MIT */
/*
 * Fallback driver of an instance.  A segment that decides regions cannot be
 * submitted command by command like others.  If a backend does not have such a
 * segment when a run begins, a second driver of the instance carries the run
 * out: its program has no region on a device.  Created when it is first needed
 * and kept with the instance.
 */
#include "run/queue/host_fallback.h"

#include "run/queue/driver_state.h"
#include "run/queue/stop_device_loops.h"

plait_status plait__host_fallback_get(plait__run_driver *driver,
				      plait__run_driver **out,
				      plait_error *error)
{
	plait_status status;

	*out = at_load_acquire_ptr(&driver->fallback);
	if (*out != NULL)
		return PLAIT_OK;
	status = plait__driver_state_create(driver->instance,
					    driver->compiled->fallback,
					    &driver->pollable, out, error);
	if (status == PLAIT_OK)
		plait__device_loops_set_fallback(driver, *out);
	return status;
}
