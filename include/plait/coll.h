/* SPDX-License-Identifier: MIT */
/*
 * plait/coll.h - chunk programs: collectives as copies and reductions of chunks.
 *
 * A program says, in the order of its calls, which chunks the ranks of a
 * collective copy and reduce.  plait_coll_compile makes a schedule
 * (plait/schedule.h) of it, and proves it.  The caller creates an empty program
 * and adds operations, takes a known algorithm (plait_coll_known), or reads a
 * text (plait_coll_read).
 *
 * A plait_chunk refers to neighbouring chunks of one buffer of one rank, in one
 * version: the values that they have after the calls so far.  A later write
 * makes it stale.  The use of a stale chunk, of one without value or of one out
 * of range is an error of that call, and changes nothing.
 *
 * Example:
 *
 *     plait_coll_desc desc = { .size = sizeof(desc), .ranks = 4,
 *                              .kind = PLAIT_COLL_BROADCAST };
 *     plait_chunk_place to = { .size = sizeof(to),
 *                              .flags = PLAIT_CHUNK_HAS_BUFFER,
 *                              .buffer = PLAIT_CHUNK_OUTPUT };
 *     plait_chunk chunk;
 *
 *     plait_coll_create(context, &desc, &coll, &error);
 *     plait_coll_chunk(coll, 0, PLAIT_CHUNK_INPUT, 0, 1, &chunk, &error);
 *     for (to.rank = 0; to.rank < 4; to.rank++)
 *             plait_coll_copy(coll, chunk, &to, &chunk, &error);
 *     plait_coll_compile(coll, NULL, &schedule, &error);
 *     plait_coll_release(coll);
 *
 * Threads.  One thread at a time uses a program.  A call while another thread
 * is in the program answers PLAIT_E_STATE and changes nothing.
 */
#ifndef PLAIT_COLL_H
#define PLAIT_COLL_H

#include "plait/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A chunk program. */
typedef struct plait_coll plait_coll;

/* Chunks of a rank in one version; below 2^53, never 0. */
typedef uint64_t plait_chunk;

/* Buffer of a rank; PLAIT_CHUNK_SCRATCH + n is its scratch buffer n, up to
 * 65535.  A scratch buffer has the length that the program writes. */
typedef uint32_t plait_chunk_buffer;
enum {
	PLAIT_CHUNK_INPUT = 0,
	PLAIT_CHUNK_OUTPUT = 1,
	PLAIT_CHUNK_SCRATCH = 2
};

/* Flags of plait_coll_desc. */
typedef uint32_t plait_coll_flags;
enum {
	/* Input and output share memory: the smaller one is the rank's own
	 * part of the larger one. */
	PLAIT_COLL_IN_PLACE = 1 << 0
};

typedef struct plait_coll_desc {
	uint32_t size;
	plait_coll_flags flags;
	plait_coll_kind kind;
	uint32_t ranks;
	/* Rank with the input, or the output, of the kinds that have one. */
	uint32_t root;
	/* Chunks of a rank's share.  0: 1; plait_coll_known: the algorithm's
	 * choice. */
	uint32_t chunks;
	/* PLAIT_COLL_CUSTOM only: chunks of each rank's buffers. */
	uint64_t input_chunks;
	uint64_t output_chunks;
	/* PLAIT_COLL_CUSTOM only: in any order, at most one for an output
	 * chunk. */
	uint64_t promise_count;
	const plait_coll_promise *promises;
	/* For errors and drawings; nullable. */
	const char *label;
} plait_coll_desc;

/* Flags of plait_chunk_place. */
typedef uint32_t plait_chunk_place_flags;
enum {
	/* Copies: `buffer` and `index` hold.  Without it a copy goes to the
	 * buffer and index of its source. */
	PLAIT_CHUNK_HAS_BUFFER = 1 << 0,
	/* `channel` holds: transfers of other channels use other connections.
	 * In parallel ways, way w uses the channel plus w times the number of
	 * channels that the program names. */
	PLAIT_CHUNK_HAS_CHANNEL = 1 << 1,
	/* `send_lane` and `recv_lane` hold; lanes of ways as channels. */
	PLAIT_CHUNK_HAS_LANES = 1 << 2,
	/* Copies: to the end of scratch buffer `buffer`; `index` is not
	 * used. */
	PLAIT_CHUNK_APPEND = 1 << 3
};

/* Target of a copy, and directives of a copy or reduction; the compiler chooses
 * what no flag sets. */
typedef struct plait_chunk_place {
	uint32_t size;
	plait_chunk_place_flags flags;
	/* Copies: the rank to copy to. */
	uint32_t rank;
	plait_chunk_buffer buffer;
	uint32_t channel;
	uint32_t send_lane;
	uint32_t recv_lane;
	uint32_t reserved0;
	uint64_t index;
} plait_chunk_place;

/* How messages travel.  Between ranks of a world (plait_collective_create) slots are
 * as large as the transports take; AUTO and LL there have the number of each message
 * in its head, which a receiver in the same memory waits for, and the bytes of the
 * smallest ones; with SIMPLE it waits for a counter of the link, which takes longer
 * for small messages. */
typedef uint32_t plait_coll_protocol;
enum {
	/* The target's choice. */
	PLAIT_PROTOCOL_AUTO = 0,
	/* Large slots, two of them. */
	PLAIT_PROTOCOL_SIMPLE = 1,
	/* Small slots that carry their flags, eight of them. */
	PLAIT_PROTOCOL_LL = 2,
	PLAIT_PROTOCOL_LL128 = 3
};

/* Flags of plait_compile_desc. */
typedef uint32_t plait_compile_flags;
enum {
	/* Each send, receipt, copy and reduction is a step of its own. */
	PLAIT_COMPILE_NO_FUSION = 1 << 0,
	/* No lane both sends and receives, unless a step does. */
	PLAIT_COMPILE_SEPARATE_LANES = 1 << 1,
	/* Transfers of neighbouring chunks between the same two ranks become
	 * one, if that delays none of them by more than the latency of a
	 * message. */
	PLAIT_COMPILE_AGGREGATE = 1 << 2
};

/* How to compile; a 0 is the target's choice. */
typedef struct plait_compile_desc {
	uint32_t size;
	plait_compile_flags flags;
	/* Executor whose rules and limits the schedule keeps. */
	plait_coll_target target;
	plait_coll_protocol protocol;
	/* Parallel ways of the whole program; default 1. */
	uint32_t instances;
	/* Slots per connection that suffice for the schedule. */
	uint32_t depth;
	/* Lanes of a rank: above it sends and receipts share lanes where they
	 * can, up to it operations that need nothing have lanes of their own.
	 * Default: no limit, and no such lanes. */
	uint32_t lanes;
	/* Maximum number of channels. */
	uint32_t channels;
	/* Bytes per slot. */
	uint64_t slot_bytes;
	/* Sizes of the collective that the schedule is for, in bytes; max_bytes
	 * 0: any. */
	uint64_t min_bytes;
	uint64_t max_bytes;
	/* Most chunks of a message that AGGREGATE makes, of those that the
	 * schedule has: a chunk of the program is one for each way and instance.
	 * Large messages cost fewer latencies, small ones follow each other
	 * through several ranks at the same time. */
	uint32_t message_chunks;
	uint32_t reserved0;
} plait_compile_desc;

/* ------------------------------------------------------------------------
 * Programs
 */

/*
 * plait_coll_create - create a program without operations.
 *
 * @param context borrowed, non-null: the context that the program belongs to
 * @param desc    borrowed, non-null: the collective
 * @param out     owned, non-null: the program, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_coll_create(plait_context *context,
					 const plait_coll_desc *desc,
					 plait_coll **out, plait_error *error);

/*
 * plait_coll_known - create the program of a known algorithm.
 *
 * The algorithms: ring, allpairs, onestep, direct, halving, tree, doubletree,
 * hierarchical, twostep, threestep and next; an error lists those for the
 * collective.  "NAME:G" says that G neighbouring ranks are a node, for the last
 * four; without it the number of nodes is about that of the ranks of each.
 *
 * @param context borrowed, non-null: the context that the program belongs to
 * @param name    borrowed, non-null: the algorithm
 * @param desc    borrowed, non-null: the collective; chunks 0: the algorithm's
 *                choice
 * @param out     owned, non-null: the program, one reference
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_coll_known(plait_context *context,
					const char *name,
					const plait_coll_desc *desc,
					plait_coll **out, plait_error *error);

/*
 * plait_coll_read - create a program from its text form, doc/coll-text.md.
 *
 * @param context borrowed, non-null: the context that the program belongs to
 * @param text    borrowed, non-null: the text; needs no NUL
 * @param bytes   value: length of the text in bytes
 * @param name    borrowed, nullable: the file's name, for errors
 * @param ranks   value: number of ranks; 0: that of the text
 * @param chunks  value: chunks of a rank's share; 0: that of the text
 * @param out     owned, non-null: the program, one reference
 * @param error   borrowed, nullable: filled on failure: file, line and the
 *                mistake
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_coll_read(plait_context *context, const char *text,
				       uint64_t bytes, const char *name,
				       uint32_t ranks, uint32_t chunks,
				       plait_coll **out, plait_error *error);

/*
 * plait_coll_retain - add one reference.
 *
 * @param coll borrowed, nullable: the program; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_coll_retain(plait_coll *coll);

/*
 * plait_coll_release - give one reference back.
 *
 * @param coll consumed, nullable: the program; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_coll_release(plait_coll *coll);

/* ------------------------------------------------------------------------
 * Operations
 */

/*
 * plait_coll_chunk - refer to chunks as they are now.
 *
 * @param coll   borrowed, non-null: the program
 * @param rank   value: the rank
 * @param buffer value: PLAIT_CHUNK_INPUT, PLAIT_CHUNK_OUTPUT or
 *               PLAIT_CHUNK_SCRATCH + n
 * @param index  value: the first chunk in the buffer
 * @param count  value: number of chunks, at least 1
 * @param out    borrowed, non-null: the chunks
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (out of range, or without value),
 *         PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_STATE (another thread is in
 *         the program), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_coll_chunk(plait_coll *coll, uint32_t rank,
					plait_chunk_buffer buffer,
					uint64_t index, uint64_t count,
					plait_chunk *out, plait_error *error);

/*
 * plait_coll_copy - copy chunks to a place.
 *
 * A copy onto itself is no operation, so one program serves in place and out of
 * place.
 *
 * @param coll  borrowed, non-null: the program
 * @param chunk value: the chunks
 * @param place borrowed, non-null: the target
 * @param out   borrowed, nullable: the copy
 * @param error borrowed, nullable: filled on failure
 * @return as plait_coll_chunk; PLAIT_E_INVALID also: the chunks are stale, or
 *         source and target overlap
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_coll_copy(plait_coll *coll, plait_chunk chunk,
				       const plait_chunk_place *place,
				       plait_chunk *out, plait_error *error);

/*
 * plait_coll_reduce - add chunks to others.
 *
 * @param coll   borrowed, non-null: the program
 * @param target value: chunks that receive the reduction
 * @param source value: as many chunks, of any rank
 * @param place  borrowed, nullable: channel and lanes; null: automatic
 * @param out    borrowed, nullable: the target afterwards
 * @param error  borrowed, nullable: filled on failure
 * @return as plait_coll_copy
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_coll_reduce(plait_coll *coll, plait_chunk target,
					 plait_chunk source,
					 const plait_chunk_place *place,
					 plait_chunk *out, plait_error *error);

/*
 * plait_coll_part - refer to some of the chunks.
 *
 * @param coll  borrowed, non-null: the program
 * @param chunk value: the chunks
 * @param first value: first one of the part, from 0
 * @param count value: number of chunks of the part, at least 1
 * @param out   borrowed, non-null: the part
 * @param error borrowed, nullable: filled on failure
 * @return as plait_coll_copy
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_coll_part(plait_coll *coll, plait_chunk chunk,
				       uint64_t first, uint64_t count,
				       plait_chunk *out, plait_error *error);

/*
 * plait_coll_join - refer to neighbouring chunks as one.
 *
 * @param coll  borrowed, non-null: the program
 * @param one   value: chunks
 * @param other value: the chunks before or behind them
 * @param out   borrowed, non-null: both
 * @param error borrowed, nullable: filled on failure
 * @return as plait_coll_copy
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_coll_join(plait_coll *coll, plait_chunk one,
				       plait_chunk other, plait_chunk *out,
				       plait_error *error);

/*
 * plait_coll_parallel - begin a fragment of parallel ways.
 *
 * Each operation up to plait_coll_end is split into `ways` parts, which move at
 * the same time on channels of their own.  Fragments nest: the numbers of ways
 * multiply, up to 1024.
 *
 * @param coll  borrowed, non-null: the program
 * @param ways  value: number of ways, at least 1
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_STATE (another thread is in the program), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_coll_parallel(plait_coll *coll, uint32_t ways,
					   plait_error *error);

/*
 * plait_coll_end - end the innermost fragment.
 *
 * @param coll  borrowed, non-null: the program
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (no fragment is open), PLAIT_E_HANDLE,
 *         PLAIT_E_STATE (another thread is in the program), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_coll_end(plait_coll *coll, plait_error *error);

/* ------------------------------------------------------------------------
 * Compiling
 */

/*
 * plait_coll_compile - compile the program as it is now, and prove the schedule.
 *
 * The program stays; it may grow and be compiled again.  Equal programs and
 * descriptors give equal schedules.
 *
 * @param coll  borrowed, non-null: the program; no fragment is open
 * @param desc  borrowed, nullable: how; null: all defaults
 * @param out   owned, non-null: the schedule, one reference
 * @param error borrowed, nullable: filled on failure: the limit of the target,
 *              or the chunk that does not hold what the collective promises
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_STATE (another thread is in the program, or a fragment is
 *         open), PLAIT_E_FORKED
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_coll_compile(plait_coll *coll,
					  const plait_compile_desc *desc,
					  plait_schedule **out,
					  plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
