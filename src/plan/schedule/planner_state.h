/* SPDX-License-Identifier: MIT */
/*
 * Working state of the planner, shared by its phases only.
 *
 * Nodes are renumbered: t numbers are topological within a scope (by level,
 * then by id), and the selected nodes of a scope have consecutive ones.  Arrays
 * "by t" have node_count elements.
 *
 * An *item* will become one command: item t is the main command of node t;
 * extra items (stubs, members of groups) are numbered from node_count on, those
 * of one node consecutively.
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
	uint32_t lane_first;		/* in lane_device */
	uint32_t lane_count;
	uint32_t body;			/* in the plan, or none: not selected */
	uint32_t reserved0;
	uint64_t makespan;
} plait__planner_scope;

/* Extra items of a node: `count` of them, from number `first` on. */
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
	const plait__input_scope *input_scopes;	/* the input's, or
						 * &whole_scope */
	plait__input_scope whole_scope;	/* for an input without scopes */
	uint32_t scope_count;
	uint32_t node_count;		/* selected */
	/* The first four by validate_input.c, the next by emit_commands.c,
	 * `mixed` by assign_lanes.c. */
	bool has_scratch;		/* some node needs scratch */
	bool has_affinity;		/* some node has an affinity */
	bool has_removed;		/* some node is removed */
	bool has_priority;		/* some node has a priority, not 0 */
	bool has_several;		/* some node has several items */
	bool sorted_accesses;		/* accesses lie in the order of nodes */
	/* Some scope has lanes that are not chains of ancestors. */
	bool mixed;

	/* By validate_input.c and select_subgraph.c. */
	uint32_t *scope_of;		/* by node; null: all in scope 0 */
	uint8_t *selected;		/* by node; null: all */
	uint32_t *limits;		/* by device, 0 = none */

	/* By toposort.c, which fills preds, transitive_reduction.c, which
	 * reduces them and fills succs, and critical_path.c (cost, rank). */
	uint32_t *node_of;		/* by t */
	uint32_t *level;		/* by t; until lanes are assigned */
	uint32_t *pred_first;		/* by t, plus one sentinel */
	uint32_t *preds;		/* t numbers, ascending */
	uint32_t *succ_first;		/* reduced, as preds are after
					 * reduction */
	uint32_t *succs;
	uint64_t *cost;			/* by t; a region: including its
					 * bodies */
	uint64_t *rank;			/* by t: upward rank, the cost of the
					 * critical path to the end of the
					 * scope */

	/* By the phases of lane assignment. */
	uint32_t *seq;			/* by t: placing order */
	plait__planner_extras *extras;	/* by t; null: no node has extra
					 * items */
	uint32_t *extra_device;		/* by extra item */
	uint32_t extra_count;
	uint32_t extra_capacity;

	uint32_t *lane;			/* by item: lane, numbered within the
					 * scope */
	/* By emit_commands.c; but for lane_device, which grows with lanes. */
	uint32_t *lane_global;		/* by lane of scopes: lane of the
					 * plan */
	uint32_t *command_of;		/* by item */
	uint32_t *region_of;		/* by region of the input: region of the
					 * plan, or none; null: there are no
					 * regions */
	uint32_t *lane_device;		/* by lane of scopes */
	uint32_t lane_device_count;
	uint32_t lane_device_capacity;
} plait__planner_state;

/* Returns the node at t. */
static inline const plait__input_node *plait__planner_node(
	const plait__planner_state *planner, uint32_t t)
{
	return &planner->input->nodes[planner->node_of[t]];
}

static inline int16_t
plait__planner_priority(const plait__planner_state *planner, uint32_t t)
{
	return !planner->has_priority ? 0 :
	       plait__planner_node(planner, t)->priority;
}

static inline uint32_t
plait__planner_device(const plait__planner_state *planner,
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

/* Returns the node's own cost; for a region one decision, without its
 * bodies. */
static inline uint64_t
plait__planner_own_cost(const plait__planner_state *planner,
			uint32_t t)
{
	return planner->options->costs == NULL ?
	       plait__planner_node(planner, t)->cost :
	       planner->options->costs[planner->node_of[t]];
}

/* Returns the slab for levels and ranks: none in helped mode, where later
 * phases need them. */
static inline uint32_t
plait__planner_early_slab(const plait__planner_state *planner)
{
	return planner->options->mode == PLAIT__MODE_HELPED ?
	       PLAIT__WORKSPACE_NO_SLAB : PLAIT__WORKSPACE_EARLY;
}

/* Returns the extra items of node t; their item numbers start at node_count. */
static inline plait__planner_extras
plait__planner_extra_items(const plait__planner_state *planner,
			   uint32_t t)
{
	static const plait__planner_extras none = { 0, 0 };

	return planner->extras == NULL ? none : planner->extras[t];
}

/* Returns the number of the node's item k; item 0 is the main one. */
static inline uint32_t plait__planner_item(const plait__planner_state *planner,
					   uint32_t t, uint32_t k)
{
	return k == 0 ? t :
	       planner->node_count + planner->extras[t].first + k - 1;
}

/* Returns the device of the node's item k. */
static inline uint32_t
plait__planner_item_device(const plait__planner_state *planner,
			   uint32_t t, uint32_t k)
{
	return k == 0 ? plait__planner_device(planner, t)
		: planner->extra_device[planner->extras[t].first + k - 1];
}

/* Returns true for a group: its successors come after every member, not only
 * the first. */
static inline bool plait__planner_is_group(const plait__planner_state *planner,
					   uint32_t t)
{
	const plait__input_node *node;

	if (plait__planner_extra_items(planner, t).count == 0)
		return false;
	node = plait__planner_node(planner, t);
	return node->device_count > 1 && node->meaning == PLAIT__MEANING_GROUP;
}

/* Write the out-of-memory error. */
plait_status plait__planner_no_memory(plait__planner_state *planner);

/* Fail with an error about a node.  If the graph was read from a text, the
 * message begins with "FILE:LINE: ". */
plait_status plait__planner_fail_at(const plait__planner_state *planner,
				    uint32_t node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a lane of `device` to the scope. */
plait_status plait__planner_new_lane(plait__planner_state *planner,
				     plait__planner_scope *scope,
				     uint32_t device, uint32_t *out_lane);

#endif
