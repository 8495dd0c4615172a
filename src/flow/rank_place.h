/* SPDX-License-Identifier: MIT */
/*
 * Ops of a rank in a flow with devices: the pieces and transfers that it commits
 * are placed on its own devices and its host, behind the copies that they need.  A
 * transfer uses the memory of the program.  Without devices nothing is done.
 */
#ifndef PLAIT_SRC_FLOW_RANK_PLACE_H
#define PLAIT_SRC_FLOW_RANK_PLACE_H

#include "flow/device_split.h"
#include "flow/rank_state.h"

/* Find out that a device of this rank runs the launch.  *out_alone: the other ranks
 * may have other devices, or this one has lost one.  PLAIT_E_UNSUPPORTED.  Caller
 * holds the lock, as for the next two. */
plait_status plait__rank_place_check(const plait__flow_task *task,
				     bool *out_alone, plait_error *error);

/* Place a prepared task, of the submission that `split` is of.  As
 * plait__place_task. */
plait_status plait__rank_place_begin(plait__flow_task *task,
				     const plait__device_split *split,
				     plait_error *error);

/* The task was committed with this status, or was not. */
void plait__rank_place_end(plait__flow_task *task, plait_status status);

/* Make the buffers that the task lacked, or wait for an op that uses memory.
 * Caller does not hold the lock, as for the next two. */
plait_status plait__rank_place_supply(plait__flow *flow,
				      plait__device_split *split,
				      plait_error *error);

/* The task has its buffers, or waits for room. */
void plait__rank_place_leave(plait__flow *flow, plait__device_split *split);

/* A number for the kinds of the flow's devices; 0: it has none. */
uint64_t plait__rank_place_kinds(const plait__flow *flow);

#endif
