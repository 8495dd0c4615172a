/* SPDX-License-Identifier: MIT */
/*
 * Proof of a schedule: what it guarantees for each timing and each number of
 * tiles.  The proof reads the emitted steps only; it shares schedule.h with the
 * compiler, and no code.
 *
 * Phases, in this order; the first that finds a fault refuses the schedule:
 *
 *   shape     arrays and indices, connections with one sender and one receiver,
 *             equal counts of the k-th send and the k-th receipt, stores inside
 *             their buffers
 *   deadlock  the schedule ends with FIFOs of the depth of the request
 *   race      conflicting accesses of a rank are ordered, at any depth, by the
 *             happens-before of schedule.h, whose steps are whole also where an
 *             executor splits them
 *   value     outputs hold what the collective promises; each chunk that is
 *             read holds a value, and no value has a source twice
 */
#ifndef PLAIT_SRC_COLL_PROVE_PROVE_H
#define PLAIT_SRC_COLL_PROVE_PROVE_H

#include "coll/schedule/schedule.h"

enum plait__proof_verdict {
	PLAIT__PROOF_OK,
	PLAIT__PROOF_REFUSED
};

enum plait__proof_reason {
	PLAIT__PROOF_NO_REASON,
	PLAIT__PROOF_SHAPE,
	PLAIT__PROOF_DEADLOCK,
	PLAIT__PROOF_RACE,
	PLAIT__PROOF_VALUE
};

enum plait__proof_flag {
	/* Where ranks are promised the same value, all of them compute it by the
	 * same operations, so that they get the same bits. */
	PLAIT__PROOF_SAME_BITS = 1,
	/* The schedule is within the limits of this executor. */
	PLAIT__PROOF_EXPORTS_MSCCL = 2,
	PLAIT__PROOF_EXPORTS_EXECUTOR = 4,
	PLAIT__PROOF_EXPORTS_RCCL = 8
};

enum plait__prove_flag {
	PLAIT__PROVE_TARGET = 1,	/* `target` holds, not the schedule's */
	PLAIT__PROVE_KIND = 2,		/* `kind` and `root` hold */
	PLAIT__PROVE_PROMISES = 4	/* the promises hold; `kind` is ignored */
};

/* Zeros prove the schedule for what it says of itself. */
typedef struct plait__prove_request {
	uint32_t flags;		/* enum plait__prove_flag */
	uint32_t target;	/* enum plait__coll_target */
	uint32_t depth;		/* slots per connection; 0: the schedule's */
	uint32_t kind, root;
	/* Tile t uses the scratch of tile t + scratch_tiles; 0: each tile has
	 * scratch of its own. */
	uint32_t scratch_tiles;
	uint64_t slot_bytes;	/* 0: the schedule's */
	const plait__coll_promise *promises; /* sorted by rank, index */
	const plait__coll_source *promise_sources;
	uint64_t promise_count, promise_source_count;
} plait__prove_request;

typedef struct plait__proof {
	uint32_t verdict, reason, flags;
	uint32_t depth;		/* for which it was proved */
	uint32_t depth_min;	/* least depth without deadlock; 0: none */
	uint32_t lanes;		/* most of a rank */
	uint32_t channels;
	uint32_t steps_max;	/* most of a lane */
	uint32_t count_max;	/* most chunks of a step */
	uint64_t steps;
	/* Largest collective that an executor which splits steps by size ends
	 * with this depth; UINT64_MAX: any. */
	uint64_t safe_bytes;
} plait__proof;

/*
 * Prove the schedule.  PLAIT_E_INVALID, and PLAIT_E_DEADLOCK for a deadlock:
 * the schedule is refused; the proof has the reason, and the error names rank,
 * lane, step and the circle or the chunk.  PLAIT_E_NOMEM: the proof says nothing.
 * `request` may be null.
 */
plait_status plait__prove_schedule(const plait__schedule *schedule,
				   const plait__prove_request *request,
				   plait__proof *proof, plait_error *error);

/* Returns "shape", "deadlock", "race", "value", or "" for no reason. */
const char *plait__prove_reason_name(uint32_t reason);

#endif
