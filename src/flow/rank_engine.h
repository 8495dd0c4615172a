/* SPDX-License-Identifier: MIT */
/*
 * Ops that other ranks finish, and the thread that moves what they are for.
 *
 *     submitter       worker              the flow's thread      worker
 *     take, commit    begin: it is ready  slots; arrive          finish
 *     take, commit    begin: slots
 *
 * A send whose values are poison is not run, as any op; its failure goes in place
 * of the values, so that the receive fails with it.
 */
#ifndef PLAIT_SRC_FLOW_RANK_ENGINE_H
#define PLAIT_SRC_FLOW_RANK_ENGINE_H

#include "flow/device_split.h"
#include "flow/rank_state.h"

/* Commit the op of a transfer, with its place in the order of the peer.  Caller
 * holds the lock of the flow.  As plait__rank_place_begin and plait__commit_task. */
plait_status plait__rank_engine_transfer(plait__flow_ranks *ranks,
					 const plait__rank_step *step,
					 const plait__device_split *split,
					 plait_error *error);

/* Commit an op that is done when the other ranks let this one pass a horizon.  The
 * same; *out is its number. */
plait_status plait__rank_engine_wait(plait__flow_ranks *ranks,
				     uint64_t horizon, uint64_t *out,
				     plait_error *error);

/* The thread; the links are made. */
plait_status plait__rank_engine_start(plait__flow_ranks *ranks,
				      plait_error *error);

/* No op comes any more: tell the other ranks, wait until they took all slots, and
 * drop the hold of the flow.  Returns at once. */
void plait__rank_engine_end(plait__flow_ranks *ranks);

/* Join the thread, which leaves at once if it was not ended. */
void plait__rank_engine_stop(plait__flow_ranks *ranks);
/* Free the records. */
void plait__rank_engine_free(plait__flow_ranks *ranks);

#endif
