/* SPDX-License-Identifier: MIT */
/*
 * Lowering of a schedule for ranks that share one process: a list of copies and
 * reductions with the edges that their data need.
 *
 * A replay executes the steps once, in an order that happens-before implies.  A
 * message is no copy but a reference to the memory of its sender; the receiver
 * reads that memory.  A step that would overwrite memory which a message still
 * refers to is delayed as long as other steps can execute; then the memory is
 * copied to a slot first.  Edges are read after write, write after read and
 * write after write, by chunk.
 *
 * Geometry: a share of a rank has `count` elements; sub-chunk j of k of it has
 * the elements from floor(j * count / k) to floor((j + 1) * count / k).
 *
 * Pieces: the schedule can be lowered for each of P pieces of the sub-chunks, so
 * that what operations share stays in a cache.  Operations of a piece that depend
 * on each other are a component; C chains take them in turn, each executes one
 * operation at a time.  Pieces change no bit of the results.
 */
#ifndef PLAIT_SRC_COLL_MERGE_MERGE_H
#define PLAIT_SRC_COLL_MERGE_MERGE_H

#include <stdbool.h>

#include "coll/schedule/schedule.h"
#include "base/vector.h"

/* Memory that a place is in; `number` of a place counts within its kind. */
enum plait__merge_object {
	PLAIT__MERGE_INPUT,	/* by rank */
	PLAIT__MERGE_OUTPUT,	/* by rank */
	PLAIT__MERGE_TEMPORARY	/* an entry of `temporaries` */
};

typedef struct plait__merge_place {
	uint32_t object, number;
	uint64_t offset;	/* in elements */
} plait__merge_place;

enum plait__merge_kind {
	PLAIT__MERGE_COPY,	/* target = source */
	PLAIT__MERGE_REDUCE,	/* target = target + source */
	PLAIT__MERGE_REDUCE_TO	/* target = other + source */
};

typedef struct plait__merge_op {
	uint32_t kind;		/* enum plait__merge_kind */
	uint32_t rank;		/* whose device executes it */
	uint32_t step;		/* index into the steps, or UINT32_MAX */
	uint32_t mark;		/* the last operation that counted it */
	uint32_t first_before, before_count; /* in `befores` */
	uint64_t elements;
	plait__merge_place target, source, other;
} plait__merge_op;

typedef struct plait__merge_temporary {
	uint32_t rank, reserved0;
	uint64_t elements;
} plait__merge_temporary;

typedef struct plait__merge_request {
	uint64_t count;		/* elements of a share */
	/* Kernels of a rank read the memory of ranks with the same number only;
	 * copies read all.  Null: all have the same. */
	const uint32_t *memories;
	/* Pieces of each sub-chunk, and their chains; 0 pieces: one, whose edges
	 * are those that its data need. */
	uint32_t pieces, chains;
	/* Without pieces: only copies name inputs and outputs, for which runs
	 * bind buffers; temporaries stand for them in between. */
	bool detached;
} plait__merge_request;

typedef struct plait__merge {
	plait__vector ops;	/* plait__merge_op, in a topological order */
	plait__vector befores;	/* uint32_t: operations */
	plait__vector temporaries; /* plait__merge_temporary */
} plait__merge;

/*
 * Lower a proved schedule.  PLAIT_E_INVALID: chunks of unequal size meet, which
 * a custom collective can do if the count is no multiple of its chunks, or the
 * schedule has none; PLAIT_E_NOMEM.  The result is to be freed also after a failure.
 */
plait_status plait__merge_schedule(const plait__schedule *schedule,
				   const plait__merge_request *request,
				   plait__merge *out, plait_error *error);

void plait__merge_free(plait__merge *merge);

/* Count the components of a merge without pieces.  Returns -1 without memory. */
int plait__merge_chains_count(const plait__merge *merge, uint32_t *out);

/* Number of elements of the input or the output (enum plait__coll_buffer) of a
 * rank, for shares of `count` elements; UINT64_MAX: too many. */
uint64_t plait__merge_elements(const plait__schedule *schedule, uint32_t rank,
			       uint32_t buffer, uint64_t count);

/* Number of chunks of a share. */
uint32_t plait__merge_share(const plait__schedule *schedule);

#endif
