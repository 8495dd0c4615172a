/* SPDX-License-Identifier: MIT */
/* State of a flow that finds repeats (flow_repeats.h).  Guarded by its lock. */
#ifndef PLAIT_SRC_FLOW_REPEATS_STATE_H
#define PLAIT_SRC_FLOW_REPEATS_STATE_H

#include "flow/repeat_phases.h"
#include "flow/repeat_search.h"
#include "flow/stretch.h"

#include "object/wait/suspension.h"
#include "pool/callback_scope.h"

enum {
	/* Stretches that a flow keeps: each has the memory of its data. */
	PLAIT__REPEATS_STRETCHES = 8,
	/* A run has at most this part of the window. */
	PLAIT__REPEATS_WINDOW_PART = 4
};

struct plait__flow_repeats {
	plait__repeat_search search;
	plait__stretch *stretches[PLAIT__REPEATS_STRETCHES];
	uint32_t count;
	/* The stretch that grows, or null: it begins no run, since the build would cut that
	 * short; whether no thread builds the longer one yet, read before as a hint;
	 * periods of its runs then. */
	plait__stretch *growing;
	at_u32 is_growing;
	uint32_t times;
	plait__repeat_phases phases;
	uint64_t repeated; /* tasks of runs, but for the held one */
	/* Of the held run, or the last one.  `base`: of `held`, which may be its
	 * longer one; `row_end`: the last op, or 0: the run was not whole. */
	plait__stretch *held;
	plait__stretch *base;
	uint64_t row_end;
	uint64_t owner; /* plait__suspension_owner of its submitter */
	/* Tasks of it that there is room for; the words of the next one, and how many
	 * have theirs in a row from there on. */
	uint32_t room;
	uint32_t left;
	const uint64_t *next;
	at_u32 is_held; /* a hint: tasks are compared with it */
	uint64_t closings; /* of the flow, when the stretches were looked at */
	uint32_t refused;  /* stretches of which no repetition was made */
	uint32_t put_off;  /* and those for which there was no room */
};

/* Returns true if the caller is a function of a task or a coroutine: its tasks are no
 * part of a stretch, and a planner needs more than a coroutine's stack. */
static inline bool plait__repeats_are_in_task(void)
{
	return plait__callback_scope_is_active() ||
	       plait__suspension_current() != NULL;
}

/* Tasks of a run, at most. */
static inline uint64_t plait__repeats_longest_run(const plait__flow *flow)
{
	uint64_t part = plait__window_size(&flow->window) /
			PLAIT__REPEATS_WINDOW_PART;

	return part < PLAIT__PERIOD_MOST ? part : PLAIT__PERIOD_MOST;
}

#endif
