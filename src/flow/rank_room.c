/* SPDX-License-Identifier: MIT */
/* Room behind mappings, in the windows of all ranks; see rank_room.h. */
#include "flow/rank_room.h"

#include "base/error.h"
#include "object/wait/suspension.h"

#include <string.h>

void plait__rank_room_count(plait__flow_ranks *ranks, uint32_t rank)
{
	if (rank != PLAIT__TASK_RANKS_ALL)
		ranks->ops[rank]++;
	for (uint32_t i = 0; rank == PLAIT__TASK_RANKS_ALL && i < ranks->count;
	     i++)
		ranks->ops[i]++;
}

void plait__rank_room_map(plait__flow *flow, plait__data_mapping *mapping)
{
	plait__flow_ranks *ranks = flow->ranks;

	memcpy(mapping->rank_ops, ranks->ops, sizeof(ranks->ops));
	plait__rank_room_count(ranks, PLAIT__TASK_RANKS_ALL);
}

/* Ops behind a mapping, of the rank with the most. */
static uint64_t count_behind(const plait__flow_ranks *ranks,
			     const plait__data_mapping *mapping)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < ranks->count; i++)
		if (ranks->ops[i] - mapping->rank_ops[i] > most)
			most = ranks->ops[i] - mapping->rank_ops[i];
	return most;
}

plait_status plait__rank_room_check(const plait__flow *flow,
				    plait_error *error)
{
	const uint64_t self = plait__suspension_owner();
	char room[PLAIT__OBJECT_NAME_BYTES];

	for (const plait__data_mapping *at = flow->mappings; at != NULL;
	     at = at->next) {
		if (at->owner != self ||
		    count_behind(flow->ranks, at) <= flow->ranks->window / 2)
			continue;
		return plait__fail(error, PLAIT_E_DEADLOCK,
				   "half of the window of %llu is behind a "
				   "mapping of %s by the caller; unmap it first",
				   (unsigned long long)flow->ranks->window,
				   plait__object_name(&at->data->object, room));
	}
	return PLAIT_OK;
}
