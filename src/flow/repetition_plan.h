/* SPDX-License-Identifier: MIT */
/*
 * Plan of a repetition: a capture is frozen, and kept as its plan and its accesses;
 * each run is a task of kind PLAN with these.
 */
#ifndef PLAIT_SRC_FLOW_REPETITION_PLAN_H
#define PLAIT_SRC_FLOW_REPETITION_PLAN_H

#include "flow/flow_capture.h"

/* Make a repetition of a capture that has ended.  Caller does not hold the lock. */
plait_status plait__repetition_plan_make(plait__flow *flow,
					 plait__flow_capture *capture,
					 plait__repetition **out,
					 plait_error *error);

#endif
