/* SPDX-License-Identifier: MIT */
/* Points that a run on queues awaits. */
#ifndef PLAIT_SRC_RUN_QUEUE_AWAITED_QUEUE_H
#define PLAIT_SRC_RUN_QUEUE_AWAITED_QUEUE_H

#include "run/queue/run_driver.h"

/* Find points that the run awaits now; none if a thread drives the run, or if
 * `out` has some.  By a thread that waits for the run; with points it is counted
 * in driver->entered, and uncounted by wait_in_driver.c. */
void plait__awaited_queue_find(plait__run_driver *driver,
			       plait__awaited_points *out);

#endif
