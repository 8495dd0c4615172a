/* SPDX-License-Identifier: MIT */
/*
 * State of the generator of instructions: per data its coherence, and per data
 * and memory the blocks and the fronts, which name instructions.  The fronts of
 * a memory are those of the blocks it has: a block that replaces others begins
 * with new ones.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_MEMORY_STATE_H
#define PLAIT_SRC_FLOW_MEMORY_MEMORY_STATE_H

#include "flow/memory/blocks.h"
#include "flow/memory/coherence.h"
#include "flow/memory/instructions.h"
#include "flow/memory/memory_system.h"
#include "flow/show/record.h"

typedef struct plait__data_place {
	plait__front_map fronts;
	plait__blocks blocks;
} plait__data_place;

/* An access to come. */
typedef struct plait__next_use {
	uint32_t task;
	uint32_t memory;
	plait_box box;
} plait__next_use;

typedef struct plait__data_state {
	plait__coherence coherence;
	plait__vector uses; /* plait__next_use, by task; where tasks are
			     * expected */
	plait__data_place *places; /* per memory */
} plait__data_state;

/* A free of a memory with a capacity. */
typedef struct plait__freed {
	uint32_t number;
	uint64_t bytes; /* of this one, and of all before it */
} plait__freed;

/* Bytes allocated and freed in a memory with a capacity, ever; the frees are
 * those that an alloc to come may have to follow. */
typedef struct plait__memory_account {
	uint64_t allocated;
	plait__freed newest; /* number 0: none */
	plait__vector frees; /* plait__freed */
} plait__memory_account;

/* A task that cannot be added: what it needs does not fit. */
typedef struct plait__refusal {
	uint32_t task; /* index, or NONE */
	uint32_t memory;
	uint64_t bytes; /* that it needs */
} plait__refusal;

/* Lists of one task, whose memory is kept from task to task. */
enum {
	PLAIT__SCRATCH_NEEDS,
	PLAIT__SCRATCH_PINNED,
	PLAIT__SCRATCH_BOXES,
	PLAIT__SCRATCH_OVERWRITTEN,
	PLAIT__SCRATCH_READS,
	PLAIT__SCRATCH_VERSIONS,
	PLAIT__SCRATCH_LISTS
};

typedef struct plait__memory_state {
	const plait_allocator *allocator;
	const plait__record *record;
	const plait__memory_system *system;
	plait__instructions *list; /* null: `anticipates` */
	plait__vector data; /* plait__data_state */
	/* Only blocks to come and coherence: no instruction is made. */
	bool anticipates;
	bool failed; /* without memory */
	/* State that is ahead, with the blocks to come; or null. */
	const struct plait__memory_state *ahead;
	uint32_t blocks; /* that were made */
	uint32_t tasks[PLAIT__MEMORY_DEVICES]; /* per device */
	uint64_t bytes[PLAIT__MEMORY_DEVICES + 1]; /* per memory, now */
	uint64_t peak[PLAIT__MEMORY_DEVICES + 1];
	plait__memory_account accounts[PLAIT__MEMORY_DEVICES + 1];
	plait__refusal refusal;
	plait__vector scratch[PLAIT__SCRATCH_LISTS];
} plait__memory_state;

/* Begin without data.  Without a list the state anticipates. */
void plait__memory_state_init(plait__memory_state *state,
			      const plait__record *record,
			      const plait__memory_system *system,
			      plait__instructions *list);
void plait__memory_state_fini(plait__memory_state *state);

/* Add the data that the record has in addition, with the contents that it has
 * in the host's memory. */
void plait__memory_state_grow(plait__memory_state *state);

static inline plait__data_state *plait__memory_state_data(
	const plait__memory_state *state, uint32_t data)
{
	return plait__vector_at(&state->data, data);
}

/* Take a list, which is empty; the caller gives it back. */
static inline plait__vector
plait__memory_state_take_list(plait__memory_state *state, uint32_t which,
			      uint32_t each)
{
	plait__vector list = state->scratch[which];

	plait__vector_init(&state->scratch[which], state->allocator, each);
	if (list.each == 0)
		list = state->scratch[which];
	list.count = 0;
	return list;
}

static inline void plait__memory_state_give_list(plait__memory_state *state,
						 uint32_t which,
						 plait__vector *list)
{
	state->scratch[which] = *list;
}

static inline bool plait__memory_state_is_bounded(
	const plait__memory_state *state, uint32_t memory)
{
	return plait__memory_system_capacity(state->system, memory) !=
	       UINT64_MAX;
}

/* A token has no bytes, so it has no blocks and no copies. */
static inline bool plait__memory_state_is_token(
	const plait__memory_state *state, uint32_t data)
{
	return plait__record_data_at(state->record, data)->element_bytes == 0;
}

/* Returns the bytes of a box of a data. */
static inline uint64_t plait__memory_state_bytes(
	const plait__memory_state *state, uint32_t data, const plait_box *box)
{
	return plait__box_elements(box) *
	       plait__record_data_at(state->record, data)->element_bytes;
}

static inline plait__data_place *plait__memory_state_place(
	const plait__memory_state *state, uint32_t data, uint32_t memory)
{
	return &plait__memory_state_data(state, data)->places[memory];
}

#endif
