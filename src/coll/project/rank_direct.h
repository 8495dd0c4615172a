/* SPDX-License-Identifier: MIT */
/*
 * Direct messages of a step machine: the bytes stay in memory of the sender that
 * the receiver maps (plait_world_buffer), so each is moved, or reduced, once.
 *
 * The head of a message tells by a state, and where the bytes are:
 *
 *     OFFERED --receiver--> READ --receiver--> TAKEN, up to the pop
 *        |                   |
 *        |                   +----sender-----> GONE: it has left the call
 *        +-----sender-----> KEPT: the bytes are in the slot
 *
 * Each message says for itself where it is, and the sender decides; so ranks
 * cannot differ.
 *
 * Safety.  A step that sends has ended when the message is offered, as if it was
 * copied.  Until the receiver has taken the message, a step that writes a part of
 * it waits, and so does the end of the call.
 *
 * Liveness.  A rank that waits copies what it has offered into the slots, so a
 * step that writes waits for no step of another rank, only for a receiver that
 * reads.  A receiver that cannot map the memory waits for that copy.
 *
 * Failure.  A rank that leaves a call withdraws its offers likewise, and waits a
 * while for receivers that read.  Then the message is GONE: what the receiver has
 * read may be wrong, and its call fails.  A peer that has ended reads nothing.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_RANK_DIRECT_H
#define PLAIT_SRC_COLL_PROJECT_RANK_DIRECT_H

#include <string.h>

#include "plait/transport.h"

#include "coll/project/rank_machine.h"

/* Words of a head behind those of the machine. */
enum {
	PLAIT__DIRECT_PLACE = 3,	/* of the piece; see world_buffer.h */
	PLAIT__DIRECT_BYTES = 4,	/* of the piece */
	PLAIT__DIRECT_OFFSET = 5,	/* of the message in the piece */
	PLAIT__DIRECT_STATE = 6,	/* atomic */
	/* Bytes of a message that is worth it. */
	PLAIT__DIRECT_LEAST = 1 << 12
};

enum plait__direct_state {
	PLAIT__DIRECT_KEPT = 0,
	PLAIT__DIRECT_OFFERED = 1,
	PLAIT__DIRECT_READ = 2,
	PLAIT__DIRECT_TAKEN = 3,
	PLAIT__DIRECT_GONE = 4
};

/* Let a link send, or receive, direct messages.  PLAIT_E_NOMEM. */
plait_status plait__rank_direct_enable(plait__rank_machine *machine,
				       uint32_t link);
/* Unmap all, and free it; before the links are destroyed. */
void plait__rank_direct_free(plait__rank_machine *machine);

/* Returns true if the step's message may be sent from its source or target. */
bool plait__rank_direct_may(const plait__rank_machine *machine,
			    const plait__rank_step *step, uint32_t link,
			    uint64_t bytes);

/* Offer the message that is pushed next, and fill its head.  Returns false if it
 * has to be copied. */
bool plait__rank_direct_offer(plait__rank_machine *machine,
			      const plait__rank_step *step, uint32_t link,
			      uint64_t tile, plait_link_slot *head);

/* Read the head of the message at the front; its sender may change the state
 * meanwhile. */
static inline void plait__rank_direct_read_head(const plait__slot_link *link,
						plait_link_slot *out)
{
	plait_link_slot *head = (plait_link_slot *)(void *)
		plait__slot_link_front(link);

	memcpy(out, head, offsetof(plait_link_slot,
				   words[PLAIT__DIRECT_STATE]));
	/* Acquire: pairs with the release in withdraw_offer. */
	out->words[PLAIT__DIRECT_STATE] = at_load_acquire_u64(
		(at_u64 *)&head->words[PLAIT__DIRECT_STATE]);
}

/* Find the bytes of the message at the front, which is not KEPT in `head`.
 * PLAIT_PENDING: its sender has to copy them.  PLAIT_E_CANCELLED: that has left the
 * call before.  PLAIT_E_INTERNAL: it names none. */
plait_status plait__rank_direct_claim(plait__rank_machine *machine,
				      uint32_t link,
				      const plait_link_slot *head,
				      const unsigned char **out);
/* The bytes that were claimed in the sender's memory are used, and the message is
 * popped next.  PLAIT_E_CANCELLED: the sender has left the call, and they may have
 * been wrong. */
plait_status plait__rank_direct_take(plait__rank_machine *machine,
				     uint32_t link);

/* Link whose peer may read a part of the range, or PLAIT__RANK_NONE. */
uint32_t plait__rank_direct_reader(const plait__rank_machine *machine,
				   unsigned char *const range[2]);

/* Returns true if the peer has taken all direct messages of the link. */
bool plait__rank_direct_is_over(const plait__rank_machine *machine,
				uint32_t link);

/* Copy what no peer reads yet into the slots. */
void plait__rank_direct_withdraw(plait__rank_machine *machine);

/* The same, after a call that has failed.  PLAIT_PENDING: a peer reads; not with
 * `lets_go`, which makes such messages GONE. */
plait_status plait__rank_direct_reclaim(plait__rank_machine *machine,
					bool lets_go);

#endif
