/* SPDX-License-Identifier: MIT */
/*
 * Repeats whose iterations differ by numbers alone, on a device that repeats
 * submissions: a window is the work of one iteration, which the backend executes
 * as often, and the series of the numbers.
 */
#ifndef PLAIT_SRC_RUN_QUEUE_REPEAT_SERIES_H
#define PLAIT_SRC_RUN_QUEUE_REPEAT_SERIES_H

#include "run/queue/batch_builder.h"
#include "run/queue/run_driver.h"

/* Compiler pass: find out whether a flat repeat is one of those, and find its
 * numbers. */
void plait__repeat_series_find(plait__batch_builder *p, uint32_t region);
/* Set the work in the room and the numbers of the next `iterations`.  Returns how
 * many are in the submission: all, or one if the host executes a kernel, which was
 * exchanged for one without code for the device. */
uint64_t plait__repeat_series_fill(plait__run_driver *driver, uint32_t region,
				   uint64_t iterations, plait_submission *out);

#endif
