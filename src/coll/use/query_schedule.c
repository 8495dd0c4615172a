/* SPDX-License-Identifier: MIT */
/* Properties of schedules. */
#include "plait/collective.h"

#include "coll/merge/merge.h"
#include "coll/use/schedule_object.h"
#include "base/error.h"
#include "base/sized_struct.h"

_Static_assert((int)PLAIT_SCHEDULE_IN_PLACE == (int)PLAIT__COLL_IN_PLACE,
	       "flags are those of schedule.h");

static void find_largest(const plait__schedule *schedule,
			 plait_schedule_info *info)
{
	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		const plait__coll_rank *at = &schedule->ranks[i];

		if (at->input_chunks > info->input_chunks)
			info->input_chunks = at->input_chunks;
		if (at->output_chunks > info->output_chunks)
			info->output_chunks = at->output_chunks;
	}
}

PLAIT_API plait_status plait_schedule_query(plait_schedule *schedule,
					    plait_schedule_info *info,
					    plait_error *error)
{
	plait_schedule_info ours = { .size = sizeof(ours) };
	plait__schedule_object *entered;
	const plait__schedule *own;
	plait_status status = plait__schedule_object_enter(schedule, &entered,
							   error);

	if (status != PLAIT_OK)
		return status;
	own = entered->schedule;
	ours.flags = own->flags & PLAIT_SCHEDULE_IN_PLACE;
	ours.kind = own->kind;
	ours.ranks = own->rank_count;
	ours.root = own->root;
	ours.share_chunks = plait__merge_share(own);
	ours.target = own->target;
	ours.depth = own->depth;
	ours.lanes = own->lane_count;
	ours.steps = own->step_count;
	ours.min_bytes = own->min_bytes;
	ours.max_bytes = own->max_bytes;
	memcpy(ours.name, own->name, sizeof(ours.name));
	find_largest(own, &ours);
	status = PLAIT__STRUCT_WRITE(plait_schedule_info, info, &ours, error);
	plait__object_leave(&entered->object);
	return status;
}
