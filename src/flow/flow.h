/* SPDX-License-Identifier: MIT */
/* Creation and end of flows, and what both sides of a submission share. */
#ifndef PLAIT_SRC_FLOW_FLOW_H
#define PLAIT_SRC_FLOW_FLOW_H

#include "flow/flow_object.h"

static inline void plait__flow_lock(plait__flow *flow)
{
	plait__mutex_lock(&flow->lock);
}

static inline void plait__flow_unlock(plait__flow *flow)
{
	plait__mutex_unlock(&flow->lock);
}

/* Drop data and kernels that the user has released and no task uses any more.
 * Caller holds the lock. */
void plait__flow_reap(plait__flow *flow);

/* Drop the flow's hold of a kernel; `drop` drops the object. */
void plait__flow_drop_kernel(plait__flow *flow, plait__flow_kernel *entry,
			     void (*drop)(plait__object *object));

/* Forget the ops that are done in fronts of data, and remove borders between those
 * that are equal.  Caller holds the lock. */
void plait__flow_join(plait__flow *flow, plait__front_map *map);

/* The same for data that is cut into many pieces.  Returns false if too many pieces are
 * left, and tasks are in flight.  Caller holds the lock. */
bool plait__flow_join_pieces(plait__flow *flow, plait__front_map *map);

/* Keep the failures of ops that wrote what data has now, or what tasks in flight
 * read.  Caller holds the locks of the flow and of its outcomes. */
void plait__flow_keep_writers(plait__flow *flow);

#endif
