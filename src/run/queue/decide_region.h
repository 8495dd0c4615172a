/* SPDX-License-Identifier: MIT */
/* Decisions on regions by the host. */
#ifndef PLAIT_SRC_RUN_QUEUE_DECIDE_REGION_H
#define PLAIT_SRC_RUN_QUEUE_DECIDE_REGION_H

#include "run/queue/run_driver.h"

/* Returns the body that runs next, or none, by the value of the predicate, and
 * counts the iteration.  `again`: a body has just been done. */
uint32_t plait__decide_region(plait__run_driver *driver, uint32_t region,
			      bool again);

#endif
