/* SPDX-License-Identifier: MIT */
/*
 * The planner's working state, shared by its phases and by nobody else.
 *
 * Nodes are renumbered: `t` numbers are topological within a scope (by level,
 * then by id), and the selected nodes of a scope have consecutive ones.  All
 * arrays "by t" have node_count elements.
 *
 * An *item* is what will be one command: item t is the command of node t that
 * does the work; further items (stubs, members of groups) follow behind
 * node_count, those of one node side by side.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PLANNER_STATE_H
#define PLAIT_SRC_PLAN_SCHEDULE_PLANNER_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/schedule/planner_input.h"
#include "plan/schedule/planner.h"
#include "plan/schedule/workspace.h"

typedef struct plait__planner_scope {
	uint32_t t_first;		/* selected nodes, by t */
	uint32_t t_count;
	uint32_t lane_first;		/* its own lanes, in lane_device */
	uint32_t lane_count;
	uint32_t body;			/* in the plan, or none: not selected */
	uint32_t reserved0;
	uint64_t makespan;
} plait__planner_scope;

/* The further items of a node: count of them from number first on. */
typedef struct plait__planner_extras {
	uint32_t first;
	uint32_t count;
} plait__planner_extras;

typedef struct plait__planner_state {
	const plait__input *input;
	const plait__input_options *options;
	plait__planner_counts *counts;
	plait_error *error;
	plait__workspace work;
	plait__plan *plan;

	plait__planner_scope *scopes;	/* by scope */
	const plait__input_scope *input_scopes;
	plait__input_scope whole_scope;
	uint32_t scope_count;
	uint32_t node_count;		/* selected */
	bool has_scratch;		/* some node wants some */
	bool has_affinity;		/* some node has one */
	bool has_several;		/* some node has several items */
	bool sorted_accesses;		/* they lie in the order of nodes */
	/* Some scope has lanes that are not chains of ancestors. */
	bool mixed;

	uint32_t *scope_of;		/* by node; null: all in scope 0 */
	uint8_t *selected;		/* by node; null: all */
	uint32_t *limits;		/* by device, 0 = none */

	uint32_t *node_of;		/* by t */
	uint32_t *level;		/* by t; until lanes are chosen */
	uint32_t *pred_first;		/* by t, and one more */
	uint32_t *preds;		/* t numbers, ascending */
	uint32_t *succ_first;		/* reduced, as preds after reduction */
	uint32_t *succs;
	uint64_t *cost;			/* by t; a region: with its bodies */
	uint64_t *rank;			/* by t: cost of the dearest path */

	uint32_t *seq;			/* by t: the order of placing */
	plait__planner_extras *extras;	/* by t; null: no node has any */
	uint32_t *extra_device;		/* by extra */
	uint32_t extra_count;
	uint32_t extra_capacity;

	uint32_t *lane;			/* by item: lane of its scope */
	uint32_t *lane_global;		/* by lane of scopes: of the plan */
	uint32_t *command_of;		/* by item */
	uint32_t *region_of;		/* by region of the input: of the plan,
					 * or none; null: there are none */
	uint32_t *lane_device;		/* by lane of scopes */
	uint32_t lane_device_count;
	uint32_t lane_device_capacity;
} plait__planner_state;

/* The node at t, and its device. */
static inline const plait__input_node *plait__planner_node(
	const plait__planner_state *planner, uint32_t t)
{
	return &planner->input->nodes[planner->node_of[t]];
}

static inline uint32_t plait__planner_device(const plait__planner_state *planner,
					     uint32_t t)
{
	const plait__input_node *node;

	if (planner->input->device_count == 1)
		return 0;
	node = plait__planner_node(planner, t);
	if (node->device_count <= 1)
		return node->device;
	return planner->input->device_sets[node->device];
}

/* What it costs itself: a region one decision, without its bodies. */
static inline uint64_t plait__planner_own_cost(const plait__planner_state *planner,
					       uint32_t t)
{
	return planner->options->costs == NULL ?
	       plait__planner_node(planner, t)->cost :
	       planner->options->costs[planner->node_of[t]];
}

/* Where levels and ranks lie, which helped plans need to the end. */
static inline uint32_t plait__planner_early_slab(const plait__planner_state *planner)
{
	return planner->options->mode == PLAIT__MODE_HELPED ?
	       PLAIT__WORKSPACE_NO_SLAB : PLAIT__WORKSPACE_EARLY;
}

/* The further items of node t; as items they follow node_count. */
static inline plait__planner_extras plait__planner_extra_items(const plait__planner_state *planner,
							       uint32_t t)
{
	static const plait__planner_extras none = { 0, 0 };

	return planner->extras == NULL ? none : planner->extras[t];
}

/* Item number k of node t: the main one is 0. */
static inline uint32_t plait__planner_item(const plait__planner_state *planner, uint32_t t,
					   uint32_t k)
{
	return k == 0 ? t : planner->node_count + planner->extras[t].first + k - 1;
}

/* The device of that item. */
static inline uint32_t plait__planner_item_device(const plait__planner_state *planner,
						  uint32_t t, uint32_t k)
{
	return k == 0 ? plait__planner_device(planner, t)
		: planner->extra_device[planner->extras[t].first + k - 1];
}

/* Nodes of a group order their successors by every member, not the first. */
static inline bool plait__planner_is_group(const plait__planner_state *planner, uint32_t t)
{
	const plait__input_node *node;

	if (plait__planner_extra_items(planner, t).count == 0)
		return false;
	node = plait__planner_node(planner, t);
	return node->device_count > 1 && node->meaning == PLAIT__MEANING_GROUP;
}

/* Writes the out-of-memory error. */
plait_status plait__planner_no_memory(plait__planner_state *planner);

/* An error about a node; of a graph that was read from a text it begins with
 * "FILE:LINE: ". */
plait_status plait__planner_fail_at(const plait__planner_state *planner, uint32_t node,
				  const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a lane of `device` to the scope. */
plait_status plait__planner_new_lane(plait__planner_state *planner,
				    plait__planner_scope *scope, uint32_t device,
				    uint32_t *out_lane);

#endif
