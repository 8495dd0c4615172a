/* SPDX-License-Identifier: MIT */
/* Entry points of the check's phases, one unit each, in the order of
 * check.c. */
#ifndef PLAIT_SRC_PLAN_CHECK_PHASES_H
#define PLAIT_SRC_PLAN_CHECK_PHASES_H

#include "plan/check/check_state.h"

/* Every index is in range, every array is consistent. */
plait_status plait__structure_check(plait__check *check);

/* Every reference of the payload tables is within its table; no reserved kind
 * is used. */
plait_status plait__payload_tables_check(plait__check *check);

/* Every argument is within its object; a run supplies each parameter's bytes,
 * and no other argument shares them. */
plait_status plait__argument_bounds_check(plait__check *check);
/* `order` is topological for lanes, waits and preds; signal slots; exits. */
plait_status plait__deadlock_check(plait__check *check);
/* Segments are convex: no path leaves a segment and comes back. */
plait_status plait__segment_convexity_check(plait__check *check);
/* Every edge of the graph is kept; nodes have the commands that they ask
 * for. */
plait_status plait__against_graph_check(plait__check *check);
/* Iteration-dependent arguments are used only in scope of their loop. */
plait_status plait__rotation_scope_check(plait__check *check);
/* Conflicting accesses are ordered; then calls the scratch check. */
plait_status plait__accesses_check(plait__check *check);
/* Overlapping scratch is ordered.  `timeline` is a topological order of all
 * commands. */
plait_status plait__scratch_aliasing_check(plait__check *check,
					   const uint32_t *timeline);
/* The holders of each unit of a resource are ordered; of a graph, they hold what
 * they need.  `timeline` as above. */
plait_status plait__held_units_check(plait__check *check,
				     const uint32_t *timeline);
/* Temporaries at `offsets`, by slot, share bytes of an arena only with
 * temporaries and scratch whose uses come all before or all after theirs. */
plait_status plait__place_aliasing_check(plait__check *check,
					 const uint64_t *offsets);
/* Makespans, edge count, segment costs and arena sizes are as stated. */
plait_status plait__totals_check(plait__check *check);

/* Prove the obligations on the list by a search for paths, and remove them;
 * those about redundant waits stay. */
plait_status plait__paths_prove(plait__check *check);
/* Prove all obligations on the list. */
plait_status plait__clock_sweeps_run(plait__check *check);

#endif
