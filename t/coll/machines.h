/* SPDX-License-Identifier: MIT */
/*
 * Machines of all ranks of a schedule in one process, over links in its memory.
 * Elements are u64, reductions are sums.
 */
#ifndef T_COLL_MACHINES_H
#define T_COLL_MACHINES_H

#include "coll/project/rank_machine.h"

#include "plait/transport.h"

#include "coll/project/rank_message.h"

#include "base/alloc.h"
#include "coll/merge/merge.h"
#include "coll/promised.h"

enum { MACHINES_RANKS = 8 };

/* A link's memory. */
struct machines_link {
	uint32_t from, to, channel;
	at_u64 ready, taken;
	unsigned char *slots;
};

struct machines {
	const plait__schedule *schedule;
	uint32_t ranks;
	uint32_t depth;
	uint64_t slot_bytes;
	plait__rank_program programs[MACHINES_RANKS];
	plait__rank_machine machines[MACHINES_RANKS];
	struct machines_link *links;
	uint32_t link_count;
	uint64_t *memory[MACHINES_RANKS][3];
	plait_error errors[MACHINES_RANKS];
};

static inline struct machines_link *machines_find(struct machines *at,
						  uint32_t from, uint32_t to,
						  uint32_t channel)
{
	struct machines_link *link;

	for (uint32_t i = 0; i < at->link_count; i++)
		if (at->links[i].from == from && at->links[i].to == to &&
		    at->links[i].channel == channel)
			return &at->links[i];
	link = &at->links[at->link_count++];
	link->from = from;
	link->to = to;
	link->channel = channel;
	link->slots = aligned_alloc(64, at->depth * (at->slot_bytes + 64));
	return link;
}

static inline void machines_join(struct machines *at, uint32_t rank)
{
	const plait__rank_program *program = &at->programs[rank];

	for (uint32_t i = 0; i < program->links.count; i++) {
		const plait__rank_link *half =
			plait__vector_at(&program->links, i);
		struct machines_link *link = half->receives ?
			machines_find(at, half->peer, rank, half->channel) :
			machines_find(at, rank, half->peer, half->channel);

		at->machines[rank].links[i] = (plait__slot_link){
			.ready = &link->ready, .taken = &link->taken,
			.slots = link->slots, .stride = at->slot_bytes + 64,
			.depth = at->depth, .peer = half->peer,
		};
		if (half->receives)
			plait__rank_message_enable(
				&at->machines[rank],
				&at->machines[rank].links[i]);
	}
}

/* `slot_bytes` is a multiple of 64. */
static inline bool machines_make(struct machines *at,
				 const plait__schedule *schedule,
				 uint32_t depth, uint64_t slot_bytes)
{
	bool good = true;

	*at = (struct machines){ .schedule = schedule,
				 .ranks = schedule->rank_count,
				 .depth = depth, .slot_bytes = slot_bytes };
	at->links = calloc(schedule->lane_count + 1, sizeof(*at->links));
	for (uint32_t i = 0; i < at->ranks; i++) {
		at->errors[i].size = sizeof(at->errors[i]);
		good &= plait__rank_program_make(&at->programs[i], schedule, i,
						 NULL) == PLAIT_OK &&
			plait__rank_machine_init(&at->machines[i],
						 &at->programs[i], slot_bytes,
						 NULL) == PLAIT_OK;
		if (good)
			machines_join(at, i);
	}
	return good;
}

static inline void machines_free(struct machines *at)
{
	for (uint32_t i = 0; i < at->ranks; i++) {
		plait__rank_machine_free(&at->machines[i]);
		plait__rank_program_free(&at->programs[i]);
	}
	for (uint32_t i = 0; i < at->link_count; i++)
		free(at->links[i].slots);
	free(at->links);
}

static inline void machines_fill(struct machines *at, uint32_t rank, uint64_t n)
{
	const plait__schedule *schedule = at->schedule;
	uint64_t in = plait__merge_elements(schedule, rank, 0, n);
	uint64_t out = plait__merge_elements(schedule, rank, 1, n);
	uint64_t scratch = plait__rank_machine_scratch(&at->programs[rank], n);
	uint64_t **memory = at->memory[rank];

	memory[1] = calloc((in > out ? in : out) + 1, 8);
	memory[0] = schedule->flags & PLAIT__COLL_IN_PLACE ? memory[1] :
							     calloc(in + 1, 8);
	memory[2] = calloc(scratch + 1, 8);
	for (uint64_t k = 0; k < in; k++)
		memory[0][promised_part(schedule, n, rank, false) + k] =
			promised_element(rank, k);
}

/* Begin a call of shares of n elements on each rank. */
static inline void machines_begin(struct machines *at, uint64_t number,
				  uint64_t n)
{
	for (uint32_t i = 0; i < at->ranks; i++) {
		plait__machine_call call = {
			.number = number, .count = n, .element_bytes = 8,
			.type = plait__rank_message_type(
				PLAIT_ELEMENT_UINT, 64, PLAIT_REDUCE_SUM, 0),
			.reduce = plait__host_reduce_find(
				PLAIT_ELEMENT_UINT, 64, PLAIT_REDUCE_SUM),
		};

		machines_fill(at, i, n);
		for (uint32_t k = 0; k < 3; k++)
			call.buffers[k] = (unsigned char *)at->memory[i][k];
		plait__rank_machine_begin(&at->machines[i], &call,
					  &at->errors[i]);
	}
}

static inline void machines_end(struct machines *at)
{
	for (uint32_t i = 0; i < at->ranks; i++) {
		if (at->memory[i][0] != at->memory[i][1])
			free(at->memory[i][0]);
		free(at->memory[i][1]);
		free(at->memory[i][2]);
	}
}

static inline bool machines_are_right(const struct machines *at, uint64_t n)
{
	const plait__schedule *schedule = at->schedule;

	for (uint32_t i = 0; i < at->ranks; i++) {
		uint64_t count = plait__merge_elements(schedule, i, 1, n), want;
		const uint64_t *output =
			at->memory[i][1] + promised_part(schedule, n, i, true);

		for (uint64_t k = 0; k < count; k++)
			if (promised_value(schedule, n, i, k, &want) &&
			    output[k] != want)
				return false;
	}
	return true;
}

#endif
