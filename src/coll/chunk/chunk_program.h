/* SPDX-License-Identifier: MIT */
/*
 * Chunk program: the copies and reductions of a collective, in program order,
 * between ranges of chunks of all ranks.
 *
 * A *range* is some neighbouring chunks of one buffer of one rank.  A
 * *reference* is a range in one version: the values that it has after the
 * operations so far.  A later write makes the reference stale.  A reference is
 * a number below 2^53 that the program gives out; number 0 is none.  Each call
 * checks its references, so a program that exists reads no stale, no
 * uninitialised and no missing chunk.
 *
 * The compiler (`dag`) reads the arrays.  Calls of one program come from one
 * thread at a time.
 */
#ifndef PLAIT_SRC_COLL_CHUNK_CHUNK_PROGRAM_H
#define PLAIT_SRC_COLL_CHUNK_CHUNK_PROGRAM_H

#include <stdbool.h>

#include "coll/schedule/schedule.h"
#include "base/vector.h"

#define PLAIT__COLL_NONE UINT32_MAX

enum {
	PLAIT__CHUNK_TAG_BITS = 21,
	/* Maxima that keep all numbers of the compiler in 32 bits. */
	PLAIT__CHUNK_MAX_RANKS = 1 << 16,
	PLAIT__CHUNK_MAX_WAYS = 1 << 10,
	PLAIT__CHUNK_MAX_BUFFERS = 1 << 16,
	PLAIT__CHUNK_MAX_CELLS = 1 << 28
};

enum plait__chunk_place_flag {
	PLAIT__CHUNK_HAS_BUFFER = 1 << 0,
	PLAIT__CHUNK_HAS_CHANNEL = 1 << 1,
	PLAIT__CHUNK_HAS_LANES = 1 << 2,
	PLAIT__CHUNK_APPEND = 1 << 3
};

/* Target of a copy, and directives of a copy or reduction.  A field counts if
 * its flag is set; without HAS_BUFFER a copy keeps buffer and index. */
typedef struct plait__chunk_place {
	uint32_t flags;
	uint32_t rank, buffer;	/* buffer: SCRATCH + n is scratch buffer n */
	uint32_t channel, send_lane, recv_lane;
	uint64_t index;
} plait__chunk_place;

typedef struct plait__chunk_range {
	uint32_t rank, buffer, index, count;
} plait__chunk_range;

typedef struct plait__chunk_reference {
	plait__chunk_range range;
	uint32_t version;	/* operations before it */
} plait__chunk_reference;

typedef struct plait__chunk_op {
	plait__chunk_range source, target; /* counts are equal */
	uint32_t is_reduce;	/* target = target + source, else a copy */
	uint32_t fragment;	/* in `fragments` */
	uint32_t flags;		/* HAS_CHANNEL, HAS_LANES */
	uint32_t channel, send_lane, recv_lane;
} plait__chunk_op;

/* Operations that run in `ways` parallel ways.  Fragment 0 is the program. */
typedef struct plait__chunk_fragment {
	uint32_t parent, ways;
	uint32_t product;	/* of its own ways and those around it */
} plait__chunk_fragment;

typedef struct plait__chunk_scratch {
	uint32_t rank, number;
	uint32_t next;		/* scratch buffer of the same rank, or NONE */
	plait__vector cells;
} plait__chunk_scratch;

/* Cell of a chunk: 0 uninitialised, 1 initial, i + 2 written by operation i. */
typedef struct plait__chunk_program {
	const plait_allocator *allocator;
	/* The collective: kind, flags, sizes, promises; no lanes, no steps.
	 * `chunks` is that of the schedule. */
	plait__schedule *shape;
	uint32_t share;		/* chunks of a rank's share */
	uint32_t tag;		/* high bits of its references */
	uint32_t fragment;	/* the innermost open one */
	uint32_t *cells;	/* of inputs and outputs, rank by rank */
	uint64_t cell_count;
	uint32_t *first_scratch; /* by rank, in `scratch`, or NONE */
	plait__vector scratch;	/* plait__chunk_scratch */
	plait__vector ops, references, fragments;
} plait__chunk_program;

typedef struct plait__chunk_request {
	uint32_t kind, flags, rank_count, root;
	uint32_t share;		/* 0: 1 */
	uint32_t tag;		/* below 2^PLAIT__CHUNK_TAG_BITS */
	uint64_t input_chunks, output_chunks; /* CUSTOM only, of each rank */
	const char *name;	/* null: none */
} plait__chunk_request;

/* Make a program without operations.  PLAIT_E_INVALID: an unknown collective, or
 * a size out of range; PLAIT_E_NOMEM; *out is null then. */
plait_status plait__chunk_program_make(const plait_allocator *allocator,
				       const plait__chunk_request *request,
				       plait__chunk_program **out,
				       plait_error *error);
void plait__chunk_program_free(plait__chunk_program *program);

/* Give the promises of a custom collective, once (else PLAIT_E_STATE); they are
 * copied and may come in any order.  PLAIT_E_INVALID, PLAIT_E_NOMEM. */
plait_status plait__chunk_program_promise(plait__chunk_program *program,
					  const plait__coll_promise *promises,
					  uint64_t promise_count,
					  const plait__coll_source *sources,
					  uint64_t source_count,
					  plait_error *error);

/* The calls below return PLAIT_E_INVALID for what the program must not do, with
 * the ranges in the text, or PLAIT_E_NOMEM. */

/* Refer to chunks that have values now. */
plait_status plait__chunk_get(plait__chunk_program *program,
			      const plait__chunk_range *range, uint64_t *out,
			      plait_error *error);

/* Copy; *out refers to the copy.  A copy onto itself is no operation. */
plait_status plait__chunk_copy(plait__chunk_program *program, uint64_t source,
			       const plait__chunk_place *place, uint64_t *out,
			       plait_error *error);

/* Add the source to the target; *out refers to the target afterwards. */
plait_status plait__chunk_reduce(plait__chunk_program *program, uint64_t target,
				 uint64_t source,
				 const plait__chunk_place *place, uint64_t *out,
				 plait_error *error);

/* Refer to `count` chunks of a reference, from its chunk `first` on. */
plait_status plait__chunk_part(plait__chunk_program *program, uint64_t whole,
			       uint64_t first, uint64_t count, uint64_t *out,
			       plait_error *error);
/* Join neighbours, in any order. */
plait_status plait__chunk_join(plait__chunk_program *program, uint64_t one,
			       uint64_t other, uint64_t *out,
			       plait_error *error);

/* Look up the range of a reference, and check that it is current. */
plait_status plait__chunk_find(const plait__chunk_program *program,
			       uint64_t reference, plait__chunk_range *out,
			       plait_error *error);

/* Begin a fragment of `ways` parallel ways; end the innermost one. */
plait_status plait__chunk_parallel(plait__chunk_program *program, uint32_t ways,
				   plait_error *error);
plait_status plait__chunk_parallel_end(plait__chunk_program *program,
				       plait_error *error);

/* ---- for chunk_program.c and chunk_ops.c ---- */

/* Check that a range is inside its buffer. */
plait_status plait__chunk_program_bounds(const plait__chunk_program *program,
					 const plait__chunk_range *range,
					 plait_error *error);
/* The cell of chunk `i` of a range within bounds. */
uint32_t *plait__chunk_program_cell(const plait__chunk_program *program,
				    const plait__chunk_range *range,
				    uint32_t i);
/* Make a scratch buffer, or a longer one, so that the range is within bounds.
 * Other buffers do not grow. */
plait_status plait__chunk_program_grow(plait__chunk_program *program,
				       const plait__chunk_range *range,
				       plait_error *error);
/* Number of chunks of a buffer; 0 for scratch that does not exist. */
uint32_t plait__chunk_program_length(const plait__chunk_program *program,
				     uint32_t rank, uint32_t buffer);

/* Room of "rank 3 input[0..2)"; returns `room`. */
enum { PLAIT__CHUNK_TEXT_BYTES = 72 };
const char *plait__chunk_program_text(const plait__chunk_range *range,
				      char room[PLAIT__CHUNK_TEXT_BYTES]);

#endif
