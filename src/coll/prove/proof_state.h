/* SPDX-License-Identifier: MIT */
/*
 * State that the phases of a proof share: the schedule, both ends of its
 * connections, and an order of its steps that happens-before implies.
 */
#ifndef PLAIT_SRC_COLL_PROVE_PROOF_STATE_H
#define PLAIT_SRC_COLL_PROVE_PROOF_STATE_H

#include <stdbool.h>

#include "coll/prove/prove.h"

enum { PLAIT__PROOF_NO_LANE = UINT32_MAX };

typedef struct plait__proof_state {
	const plait__schedule *schedule;
	const plait__prove_request *request;
	const plait_allocator *allocator;
	plait__proof *proof;
	plait_error *error;
	uint32_t target;
	uint32_t depth;
	uint64_t slot_bytes;
	uint32_t lane_count, step_count;

	/* By lane: the sender of what it receives, the receiver of what it
	 * sends; PLAIT__PROOF_NO_LANE where there is none. */
	uint32_t *sender, *receiver;
	/* By lane: its first entry in `sends` and `receipts`, one entry more
	 * than lanes. */
	uint32_t *first_send, *first_receipt;
	uint32_t *sends, *receipts; /* steps, by lane in the order of the lane */
	uint32_t *lane_of;	/* by step */
	/* All steps in the order of one execution with unlimited FIFOs. */
	uint32_t *order;
} plait__proof_state;

/* Returns the kind and the root to prove against. */
uint32_t plait__proof_kind(const plait__proof_state *state);
uint32_t plait__proof_root(const plait__proof_state *state);

void plait__proof_state_fini(plait__proof_state *state);

/* Write the refusal; returns its status. */
plait_status plait__proof_refuse(plait__proof_state *state, uint32_t reason,
				 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

plait_status plait__proof_no_memory(plait__proof_state *state);

/* Room of a step's name. */
enum { PLAIT__PROOF_NAME_BYTES = 96 };

/* Write "rank 0 lane 1 step 2 (recv)"; `step` is an index into `steps`. */
const char *plait__proof_step_name(const plait__proof_state *state,
				   uint32_t step,
				   char room[PLAIT__PROOF_NAME_BYTES]);

const char *plait__proof_buffer_name(uint32_t buffer);

/* ---- phases ---- */

/* Prove the shape and fill the ends of connections. */
plait_status plait__shape_check(plait__proof_state *state);

/* Find the least depth and the order of steps, or refuse a deadlock. */
plait_status plait__depth_check(plait__proof_state *state);

/* Find the largest size that an executor ends which splits steps. */
plait_status plait__depth_safe_bytes(plait__proof_state *state);

/* Refuse a race: an access that does not follow the last store to its chunk, or
 * a store that does not follow the reads since. */
plait_status plait__race_check(plait__proof_state *state);
/* Refuse outputs that differ from the promise.  The schedule has no race. */
plait_status plait__value_check(plait__proof_state *state);

/* Returns the flags PLAIT__PROOF_EXPORTS_*. */
uint32_t plait__export_flags(const plait__schedule *schedule);

#endif
