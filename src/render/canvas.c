/* SPDX-License-Identifier: MIT */
/* Geometry of a canvas: row heights, boxes and arrows. */
#include "render/canvas.h"

enum {
	ROW = 30, ROW_MIN = 8,	/* of a lane, without names of regions */
	STRIP = 12,		/* a region's name above its contents */
	STRIPS_MAX = 4
};

void plait__canvas_set_row(struct plait__canvas *canvas, uint32_t row,
			   uint32_t depth)
{
	canvas->inset = row < PLAIT__CANVAS_ROW_WIDE ? 1 : 4;
	canvas->strip = row < PLAIT__CANVAS_ROW_NAMED ? 0 : STRIP;
	canvas->row = row + canvas->strip * (depth < STRIPS_MAX ? depth :
					     STRIPS_MAX);
}

void plait__canvas_choose_row(struct plait__canvas *canvas, uint32_t depth)
{
	uint32_t fits = PLAIT__CANVAS_HEIGHT_MAX / (canvas->row_count > 0 ?
						    canvas->row_count : 1);

	plait__canvas_set_row(canvas, fits < ROW_MIN ? ROW_MIN :
			      fits > ROW ? ROW : fits, depth);
}

/* Deeper boxes are lower, below the names of the enclosing regions. */
void plait__canvas_place_box(const struct plait__canvas *canvas, uint32_t lane,
			       uint32_t depth, bool is_region, double *y, double *height)
{
	double inset = canvas->inset;
	double above;

	if (depth > STRIPS_MAX)
		depth = STRIPS_MAX;
	above = (double)depth * canvas->strip;
	if (is_region)
		inset = 1 + depth * 0.5;
	*y = plait__canvas_y(canvas, lane) + above + inset;
	*height = canvas->row - above - 2 * inset;
	if (*height < 2)
		*height = 2;
}

void plait__canvas_command_box(const struct plait__canvas *canvas,
			       uint32_t number, double *y, double *height)
{
	plait__canvas_place_box(canvas, canvas->plan->commands[number].lane,
				plait__timeline_depth(&canvas->layout,
						      number),
				plait__timeline_is_region(&canvas->layout,
							  number),
				y, height);
}

void plait__canvas_draw_arrow(plait__text *out, double x1, double y1, double x2,
			      double y2)
{
	double bend = x2 > x1 ? (x2 - x1) / 2 + 4 : 12;

	plait__text_add(out, "<path d=\"M%.1f,%.1f C%.1f,%.1f %.1f,%.1f "
			"%.1f,%.1f\"/>\n", x1, y1, x1 + bend, y1, x2 - bend,
			y2, x2, y2);
}

void plait__canvas_open_arrows(plait__text *out, bool many)
{
	plait__text_add(out, "<g fill=\"none\" stroke=\""
			PLAIT__CANVAS_WAIT "\" "
			"stroke-width=\"%s\" opacity=\"%s\" "
			"marker-end=\"url(#tip)\">\n", many ? "0.9" : "1.2",
			many ? "0.5" : "0.85");
}
