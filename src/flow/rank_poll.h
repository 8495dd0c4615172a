/* SPDX-License-Identifier: MIT */
/*
 * Movement of slots by a worker that finds no op, in place of the flow's thread.  A
 * change of threads takes longer than a transfer of one slot.  While a worker
 * polls, the thread of the flow naps: no other rank rings for it.  A nap
 * ends by itself, since a worker may run a long function; the thread then sleeps on
 * the bell, until a worker polls again.  The last worker that polls ends it, before
 * it parks.
 *
 * A worker that finds nothing yields some times: another process may have to run first.
 * Then it sleeps on the bell, too, for 1.5 ms in all; then it
 * parks, and at once where the flow has ended.  An op that is published and ready,
 * and an arrival, ring it; so do other flows.
 */
#ifndef PLAIT_SRC_FLOW_RANK_POLL_H
#define PLAIT_SRC_FLOW_RANK_POLL_H

#include "flow/rank_state.h"

/* The bell of the flow is chosen: let its workers poll, if it has one. */
void plait__rank_poll_init(plait__flow_ranks *ranks);

/* Nap, if a worker has polled since the last nap.  Returns true if the thread did. */
bool plait__rank_poll_nap(plait__flow_ranks *ranks);

#endif
