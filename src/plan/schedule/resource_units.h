/* SPDX-License-Identifier: MIT */
/*
 * Limits as edges: which node holds which units of the resources of a graph, and
 * the edges from each holder of a unit to the next one.  With these edges no
 * timing lets nodes hold more units than there are.
 *
 * The nodes are served in the order of a plan that was made without limits.  A
 * region holds the units that its bodies use at once, besides its own.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_RESOURCE_UNITS_H
#define PLAIT_SRC_PLAN_SCHEDULE_RESOURCE_UNITS_H

#include "plan/schedule/planner_input.h"
#include "plan/schedule/workspace.h"

/* Returns true if the input has needs, whose units are to be chosen. */
bool plait__resource_units_are_open(const plait__input *input);

/*
 * Choose the units.  `plan` is one of `input` as if it had no needs, whose
 * indices are valid.  *out is the input with holds in place of needs, and with
 * more edges; these arrays belong to `work`, which lives as long.  Fails with
 * PLAIT_E_INVALID, with the node, if loops around a node leave too few units.
 */
plait_status plait__resource_units_choose(const plait__input *input,
					  const plait__plan *plan,
					  plait__workspace *work,
					  plait__input *out,
					  plait_error *error);

#endif
