/* SPDX-License-Identifier: MIT */
/* Cells of launches; see launch_cells.h. */
#include "flow/launch_cells.h"

#include <string.h>

/* Returns true if the kernel's geometry is this one, or becomes it. */
static bool shares_geometry(plait__flow_task *task,
			    const plait_launch *geometry)
{
	plait__flow_kernel *kernel = task->kernel;

	if (memcmp(kernel->geometry, geometry, sizeof(*geometry)) == 0)
		return true;
	if (kernel->last_use > task->flow->window.settled)
		return false;
	*kernel->geometry = *geometry;
	return true;
}

void plait__launch_cells_set_kernel(plait__flow_task *task)
{
	const plait__kernel *kernel = task->kernel->kernel;

	task->kind = PLAIT__OP_LAUNCH;
	task->filled.call.kernel = kernel->function;
	task->filled.user_data = kernel->user_data;
}

uint64_t *plait__launch_cells_take(plait__flow_task *task,
				   const plait_launch *geometry)
{
	plait__window *window = &task->flow->window;
	uint64_t arguments = task->kernel->cells, *cells;
	bool shares = shares_geometry(task, geometry);

	task->cells = arguments + (shares ? 0 : PLAIT__LAUNCH_CELLS);
	/* A captured task is no op. */
	if (!plait__window_has_room(window, task->flow->capture == NULL ? 2 : 0,
				    task->cells))
		return NULL;
	cells = plait__window_take_cells(window, task->cells);
	task->filled.arguments = (void **)(void *)cells;
	task->filled.launch = task->kernel->geometry;
	if (!shares) {
		task->filled.launch = memcpy(cells + arguments, geometry,
					     sizeof(*geometry));
	}
	return cells;
}
