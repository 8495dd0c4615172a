/* SPDX-License-Identifier: MIT */
/*
 * Request for the device of a task, as policies take it: the pieces of the data
 * that it accesses, with the memories that have them; its predecessors, and those
 * of them that have a lane.  Pure.
 */
#ifndef PLAIT_SRC_FLOW_MEMORY_PLACEMENT_REQUEST_H
#define PLAIT_SRC_FLOW_MEMORY_PLACEMENT_REQUEST_H

#include "flow/memory/memory_state.h"
#include "flow/policy/parent_policy.h"

/* A task that has been placed. */
typedef struct plait__placed_task {
	uint32_t device; /* or NONE: the host */
	uint32_t lane;	 /* of the policies; or NONE */
	uint32_t list_lane; /* of the instructions */
	uint32_t why;	 /* offset of the reason, or NONE */
	uint64_t finish_ns;
	uint32_t child;	 /* index + 1 of the latest task that named it */
	bool inherited;	 /* a child has its lane */
	bool is_done;	 /* the program knows */
	plait__place_point point; /* of BEST */
} plait__placed_task;

/* Lists of plait__policy_..., kept to save their memory; `parent_tasks` are the
 * indices of the parents. */
typedef struct plait__placement_request {
	plait__vector pieces;
	plait__vector preds;
	plait__vector parents;
	plait__vector parent_tasks;
	plait__vector points; /* of the parents: plait__place_point */
	bool failed;
} plait__placement_request;

void plait__placement_request_init(plait__placement_request *request,
				   const plait_allocator *allocator);
void plait__placement_request_fini(plait__placement_request *request);

/* Fill the lists for a task; `placed` has those before it. */
void plait__placement_request_fill(plait__placement_request *request,
				   const plait__memory_state *state,
				   const plait__vector *placed, uint32_t task);

#endif
