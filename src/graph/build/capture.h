/* SPDX-License-Identifier: MIT */
/*
 * Capture: the graph that commands of some queues become, and where each queue
 * is in it.  capture.c begins and ends one, capture_record.c adds commands.
 */
#ifndef PLAIT_SRC_GRAPH_BUILD_CAPTURE_H
#define PLAIT_SRC_GRAPH_BUILD_CAPTURE_H

#include "plait/capture.h"

#include "base/vector.h"
#include "graph/build/graph.h"
#include "object/queue/queue_capture.h"

/* Predecessors that a lane gathers before it joins them. */
enum { PLAIT__CAPTURE_PENDING = 8 };

/* A captured queue: predecessors of its next node. */
typedef struct plait__capture_lane {
	plait__queue *queue;	/* held */
	uint32_t count;
	plait_node after[PLAIT__CAPTURE_PENDING]; /* `count` of them */
} plait__capture_lane;

/* A captured emission.  The emissions of one signal have ascending numbers. */
typedef struct plait__capture_emission {
	plait_signal *signal;
	uint64_t sequence;
	plait_node node;	/* 0: before all nodes */
} plait__capture_emission;

typedef struct plait__capture {
	plait__queue_capture base;
	plait_capture_flags flags;
	struct plait__mutex lock;
	/* Guarded by lock. */
	bool has_ended;
	plait__graph *graph;	/* the reference is the capture's */
	plait__vector lanes;	/* plait__capture_lane */
	plait__vector emissions; /* plait__capture_emission */
	plait__vector hosts;	/* void *: number i is parameter "host<i>" */
} plait__capture;

/* The recorder of a capture; see queue_capture.h.  Takes the capture's lock. */
plait_status plait__capture_record(plait__queue_capture *capture,
				   const plait__queue *queue,
				   const plait_command *commands,
				   uint64_t count, uint64_t *out_sequence,
				   plait_error *error);

#endif
