/* SPDX-License-Identifier: MIT */
/*
 * Choice of the device and the lane of a task, by the policies of the flow
 * (policy/placer.h): what the task accesses, and what it comes behind, as
 * records of policies.  Tasks before it that are done count for nothing; the
 * clock is the latest predicted end of those.
 *
 * Lanes are the policies': a device's i-th one has its queue i modulo their
 * number.  Guarded by the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_CHOICE_H
#define PLAIT_SRC_FLOW_DEVICE_CHOICE_H

#include "flow/flow_object.h"
#include "flow/memory/memory_system.h"
#include "flow/policy/history_estimate.h"
#include "flow/policy/placer.h"

/* In place of a device or lane: a task of the host. */
#define PLAIT__CHOICE_HOST UINT32_MAX

/* A task that was placed, per entry of the ring. */
typedef struct plait__placed_op {
	uint64_t number; /* 0: none */
	uint64_t finish_ns;
	uint64_t request; /* the latest one that has it */
	uint32_t device;
	uint32_t lane;
	bool inherited;
	plait__place_point point;
} plait__placed_op;

typedef struct plait__choice_lane {
	uint64_t newest; /* op */
	uint32_t queue;	 /* of its device */
} plait__choice_lane;

typedef struct plait__device_choices {
	plait__placer placer;
	plait__placing placing; /* of the task in preparation */
	plait__links links;	/* that devices tell */
	/* With a history: of the task in preparation, per device. */
	plait__estimate estimates[PLAIT__LINKS_MEMORIES];
	plait__placed_op *placed;
	uint64_t window;   /* entries */
	uint64_t known;	   /* ops up to this one are in the clock */
	uint64_t requests;
	uint32_t queues;   /* for launches, per device */
	plait__vector lanes;   /* plait__choice_lane */
	plait__vector pieces;  /* of the request: plait__policy_... */
	plait__vector preds;
	plait__vector parents;
	plait__vector parent_ops; /* uint64_t */
	plait__vector points;
} plait__device_choices;

/* Initialise zeroed memory; PLAIT_E_NOMEM: the caller calls fini. */
plait_status plait__device_choice_init(plait__flow *flow,
				       const plait_flow_desc *desc,
				       plait_error *error);
void plait__device_choice_fini(plait__flow *flow);

/* Begin the choice out of `candidates`, bits of devices; with `is_fixed` of the
 * lowest one.  *out_device: the device, or if the lane decides it UINT32_MAX.
 * PLAIT_E_NOMEM. */
plait_status plait__device_choice_begin(const plait__flow_task *task,
					uint64_t candidates, bool is_fixed,
					uint32_t *out_device,
					plait_error *error);
/* Choose device and lane.  PLAIT_E_NOMEM. */
plait_status plait__device_choice_make(const plait__flow_task *task,
				       uint32_t *out_device,
				       uint32_t *out_queue, plait_error *error);
/* The same for a task of the host, which has no choice. */
plait_status plait__device_choice_make_host(const plait__flow_task *task,
					    plait_error *error);
/* The same for a held run, which is predicted to come behind all that the lanes of devices
 * with these memories have: it has many accesses, and these times are used for later choices
 * alone. */
plait_status plait__device_choice_make_run(const plait__flow *flow,
					   uint64_t memories, plait_error *error);
/* The task of the last choice was committed. */
void plait__device_choice_commit(const plait__flow_task *task);
/* Append why the task of the last choice is where it is. */
void plait__device_choice_explain(const plait__flow_task *task,
				  plait__text *out);

#endif
