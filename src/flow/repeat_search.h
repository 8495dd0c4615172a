/* SPDX-License-Identifier: MIT */
/*
 * Search of a flow with PLAIT_FLOW_REPEATS: the tasks that run one by one are searched
 * for a period, and a stretch of them is recorded.  Caller holds the lock.
 */
#ifndef PLAIT_SRC_FLOW_REPEAT_SEARCH_H
#define PLAIT_SRC_FLOW_REPEAT_SEARCH_H

#include "flow/repeat/period_finder.h"
#include "flow/stretch.h"

/* Begins as zeroed memory, but for the allocator. */
typedef struct plait__repeat_search {
	const plait_allocator *allocator;
	plait__period_finder finder;
	/* That is recorded, or null; its tasks; those to come before it begins,
	 * or the next gap; recorded: to be built. */
	plait__stretch *recorded;
	uint32_t period;
	uint32_t ahead;
	bool awaits_gap;
	at_u32 is_recorded;
	uint32_t searched; /* tasks, since the search began */
} plait__repeat_search;

/* Search from here on. */
void plait__repeat_search_restart(plait__repeat_search *search);

/* A task that can be repeated, or null: a gap.  A stretch that is found has at most
 * `most` tasks.  Returns false if nothing was found for long. */
bool plait__repeat_search_add(plait__repeat_search *search,
			      const plait_task_desc *desc, uint64_t most);

/* Returns true if a stretch was recorded; needs no lock: a hint. */
static inline bool
plait__repeat_search_has_stretch(const plait__repeat_search *search)
{
	/* Relaxed: the lock orders the rest. */
	return at_load_relaxed_u32(&search->is_recorded) != 0;
}

/* Take it, and search from here on; null: there is none. */
plait__stretch *plait__repeat_search_take(plait__repeat_search *search);

#endif
