/* SPDX-License-Identifier: MIT */
/* Work of device graphs that have unrolled loops. */
#ifndef PLAIT_SRC_RUN_QUEUE_UNROLLED_WORK_H
#define PLAIT_SRC_RUN_QUEUE_UNROLLED_WORK_H

#include "run/queue/queue_instance.h"

/* Bind all work of a device graph to the arguments of each iteration.  No run uses
 * the graph; `changed` is called for each work that is not what it was, before the
 * next one is bound. */
plait_status plait__unrolled_work_bind(
	plait__queue_instance *state, uint32_t segment,
	plait_status (*changed)(plait__queue_instance *state, uint32_t segment,
				uint32_t index, plait_error *error),
	plait_error *error);

#endif
