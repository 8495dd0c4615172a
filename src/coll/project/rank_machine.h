/* SPDX-License-Identifier: MIT */
/*
 * Step machine: one rank's execution of its program over links.  Pure data and
 * one function that goes on until a message, a slot or a wait is missing; the
 * caller waits and calls again.  One thread at a time uses a machine.
 *
 * Tiles.  A message has at most `tile` elements of each of its chunks, so a call
 * is executed in tiles: each lane executes all its steps for one tile, then for
 * the next one.  All ranks compute the same tiles from count and slot size.  Lanes
 * take turns after each tile, those that send first: peers wait for messages.
 *
 * Messages (rank_message.h) tell the number of the call, its count and type.  One
 * of an earlier call, which the rank has left, is dropped; one of a later call
 * means that its sender has left this call.
 */
#ifndef PLAIT_SRC_COLL_PROJECT_RANK_MACHINE_H
#define PLAIT_SRC_COLL_PROJECT_RANK_MACHINE_H

#include "coll/project/host_reduce.h"
#include "coll/project/rank_program.h"
#include "world/slot_link.h"

/* Memory that peers read in place; zeros: none.  See world/world_buffer.h. */
typedef struct plait__machine_piece {
	unsigned char *start;
	uint64_t bytes;
	uint64_t place;
} plait__machine_piece;

/* Arguments of a call of a collective. */
typedef struct plait__machine_call {
	uint64_t number;	/* of the call, from 1; equal on all ranks */
	uint32_t type;		/* plait__rank_message_type() */
	uint64_t count;		/* elements of a share */
	uint32_t element_bytes;
	const plait__host_reduce *reduce; /* null: bytes are moved only */
	/* Input, output, scratch; in place the output alone. */
	unsigned char *buffers[3];
	plait__machine_piece pieces[3]; /* that have all of these */
} plait__machine_call;

/* Memory that a message is sent from. */
typedef struct plait__machine_loan {
	const unsigned char *start, *end;
	uint64_t message;	/* of the link, from 1; 0: none */
} plait__machine_loan;

enum {
	/* Messages that a lane sends from their memory at a time; more are
	 * copied. */
	PLAIT__LANE_LOANS = 4,
	/* Bytes of a message whose memory is lent.  Calls that reduce wait for a
	 * permit between their steps, and their receivers save no copy of what
	 * they reduce. */
	PLAIT__LENT_LEAST = 1 << 15,
	PLAIT__LENT_LEAST_REDUCED = 1 << 18
};

typedef struct plait__machine_lane {
	uint64_t done;		/* steps of all tiles */
	uint64_t tile;
	uint32_t step;
	bool received;		/* the message is taken, not yet sent on */
	bool asked;		/* memory is lent for the next message */
	plait__machine_loan loans[PLAIT__LANE_LOANS];
	unsigned char *staging;	/* a message, if the lane stages */
} plait__machine_lane;

/* A chunk that a step moves, for the count and element of a call. */
typedef struct plait__machine_chunk {
	uint64_t source, target; /* bytes from the beginning of the buffer */
	uint64_t count;		/* elements */
} plait__machine_chunk;

typedef struct plait__rank_machine {
	const plait__rank_program *program;
	const plait_allocator *allocator;
	plait__slot_link *links; /* by program link; the caller fills them */
	plait__machine_lane *lanes;
	uint32_t *order;	/* of lanes: those that begin by sending first */
	uint64_t slot_bytes;	/* behind the head of a slot */
	bool is_pumped;		/* set by the caller; see ..._advance */
	plait__machine_call call;
	/* Geometry, kept for calls of the same count and element. */
	uint64_t laid_count;
	uint32_t laid_bytes;	/* of an element; 0: none yet */
	uint64_t tile;		/* elements of a chunk in a message */
	uint64_t tiles;
	bool streams;		/* the output is large and apart */
	struct plait__direct_link *direct; /* by link, or null; rank_direct.h */
	bool offers;		/* a message of a link is offered, perhaps */
	bool lends;		/* memory was lent, perhaps of an earlier call */
	uint64_t lent_least;	/* bytes of a message whose memory is lent */
	plait__machine_chunk *chunks; /* as program->parts */
	plait_error *error;	/* of the call */
} plait__rank_machine;

/* Allocate lanes and links.  PLAIT_E_NOMEM.  Free it also after a failure. */
plait_status plait__rank_machine_init(plait__rank_machine *machine,
				      const plait__rank_program *program,
				      uint64_t slot_bytes, plait_error *error);
void plait__rank_machine_free(plait__rank_machine *machine);

/* Elements of scratch that a call needs. */
uint64_t plait__rank_machine_scratch(const plait__rank_program *program,
				     uint64_t count);

/* Begin a call. */
void plait__rank_machine_begin(plait__rank_machine *machine,
			       const plait__machine_call *call,
			       plait_error *error);

/*
 * Execute steps as far as they go; with is_pumped, at most one of each lane, so
 * that the caller's pump moves messages in between.  PLAIT_OK: the rank's steps are done;
 * PLAIT_PENDING: a peer has to do something; PLAIT_E_INVALID: a peer calls with
 * another count or type; PLAIT_E_CANCELLED: a peer has left this call.  The error
 * names the rank.  *out_moved (non-null): a step was executed.
 */
plait_status plait__rank_machine_advance(plait__rank_machine *machine,
					 bool *out_moved);

/* Find a peer that a lane, from *number on, waits for, and set *number behind it;
 * false: none.  *out_receives: for its message, else for a free slot. */
bool plait__rank_machine_blocked(const plait__rank_machine *machine,
				 uint32_t *number, uint32_t *out_peer,
				 bool *out_receives);

#endif
