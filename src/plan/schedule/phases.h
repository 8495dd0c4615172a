/* SPDX-License-Identifier: MIT */
/* Entry points of the planner phases, one unit each; planner.c has their order.
 * A status other than PLAIT_OK is in planner->error; memory is the workspace's,
 * so no phase frees after a failure. */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_PHASES_H
#define PLAIT_SRC_PLAN_SCHEDULE_PHASES_H

#include "plan/schedule/planner_state.h"

/* No later phase sees an index that is out of range. */
plait_status plait__validate_input(plait__planner_state *planner);
/* Select the nodes and scopes that take part. */
plait_status plait__select_subgraph(plait__planner_state *planner);
/* Assign t numbers and fill preds; a cycle is an error. */
plait_status plait__toposort(plait__planner_state *planner);
/* Drop the preds that others imply; fill succs. */
plait_status plait__transitive_reduction(plait__planner_state *planner);
/* Every user of a loop-carried buffer comes after the loop. */
plait_status plait__loop_carried_check(plait__planner_state *planner);
/* Costs and upward ranks of one scope; its inner scopes are done. */
plait_status plait__critical_path_rank(plait__planner_state *planner,
				       uint32_t scope);
/* Order and lanes of all scopes, inner ones first. */
plait_status plait__assign_lanes(plait__planner_state *planner);
/* Order and lanes of scope 0 as in the plan of the whole graph. */
plait_status plait__inherit_lanes(plait__planner_state *planner);

/*
 * The two ways to find the lanes (and an order) of a scope: chain cover, and
 * the search over list schedules (schedule_search.c).  After a failed open,
 * close the result if it is not null.
 */
struct plait__chain_cover;
plait_status plait__chain_cover_open(plait__planner_state *planner,
				     struct plait__chain_cover **out);
void plait__chain_cover_close(struct plait__chain_cover *chains);
plait_status plait__chain_cover_run(struct plait__chain_cover *chains,
				    uint32_t scope);
struct plait__list_schedule;
plait_status plait__search_open(plait__planner_state *planner,
				struct plait__list_schedule **out);
void plait__search_close(struct plait__list_schedule *list);
plait_status plait__search_run(struct plait__list_schedule *list,
			       uint32_t scope);

/*
 * List scheduling with insertion, into lanes of `place`, which is new and has a
 * limit for each device: PLAIT__INSERTION_LANES in all at most.  Fills
 * planner->lane and planner->seq.  If the makespan is not below `bound`,
 * *makespan is UINT64_MAX and no other result is valid.
 */
enum { PLAIT__INSERTION_LANES = 64 };
struct plait__placement;
typedef struct plait__insertion_arrays {
	const uint64_t *rank;		/* by t */
	uint64_t *finish;		/* by t: for the callee's use, as are
					 * the next two */
	uint32_t *before;
	uint32_t *spare;		/* as many as the scope has nodes */
} plait__insertion_arrays;
plait_status plait__insertion_schedule(plait__planner_state *planner,
				       const plait__planner_scope *scope,
				       struct plait__placement *place,
				       const plait__insertion_arrays *room,
				       uint64_t bound, uint64_t *makespan);

/* Returns true if a lower bound shows that no schedule of the scope has a
 * shorter makespan. `start` is temporary, by t. */
bool plait__makespan_is_minimal(plait__planner_state *planner,
				const plait__planner_scope *scope,
				uint64_t makespan, uint64_t *start);

/* Emit lanes, bodies, tracks, commands and regions of the plan; and, when most
 * of the workspace is freed, the origin of its commands. */
plait_status plait__emit_commands(plait__planner_state *planner);
plait_status plait__emit_nodes(plait__planner_state *planner);
/* Emit waits, preds and exits of every command. */
plait_status plait__emit_waits(plait__planner_state *planner);
/* Assign signal slots, find segments, lay out the arenas. */
plait_status plait__signal_slots_assign(plait__planner_state *planner);
plait_status plait__segments_find(plait__planner_state *planner);
plait_status plait__scratch_offsets_assign(plait__planner_state *planner);

#endif
