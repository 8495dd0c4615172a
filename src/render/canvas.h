/* SPDX-License-Identifier: MIT */
/*
 * The canvas of a schedule while it is drawn: how large it is, and where
 * times and lanes are.  schedule_svg.c draws the commands, axes.c what is around them.
 */
#ifndef PLAIT_SRC_RENDER_CANVAS_H
#define PLAIT_SRC_RENDER_CANVAS_H

#include "base/text.h"
#include "render/timeline_layout.h"

/* In pixels. */
enum {
	PLAIT__CANVAS_LEFT = 110,
	PLAIT__CANVAS_RIGHT = 24,
	PLAIT__CANVAS_TOP = 76,	/* title, legend and axis */
	PLAIT__CANVAS_AXIS = 24, /* of these the axis alone */
	PLAIT__CANVAS_BOTTOM = 12,
	PLAIT__CANVAS_GAP = 14,	/* strips of time, beside the axis */
	/* A page: what fits a screen as a whole can be read there. */
	PLAIT__CANVAS_WIDTH_MIN = 900,
	PLAIT__CANVAS_WIDTH_MAX = 1600 - PLAIT__CANVAS_LEFT -
				   PLAIT__CANVAS_RIGHT,
	PLAIT__CANVAS_STRIPS = 64,	/* of time, most */
	PLAIT__CANVAS_COLUMN = 7,	/* a character's width */
	PLAIT__CANVAS_COLUMN_SMALL = 5,	/* in the small size */
	PLAIT__CANVAS_KEYS = 440,	/* what keys besides devices take */
	PLAIT__CANVAS_NAME = 280,	/* bytes of a name */
	PLAIT__CANVAS_NAME_GAP = 5,	/* behind it */
	PLAIT__CANVAS_ROW_NAMED = 12,	/* in less no name can be read */
	PLAIT__CANVAS_ROW_WIDE = 20,	/* in less boxes have no room between */
	PLAIT__CANVAS_HEIGHT_MAX = 1200 - PLAIT__CANVAS_TOP -
				   PLAIT__CANVAS_BOTTOM
};

/* The colour of waits, here as in DOT. */
#define PLAIT__CANVAS_WAIT "#d55e00"
/* The looks of what stands for rounds that are not shown. */
#define PLAIT__CANVAS_ELIDED "fill=\"url(#more)\" stroke=\"none\""

/* Commands whose names have no room: a number each, and a line below. */
enum { PLAIT__CANVAS_NOTES = 40 };
struct plait__canvas_notes {
	uint32_t count;
	uint32_t commands[PLAIT__CANVAS_NOTES];
};

struct plait__canvas {
	plait__timeline_layout layout;
	const plait__plan *plan;
	plait__text *out;
	double scale;		/* pixels per unit of time */
	uint32_t width;		/* of the commands alone */
	uint32_t row;
	uint32_t inset;		/* of a box in its row */
	uint32_t strip;		/* a region's name; 0: there is no room */
	double top;		/* where the rows begin */
	uint32_t row_count;
	uint64_t makespan;	/* where the axis ends, as it is shown */
	/* Where the strip of time begins that is being drawn, and where the
	 * next one does; that of a canvas in one strip is 0 to ~0. */
	uint64_t start;
	uint64_t stop;
	/* What the axis counts, and how many units of time one of these is. */
	const char *unit;
	const char *unit_short;	/* where it stands behind a power of ten */
	uint64_t unit_time;
	const char *tip_unit;	/* behind times in tips */
	/* Null where there may be too many: names as they fit. */
	struct plait__canvas_notes *notes;
};

static inline double plait__canvas_x(const struct plait__canvas *canvas,
				     uint64_t time)
{
	return PLAIT__CANVAS_LEFT +
	       (double)(time - canvas->start) * canvas->scale;
}

/* Within the strip. */
static inline double plait__canvas_clamped_x(const struct plait__canvas *canvas,
					     uint64_t time)
{
	if (time < canvas->start)
		time = canvas->start;
	if (time > canvas->stop)
		time = canvas->stop;
	return plait__canvas_x(canvas, time);
}

/* The top of the row of a lane. */
static inline double plait__canvas_y(const struct plait__canvas *canvas,
				     uint32_t lane)
{
	return canvas->top +
	       (double)canvas->layout.rows[lane] * canvas->row;
}

/* Below all lanes. */
static inline double plait__canvas_bottom(const struct plait__canvas *canvas)
{
	return canvas->top + (double)canvas->row_count * canvas->row;
}

/* From one strip of time to the next. */
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

/* How many strips so many pixels are, and how wide they are. */
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

/* Is any of this time in the strip?  Of none at all: is it there? */
static inline bool plait__canvas_shows(const struct plait__canvas *canvas,
				       plait__simulate_span span)
{
	return span.start < canvas->stop &&
	       (span.end > canvas->start || span.start == canvas->start);
}

/* Set the height of rows; regions are `depth` deep. */
void plait__canvas_set_row(struct plait__canvas *canvas, uint32_t row,
			   uint32_t depth);
/* Choose the height of rows. */
void plait__canvas_choose_row(struct plait__canvas *canvas, uint32_t depth);

/* What a box that is in `depth` regions has of its row; `is_region`: it is one. */
void plait__canvas_place_box(const struct plait__canvas *canvas, uint32_t lane,
			       uint32_t depth, bool is_region, double *y,
			       double *height);
/* Where a command's box is in its row. */
void plait__canvas_command_box(const struct plait__canvas *canvas, uint32_t command,
				 double *y, double *height);

void plait__canvas_draw_arrow(plait__text *out, double x1, double y1, double x2,
				double y2);
/* The element that arrows are in; closed with </g>. */
void plait__canvas_open_arrows(plait__text *out, bool many);

#endif
