/* SPDX-License-Identifier: MIT */
/* Owner of the room for blocks, and buffers of what is planned: device_room.h has
 * the order of calls.  Caller does not hold the lock. */
#ifndef PLAIT_SRC_FLOW_ROOM_SUPPLY_H
#define PLAIT_SRC_FLOW_ROOM_SUPPLY_H

#include "flow/device_split.h"
#include "flow/flow_devices.h"

/* Own the room, or make the buffers of the list; *out_behind: an op that uses
 * memory to be evicted, with the room left, or 0.  PLAIT_E_NOMEM, and as
 * plait_buffer_create. */
plait_status plait__room_supply_make(plait__flow *flow,
				       plait__device_split *split,
				       uint64_t *out_behind,
				       plait_error *error);
/* The attempt of the owner has ended. */
void plait__room_supply_leave(plait__flow *flow, plait__device_split *split);

#endif
