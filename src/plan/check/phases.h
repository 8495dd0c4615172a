/* SPDX-License-Identifier: MIT */
/* Entry points of the check's phases, one unit each, in the order of check.c. */
#ifndef PLAIT_SRC_PLAN_CHECK_PHASES_H
#define PLAIT_SRC_PLAN_CHECK_PHASES_H

#include "plan/check/check_state.h"

/* structure.c: every index is in range, every part in its place. */
plait_status plait__structure_check(plait__check *check);
/* deadlock.c: `order` fits lanes, waits and preds; signals; exits. */
plait_status plait__deadlock_check(plait__check *check);
/* segment_convexity.c: no path leaves a segment and comes back. */
plait_status plait__segment_convexity_check(plait__check *check);
/* against_graph.c: edges and meanings of the graph. */
plait_status plait__against_graph_check(plait__check *check);
/* rotation_scope.c: what is said of iterations is said where there are some. */
plait_status plait__rotation_scope_check(plait__check *check);
/* accesses.c: accesses, and then scratch. */
plait_status plait__accesses_check(plait__check *check);
/* scratch_aliasing.c: arenas, with all commands in an order that fits. */
plait_status plait__scratch_aliasing_check(plait__check *check,
					   const uint32_t *timeline);
/* totals.c: makespans, edges, what segments cost, arenas. */
plait_status plait__totals_check(plait__check *check);

/* clock_sweeps.c: prove all that were added. */
plait_status plait__clock_sweeps_run(plait__check *check);

#endif
