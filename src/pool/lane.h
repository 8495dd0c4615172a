/* SPDX-License-Identifier: MIT */
/*
 * Lanes: in-order queues that the pool's threads run.  A lane never blocks a
 * thread: when it waits for a counter it is parked, and whoever raises the
 * counter makes it ready again.  The rules are those of plait/plugin.h.
 */
#ifndef PLAIT_SRC_POOL_LANE_H
#define PLAIT_SRC_POOL_LANE_H

#include "plait/plugin.h"

typedef struct plait__pool plait__pool;
typedef struct plait__lane plait__lane;

enum {
	/* What a capacity of 0 means. */
	PLAIT__LANE_DEFAULT_CAPACITY = 1 << 20,
	/* Longer labels are cut. */
	PLAIT__LANE_LABEL_BYTES = 64
};

/* PLAIT_E_NOMEM, PLAIT_E_UNSUPPORTED (flags).  The label is copied. */
plait_status plait__lane_create(plait__pool *pool,
				const plait_queue_request *request,
				plait__lane **out, plait_error *error);

/* Nothing is pending in it.  Null is fine. */
void plait__lane_destroy(plait__lane *lane);

/*
 * Memory handles are host pointers and signals are counters, cast.  All
 * `count` submissions or none; from any thread.  PLAIT_E_BUSY (more work than
 * the capacity would be pending), PLAIT_E_INVALID (these alone are more),
 * PLAIT_E_NOMEM, PLAIT_E_UNSUPPORTED (a kind that is not known).
 */
plait_status plait__lane_submit(plait__lane *lane,
				const plait_submission *submissions,
				uint32_t count, plait_error *error);

/* Forget a failure; fine when there is none.  PLAIT_E_STATE while anything
 * is pending. */
plait_status plait__lane_recover(plait__lane *lane, plait_error *error);

#endif
