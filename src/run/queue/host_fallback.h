/* SPDX-License-Identifier: MIT */
/* Fallback driver of an instance: decides all regions on the host where a
 * backend refused to. */
#ifndef PLAIT_SRC_RUN_QUEUE_HOST_FALLBACK_H
#define PLAIT_SRC_RUN_QUEUE_HOST_FALLBACK_H

#include "run/queue/run_driver.h"

/* Get the fallback driver, created now unless it exists: by the thread that
 * makes the instance, or in the role of the driver.  The main driver owns it.
 * Statuses as plait__driver_state_create. */
plait_status plait__host_fallback_get(plait__run_driver *driver,
				      plait__run_driver **out,
				      plait_error *error);

#endif
