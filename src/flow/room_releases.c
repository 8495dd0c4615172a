/* SPDX-License-Identifier: MIT */
/* Ops that release buffers; see room_releases.h. */
#include "flow/room_releases.h"

#include "flow/flow.h"

void plait__room_releases_settle(plait__flow *flow)
{
	plait__device_room *room = &flow->devices->room;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < room->releases.count; i++) {
		const plait__buffer_release at =
			*plait__room_releases_at(room, i);

		if (!plait__op_is_done(&flow->window.ring, at.number))
			*plait__room_releases_at(room, kept++) = at;
	}
	plait__vector_truncate(&room->releases, kept);
}

bool plait__room_releases_reserve(plait__flow *flow)
{
	plait__room_releases_settle(flow);
	return plait__vector_reserve(&flow->devices->room.releases, 1) == 0;
}

void plait__room_releases_note(plait__flow *flow, uint32_t memory,
			       uint64_t number)
{
	const plait__buffer_release release = { number, memory };

	(void)PLAIT__VECTOR_ADD(&flow->devices->room.releases, &release);
}

void plait__room_releases_end(plait__flow *flow, uint32_t memory,
			      uint64_t bytes)
{
	flow->devices->room.bytes[memory] -= bytes;
}
