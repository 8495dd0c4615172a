/* SPDX-License-Identifier: MIT */
/* Heads and bytes of messages; see rank_message.h. */
#include "coll/project/rank_message.h"

#include "coll/project/rank_direct.h"
#include "base/error.h"

#include <string.h>

/* Words of a head. */
enum { WORD_CALL, WORD_COUNT, WORD_TYPE, WORD_INSIDE };

_Static_assert((int)WORD_INSIDE == (int)PLAIT__DIRECT_PLACE &&
	       (PLAIT__DIRECT_STATE - WORD_INSIDE) * sizeof(uint64_t) ==
		       PLAIT__MESSAGE_INSIDE,
	       "the bytes are where a direct message has its place");

static plait_link_slot *slot_of(const plait__slot_link *link)
{
	return (plait_link_slot *)(void *)plait__slot_link_front(link);
}

static uint32_t stamp_offset(void)
{
	return offsetof(plait_link_slot, words) +
	       WORD_TYPE * (uint32_t)sizeof(uint64_t);
}

void plait__rank_message_enable(const plait__rank_machine *machine,
				plait__slot_link *link)
{
	link->stamp = machine->program->is_simple ? 0 : stamp_offset();
}

unsigned char *plait__rank_message_bytes(const plait__rank_machine *machine,
					 const plait__slot_link *link,
					 uint64_t bytes)
{
	plait_link_slot *slot = slot_of(link);
	bool is_inside = bytes <= PLAIT__MESSAGE_INSIDE &&
			 bytes < machine->lent_least &&
			 !machine->program->is_simple;

	return (unsigned char *)(is_inside ? (void *)&slot->words[WORD_INSIDE] :
					     (void *)(slot + 1));
}

/* ---- sender ---- */

uint32_t plait__rank_message_type(plait_element element, uint32_t bits,
				  plait_reduction reduction, uint32_t schedule)
{
	return schedule << 24 | (element & 0xff) << 16 | (bits & 0xff) << 8 |
	       (reduction & 0xff);
}

plait_link_slot plait__rank_message_head(const plait__rank_machine *machine,
					 uint64_t bytes)
{
	return (plait_link_slot){
		.bytes = bytes,
		.words = { [WORD_CALL] = machine->call.number,
			   [WORD_COUNT] = machine->call.count,
			   [WORD_TYPE] = machine->call.type },
	};
}

void plait__rank_message_send(plait__slot_link *link,
			      const plait_link_slot *head)
{
	plait_link_slot *slot = slot_of(link);

	slot->bytes = head->bytes;
	slot->words[WORD_CALL] = head->words[WORD_CALL];
	slot->words[WORD_COUNT] = head->words[WORD_COUNT];
	slot->words[PLAIT__DIRECT_STATE] = head->words[PLAIT__DIRECT_STATE];
	if (head->words[PLAIT__DIRECT_STATE] != PLAIT__DIRECT_KEPT)
		memcpy(&slot->words[WORD_INSIDE], &head->words[WORD_INSIDE],
		       PLAIT__MESSAGE_INSIDE);
	plait__slot_link_push_stamped(link, stamp_offset(),
				     (uint32_t)head->words[WORD_TYPE]);
}

/* ---- receiver ---- */

bool plait__rank_message_is_old(const plait__rank_machine *machine,
				const plait_link_slot *head)
{
	return head->words[WORD_CALL] < machine->call.number;
}

static plait_status refuse_type(const plait__rank_machine *machine,
				uint32_t peer, uint32_t type)
{
	uint32_t own = machine->call.type;

	return plait__fail(machine->error, PLAIT_E_INVALID,
			   "rank %u calls the collective with element %u, bits "
			   "%u, reduction %u, schedule %u; this rank with %u, "
			   "%u, %u, %u", peer, type >> 16 & 0xff,
			   type >> 8 & 0xff, type & 0xff, type >> 24,
			   own >> 16 & 0xff, own >> 8 & 0xff, own & 0xff,
			   own >> 24);
}

static plait_status refuse(const plait__rank_machine *machine, uint32_t peer,
			   const plait_link_slot *head)
{
	const plait__machine_call *call = &machine->call;

	if (head->words[WORD_CALL] != call->number)
		return plait__fail(machine->error, PLAIT_E_CANCELLED,
				   "rank %u has left call %llu of the "
				   "collective", peer,
				   (unsigned long long)call->number);
	if (head->words[WORD_COUNT] != call->count)
		return plait__fail(machine->error, PLAIT_E_INVALID,
				   "rank %u calls the collective with count "
				   "%llu, this rank with %llu", peer,
				   (unsigned long long)head->words[WORD_COUNT],
				   (unsigned long long)call->count);
	if ((uint32_t)head->words[WORD_TYPE] != call->type)
		return refuse_type(machine, peer,
				   (uint32_t)head->words[WORD_TYPE]);
	return plait__fail(machine->error, PLAIT_E_INTERNAL,
			   "a message of rank %u has %llu bytes, which are not "
			   "those of the step", peer,
			   (unsigned long long)head->bytes);
}

plait_status plait__rank_message_check(const plait__rank_machine *machine,
				       const plait__slot_link *link,
				       const plait_link_slot *head,
				       uint64_t bytes)
{
	const plait__machine_call *call = &machine->call;

	if (head->words[WORD_CALL] == call->number &&
	    head->words[WORD_COUNT] == call->count &&
	    (uint32_t)head->words[WORD_TYPE] == call->type &&
	    head->bytes == bytes)
		return PLAIT_OK;
	return refuse(machine, link->peer, head);
}
