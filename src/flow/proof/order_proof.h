/* SPDX-License-Identifier: MIT */
/*
 * Proof of the order of ops: the ops of a flow with their accesses and with what
 * orders them, as a graph for the checker of plans.  Pure.
 *
 * An op comes behind its predecessors; behind each op that was done before it was
 * added; and, as a prefix, behind all before it.  Ops are added by ascending
 * numbers.  Without memory the proof is incomplete, and says so in
 * `lacks_memory`.
 */
#ifndef PLAIT_SRC_FLOW_PROOF_ORDER_PROOF_H
#define PLAIT_SRC_FLOW_PROOF_ORDER_PROOF_H

#include "flow/region/box.h"

#include "base/vector.h"

enum { PLAIT__ORDER_PROOF_LABEL = 40 };

/* `mode`: PLAIT__ACCESS_READS, PLAIT__ACCESS_WRITES or both. */
typedef struct plait__order_access {
	uint32_t object;
	uint32_t mode;
	plait_box box;
} plait__order_access;

typedef struct plait__order_op {
	uint64_t number;
	uint64_t settled; /* all ops up to this one were done before */
	bool is_prefix;
	char label[PLAIT__ORDER_PROOF_LABEL];
	/* Set by plait__order_proof_add. */
	uint32_t first_access;
	uint32_t access_count;
	uint32_t first_pred;
	uint32_t pred_count;
} plait__order_op;

typedef struct plait__order_proof {
	const plait_allocator *allocator;
	bool lacks_memory;
	plait__vector ops;
	plait__vector accesses; /* by op */
	plait__vector preds;	/* by op */
} plait__order_proof;

/* Two accesses without an order; valid until the proof changes. */
typedef struct plait__order_conflict {
	const plait__order_op *ops[2];
	const plait__order_access *accesses[2];
} plait__order_conflict;

void plait__order_proof_init(plait__order_proof *proof,
			     const plait_allocator *allocator);
void plait__order_proof_fini(plait__order_proof *proof);

/* Append an access of the next op. */
void plait__order_proof_add_access(plait__order_proof *proof,
				   const plait__order_access *access);

/* The next op comes behind op `number`; `is_done`: that op was done, so all later
 * ones do. */
void plait__order_proof_add_pred(plait__order_proof *proof, uint64_t number,
				 bool is_done);

/* Append the op, with the accesses and predecessors since the last one. */
void plait__order_proof_add(plait__order_proof *proof,
			    const plait__order_op *op);

/* Prove that all conflicting accesses are ordered.  PLAIT_E_INVALID: *out has two
 * that are not, and `error` nothing; PLAIT_E_NOMEM. */
plait_status plait__order_proof_run(const plait__order_proof *proof,
				    plait__order_conflict *out,
				    plait_error *error);

/* Forget the ops up to `settled`, which are done: all ops to come are behind
 * them. */
void plait__order_proof_forget(plait__order_proof *proof, uint64_t settled);

#endif
