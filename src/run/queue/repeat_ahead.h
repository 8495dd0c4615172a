/* SPDX-License-Identifier: MIT */
/* Repeats whose iterations are submitted ahead. */
#ifndef PLAIT_SRC_RUN_QUEUE_REPEAT_AHEAD_H
#define PLAIT_SRC_RUN_QUEUE_REPEAT_AHEAD_H

#include "run/queue/run_driver.h"

/* Begin a repeat whose entering batches are submitted, if it is submitted ahead
 * and its count is known.  Else the caller awaits the region's mark. */
bool plait__repeat_ahead_has_begun(plait__run_driver *driver, uint32_t region);
/* The awaited mark was reached: begin with the count that was read, or note that
 * the older window is complete. */
void plait__repeat_ahead_resume(plait__run_driver *driver, uint32_t region);
/* Submit iterations.  Returns true if all are submitted or the run is stopped;
 * else the end of the older window is awaited. */
bool plait__repeat_ahead_advance(plait__run_driver *driver, uint32_t region);

#endif
