/* SPDX-License-Identifier: MIT */
/* A prepared task as nodes of a graph. */
#ifndef PLAIT_SRC_FLOW_TASK_NODE_H
#define PLAIT_SRC_FLOW_TASK_NODE_H

#include "plait/graph.h"

#include "flow/box_move.h"
#include "flow/nested_plans.h"

#include "base/vector.h"

#include <stdio.h>

/* Memory of the program that READ or WRITE nodes use: number i is the parameter
 * "host<i>". */
typedef struct plait__task_host {
	void *address;
	uint64_t bytes;
} plait__task_host;

enum { PLAIT__TASK_HOST_NAME = 24 };

/* Where nodes go, and tables that are used again for each task. */
typedef struct plait__task_nodes {
	plait_graph *graph;
	plait__vector arguments; /* plait_argument */
	plait__vector rows;	 /* plait_node */
	plait__vector hosts;	 /* plait__task_host */
	plait__nested_plans plans;
	/* Of the task that was added last: others come before `first`, or behind
	 * `last`. */
	plait_node first;
	plait_node last;
} plait__task_nodes;

void plait__task_node_init(plait__task_nodes *nodes,
			   const plait_allocator *allocator);
void plait__task_node_fini(plait__task_nodes *nodes);

/* Set the name of parameter i of the program's memory. */
static inline void plait__task_node_name_host(uint32_t i,
					      char name[PLAIT__TASK_HOST_NAME])
{
	snprintf(name, PLAIT__TASK_HOST_NAME, "host%u", i);
}

/* Add the nodes of a prepared task, or of a piece of it, without edges from
 * others.  The memory of its data is shared.  Caller holds the lock.  As
 * plait_graph_add, and for a run of a plan plait__nested_plans_set. */
plait_status plait__task_node_add(plait__task_nodes *nodes,
				  const plait__flow_task *task,
				  const plait_task_desc *desc,
				  plait_error *error);

/* A copy of a data from one memory to another one; memory 0 is the program's. */
typedef struct plait__task_copy {
	plait__device *device; /* that does it */
	const plait__data *whole;
	uint32_t from;
	uint32_t to;
	bool has_buffers; /* the program's memory is no parameter */
	plait__box_move move; /* as if both were in the program's memory */
} plait__task_copy;

/* Add its node likewise. */
plait_status plait__task_node_add_copy(plait__task_nodes *nodes,
				       const plait__task_copy *copy,
				       plait_error *error);

#endif
