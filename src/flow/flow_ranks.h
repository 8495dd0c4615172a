/* SPDX-License-Identifier: MIT */
/* Flows over a world: agreement of the ranks, links, end. */
#ifndef PLAIT_SRC_FLOW_FLOW_RANKS_H
#define PLAIT_SRC_FLOW_FLOW_RANKS_H

#include "flow/rank_state.h"

/* Let a flow in creation have the ranks of the descriptor's world; one without
 * other ranks gets none.  Waits for them.  PLAIT_E_INVALID: a rank creates
 * another flow; PLAIT_E_UNSUPPORTED; PLAIT_E_CANCELLED: a rank has refused; as
 * plait__world_exchange. */
plait_status plait__flow_ranks_make(plait__flow *flow,
				    const plait_flow_desc *desc,
				    plait_error *error);

/* Tell the other ranks that this one does not create the flow that they do.  A null
 * or stale world is ignored. */
void plait__flow_ranks_refuse(plait_world *world, const plait_error *error);

/* Returns true if the world has more than one rank.  A null or stale one has not. */
bool plait__flow_ranks_has_others(plait_world *world);

/* The flow has its object: the thread may hold it. */
void plait__flow_ranks_begin(plait__flow *flow);

/* No op comes any more.  Without ranks nothing is done. */
void plait__flow_ranks_end(plait__flow *flow);
/* Join the flow's thread; then, without workers, free the rest. */
void plait__flow_ranks_stop(plait__flow *flow);
void plait__flow_ranks_free(plait__flow *flow);

/* Give data its number and owners.  Returns false without memory.  Free the
 * owners. */
bool plait__flow_ranks_add_data(plait__flow *flow, plait__data *data);
void plait__flow_ranks_free_data(plait__data *data);

#endif
