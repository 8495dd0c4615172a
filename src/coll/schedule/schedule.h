/* SPDX-License-Identifier: MIT */
/*
 * Schedule of a collective: immutable flat data, symbolic in size.  The
 * compiler (`place`) and the XML reader (`form`) make it; the proofs (`prove`),
 * the simulation (`price`) and the lowering (`use`) read these arrays and
 * nothing else.  Read this file first.
 *
 * Structure
 *
 * A *rank* has an input, an output and a scratch buffer, in units of chunks.  A
 * *lane* belongs to one rank and executes its steps in order, once per tile of
 * the data.  A lane has at most one peer to send to and one to receive from; a
 * *connection* (sender, receiver, channel) is a FIFO of `depth` slots with one
 * sending and one receiving lane.  A *step* moves or reduces `count` neighbouring
 * chunks of the memory of its rank.  Both locations are local: the sender does
 * not know where the receiver stores.  A *wait* names an earlier step of another
 * lane of the same rank, in the same tile.
 *
 * Meaning of a step, where `in` is the message at the front of the receiving
 * connection, and each of its chunks is treated alike:
 *
 *   SEND              send source
 *   RECV              target = in
 *   RECV_SEND         target = in; send in
 *   RECV_REDUCE       target = source + in
 *   RECV_REDUCE_SEND  send source + in; target is not stored
 *   RECV_REDUCE_BOTH  target = source + in; send target
 *   COPY              target = source
 *   REDUCE            target = target + source
 *   NOP               only waits
 *
 * Happens-before: a step happens after the previous step of its lane, after the
 * steps that it waits for, and its receipt after the matching send.  The k-th
 * send of a connection happens after the (k - depth)-th receipt from it.
 *
 * In place: with PLAIT__COLL_IN_PLACE the input and the output share memory, by
 * the rule of the collective; plait__schedule_memory_index() tells equal memory
 * by equal numbers.
 */
#ifndef PLAIT_SRC_COLL_SCHEDULE_SCHEDULE_H
#define PLAIT_SRC_COLL_SCHEDULE_SCHEDULE_H

#include "plait/base.h"

enum plait__coll_kind {
	PLAIT__COLL_CUSTOM,
	PLAIT__COLL_ALLREDUCE,
	PLAIT__COLL_ALLGATHER,
	PLAIT__COLL_REDUCE_SCATTER,
	PLAIT__COLL_ALLTOALL,
	PLAIT__COLL_BROADCAST,
	PLAIT__COLL_REDUCE,
	PLAIT__COLL_GATHER,
	PLAIT__COLL_SCATTER,
	PLAIT__COLL_ALLTONEXT
};

enum plait__coll_flag {
	PLAIT__COLL_IN_PLACE = 1
};

enum plait__coll_protocol {
	PLAIT__PROTOCOL_AUTO,
	PLAIT__PROTOCOL_SIMPLE,
	PLAIT__PROTOCOL_LL,
	PLAIT__PROTOCOL_LL128
};

/* Executors: their FIFO rule, their limits and their dialect of XML. */
enum plait__coll_target {
	PLAIT__TARGET_PLAIT,
	PLAIT__TARGET_MSCCL,
	PLAIT__TARGET_EXECUTOR,
	PLAIT__TARGET_RCCL
};

enum plait__coll_buffer {
	PLAIT__COLL_INPUT,
	PLAIT__COLL_OUTPUT,
	PLAIT__COLL_SCRATCH
};

enum plait__step_kind {
	PLAIT__STEP_NOP,
	PLAIT__STEP_SEND,
	PLAIT__STEP_RECV,
	PLAIT__STEP_RECV_SEND,		/* XML: rcs */
	PLAIT__STEP_RECV_REDUCE,	/* XML: rrc */
	PLAIT__STEP_RECV_REDUCE_SEND,	/* XML: rrs */
	PLAIT__STEP_RECV_REDUCE_BOTH,	/* XML: rrcs */
	PLAIT__STEP_COPY,		/* XML: cpy */
	PLAIT__STEP_REDUCE		/* XML: re */
};

typedef struct plait__coll_step {
	uint8_t kind;		/* enum plait__step_kind */
	uint8_t source_buffer;	/* enum plait__coll_buffer, of this rank */
	uint8_t target_buffer;
	uint8_t reserved0;
	uint32_t count;		/* chunks; 0 for NOP only */
	uint32_t source, target; /* first chunk within the buffer */
	uint32_t first_wait, wait_count; /* in `waits` */
} plait__coll_step;

/* A step of another lane of the same rank: `lane` is an index into `lanes`,
 * `step` counts from 0 within that lane. */
typedef struct plait__coll_wait {
	uint32_t lane, step;
} plait__coll_wait;

typedef struct plait__coll_lane {
	uint32_t rank, channel;
	int32_t send_peer, recv_peer;	/* a rank, or -1 */
	uint64_t first_step, step_count; /* in `steps` */
} plait__coll_lane;

/* Sizes are those of the collective, also where an XML file leaves a buffer
 * out because it is not used. */
typedef struct plait__coll_rank {
	uint32_t input_chunks, output_chunks, scratch_chunks;
	uint32_t first_lane, lane_count; /* in `lanes`, ordered by rank */
} plait__coll_rank;

/* Promise of a custom collective: an output chunk holds the reduction of these
 * input chunks, each once.  An output chunk without a promise may hold
 * anything. */
typedef struct plait__coll_promise {
	uint32_t rank, index;	/* output chunk */
	uint64_t first_source, source_count; /* in `promise_sources` */
} plait__coll_promise;

typedef struct plait__coll_source {
	uint32_t rank, index;	/* input chunk */
} plait__coll_source;

typedef struct plait__schedule {
	uint32_t kind;		/* enum plait__coll_kind */
	uint32_t flags;		/* enum plait__coll_flag */
	uint32_t rank_count, root;
	/* Chunks of the whole collective buffer, max(input, output) of a rank:
	 * what a count of elements is divided by. */
	uint32_t chunks;
	uint32_t protocol, target;
	uint32_t depth;		/* slots per connection it was made for */
	uint32_t channel_count;
	uint64_t slot_bytes;
	uint64_t min_bytes, max_bytes; /* sizes it is meant for; max 0: any */
	char name[64];

	const plait_allocator *allocator; /* of all arrays and the schedule */
	plait__coll_rank *ranks;
	plait__coll_lane *lanes;
	plait__coll_step *steps;
	plait__coll_wait *waits;
	plait__coll_promise *promises;	/* CUSTOM only, sorted by rank, index */
	plait__coll_source *promise_sources;
	uint64_t lane_count, step_count, wait_count;
	uint64_t promise_count, promise_source_count;
} plait__schedule;

/* Returns true if a step of this kind sends, or receives. */
int plait__step_sends(uint32_t kind);
int plait__step_receives(uint32_t kind);

/* Number of a chunk within the memory of its rank: input, output and scratch in
 * this order; an output chunk that shares memory with an input chunk has the
 * number of the input chunk. */
uint64_t plait__schedule_memory_index(const plait__schedule *schedule,
				      uint32_t rank, uint32_t buffer,
				      uint64_t index);

/* Free all arrays and the schedule; null is ignored. */
void plait__schedule_free(plait__schedule *schedule);

#endif
