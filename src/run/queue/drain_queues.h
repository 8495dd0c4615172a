/* SPDX-License-Identifier: MIT */
/* Final submissions of a run. */
#ifndef PLAIT_SRC_RUN_QUEUE_DRAIN_QUEUES_H
#define PLAIT_SRC_RUN_QUEUE_DRAIN_QUEUES_H

#include "run/queue/run_driver.h"

/* Submit the final batch of each lane, as far as its backend accepts it now. */
void plait__drain_queues(plait__run_driver *driver);

#endif
