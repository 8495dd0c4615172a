/* SPDX-License-Identifier: MIT */
/*
 * Cells of a launch: the addresses of its values, the values, and the geometry, unless it
 * is the kernel's.  Caller holds the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_LAUNCH_CELLS_H
#define PLAIT_SRC_FLOW_LAUNCH_CELLS_H

#include "flow/flow_object.h"

#include "kernel/signature.h"

/* Cells of a launch whose geometry is its own. */
enum { PLAIT__LAUNCH_CELLS = (sizeof(plait_launch) + 7) / 8 };

/* Fill the task from its kernel. */
void plait__launch_cells_set_kernel(plait__flow_task *task);

/* Take cells for the addresses of the arguments, their values, and the geometry, which
 * becomes the launch's.  Null: no room. */
uint64_t *plait__launch_cells_take(plait__flow_task *task,
				   const plait_launch *geometry);

/* Cells of the value of a parameter. */
static inline uint64_t
plait__launch_cells_of_value(const plait__parameter *parameter)
{
	return (parameter->bytes + 7) / 8;
}

#endif
