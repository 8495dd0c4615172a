/* SPDX-License-Identifier: MIT */
/*
 * Slots of a collective's links: size and depth.  All ranks find the same ones,
 * from the schedule and from properties that all ranks of a world agree on.
 */
#include "coll/project/collective_object.h"

#include "base/error.h"

enum {
	SLOT_MAX = 1 << 18,	/* bytes: two of them fit into an L2 cache */
	SLOT_MIN = 1 << 15,
	SLOTS_BYTES = 1 << 20,	/* of a link of many slots */
	/* Ranks that receive by one or two links: more and smaller slots, each of
	 * which is used again later, take half the time as measured; perhaps as
	 * its lines have left the L2 cache of the peer that read them. */
	FEW_LINKS = 2,
	FEW_SLOT = 1 << 16,
	FEW_SLOTS_BYTES = 1 << 21, /* of all links that a rank receives by */
	/* Transports that copy messages have a cost for each. */
	PUMPED_SLOT = 1 << 20,
	/* Schedules that reduce nothing: there is no work to do between tiles. */
	PUMPED_SLOT_MOVED = 1 << 21,
	PUMPED_SLOTS_BYTES = 1 << 25,
};

/* Most links by which any rank receives. */
static uint32_t count_receipts(const plait__schedule *schedule)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		const plait__coll_rank *rank = &schedule->ranks[i];
		uint32_t count = 0;

		for (uint32_t k = 0; k < rank->lane_count; k++)
			count += schedule->lanes[rank->first_lane + k]
					 .recv_peer >= 0;
		most = count > most ? count : most;
	}
	return most;
}

/* Returns true if most messages need a pump. */
static bool is_pumped(const plait__world *world)
{
	bool pumps = false;

	for (uint32_t i = 0; i < world->port_count; i++)
		if (i == 0 || world->machines > 1)
			pumps |= world->ports[i].info.flags &
				 PLAIT_PORT_NEEDS_PUMP;
	return pumps;
}

/* Bytes of a slot, and depth. */
static uint64_t size_slots(const plait__world *world,
			   const plait__schedule *schedule, bool reduces,
			   uint32_t *out_depth)
{
	uint64_t links = count_receipts(schedule), most = SLOT_MAX;
	uint64_t all = SLOTS_BYTES, bytes;

	*out_depth = 2;
	if (is_pumped(world)) {
		most = reduces ? PUMPED_SLOT : PUMPED_SLOT_MOVED;
		all = PUMPED_SLOTS_BYTES / links;
	} else if (links <= FEW_LINKS) {
		most = FEW_SLOT;
		*out_depth = (uint32_t)(FEW_SLOTS_BYTES / FEW_SLOT / links);
	}
	while (*out_depth < schedule->depth)
		*out_depth *= 2;
	bytes = all / *out_depth;
	if (bytes > most)
		bytes = most;
	return bytes < SLOT_MIN ? SLOT_MIN : bytes;
}

plait_status plait__collective_slots_choose(const plait__world *world,
					    const plait__schedule *schedule,
					    plait__collective_part *part,
					    uint64_t *out_bytes,
					    plait_error *error)
{
	uint64_t least = (part->program.message_chunks + 1ull) * 64;
	uint64_t bytes = size_slots(world, schedule, part->program.reduces,
				    &part->depth);

	if (bytes > world->slot_limit)
		bytes = world->slot_limit;
	bytes &= ~UINT64_C(63);
	if (bytes < least && least <= world->slot_limit)
		bytes = least;
	*out_bytes = bytes;
	return bytes >= least ? PLAIT_OK :
		plait__fail(error, PLAIT_E_UNSUPPORTED,
			    "messages of %u chunks need slots of %llu bytes, the "
			    "transports have %llu; compile the schedule with "
			    "fewer chunks", part->program.message_chunks,
			    (unsigned long long)least,
			    (unsigned long long)world->slot_limit);
}
