/* SPDX-License-Identifier: MIT */
/*
 * Held run: an op that is numbered and not published, while the tasks of its
 * repetition are still being submitted.  Each of these has a number behind that
 * of the run: a part, an op that is done from the beginning and stands for the
 * run, and gets its entry when the run is published.  No other op is numbered
 * before that.  Caller holds the lock.
 */
#ifndef PLAIT_SRC_FLOW_HELD_RUN_H
#define PLAIT_SRC_FLOW_HELD_RUN_H

#include "flow/flow.h"

/* Publish it.  Not whole: it does not write all that its repetition does, so it
 * needs what that leaves, too. */
void plait__held_run_end(plait__flow *flow);

/* The same, if there is one: before any other op, and before a look at ops. */
static inline void plait__held_run_publish(plait__flow *flow)
{
	if (__builtin_expect(flow->held_run != 0, 0))
		plait__held_run_end(flow);
}

/* The same in a call that submits no task: tasks before and behind it are no
 * stretch. */
static inline void plait__held_run_interrupt(plait__flow *flow)
{
	flow->is_interrupted = true;
	plait__held_run_publish(flow);
}

/* The op is a held run of one task until now. */
void plait__held_run_begin(plait__flow *flow, uint64_t number,
			   plait__late *late);

/* The number that the next part gets. */
static inline uint64_t plait__held_run_next_part(const plait__flow *flow)
{
	return flow->window.newest + flow->held_tasks;
}

/* Add parts to the held run.  There is room. */
static inline void plait__held_run_add_parts(plait__flow *flow, uint32_t count)
{
	flow->held_tasks += count;
}

/* The run that a part stands for; other numbers stand for themselves. */
uint64_t plait__held_run_find(const plait__flow *flow, uint64_t number);

#endif
