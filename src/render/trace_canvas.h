/* SPDX-License-Identifier: MIT */
/*
 * The picture of a run while it is drawn: above, what each lane did; below, on
 * the same scale, what was planned for it.  trace_layout.c chooses how large
 * both are and in how many strips of time, trace_svg.c draws them.
 */
#ifndef PLAIT_SRC_RENDER_TRACE_CANVAS_H
#define PLAIT_SRC_RENDER_TRACE_CANVAS_H

#include "render/canvas.h"
#include "render/trace_model.h"

typedef struct plait__both {
	plait__trace *trace;
	const plait__timeline *planned;
	struct plait__picture run;
	struct plait__picture plan;
	uint32_t run_strips, plan_strips;
	double unit_ns;		/* what a unit of cost took, in ns */
	uint32_t arrows;
	struct plait__picture_notes notes;
	/* Where one thread did all: its row, and that it is the first one. */
	uint32_t only_row;
	uint8_t only_lead;
} plait__both;

/* Of a trace that is finished; what fits no page leaves out rounds of loops. */
void plait__both_choose_sizes(plait__both *both);

/* Draw all strips of `picture`, which is one of the two. */
void plait__both_strips(plait__both *both, struct plait__picture *picture,
			uint32_t strips,
			void (*draw)(plait__both *both));

/* What strips need beside the first one. */
uint32_t plait__both_more_height(const struct plait__picture *picture,
				 uint32_t strips);

#endif
