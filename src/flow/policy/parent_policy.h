/* SPDX-License-Identifier: MIT */
/*
 * Policies that choose device and lane of a task after its parents, the ops that
 * it comes behind.  A parent gives its lane to one child at most, but for SAME
 * and BEST; the caller keeps `inherited` per op.
 */
#ifndef PLAIT_SRC_FLOW_POLICY_PARENT_POLICY_H
#define PLAIT_SRC_FLOW_POLICY_PARENT_POLICY_H

#include "flow/policy/device_policy.h"
#include "flow/policy/lane_policy.h"

#include "plan/schedule/place_command.h"

enum {
	PLAIT__PARENT_BEST,
	PLAIT__PARENT_SAME,
	PLAIT__PARENT_DISJOINT,
	PLAIT__PARENT_EARLY_DISJOINT,
	PLAIT__PARENT_DEVICE_DISJOINT,
	PLAIT__PARENT_POLICIES
};

/* In place of the index of a parent. */
#define PLAIT__PARENT_NONE UINT32_MAX

typedef struct plait__policy_parent {
	uint32_t device;
	uint32_t lane;
	bool inherited;		/* a child has its lane */
} plait__policy_parent;

typedef struct plait__parent_request {
	uint32_t policy;	/* PLAIT__PARENT_... */
	uint32_t parent_count;
	const plait__policy_parent *parents;
	const plait__device_request *device; /* its candidates: where the task
					      * may run */
	const plait__lane_request *lane;
	/* Of BEST: where lane i of `lane` is lane i, and the parents' points;
	 * the device is written. */
	plait__placement *placement;
	plait__place_command *command;
} plait__parent_request;

typedef struct plait__parent_choice {
	uint32_t device;
	uint32_t parent;	/* that gives its lane, or PLAIT__PARENT_NONE */
	bool device_chosen;	/* by its policy: `by_device` is written */
	uint64_t offered;	/* devices of parents that could give a lane */
	uint64_t start_ns;	/* of BEST */
	plait__device_choice by_device;
	plait__lane_choice by_lane;
} plait__parent_choice;

/* Choose; `figures` has room for all devices. BEST adds a new lane to the
 * placement itself; PLAIT_E_NOMEM: of BEST only. */
plait_status plait__parent_policy_choose(const plait__parent_request *request,
					 plait__device_figures *figures,
					 plait__parent_choice *out);

#endif
