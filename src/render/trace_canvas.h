/* SPDX-License-Identifier: MIT */
/*
 * Canvas of a trace: above, what each lane did; below, on the same scale, the
 * plan.  trace_layout.c chooses sizes and the number of strips of time;
 * trace_svg.c draws.
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
	double unit_ns;		/* duration of a unit of cost, in ns */
	uint32_t arrows;
	struct plait__canvas_notes notes;
	/* If one thread ran all commands: the row map of its single row. */
	uint32_t only_row;
	uint8_t only_first_of_device;
} plait__trace_canvas;

/* Choose the sizes of a finished trace; omits loop iterations if it does not
 * fit a page. */
void plait__trace_choose_sizes(plait__trace_canvas *pair);

/* Draw all strips of `canvas`, one of the two, with its start, stop and top set for
 * each call of `draw`. */
void plait__trace_draw_strips(plait__trace_canvas *pair,
			      struct plait__canvas *canvas, uint32_t strips,
			      void (*draw)(plait__trace_canvas *pair));

/* Returns the height of all strips but the first. */
uint32_t plait__trace_extra_height(const struct plait__canvas *canvas,
				   uint32_t strips);

#endif
