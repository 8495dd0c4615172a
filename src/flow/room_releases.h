/* SPDX-License-Identifier: MIT */
/*
 * Ops that release buffers in the memories of a flow's devices.  A buffer counts
 * until its op has called plait__room_releases_end.  Caller holds the lock.
 */
#ifndef PLAIT_SRC_FLOW_ROOM_RELEASES_H
#define PLAIT_SRC_FLOW_ROOM_RELEASES_H

#include "flow/flow_devices.h"

static inline plait__buffer_release *
plait__room_releases_at(const plait__device_room *room, uint32_t i)
{
	return plait__vector_at(&room->releases, i);
}

/* Forget those that are done: they may end in any order. */
void plait__room_releases_settle(plait__flow *flow);
/* Make room for one, before the op has a number.  Returns false without memory. */
bool plait__room_releases_reserve(plait__flow *flow);
void plait__room_releases_note(plait__flow *flow, uint32_t memory,
			       uint64_t number);
void plait__room_releases_end(plait__flow *flow, uint32_t memory,
			      uint64_t bytes);

#endif
