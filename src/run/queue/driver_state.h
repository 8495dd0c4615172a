/* SPDX-License-Identifier: MIT */
/* Allocation of a driver and its instance. */
#ifndef PLAIT_SRC_RUN_QUEUE_DRIVER_STATE_H
#define PLAIT_SRC_RUN_QUEUE_DRIVER_STATE_H

#include "run/queue/run_driver.h"

/* Create the driver of an instance; the caller sets `advance` and `over` of its
 * pollable.  `note_target`: the pollable of the driver that it stands in for, or
 * null.  After a failure *out is null: PLAIT_E_NOMEM, or what the backends
 * return. */
plait_status plait__driver_state_create(plait__instance *instance,
					const plait__queue_program *compiled,
					plait__pollable *note_target,
					plait__run_driver **out,
					plait_error *error);
void plait__driver_state_destroy(plait__run_driver *driver);

#endif
