/* SPDX-License-Identifier: MIT */
/*
 * Policies that choose the device of a task.  A request has plain records of
 * devices, of the pieces of data that the task accesses, and of its
 * predecessors; the choice has the figures that were compared.  Ties: the lowest
 * index.  README.md has the rules.
 */
#ifndef PLAIT_SRC_FLOW_POLICY_DEVICE_POLICY_H
#define PLAIT_SRC_FLOW_POLICY_DEVICE_POLICY_H

#include "flow/policy/link_bookings.h"

enum {
	PLAIT__CHOOSE_EARLIEST,
	PLAIT__CHOOSE_SINGLE,
	PLAIT__CHOOSE_ROUND_ROBIN,
	PLAIT__CHOOSE_STREAM_AWARE,
	PLAIT__CHOOSE_MIN_SIZE,
	PLAIT__CHOOSE_MINMIN_TIME,
	PLAIT__CHOOSE_MINMAX_TIME,
	PLAIT__CHOOSE_POLICIES
};

/* Per mille of a task's bytes; PLAIT__CHOOSE_MIN_SIZE and following. */
enum { PLAIT__CHOOSE_THRESHOLD = 100 };

/* Times are absolute, of one clock. Those below `memory` and `busy_lanes` are
 * for EARLIEST. */
typedef struct plait__policy_device {
	uint32_t memory;
	uint32_t busy_lanes;	/* last op not known to be done */
	uint64_t free_ns;	/* when a lane is free first */
	uint64_t cost_ns;	/* of the task there */
	uint64_t evicted_bytes;	/* to the host, before the task fits */
} plait__policy_device;

/* Elements that the task accesses and that are valid in the same memories; a
 * piece that is valid nowhere has not been written. */
typedef struct plait__policy_piece {
	uint64_t bytes;
	uint64_t valid;		/* memories, bits */
	uint64_t ready_ns;	/* when they are written */
	bool overwritten;	/* counts, but needs no copy */
} plait__policy_piece;

typedef struct plait__policy_pred {
	uint64_t finish_ns;
	uint32_t device;
} plait__policy_pred;

typedef struct plait__device_request {
	uint32_t policy;
	uint32_t threshold;	/* per mille; 0: PLAIT__CHOOSE_THRESHOLD */
	uint64_t candidates;	/* devices, bits; not empty */
	uint32_t *next;		/* of the round robin; kept by the caller */
	const plait__links *links;
	const plait__policy_device *devices;
	const plait__policy_piece *pieces;
	uint32_t device_count;	/* 1 to PLAIT__LINKS_MEMORIES */
	uint32_t piece_count;
	/* Of EARLIEST. */
	plait__bookings *bookings; /* trials only */
	const plait__policy_pred *preds;
	uint32_t pred_count;
	uint32_t reserved0;
	uint64_t now_ns;
	uint64_t hop_ns;	/* from the end of a pred to another device */
} plait__device_request;

/* Figures of one device.  EARLIEST has times from now on; UINT64_MAX: never. */
typedef struct plait__device_figures {
	uint64_t valid_bytes;	/* of the task's */
	uint64_t move_ns;	/* of ...TIME: bytes by bandwidth */
	uint64_t lane_ns;	/* when a lane is free */
	uint64_t preds_ns;	/* when the last pred is seen */
	uint64_t copies_ns;	/* when the last copy ends */
	uint64_t finish_ns;
} plait__device_figures;

enum {
	PLAIT__REASON_FIRST,	/* SINGLE */
	PLAIT__REASON_TURN,	/* ROUND_ROBIN */
	PLAIT__REASON_NO_DATA,	/* its turn: none has enough of the data */
	PLAIT__REASON_LANES,	/* fewest busy lanes */
	PLAIT__REASON_BYTES,	/* most valid bytes */
	PLAIT__REASON_MOVES,	/* least time of moves */
	PLAIT__REASON_FINISH,	/* finishes first */
	PLAIT__REASON_NEAR	/* most valid bytes of those that finish nearly
				 * first */
};

typedef struct plait__device_choice {
	uint32_t device;
	uint32_t reason;	/* PLAIT__REASON_... */
	uint64_t good;		/* devices that were compared, bits */
	uint64_t total_bytes;	/* of the task */
} plait__device_choice;

/* Choose a device out of the candidates; `figures` has room for all devices,
 * and is written for those in `good`, unless the policy counts busy lanes. */
plait__device_choice
plait__device_policy_choose(const plait__device_request *request,
			    plait__device_figures *figures);

#endif
