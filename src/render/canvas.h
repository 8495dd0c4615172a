/* SPDX-License-Identifier: MIT */
/*
 * The picture of a schedule while it is drawn: how large it is, and where
 * times and lanes are.  schedule_svg.c draws the commands, axes.c what is around them.
 */
#ifndef PLAIT_SRC_RENDER_CANVAS_H
#define PLAIT_SRC_RENDER_CANVAS_H

#include "base/text.h"
#include "render/timeline_layout.h"

/* In pixels. */
enum {
	PLAIT__PICTURE_LEFT = 110,
	PLAIT__PICTURE_RIGHT = 24,
	PLAIT__PICTURE_TOP = 76,	/* title, legend and axis */
	PLAIT__PICTURE_AXIS = 24, /* of these the axis alone */
	PLAIT__PICTURE_BOTTOM = 12,
	PLAIT__PICTURE_BETWEEN = 14,	/* strips of time, beside the axis */
	/* A page: what fits a screen as a whole can be read there. */
	PLAIT__PICTURE_WIDTH_MIN = 900,
	PLAIT__PICTURE_WIDTH_MAX = 1600 - PLAIT__PICTURE_LEFT -
				   PLAIT__PICTURE_RIGHT,
	PLAIT__PICTURE_STRIPS = 64,	/* of time, most */
	PLAIT__PICTURE_COLUMN = 7,	/* a character's width */
	PLAIT__PICTURE_COLUMN_SMALL = 5,	/* in the small size */
	PLAIT__PICTURE_KEYS = 440,	/* what keys besides devices take */
	PLAIT__PICTURE_NAME = 280,	/* bytes of a name */
	PLAIT__PICTURE_NAME_GAP = 5	/* behind it */
};

/* The colour of waits, here as in DOT. */
#define PLAIT__PICTURE_WAIT "#d55e00"
/* The looks of what stands for rounds that are not shown. */
#define PLAIT__PICTURE_LEFT_OUT "fill=\"url(#more)\" stroke=\"none\""

/* Commands whose names have no room: a number each, and a line below. */
enum { PLAIT__PICTURE_NOTES = 40 };
struct plait__picture_notes {
	uint32_t count;
	uint32_t commands[PLAIT__PICTURE_NOTES];
};

struct plait__picture {
	plait__scene scene;
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
	 * next one does; that of a picture in one strip is 0 to ~0. */
	uint64_t start;
	uint64_t stop;
	/* What the axis counts, and how many units of time one of these is. */
	const char *unit;
	const char *unit_short;	/* where it stands behind a power of ten */
	uint64_t unit_time;
	const char *tip_unit;	/* behind times in tips */
	/* Null where there may be too many: names as they fit. */
	struct plait__picture_notes *notes;
};

static inline double plait__picture_x(const struct plait__picture *picture,
				      uint64_t time)
{
	return PLAIT__PICTURE_LEFT +
	       (double)(time - picture->start) * picture->scale;
}

/* Within the strip. */
static inline double plait__picture_x_in(const struct plait__picture *picture,
					 uint64_t time)
{
	if (time < picture->start)
		time = picture->start;
	if (time > picture->stop)
		time = picture->stop;
	return plait__picture_x(picture, time);
}

/* The top of the row of a lane. */
static inline double plait__picture_y(const struct plait__picture *picture,
				      uint32_t lane)
{
	return picture->top +
	       (double)picture->scene.rows[lane] * picture->row;
}

/* Below all lanes. */
static inline double plait__picture_bottom(const struct plait__picture *picture)
{
	return picture->top + (double)picture->row_count * picture->row;
}

/* From one strip of time to the next. */
static inline uint32_t
plait__picture_strip_height(const struct plait__picture *picture)
{
	return picture->row_count * picture->row + PLAIT__PICTURE_AXIS +
	       PLAIT__PICTURE_BETWEEN;
}

static inline uint32_t plait__picture_divide_up(uint64_t what, uint64_t by)
{
	return (uint32_t)(what / by + (what % by != 0));
}

/* How many strips so many pixels are, and how wide they are. */
static inline uint32_t plait__picture_pages(uint64_t width)
{
	return plait__picture_divide_up(width, PLAIT__PICTURE_WIDTH_MAX);
}

static inline uint32_t plait__picture_fit_width(uint64_t width)
{
	return (uint32_t)(width < PLAIT__PICTURE_WIDTH_MIN ?
			  PLAIT__PICTURE_WIDTH_MIN :
			  width > PLAIT__PICTURE_WIDTH_MAX ?
			  PLAIT__PICTURE_WIDTH_MAX : width);
}

/* A colour for what runs on a device; `shade` keeps neighbours apart. */
const char *plait__picture_fill(uint32_t device, uint32_t shade);

/* Measures of a plan's picture: its rows begin at `top`. */
void plait__picture_choose_row(struct plait__picture *picture, uint32_t depth);

/* Is any of this time in the strip?  Of none at all: is it there? */
static inline bool plait__picture_shows(const struct plait__picture *picture,
					plait__simulate_span span)
{
	return span.start < picture->stop &&
	       (span.end > picture->start || span.start == picture->start);
}

/* What there is before any command: the opening tag with the size of all, the
 * legend from `x` on (returns its end), axis and rows. */
void plait__picture_open(const struct plait__picture *picture, double bottom);
double plait__picture_legend(const struct plait__picture *picture,
			     const char *region);
double plait__picture_key(const struct plait__picture *picture, double x,
			  const char *looks, const char *meaning);
void plait__picture_rows(const struct plait__picture *picture);

/* Which names of a plan's commands need notes, in this strip. */
void plait__picture_find_notes(const struct plait__picture *picture);

/* elision_bands.c: what stands for all that is not shown in this strip. */
void plait__picture_bands(const struct plait__picture *picture);

/* A strip of time of a plan's commands, as they are planned, with its axis, in
 * a scene that is there. */
void plait__picture_plan(const struct plait__picture *picture);

/* What a box that is in `depth` regions has of its row; `frame`: it is one. */
void plait__picture_place(const struct plait__picture *picture, uint32_t lane,
			  uint32_t depth, bool frame, double *y,
			  double *height);
/* The name in it, cut or left out; `room` is for how far it is free. */
void plait__picture_label(const struct plait__picture *picture,
			  const char *label, bool frame, double x, double y,
			  double height, double room);

/* Where a command's box is in its row. */
void plait__picture_box(const struct plait__picture *picture, uint32_t command,
			double *y, double *height);

/* ---- labels.c: names, and notes for those that have no room ---- */

const char *plait__picture_name(const struct plait__picture *picture,
				uint32_t command,
				char label[PLAIT__PICTURE_NAME]);
/* Where a name would be, and how far its place is free. */
double plait__picture_name_room(const struct plait__picture *picture,
				uint32_t command, double *x);
/* The number of a command's note, from 1; 0: there are too many. */
uint32_t plait__picture_note(struct plait__picture_notes *notes,
			     uint32_t command);
void plait__picture_find_note(const struct plait__picture *picture,
			      uint32_t command);
void plait__picture_draw_name(const struct plait__picture *picture,
			      uint32_t command);
/* A note's number in a box, or above it. */
void plait__picture_number(const struct plait__picture *picture, uint32_t note,
			   double x, double y, double height, double room);
/* Of notes in this strip. */
void plait__picture_draw_numbers(const struct plait__picture *picture);
/* Names behind their numbers, from `y` down; returns where they end. */
double plait__picture_draw_notes(const struct plait__picture *picture,
				 double y, bool draw);

const char *plait__picture_command_fill(const struct plait__picture *picture,
					uint32_t command);
void plait__picture_arrow(plait__text *out, double x1, double y1, double x2,
			  double y2);
/* The element that arrows are in; closed with </g>. */
void plait__picture_arrows(plait__text *out, bool many);

#endif
