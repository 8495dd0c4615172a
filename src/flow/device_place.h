/* SPDX-License-Identifier: MIT */
/*
 * Placement of tasks in flows with devices: the device, the copies of what it
 * reads and lacks, the op.  Launches run on a device; all other tasks, and the
 * calling thread, use the memory of the program.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_PLACE_H
#define PLAIT_SRC_FLOW_DEVICE_PLACE_H

#include "flow/flow_devices.h"

/* Find the devices for the pieces of a launch, of which the first is prepared, and
 * find out if the blocks that each of them uses are there: PLAIT_PENDING with
 * task->lacks_buffers if not.  Caller holds the lock, as for the next ones. */
plait_status plait__place_check_pieces(plait__flow_task *task,
				       plait_error *error);

/* Find the devices that run the launch, task->candidates.  PLAIT_E_UNSUPPORTED. */
plait_status plait__place_find(plait__flow_task *task, plait_error *error);
/* Find out that the memory of a piece's device can have its data alone, with
 * task->candidates.  PLAIT_E_NOMEM: not so, task->excess is set. */
plait_status plait__place_check_bytes(plait__flow_task *task,
				      plait_error *error);
/* Index of the device of a piece, of task->candidates. */
uint32_t plait__place_piece(const plait__flow_task *task);
/* Let the task run on that device.  PLAIT_PENDING: as above. */
plait_status plait__place_take(plait__flow_task *task, uint32_t device,
			       plait_error *error);

/*
 * Place a task that is prepared, and submit the copies that it needs.
 * PLAIT_PENDING: no room, or with task->lacks_buffers a call of
 * plait__room_supply_make is due.  PLAIT_E_NOMEM; PLAIT_E_UNSUPPORTED: no device runs the kernel.
 */
plait_status plait__place_task(plait__flow_task *task, plait_error *error);
/* The task was committed: its memory has what it writes; or it was not. */
void plait__place_commit(plait__flow_task *task);
void plait__place_undo(plait__flow_task *task);

#endif
