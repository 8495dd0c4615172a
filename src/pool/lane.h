/* SPDX-License-Identifier: MIT */
/*
 * Pool lanes: in-order queues that the pool's threads run. A lane never blocks
 * a thread: at a counter that is not reached it parks, and the raiser of the
 * counter puts it back into the ready queue. The rules are those of
 * plait/plugin.h.
 */
#ifndef PLAIT_SRC_POOL_LANE_H
#define PLAIT_SRC_POOL_LANE_H

#include "plait/plugin.h"

typedef struct plait__pool plait__pool;
typedef struct plait__lane plait__lane;

enum {
	/* The meaning of capacity 0. */
	PLAIT__LANE_DEFAULT_CAPACITY = 1 << 20,
	/* Longer labels are truncated. */
	PLAIT__LANE_LABEL_BYTES = 64
};

/* Create a lane; the label is copied. PLAIT_E_NOMEM, PLAIT_E_UNSUPPORTED
 * (flags). */
plait_status plait__lane_create(plait__pool *pool,
				const plait_queue_request *request,
				plait__lane **out, plait_error *error);

/* Destroy a lane without pending commands. Waits for the thread that may still
 * be leaving it, so a command of the lane must not call this. Null is allowed. */
void plait__lane_destroy(plait__lane *lane);

/*
 * Append all `count` submissions or none; from any thread. Memory handles are
 * host pointers, signals are counters, cast. PLAIT_E_BUSY (more work than the
 * capacity would be pending, or more work, waits and emissions together than four
 * times that and 64), PLAIT_E_INVALID (these submissions alone exceed it),
 * PLAIT_E_NOMEM, PLAIT_E_UNSUPPORTED (unknown kind, or 2^48 bytes and more).
 */
plait_status plait__lane_submit(plait__lane *lane,
				const plait_submission *submissions,
				uint32_t count, plait_error *error);

/* Clear a failure, if any. PLAIT_E_BUSY while commands are pending. */
plait_status plait__lane_recover(plait__lane *lane, plait_error *error);

#endif
