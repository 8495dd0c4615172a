/* SPDX-License-Identifier: MIT */
/*
 * Lane of a device: a queue, and a signal that counts its ops.  Emission n is
 * behind the n-th op.  After a failure both are replaced, when all ops that were
 * submitted have ended; their number is the generation.
 *
 * Guarded by the lock of the flow, but for the submission.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_DEVICE_LANE_H
#define PLAIT_SRC_FLOW_DEVICE_DEVICE_LANE_H

#include "flow/device/device_op.h"
#include "flow/lanes/flow_lanes.h"

#include "object/context/device.h"
#include "object/progress/listener.h"
#include "object/queue/queue.h"
#include "object/signal/signal.h"

/* A launch that was measured: the hash of its kernel, and its items. */
typedef struct plait__lane_launch {
	unsigned char code[PLAIT__HASH_BYTES];
	uint64_t items;
} plait__lane_launch;

/* Ops that have ended since a time, whose backend tells no times. */
enum { PLAIT__LANE_ENDED_MOST = 16 };
typedef struct plait__lane_ended {
	uint64_t since_ns;
	uint32_t count;
	uint32_t launch_count;
	plait__lane_launch launches[PLAIT__LANE_ENDED_MOST];
} plait__lane_ended;

typedef struct plait__device_lane {
	plait__flow_arrival arrival; /* first: of its notification */
	plait__listener listener;
	plait__device_engine *engine;
	plait__device *device;
	plait__queue *queue;
	plait__signal *signal;
	uint32_t generation;
	bool is_armed;	/* a notification, or an arrival, will come */
	bool is_failed; /* takes no ops until it is replaced */
	bool is_dead;	/* could not be replaced: `why` */
	uint64_t enqueued; /* the newest emission */
	/* 0; or the first emission that was not submitted: `why`. */
	uint64_t refused;
	plait_error why;
	plait__device_op *first; /* not known to have ended */
	plait__device_op *last;
	uint64_t *seen; /* per lane: the newest emission that it waits for */
	/* The signal of the notification, if it was replaced before that came;
	 * else null.  A backend keeps no notification of a destroyed signal. */
	plait__signal *owed;
	plait__lane_ended ended; /* lane_times.c */
} plait__device_lane;

/* Make the queue and the signal.  Fails as plait_queue_create: the lane is as it
 * was. */
plait_status plait__device_lane_open(plait__device_lane *lane,
				     plait_error *error);
/* Release both, and the signal of a notification, if there are any.  Caller holds
 * no lock that a destruction takes. */
void plait__device_lane_close(plait__device_lane *lane);

/* Returns true if ops may begin in the lane.  Caller holds the lock. */
static inline bool plait__device_lane_takes_ops(const plait__device_lane *lane)
{
	return !lane->is_failed && !lane->is_dead && lane->refused == 0;
}

/* Append an op, which gets its emission. */
void plait__device_lane_append(plait__device_lane *lane, plait__device_op *op);

/* Find out how the first op has ended: PLAIT_OK, PLAIT_PENDING, or its failure;
 * *out_self: it failed itself, else it was not run. */
plait_status plait__device_lane_look(plait__device_lane *lane, bool *out_self,
				     plait_error *error);
/* Remove the first op, which has ended so. */
plait__device_op *plait__device_lane_pop(plait__device_lane *lane,
					 plait_status status);

/* Returns the newest submitted op that a notification is to be for; null: there
 * is none. */
plait__device_op *plait__device_lane_next(plait__device_lane *lane);

#endif
