/* SPDX-License-Identifier: MIT */
/* Timeout diagnosis of a run on queues. */
#ifndef PLAIT_SRC_RUN_QUEUE_BLOCKED_QUEUE_H
#define PLAIT_SRC_RUN_QUEUE_BLOCKED_QUEUE_H

#include "run/queue/run_driver.h"

/* Describe what the run is blocked on.  By a thread that waited for the run. */
void plait__blocked_queue_describe(plait__run_driver *driver,
				   plait__blocked_on *out);

#endif
