/* SPDX-License-Identifier: MIT */
/*
 * Pictures of plans.  DOT shows the graph: orderings, coloured by lane.  SVG
 * shows the schedule: lanes as rows, time from left to right.
 */
#ifndef PLAIT_SRC_RENDER_RENDER_H
#define PLAIT_SRC_RENDER_RENDER_H

#include "base/text.h"
#include "plan/simulate/simulate.h"

/* Append the graph in DOT. */
void plait__graphviz_plan(const plait__plan *plan, plait__text *out);

/* Append the schedule as SVG; `timeline` has the time of each command. */
void plait__schedule_svg(const plait__plan *plan,
			 const plait__timeline *timeline, plait__text *out);

#endif
