/* SPDX-License-Identifier: MIT */
/*
 * Times of the launches of a device's lane: those that the backend tells
 * (plait_work.times); else the time of ops that ended together, by their number.
 * Guarded by the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_LANE_TIMES_H
#define PLAIT_SRC_FLOW_DEVICE_LANE_TIMES_H

#include "flow/device/device_lane.h"

/* The lane was empty, and gets an op. */
void plait__lane_times_begin(plait__device_lane *lane);
/* An op has ended without a failure. */
void plait__lane_times_add(plait__device_lane *lane,
			   const plait__device_op *op);
/* All ops that have ended were added. */
void plait__lane_times_end(plait__device_lane *lane);

#endif
