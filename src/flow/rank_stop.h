/* SPDX-License-Identifier: MIT */
/*
 * Failure of a flow over a world as a whole: the ranks submit different tasks, or
 * one of them cannot go on.  It is told on all ranks: nothing more is submitted,
 * transfers fail, and no wait is left behind.
 */
#ifndef PLAIT_SRC_FLOW_RANK_STOP_H
#define PLAIT_SRC_FLOW_RANK_STOP_H

#include "flow/rank_state.h"

/* Returns true if the flow has failed. */
static inline bool plait__rank_stop_is_set(const plait__flow_ranks *ranks)
{
	/* Acquire: pairs with the release in rank_stop.c. */
	return at_load_acquire_u32(&ranks->is_broken) != 0;
}

/* Returns the failure, or PLAIT_OK. */
plait_status plait__rank_stop_tell(plait__flow_ranks *ranks,
				   plait_error *error);

/* The same, once, of a wait for all tasks: callers repeat it until it succeeds. */
plait_status plait__rank_stop_tell_once(plait__flow_ranks *ranks,
					plait_error *error);

/* Let the flow fail, here and on all other ranks.  The first failure stays.
 * Caller holds no lock. */
void plait__rank_stop_all(plait__flow_ranks *ranks, const plait_error *why);

/* A call on the flow ends with this status: if the flow has failed, its caller knows
 * that something has; so it does for PLAIT_E_LOST. */
void plait__rank_stop_note(plait__flow_ranks *ranks, plait_status status);

/* No call comes any more: let the end of the context tell the failure, if no call
 * did. */
void plait__rank_stop_report(plait__flow_ranks *ranks);

/* Take the mail of ranks that did. */
void plait__rank_stop_look(plait__flow_ranks *ranks);

/* Ring the bell of the flow's thread. */
void plait__rank_stop_ring(plait__flow_ranks *ranks);

#endif
