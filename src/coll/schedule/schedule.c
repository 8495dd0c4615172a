/* SPDX-License-Identifier: MIT */
/*
 * Schedules of collectives: memory that an in-place collective shares,
 * release.
 */
#include "coll/schedule/schedule.h"

#include "base/alloc.h"

/* Returns the number that turns an output index into the input index that
 * shares its memory. */
static int64_t output_offset(const plait__schedule *schedule, uint32_t rank)
{
	const plait__coll_rank *at = &schedule->ranks[rank];

	switch (schedule->kind) {
	case PLAIT__COLL_ALLGATHER:
	case PLAIT__COLL_GATHER:
		return -(int64_t)rank * at->input_chunks;
	case PLAIT__COLL_REDUCE_SCATTER:
	case PLAIT__COLL_SCATTER:
		return (int64_t)rank * at->output_chunks;
	default:
		return 0;
	}
}

uint64_t plait__schedule_memory_index(const plait__schedule *schedule,
				      uint32_t rank, uint32_t buffer,
				      uint64_t index)
{
	const plait__coll_rank *at = &schedule->ranks[rank];
	int64_t shared;

	if (buffer == PLAIT__COLL_INPUT)
		return index;
	if (buffer == PLAIT__COLL_SCRATCH)
		return (uint64_t)at->input_chunks + at->output_chunks + index;
	if (schedule->flags & PLAIT__COLL_IN_PLACE) {
		shared = (int64_t)index + output_offset(schedule, rank);
		if (shared >= 0 && shared < at->input_chunks)
			return (uint64_t)shared;
	}
	return at->input_chunks + index;
}

void plait__schedule_free(plait__schedule *schedule)
{
	const plait_allocator *allocator;

	if (!schedule)
		return;
	allocator = schedule->allocator;
	plait__free(allocator, schedule->ranks,
		    schedule->rank_count * sizeof(*schedule->ranks));
	plait__free(allocator, schedule->lanes,
		    schedule->lane_count * sizeof(*schedule->lanes));
	plait__free(allocator, schedule->steps,
		    schedule->step_count * sizeof(*schedule->steps));
	plait__free(allocator, schedule->waits,
		    schedule->wait_count * sizeof(*schedule->waits));
	plait__free(allocator, schedule->promises,
		    schedule->promise_count * sizeof(*schedule->promises));
	plait__free(allocator, schedule->promise_sources,
		    schedule->promise_source_count *
			    sizeof(*schedule->promise_sources));
	plait__free(allocator, schedule, sizeof(*schedule));
}
