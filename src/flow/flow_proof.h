/* SPDX-License-Identifier: MIT */
/*
 * Proof of what a flow inferred, with PLAIT_FLOW_CHECK: ops are noted as they are
 * committed, and each horizon is proved.  Callers hold the lock, and the flow has
 * a proof.
 *
 * The known order is taken from the ops of the ring, and from words
 * of the ring that say "done"; which accesses conflict, and which memory has the
 * newest values, is found anew.
 */
#ifndef PLAIT_SRC_FLOW_FLOW_PROOF_H
#define PLAIT_SRC_FLOW_FLOW_PROOF_H

#include "flow/flow.h"

/* Returns false without memory. */
bool plait__flow_proof_make(plait__flow *flow, const plait_flow_desc *desc);
void plait__flow_proof_free(plait__flow *flow);

/* The newest op has these predecessors; `task` with flow->accesses, or null. */
void plait__flow_proof_add(plait__flow *flow, const plait__flow_task *task,
			   const plait__pred *preds, uint32_t count,
			   bool is_prefix);

/* The flow takes this op for done, and names it to no later one. */
void plait__flow_proof_note_done(plait__flow *flow, uint64_t number);

/* A memory's values of the data go; they are elsewhere. */
void plait__flow_proof_evict(plait__flow *flow, const plait__data *whole,
			     uint32_t memory);

/* Prove the ops, if they are a horizon, or `all` there are. */
void plait__flow_proof_run(plait__flow *flow, bool all);

/* Tell the failure of a proof; PLAIT_OK if none has failed. */
plait_status plait__flow_proof_tell(const plait__flow *flow,
				    plait_error *error);

/* The data ends. */
void plait__flow_proof_forget_data(plait__flow *flow, const plait__data *whole);

#endif
