/* SPDX-License-Identifier: MIT */
/*
 * Pictures of plans.  DOT is for the graph: what orders what, coloured by
 * lane.  SVG is for the schedule: lanes as rows, time from left to right.
 */
#ifndef PLAIT_SRC_RENDER_RENDER_H
#define PLAIT_SRC_RENDER_RENDER_H

#include "base/text.h"
#include "plan/simulate/simulate.h"

/* Append the graph for Graphviz. */
void plait__graphviz_plan(const plait__plan *plan, plait__text *out);

/* Append the schedule; `timeline` says when each command runs. */
void plait__schedule_svg(const plait__plan *plan, const plait__timeline *timeline,
			 plait__text *out);

#endif
