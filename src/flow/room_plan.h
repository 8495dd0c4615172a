/* SPDX-License-Identifier: MIT */
/*
 * Plan of the blocks that a task wants in the memory of its device.
 * A block that has all of its data's need stays.  Others, while nothing has to go
 * for that: the box around the old block and the need, and all elements of data that
 * a kernel got as a pointer, whose blocks have grown before, or if the memory has
 * room for all data of the flow.  Else for the need alone; an old block that lacks
 * some of it gives way.
 *
 * Of the submission that owns the room (device_room.h), whose lists these are.
 * Caller holds the lock.
 */
#ifndef PLAIT_SRC_FLOW_ROOM_PLAN_H
#define PLAIT_SRC_FLOW_ROOM_PLAN_H

#include "flow/flow_devices.h"

/* Add a box to what the task needs of a data, null: any element.  Returns false
 * without memory. */
bool plait__room_plan_want(const plait__flow_task *task, plait__data *whole,
			   const plait_box *need);

/* Plan the blocks: room->needed, lacking, is_generous, and per data its plan.
 * Returns a data whose block gives way, or null. */
plait__data *plait__room_plan_make(plait__flow *flow);

/* Returns a data whose block could be smaller; null: none. */
plait__data *plait__room_plan_find_large(const plait__flow *flow);

#endif
