/* SPDX-License-Identifier: MIT */
/*
 * Call of a collective that a queue or a graph makes later: the arguments, with
 * holds of their objects.  Executed as a coroutine.  In a run that
 * was stopped it leaves the call, so that the numbers of calls agree on all ranks.
 */
#ifndef PLAIT_SRC_COLL_NODE_HELD_CALL_H
#define PLAIT_SRC_COLL_NODE_HELD_CALL_H

#include "coll/project/collective_object.h"
#include "graph/build/collective_nodes.h"
#include "object/memory/buffer.h"

typedef struct plait__held_call {
	plait__collective_record head;	/* first; its object is a node's */
	plait__collective *collective;	/* held; null: not made */
	plait_collective_run run;	/* its handles may be stale */
	plait__buffer *buffers[2];	/* of input and output, held, or null */
	uint64_t bytes[2];		/* of input and output */
} plait__held_call;

/* Check the arguments, and hold their objects.  The caller has entered the
 * collective.  Nothing is held after a failure. */
plait_status plait__held_call_make(plait__held_call *call,
				   plait__collective *collective,
				   const plait_collective_run *run,
				   plait_error *error);
void plait__held_call_drop(plait__held_call *call);

/* Execute the plait__held_call in a coroutine, or leave it in a stopped run.
 * Fails the command with the text; a host function. */
int32_t plait__held_call_execute(void *held_call);

/* Find the host device on which the coroutine runs. */
plait_status plait__held_call_device(plait__context *context,
				     plait_device **out, plait_error *error);

#endif
