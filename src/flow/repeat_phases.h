/* SPDX-License-Identifier: MIT */
/*
 * Phases of a flow with PLAIT_FLOW_REPEATS.  In an interval, which ends with a wait for
 * its tasks, a stretch is submitted in one of two ways; its time by task is measured,
 * and decides later intervals (repeat/repeat_choice.h).  While an interval is plain, or
 * nothing was found for long, submissions are those of a flow without the flag.  Caller
 * holds the lock.
 */
#ifndef PLAIT_SRC_FLOW_REPEAT_PHASES_H
#define PLAIT_SRC_FLOW_REPEAT_PHASES_H

#include "flow/flow_object.h"
#include "flow/repeat/repeat_choice.h"

/* Begins as zeroed memory. */
typedef struct plait__repeat_phases {
	plait__repeat_choice *measured; /* of the interval; null: none */
	bool is_plain; /* the interval */
	bool rests;    /* nothing is searched */
	bool rests_plain; /* and tasks are plain */
	uint64_t begin;	   /* the newest op then, of an interval */
	uint64_t begin_ns;
	uint64_t marks;	   /* of the flow, then */
	uint64_t tasks;	   /* with devices: submitted in the interval */
	uint64_t rest_end; /* op */
	uint64_t rest;	   /* ops of the last rest */
	bool is_hidden;	   /* tasks came that the search lacks */
} plait__repeat_phases;

/* A task begins a stretch with this choice.  Returns true if it is to be a plain one. */
bool plait__repeat_phases_begin(plait__flow *flow, plait__repeat_phases *phases,
				plait__repeat_choice *choice);

/* Nothing was found: nothing is searched for a while, longer each time; tasks are
 * plain if they are compared with nothing. */
void plait__repeat_phases_rest(plait__flow *flow, plait__repeat_phases *phases,
			       bool is_plain);

/* Returns true if tasks are searched. */
static inline bool
plait__repeat_phases_search(const plait__repeat_phases *phases)
{
	return !phases->is_plain && !phases->rests;
}

/* The caller has waited for op `number`, or those before it. */
void plait__repeat_phases_end(plait__flow *flow, uint64_t number);

/* The same, if the flow has phases. */
static inline void plait__repeat_phases_wait(plait__flow *flow, uint64_t number)
{
	if (__builtin_expect(flow->phases != NULL, 0))
		plait__repeat_phases_end(flow, number);
}

/* The same of a caller that may never wait. */
void plait__repeat_phases_look(plait__flow *flow, plait__repeat_phases *phases);

#endif
