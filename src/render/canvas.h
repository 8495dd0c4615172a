/* SPDX-License-Identifier: MIT */
/*
 * Canvas of a schedule: size, scale, and coordinates of times and lanes.
 * schedule_svg.c draws the commands, axes.c the frame.
 */
#ifndef PLAIT_SRC_RENDER_CANVAS_H
#define PLAIT_SRC_RENDER_CANVAS_H

#include "base/text.h"
#include "render/render.h"
#include "render/timeline_layout.h"

/* In pixels. */
enum {
	PLAIT__CANVAS_LEFT = 110,
	PLAIT__CANVAS_RIGHT = 24,
	PLAIT__CANVAS_TOP = 76,	/* title, legend and axis */
	PLAIT__CANVAS_AXIS = 24, /* height of the axis alone */
	PLAIT__CANVAS_BOTTOM = 12,
	PLAIT__CANVAS_GAP = 14,	/* between strips of time, besides the axis */
	/* Page width: a page that fits a screen can be read as a whole. */
	PLAIT__CANVAS_WIDTH_MIN = 900,
	PLAIT__CANVAS_WIDTH_MAX = 1600 - PLAIT__CANVAS_LEFT -
				   PLAIT__CANVAS_RIGHT,
	PLAIT__CANVAS_STRIPS = 64,	/* maximum number of strips of time */
	PLAIT__CANVAS_COLUMN = 7,	/* a character's width */
	PLAIT__CANVAS_COLUMN_SMALL = 5,	/* in the small size */
	PLAIT__CANVAS_KEYS = 440,	/* width of keys other than devices */
	PLAIT__CANVAS_NAME = 280,	/* bytes of a name */
	PLAIT__CANVAS_NAME_GAP = 5,	/* after a name */
	PLAIT__CANVAS_ROW_NAMED = 12,	/* below this height names are
					 * unreadable */
	PLAIT__CANVAS_ROW_WIDE = 20,	/* below this height boxes touch */
	PLAIT__CANVAS_HEIGHT_MAX = 1200 - PLAIT__CANVAS_TOP -
				   PLAIT__CANVAS_BOTTOM
};

/* Colour of waits; the same in DOT. */
#define PLAIT__CANVAS_WAIT "#d55e00"
/* Style of bands in place of omitted iterations. */
#define PLAIT__CANVAS_ELIDED "fill=\"url(#more)\" stroke=\"none\""

/* Commands with names that do not fit: each gets a number and a line below the
 * picture. */
enum { PLAIT__CANVAS_NOTES = 40 };
struct plait__canvas_notes {
	uint32_t count;
	uint32_t commands[PLAIT__CANVAS_NOTES];
};

struct plait__canvas {
	plait__timeline_layout layout;
	const plait__plan *plan;
	const plait__schedule_caption *caption;	/* null: the plan's words */
	plait__text *out;
	double scale;		/* pixels per unit of time */
	uint32_t width;		/* of the area of commands */
	/* Height of a row; set with `inset` and `strip` by _set_row. */
	uint32_t row;
	uint32_t inset;		/* of a box within its row */
	uint32_t strip;		/* height of a region's name; 0: no room */
	double top;		/* y of the first row */
	uint32_t row_count;
	uint64_t makespan;	/* end of the axis, in shown time */
	/* Start and end of the current strip of time; 0 and ~0 for a single
	 * strip. */
	uint64_t start;
	uint64_t stop;
	/* Unit of the axis, and its length in units of time. */
	const char *unit;
	const char *unit_short;	/* after a power of ten */
	uint64_t unit_time;
	const char *tip_unit;	/* after times in tips */
	/* Null if there may be too many commands: names as they fit. */
	struct plait__canvas_notes *notes;
};

/* Returns the x of a shown time, which is not before the strip. */
static inline double plait__canvas_x(const struct plait__canvas *canvas,
				     uint64_t time)
{
	return PLAIT__CANVAS_LEFT +
	       (double)(time - canvas->start) * canvas->scale;
}

/* Clamped to the strip. */
static inline double plait__canvas_clamped_x(const struct plait__canvas *canvas,
					     uint64_t time)
{
	if (time < canvas->start)
		time = canvas->start;
	if (time > canvas->stop)
		time = canvas->stop;
	return plait__canvas_x(canvas, time);
}

/* Returns the top of a lane's row. */
static inline double plait__canvas_y(const struct plait__canvas *canvas,
				     uint32_t lane)
{
	return canvas->top +
	       (double)canvas->layout.rows[lane] * canvas->row;
}

/* Returns the y below all lanes. */
static inline double plait__canvas_bottom(const struct plait__canvas *canvas)
{
	return canvas->top + (double)canvas->row_count * canvas->row;
}

/* Returns the distance between two strips of time. */
static inline uint32_t
plait__canvas_strip_height(const struct plait__canvas *canvas)
{
	return canvas->row_count * canvas->row + PLAIT__CANVAS_AXIS +
	       PLAIT__CANVAS_GAP;
}

static inline uint32_t plait__canvas_divide_up(uint64_t what, uint64_t by)
{
	return (uint32_t)(what / by + (what % by != 0));
}

/* Returns the number of strips of that many pixels, and their width. */
static inline uint32_t plait__canvas_strips(uint64_t width)
{
	return plait__canvas_divide_up(width, PLAIT__CANVAS_WIDTH_MAX);
}

static inline uint32_t plait__canvas_clamp_width(uint64_t width)
{
	return (uint32_t)(width < PLAIT__CANVAS_WIDTH_MIN ?
			  PLAIT__CANVAS_WIDTH_MIN :
			  width > PLAIT__CANVAS_WIDTH_MAX ?
			  PLAIT__CANVAS_WIDTH_MAX : width);
}

/* Returns true if any part of the span lies in the strip; a span of no length,
 * if its start does. */
static inline bool plait__canvas_shows(const struct plait__canvas *canvas,
				       plait__simulate_span span)
{
	return span.start < canvas->stop &&
	       (span.end > canvas->start || span.start == canvas->start);
}

/* Set the height of rows, with names of `depth` nested regions. */
void plait__canvas_set_row(struct plait__canvas *canvas, uint32_t row,
			   uint32_t depth);
/* Choose the height of rows that fits the page. */
void plait__canvas_choose_row(struct plait__canvas *canvas, uint32_t depth);

/* Compute the vertical extent of a box inside `depth` regions; `is_region`: the
 * box is a region. */
void plait__canvas_place_box(const struct plait__canvas *canvas, uint32_t lane,
			     uint32_t depth, bool is_region, double *y,
			     double *height);
/* Compute the vertical extent of a command's box. */
void plait__canvas_command_box(const struct plait__canvas *canvas,
			       uint32_t command, double *y, double *height);

void plait__canvas_draw_arrow(plait__text *out, double x1, double y1, double x2,
			      double y2);
/* Open the element that holds arrows; </g> closes it. */
void plait__canvas_open_arrows(plait__text *out, bool many);

#endif
