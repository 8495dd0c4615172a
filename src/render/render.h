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

/* Words of a picture in place of a plan's. */
typedef struct plait__schedule_caption {
	const char *title, *detail;
	const char *unit;	/* of the times */
	const char *const *lanes; /* names, by lane */
} plait__schedule_caption;

/* Append the schedule as SVG; `timeline` has the time of each command. */
void plait__schedule_svg(const plait__plan *plan,
			 const plait__timeline *timeline, plait__text *out);

/* As plait__schedule_svg, with other words. */
void plait__schedule_svg_captioned(const plait__plan *plan,
				   const plait__timeline *timeline,
				   const plait__schedule_caption *caption,
				   plait__text *out);

#endif
