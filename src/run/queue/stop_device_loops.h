/* SPDX-License-Identifier: MIT */
/* Cancellation of runs with loops that devices decide. */
#ifndef PLAIT_SRC_RUN_QUEUE_STOP_DEVICE_LOOPS_H
#define PLAIT_SRC_RUN_QUEUE_STOP_DEVICE_LOOPS_H

#include "run/queue/run_driver.h"

/* The run was stopped: `stop` of its instance is set.  Post a note if devices
 * decide regions, and cancel external commands.  From any thread, in
 * notification callbacks too. */
void plait__device_loops_cancel(plait__run_driver *driver);
/* The driver has taken that note, which may be of an earlier run. */
void plait__device_loops_ack_stop(plait__run_driver *driver);
/* Cancellation of loops on devices: tell them to end, once, if the run was
 * stopped. */
void plait__stop_device_loops(plait__run_driver *driver);
/* Publish a new fallback driver, of which nothing has begun. */
void plait__device_loops_set_fallback(plait__run_driver *driver,
				      plait__run_driver *fallback);

#endif
