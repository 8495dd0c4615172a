/* SPDX-License-Identifier: MIT */
/*
 * The picture of a schedule while it is drawn: how large it is, and where
 * times and lanes are.  svg.c draws the commands, frame.c what is around them.
 */
#ifndef PLAIT_SRC_PLAN_PICTURE_H
#define PLAIT_SRC_PLAN_PICTURE_H

#include "base/text.h"
#include "plan/scene.h"

/* In pixels. */
enum {
	PLAIT__PICTURE_LEFT = 110,
	PLAIT__PICTURE_TOP = 76,	/* title, legend and axis */
	PLAIT__PICTURE_RIGHT = 24,
	PLAIT__PICTURE_BOTTOM = 12,
	PLAIT__PICTURE_COLUMN = 7	/* a character's width */
};

struct plait__picture {
	plait__scene scene;
	const plait__plan *plan;
	plait__text *out;
	double scale;		/* pixels per unit of time */
	uint32_t width;		/* of the commands alone */
	uint32_t row;
	uint32_t strip;		/* a region's name; 0: there is no room */
};

static inline double plait__picture_x(const struct plait__picture *picture,
				      uint64_t time)
{
	return PLAIT__PICTURE_LEFT + (double)time * picture->scale;
}

/* The top of the row of a lane. */
static inline double plait__picture_y(const struct plait__picture *picture,
				      uint32_t lane)
{
	return PLAIT__PICTURE_TOP +
	       (double)picture->scene.rows[lane] * picture->row;
}

/* Below all lanes. */
static inline double plait__picture_bottom(const struct plait__picture *picture)
{
	return PLAIT__PICTURE_TOP +
	       (double)picture->plan->lanes_count * picture->row;
}

/* A colour for what runs on a device; `shade` keeps neighbours apart. */
const char *plait__picture_fill(uint32_t device, uint32_t shade);

/* What there is before any command: the opening tag, title, legend, axis and
 * rows. */
void plait__picture_frame(const struct plait__picture *picture);

#endif
