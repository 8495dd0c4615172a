/* SPDX-License-Identifier: MIT */
/*
 * Messages of a step machine: a plait_link_slot, then the bytes.
 *
 *     word   0     1      2              3 to 5                   6
 *            call  count  type and stamp place of direct bytes,   state of a
 *                                        or the bytes themselves  direct message
 *
 * Protocols.  With SIMPLE a receiver waits for a counter of the link, then reads
 * head and bytes: three cache lines that another processor has.  Otherwise the bytes
 * of the smallest messages are in the head, and a receiver that shares the slots
 * with the sender waits for the stamp of the head (world/slot_link.h): one line, or
 * two.  All ranks have the same schedule, so they do the same.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_RANK_MESSAGE_H
#define PLAIT_SRC_COLL_PROJECT_RANK_MESSAGE_H

#include "plait/transport.h"

#include "coll/project/rank_machine.h"

enum {
	/* Bytes of a message that are in its head. */
	PLAIT__MESSAGE_INSIDE = 24
};

/* Type of a call, for the heads of messages: all ranks have to agree. */
uint32_t plait__rank_message_type(plait_element element, uint32_t bits,
				  plait_reduction reduction, uint32_t schedule);

/* Receiver: wait for stamps, as the protocol says.  The halves of the link have the
 * same slots. */
void plait__rank_message_enable(const plait__rank_machine *machine,
				plait__slot_link *link);

/* Place of the bytes in the slot at the front. */
unsigned char *plait__rank_message_bytes(const plait__rank_machine *machine,
					 const plait__slot_link *link,
					 uint64_t bytes);

/* Head of a message of this call; direct messages have more. */
plait_link_slot plait__rank_message_head(const plait__rank_machine *machine,
					 uint64_t bytes);

/* Send the message whose bytes are in their place. */
void plait__rank_message_send(plait__slot_link *link,
			      const plait_link_slot *head);

/* The message is of an earlier call, which this rank has left. */
bool plait__rank_message_is_old(const plait__rank_machine *machine,
				const plait_link_slot *head);

/* Check that the message is of this call, and has the bytes of the step.
 * PLAIT_E_CANCELLED, PLAIT_E_INVALID, PLAIT_E_INTERNAL: the error names the rank. */
plait_status plait__rank_message_check(const plait__rank_machine *machine,
				       const plait__slot_link *link,
				       const plait_link_slot *head,
				       uint64_t bytes);

#endif
