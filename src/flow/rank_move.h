/* SPDX-License-Identifier: MIT */
/*
 * Movement of slots between ranks, in the order of each link: by the thread of the
 * flow, by the worker that begins a transfer, or by one that finds no op.  One
 * thread moves at a time.
 */
#ifndef PLAIT_SRC_FLOW_RANK_MOVE_H
#define PLAIT_SRC_FLOW_RANK_MOVE_H

#include "flow/rank_state.h"

/* Move what all links allow, and end the wait for a horizon.  Returns true if
 * something was moved. */
bool plait__rank_move_all(plait__flow_ranks *ranks);

/* Begin to move, as a worker.  Returns false if another thread moves. */
bool plait__rank_move_enter(plait__flow_ranks *ranks);

/* End what was completed since.  Caller is that worker, and holds no lock. */
void plait__rank_move_leave(plait__flow_ranks *ranks);

/* As plait__rank_move_all, by a worker, if no other thread moves. */
bool plait__rank_move_by_worker(plait__flow_ranks *ranks);

/* The same, behind the thread that moves, if there is one. */
bool plait__rank_move_as_worker(plait__flow_ranks *ranks);

/* Move what the link of a record allows.  Caller holds `moving`. */
bool plait__rank_move_peer(plait__flow_ranks *ranks,
			   const plait__rank_record *of);

/* The op of a record is done.  Caller does not hold the lock. */
void plait__rank_move_free(plait__rank_record *record);

/* The same; caller holds `moving`: a later move takes the record back. */
static inline void plait__rank_move_use(plait__rank_record *record)
{
	record->next = record->ranks->used;
	record->ranks->used = record;
}

#endif
