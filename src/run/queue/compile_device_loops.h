/* SPDX-License-Identifier: MIT */
/* Compiler pass: regions that their device decides. */
#ifndef PLAIT_SRC_RUN_QUEUE_COMPILE_DEVICE_LOOPS_H
#define PLAIT_SRC_RUN_QUEUE_COMPILE_DEVICE_LOOPS_H

#include "run/queue/queue_program.h"

/* Set on_device of each region, or the reason why the host decides it.
 * Returns false without memory. */
bool plait__compile_device_loops(plait__queue_program *compiled);
/* The place that a segment with the command is limited to: the device, or the
 * lane if the device runs segments in order.  Null: no segment may have it. */
const void *plait__compile_segment_place(const plait__queue_program *compiled,
					 uint32_t command);

#endif
