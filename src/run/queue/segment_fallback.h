/* SPDX-License-Identifier: MIT */
/* Fallback: walk of a segment that decides regions, command by command: its
 * backend refused it in the middle of a run. */
#ifndef PLAIT_SRC_RUN_QUEUE_SEGMENT_FALLBACK_H
#define PLAIT_SRC_RUN_QUEUE_SEGMENT_FALLBACK_H

#include "run/queue/run_driver.h"

/* Begin a walk, or resume it when the predicate of `region` is known.  The
 * caller has set `stage` and `batch` of the walk.  Returns true if the walk has
 * ended or the run was stopped, false if it awaits the listener of a region. */
bool plait__segment_fallback_begin(plait__run_driver *driver,
				   uint32_t segment);
bool plait__segment_fallback_resume(plait__run_driver *driver,
				    uint32_t segment, uint32_t region);
/* The segment of a batch that has to be walked, or none. */
uint32_t plait__segment_fallback_find(const plait__run_driver *driver,
				      uint32_t batch);

#endif
