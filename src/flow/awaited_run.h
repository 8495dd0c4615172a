/* SPDX-License-Identifier: MIT */
/*
 * Awaited runs: runs of repetitions that the submitter waits for at once.  The waiting
 * thread calls such a run itself, outside of any worker, so that the threads of the
 * pool can share it as they share any call of a plan.
 *
 * A repetition whose last runs were all awaited so is expected to be again: its next run
 * is reserved, and workers leave it alone for a moment (plait__flow_lanes_reserve).
 */
#ifndef PLAIT_SRC_FLOW_AWAITED_RUN_H
#define PLAIT_SRC_FLOW_AWAITED_RUN_H

#include "flow/repetitions.h"

/* Returns true if the next run of the repetition is to be reserved.  It is about to
 * be committed; caller holds the lock. */
bool plait__awaited_run_expect(plait__flow *flow, plait__repetition *again);

/* Op `number` is a run of the repetition, and no op comes behind it but its parts.
 * Caller holds the lock. */
static inline void plait__awaited_run_note(plait__flow *flow, uint64_t number,
					   plait__repetition *again)
{
	flow->newest_run = number;
	flow->newest_run_end = flow->window.newest;
	flow->newest_again = again;
}

/* A thread is about to wait for op `number`, with `all` for all up to it: returns the
 * run that it may call, or 0.  Caller holds the lock. */
uint64_t plait__awaited_run_take(plait__flow *flow, uint64_t number, bool all);

/* Call the run on the waiting thread, if no other has begun it.  No lock. */
void plait__awaited_run_call(plait__flow *flow, uint64_t number);

#endif
