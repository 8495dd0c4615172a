/* SPDX-License-Identifier: MIT */
/*
 * The canvas of a run while it is drawn: above, what each lane did; below, on
 * the same scale, what was planned for it.  trace_layout.c chooses how large
 * pair are and in how many strips of time, trace_svg.c draws them.
 */
#ifndef PLAIT_SRC_RENDER_TRACE_CANVAS_H
#define PLAIT_SRC_RENDER_TRACE_CANVAS_H

#include "render/canvas.h"
#include "render/trace_model.h"

typedef struct plait__trace_canvas {
	plait__trace *trace;
	const plait__timeline *planned;
	struct plait__canvas run;
	struct plait__canvas plan;
	uint32_t run_strips, plan_strips;
	double unit_ns;		/* what a unit of cost took, in ns */
	uint32_t arrows;
	struct plait__canvas_notes notes;
	/* Where one thread did all: its row, and that it is the first one. */
	uint32_t only_row;
	uint8_t only_first_of_device;
} plait__trace_canvas;

/* Of a trace that is finished; what fits no page leaves out rounds of loops. */
void plait__trace_choose_sizes(plait__trace_canvas *pair);

/* Draw all strips of `canvas`, which is one of the two. */
void plait__trace_draw_strips(plait__trace_canvas *pair, struct plait__canvas *canvas,
			      uint32_t strips,
			      void (*draw)(plait__trace_canvas *pair));

/* What strips need beside the first one. */
uint32_t plait__trace_extra_height(const struct plait__canvas *canvas,
				   uint32_t strips);

#endif
