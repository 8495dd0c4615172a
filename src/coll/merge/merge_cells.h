/* SPDX-License-Identifier: MIT */
/*
 * State of a replay: cells, which are chunks of memory, and messages.
 *
 * A cell knows where its elements are, which operation wrote them last, which
 * operations have read them since, and which messages refer to them.
 */
#ifndef PLAIT_SRC_COLL_MERGE_MERGE_CELLS_H
#define PLAIT_SRC_COLL_MERGE_MERGE_CELLS_H

#include "coll/merge/merge.h"

enum { PLAIT__MERGE_NONE = UINT32_MAX };

typedef struct plait__merge_cell {
	plait__merge_place place;
	plait__merge_place home; /* detached: the place of the user */
	uint64_t room;		/* elements that fit */
	uint32_t rank;
	uint32_t part;		/* the sub-chunk of a share that it holds */
	uint32_t writer;	/* operation, or NONE */
	uint32_t readers;	/* entry of `reads`, or NONE */
	uint32_t words;		/* entry of `words`: references, or NONE */
} plait__merge_cell;

typedef struct plait__merge_read {
	uint32_t op, next;
} plait__merge_read;

/* One chunk of a message. */
typedef struct plait__merge_word {
	uint32_t cell;		/* NONE after the receipt */
	uint32_t next;		/* of the words that refer to the cell */
} plait__merge_word;

typedef struct plait__merge_message {
	uint32_t first_word, count;
	uint32_t next;		/* of the connection, or NONE */
} plait__merge_message;

typedef struct plait__merge_lane {
	uint32_t sender;	/* lane that it receives from, or NONE */
	uint32_t oldest, newest; /* messages that it sent, or NONE */
	uint64_t done;		/* steps */
} plait__merge_lane;

typedef struct plait__merge_state {
	const plait__schedule *schedule;
	const plait__merge_request *request;
	const plait_allocator *allocator;
	plait__merge *merge;
	plait_error *error;
	uint32_t share;		/* chunks of a share */
	uint32_t step;		/* at hand, for operations */
	uint32_t pieces, piece;	/* of each sub-chunk; at hand */
	uint64_t *first_cell;	/* by rank */
	uint32_t buffer_cells;	/* those behind are of messages */
	plait__merge_lane *lanes;
	plait__vector cells, reads, words, messages;
} plait__merge_state;

static inline plait__merge_cell *
plait__merge_cells_at(const plait__merge_state *state, uint32_t cell)
{
	return plait__vector_at(&state->cells, cell);
}

static inline plait__merge_word *
plait__merge_word_at(const plait__merge_state *state, uint32_t word)
{
	return plait__vector_at(&state->words, word);
}

/* Number of elements of the piece at hand of a sub-chunk of a share. */
uint64_t plait__merge_cells_length(const plait__merge_state *state,
				   uint32_t part);

/* Make the cells of all ranks. */
plait_status plait__merge_cells_make(plait__merge_state *state);

/* Cell of a chunk. */
uint32_t plait__merge_cells_find(const plait__merge_state *state, uint32_t rank,
				 uint32_t buffer, uint32_t index);

/* Add a temporary of a rank with one cell of the length of each of the cells in
 * `like`; *out is the first of them. */
plait_status plait__merge_cells_add(plait__merge_state *state, uint32_t rank,
				    const uint32_t *like, uint32_t count,
				    uint32_t *out);

/* Fail with PLAIT_E_NOMEM. */
plait_status plait__merge_no_memory(const plait__merge_state *state);

/* ---- merge_emit.c ---- */

/* An operation on `count` cells each; reductions to another cell have
 * `other`. */
typedef struct plait__merge_action {
	uint32_t kind, rank, count;
	const uint32_t *target, *source, *other;
} plait__merge_action;

/* Emit operations for runs of neighbouring cells. */
plait_status plait__merge_emit(plait__merge_state *state,
			       const plait__merge_action *action);

/* ---- merge_chains.c ---- */

typedef struct plait__merge_chains {
	uint32_t count, next;	/* chains; the one of the next component */
	uint32_t *lasts;	/* by chain: its last operation, or NONE */
	uint32_t first_before;	/* of the operations to link, in `befores` */
} plait__merge_chains;

/* Order the operations from `first` on by components, and link them to chains. */
plait_status plait__merge_chains_link(plait__merge *merge,
				      plait__merge_chains *chains,
				      uint32_t first);

/* ---- merge_detach.c ---- */

/* Detached: copy the inputs of all ranks to the temporaries that stand for
 * them, or what has been written of the outputs to the user's memory. */
plait_status plait__merge_detach_load(plait__merge_state *state);
plait_status plait__merge_detach_store(plait__merge_state *state);

/* ---- merge_message.c ---- */

/* Send a message that refers to cells. */
plait_status plait__merge_message_send(plait__merge_state *state,
				       plait__merge_lane *lane,
				       const uint32_t *cells, uint32_t count);

/* Receive the oldest message; `cells` gets its cells. */
void plait__merge_message_receive(plait__merge_state *state,
				  plait__merge_lane *sender, uint32_t *cells);

/* Returns true if a message refers to one of the cells. */
bool plait__merge_message_refers(const plait__merge_state *state,
				 const uint32_t *cells, uint32_t count);

/* Let messages refer to copies of the cells. */
plait_status plait__merge_message_save(plait__merge_state *state,
				       const uint32_t *cells, uint32_t count);

#endif
