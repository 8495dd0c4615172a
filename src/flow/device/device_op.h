/* SPDX-License-Identifier: MIT */
/*
 * Op of a device: the command of an op of a flow that a queue of a device runs.
 * Records are kept for later ops.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_DEVICE_OP_H
#define PLAIT_SRC_FLOW_DEVICE_DEVICE_OP_H

#include "plait/queue.h"

#include "flow/lanes/op_ring.h"
#include "flow/region/box.h"

#include "object/queue/launch_record.h"

#include <stdbool.h>

typedef struct plait__device_engine plait__device_engine;
typedef struct plait__device_op plait__device_op;

/* An emission of the signal of another lane. */
typedef struct plait__device_wait {
	uint32_t lane;
	uint32_t generation;
	uint64_t sequence;
} plait__device_wait;

struct plait__device_op {
	plait__device_op *next;	    /* in its lane, in a list, or free */
	plait__device_op *previous; /* in `waiting` */
	plait__device_op *next_out; /* in the outbox */
	plait__device_engine *engine;
	uint64_t number;
	uint32_t lane;
	uint32_t wait_count;
	/* The emission behind its command; 0: it is in no lane. */
	uint64_t sequence;
	/* A worker has claimed the op: all before it are done. */
	bool is_claimed;
	bool is_waiting; /* it is in `waiting` */
	const char *label;
	plait__device_wait waits[PLAIT__OP_PREDS];
	plait_command command;
	plait_rows rows;
	plait__launch_record *launch; /* one hold, or null: a copy */
	/* Of a copy: the data, held by its last use, and what was copied. */
	void *data;
	plait_box box;
	uint32_t memory; /* it is copied to */
	bool saves; /* before an eviction: if it fails, its target is poison */
};

#endif
