/* SPDX-License-Identifier: MIT */
/* Entry points of the planner phases, one unit each, in the order of planner.c. */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PHASES_H
#define PLAIT_SRC_PLAN_SCHEDULE_PHASES_H

#include "plan/schedule/planner_state.h"

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
