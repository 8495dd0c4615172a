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
#include "graph/store/hash_index.h"
#include "object/queue/queue_capture.h"

/* Predecessors that a lane gathers before it joins them. */
enum { PLAIT__CAPTURE_PENDING = 8 };

/* A captured queue: predecessors of its next node. */
typedef struct plait__capture_lane {
	plait__queue *queue;	/* held */
	uint32_t count;
	plait_node after[PLAIT__CAPTURE_PENDING]; /* `count` of them */
} plait__capture_lane;

/*
 * A captured emission.  The emissions of one signal have ascending numbers, and
 * are a list from the newest back.  `jump` leads further back, so that any of n
 * is found in log n steps.
 */
typedef struct plait__capture_emission {
	uint64_t sequence;
	plait_node node;	/* 0: before all nodes */
	uint32_t signal;	/* in `signals` */
	uint32_t previous;	/* or none */
	uint32_t jump;		/* itself, for the first one */
	uint32_t depth;		/* number of those before */
} plait__capture_emission;

/* A signal of the capture, and its newest emission, or none. */
typedef struct plait__capture_signal {
	const plait_signal *handle;
	uint32_t newest;
} plait__capture_signal;

/* Kinds in the index of a capture. */
enum {
	PLAIT__CAPTURE_QUEUES = 0,	/* a lane, by its queue */
	PLAIT__CAPTURE_SIGNALS = 1,
	PLAIT__CAPTURE_HOSTS = 2
};

typedef struct plait__capture {
	plait__queue_capture base;
	plait_capture_flags flags;
	struct plait__mutex lock;
	/* Guarded by lock. */
	bool has_ended;
	plait__graph *graph;	/* the reference is the capture's */
	plait__vector lanes;	/* plait__capture_lane */
	plait__vector emissions; /* plait__capture_emission */
	plait__vector signals;	/* plait__capture_signal */
	plait__vector hosts;	/* void *: number i is parameter "host<i>" */
	plait__index index;	/* by address or handle; see the kinds */
} plait__capture;

/* Find an address in the index, or PLAIT__NONE. */
uint32_t plait__capture_index_find(const plait__capture *capture, uint32_t kind,
				   const void *address);

/* Add an address that is not in the index: 0, or -1 without memory. */
int plait__capture_index_add(plait__capture *capture, uint32_t kind,
			     const void *address, uint32_t at);

/* The recorder of a capture; see queue_capture.h.  Takes the capture's lock. */
plait_status plait__capture_record(plait__queue_capture *capture,
				   const plait__queue *queue,
				   const plait_command *commands,
				   uint64_t count, uint64_t *out_sequence,
				   plait_error *error);

#endif
