/* SPDX-License-Identifier: MIT */
/*
 * Lent memory of a step machine: large messages that a transport moves from where
 * a step has read or stored them, and into the target of the step that receives
 * them, if the chunks there follow each other (plait/transport.h).
 *
 * Safety.  A step that sends has ended when the transport has the memory, as if
 * it was copied.  From then on the transport reads what the step has sent, until
 * it has returned that; a step that writes a part of it waits, and so does the
 * end of the call.  The target of a step that receives is the step's alone from
 * its beginning, by the proof of the schedule, so the transport may write it.
 *
 * Liveness.  A step that writes waits for the receiver of an earlier message, a
 * wait that the schedule does not have.  It ends: as long as the receiver pumps,
 * its transport takes into slots what no lane of it asks for, and there are as
 * many slots as the proof assumes.
 *
 * Failure.  A rank that leaves a call takes all back before it returns.  A message
 * that it has not taken, in lent memory, goes into its slot: a later call may take
 * it.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_RANK_LEND_H
#define PLAIT_SRC_COLL_PROJECT_RANK_LEND_H

#include "coll/project/rank_machine.h"

/* Returns true if the step's message can be sent from its source or target. */
static inline bool plait__rank_lend_may(const plait__rank_machine *machine,
					const plait__rank_step *step,
					const plait__slot_link *link,
					uint64_t bytes)
{
	return link->lent != NULL && bytes >= machine->lent_least &&
	       bytes > 0 && step->kind != PLAIT__STEP_RECV_REDUCE_SEND;
}

/* Lend the bytes of the message that is pushed next: the source of a step that
 * sends, the target of one that sends what it has stored.  Returns false if they
 * have to be copied. */
bool plait__rank_lend_source(plait__rank_machine *machine,
			     plait__machine_lane *state,
			     const plait__rank_step *step,
			     const plait__slot_link *link, uint64_t bytes);

/* Let the message of a step come into its target, or else into the slot, without
 * which its sender would wait longer. */
void plait__rank_lend_target(plait__rank_machine *machine,
			     plait__machine_lane *state,
			     const plait__rank_step *step,
			     const plait__slot_link *link, uint64_t bytes);

/* Returns true if the step writes memory of the rank. */
bool plait__rank_lend_stores(const plait__rank_step *step);

/* Link whose transport still reads what the step writes, or PLAIT__RANK_NONE. */
uint32_t plait__rank_lend_reader(const plait__rank_machine *machine,
				 const plait__rank_step *step, uint64_t tile);

/* Returns true if the transport has returned all that the lane has lent. */
bool plait__rank_lend_is_over(const plait__rank_machine *machine,
			      const plait__rank_lane *lane,
			      const plait__machine_lane *state);

/* Take lent memory back, after a call that has failed.  PLAIT_PENDING: call again,
 * behind a pump.  Others are failures of a transport. */
plait_status plait__rank_lend_reclaim(plait__rank_machine *machine);

#endif
