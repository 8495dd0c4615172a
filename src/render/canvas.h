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
	PLAIT__CANVAS_NAME_GAP = 5	/* behind it */
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

/* A colour for what runs on a device; `shade` keeps neighbours apart. */
const char *plait__axes_device_fill(uint32_t device, uint32_t shade);

/* Measures of a plan's canvas: its rows begin at `top`. */
void plait__schedule_choose_row(struct plait__canvas *canvas, uint32_t depth);

/* Is any of this time in the strip?  Of none at all: is it there? */
static inline bool plait__canvas_shows(const struct plait__canvas *canvas,
				       plait__simulate_span span)
{
	return span.start < canvas->stop &&
	       (span.end > canvas->start || span.start == canvas->start);
}

/* What there is before any command: the opening tag with the size of all, the
 * legend from `x` on (returns its end), axis and rows. */
void plait__axes_open(const struct plait__canvas *canvas, double bottom);
double plait__axes_draw_legend(const struct plait__canvas *canvas,
			       const char *region);
double plait__axes_draw_key(const struct plait__canvas *canvas, double x,
			    const char *looks, const char *meaning);
void plait__axes_draw_rows(const struct plait__canvas *canvas);

/* Which names of a plan's commands need notes, in this strip. */
void plait__schedule_find_notes(const struct plait__canvas *canvas);

/* elision_bands.c: what stands for all that is not shown in this strip. */
void plait__elision_draw_bands(const struct plait__canvas *canvas);

/* A strip of time of a plan's commands, as they are planned, with its axis, in
 * a layout that is there. */
void plait__schedule_draw_plan(const struct plait__canvas *canvas);

/* What a box that is in `depth` regions has of its row; `is_region`: it is one. */
void plait__schedule_place_box(const struct plait__canvas *canvas, uint32_t lane,
			       uint32_t depth, bool is_region, double *y,
			       double *height);
/* The name in it, cut or left out; `room` is for how far it is free. */
void plait__labels_draw(const struct plait__canvas *canvas,
			const char *label, bool is_region, double x, double y,
			double height, double room);

/* Where a command's box is in its row. */
void plait__schedule_command_box(const struct plait__canvas *canvas, uint32_t command,
				 double *y, double *height);

/* ---- labels.c: names, and notes for those that have no room ---- */

const char *plait__labels_name(const struct plait__canvas *canvas,
			       uint32_t command,
			       char label[PLAIT__CANVAS_NAME]);
/* Where a name would be, and how far its place is free. */
double plait__labels_room(const struct plait__canvas *canvas,
			  uint32_t command, double *x);
/* The number of a command's note, from 1; 0: there are too many. */
uint32_t plait__labels_note(struct plait__canvas_notes *notes,
			    uint32_t command);
void plait__labels_find_note(const struct plait__canvas *canvas,
			     uint32_t command);
void plait__labels_draw_name(const struct plait__canvas *canvas,
			     uint32_t command);
/* A note's number in a box, or above it. */
void plait__labels_draw_number(const struct plait__canvas *canvas, uint32_t note,
			       double x, double y, double height, double room);
/* Of notes in this strip. */
void plait__labels_draw_numbers(const struct plait__canvas *canvas);
/* Names behind their numbers, from `y` down; returns where they end. */
double plait__labels_draw_notes(const struct plait__canvas *canvas,
				double y, bool draw);

const char *plait__schedule_command_fill(const struct plait__canvas *canvas,
					 uint32_t command);
void plait__schedule_draw_arrow(plait__text *out, double x1, double y1, double x2,
				double y2);
/* The element that arrows are in; closed with </g>. */
void plait__schedule_open_arrows(plait__text *out, bool many);

#endif
