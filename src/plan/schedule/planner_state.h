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
#include "plan/schedule/arena.h"

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
	plait__arena work;
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
	       PLAIT__ARENA_NO_SLAB : PLAIT__ARENA_EARLY;
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
plait_status plait__input_no_memory(plait__planner_state *planner);

/* An error about a node; of a graph that was read from a text it begins with
 * "FILE:LINE: ". */
plait_status plait__input_fail_at(const plait__planner_state *planner, uint32_t node,
				  const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* validate_input.c: nothing after this looks at an index that is out of range. */
plait_status plait__validate_input(plait__planner_state *planner);
/* select_subgraph.c: which nodes and scopes take part. */
plait_status plait__select_subgraph(plait__planner_state *planner);
/* toposort.c: t numbers and preds; a cycle is an error. */
plait_status plait__toposort(plait__planner_state *planner);
/* transitive_reduction.c: drop the preds that others imply; make succs. */
plait_status plait__transitive_reduction(plait__planner_state *planner);
/* loop_carried.c: who uses what a loop carries comes after it. */
plait_status plait__loop_carried_check(plait__planner_state *planner);
/* critical_path.c: costs and ranks of one scope, whose inner scopes are done. */
plait_status plait__critical_path_rank(plait__planner_state *planner, uint32_t scope);
/* assign_lanes.c: order and lanes of all scopes, inner ones first. */
plait_status plait__assign_lanes(plait__planner_state *planner);
plait_status plait__assign_new_lane(plait__planner_state *planner,
				    plait__planner_scope *scope, uint32_t device,
				    uint32_t *out_lane);

/* inherit_lanes.c: order and lanes of scope 0 as another plan has them. */
plait_status plait__inherit_lanes(plait__planner_state *planner);

/* chain_cover.c, list_schedule.c: the two ways to find lanes (and an order) of a scope.
 * After a failed open, close what it returned if that is not null. */
struct plait__chain_cover;
plait_status plait__chain_cover_open(plait__planner_state *planner,
				     struct plait__chain_cover **out);
void plait__chain_cover_close(struct plait__chain_cover *chains);
plait_status plait__chain_cover_run(struct plait__chain_cover *chains, uint32_t scope);
struct plait__list_schedule;
plait_status plait__search_open(plait__planner_state *planner, struct plait__list_schedule **out);
void plait__search_close(struct plait__list_schedule *list);
plait_status plait__search_run(struct plait__list_schedule *list, uint32_t scope);

/*
 * insertion_schedule.c: the same with insertion, into lanes of `place`, which is new and
 * has a limit for each device: PLAIT__INSERTION_LANES together at most.  Leaves
 * planner->lane and planner->seq.  *makespan is UINT64_MAX, and nothing else of
 * use, when it is not below `beat`.
 */
enum { PLAIT__INSERTION_LANES = 64 };
struct plait__placement;
typedef struct plait__insertion_arrays {
	const uint64_t *rank;		/* by t */
	uint64_t *finish;		/* by t, for its use, as are these */
	uint32_t *before;
	uint32_t *spare;		/* not by t: as many as the scope has */
} plait__insertion_arrays;
plait_status plait__insertion_schedule(plait__planner_state *planner,
				       const plait__planner_scope *scope,
				       struct plait__placement *place,
				       const plait__insertion_arrays *room, uint64_t beat,
				       uint64_t *makespan);

/* makespan_bound.c: is no schedule of the scope shorter than this?  `start` is room by
 * t. */
bool plait__makespan_is_minimal(plait__planner_state *planner,
				const plait__planner_scope *scope,
				uint64_t makespan, uint64_t *start);

/* emit_commands.c: lanes, bodies, tracks, commands and regions of the plan; and, when
 * most working memory is gone, where its commands come from. */
plait_status plait__emit_commands(plait__planner_state *planner);
plait_status plait__emit_nodes(plait__planner_state *planner);
/* emit_waits.c: waits, preds and exits of every command. */
plait_status plait__emit_waits(plait__planner_state *planner);
/* signal_slots.c, segments.c, scratch_offsets.c: the rest. */
plait_status plait__signal_slots_assign(plait__planner_state *planner);
plait_status plait__segments_find(plait__planner_state *planner);
plait_status plait__scratch_offsets_assign(plait__planner_state *planner);

#endif
