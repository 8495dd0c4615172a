/* SPDX-License-Identifier: MIT */
/*
 * Begin of ops of devices: into their lane and the outbox.  An op that is published
 * waits in a list, until a worker claims it because all before it are done, or
 * until all its predecessors are done or have begun:
 *
 *     published            claimed by a worker ---.
 *     in `waiting`  --<                            >-- begun
 *                          begin_waiting  --------'
 *
 * Caller holds the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_DEVICE_BEGIN_H
#define PLAIT_SRC_FLOW_DEVICE_DEVICE_BEGIN_H

#include "flow/device/device_engine.h"

static inline plait__device_lane *
plait__device_op_lane(const plait__device_op *op)
{
	return &op->engine->items[op->lane];
}

/* The op has a number: later ones find it. */
void plait__device_begin_number(plait__device_op *op, uint64_t number);

/* Put the op into its lane and the outbox. */
void plait__device_begin_enqueue(plait__device_op *op);

/* The op waits no more, if it did. */
void plait__device_begin_unlist(plait__device_op *op);

/* Begin ops that wait, and of which all predecessors are done or have begun: the
 * oldest ones, with a limit to those that cannot.  Those that are not to run, since
 * they were cancelled or a true predecessor failed, are claimed, and put in front
 * of *spoiled by their field `next`. */
void plait__device_begin_waiting(plait__device_engine *engine,
				 plait__device_op **spoiled);

#endif
