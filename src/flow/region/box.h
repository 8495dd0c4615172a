/* SPDX-License-Identifier: MIT */
/* Boxes: half-open ranges of elements in three dimensions; pure. */
#ifndef PLAIT_SRC_FLOW_REGION_BOX_H
#define PLAIT_SRC_FLOW_REGION_BOX_H

#include "plait/flow.h"

#include <stdbool.h>

/* The box of all elements; dimensions that there are not are 0 to 1. */
plait_box plait__box_whole(uint32_t dimensions, const uint64_t extent[3]);

static inline bool plait__box_is_empty(const plait_box *box)
{
	return box->low[0] >= box->high[0] || box->low[1] >= box->high[1] ||
	       box->low[2] >= box->high[2];
}

/* Returns true if `inner`, which is not empty, is in `outer`. */
static inline bool plait__box_contains(const plait_box *outer,
				       const plait_box *inner)
{
	for (int d = 0; d < 3; d++)
		if (inner->low[d] < outer->low[d] ||
		    inner->high[d] > outer->high[d])
			return false;
	return true;
}

/* Inline, as the next: several dozen calls for a launch. */
static inline bool plait__box_overlap(const plait_box *one,
				      const plait_box *other)
{
	for (int d = 0; d < 3; d++)
		if (one->low[d] >= other->high[d] ||
		    other->low[d] >= one->high[d])
			return false;
	return !plait__box_is_empty(one) && !plait__box_is_empty(other);
}

/* Returns true if both have the same extents. */
bool plait__box_has_shape(const plait_box *one, const plait_box *other);

/* Returns the box, moved by the low corner of `origin`; *overflow is set if it
 * cannot be. */
plait_box plait__box_moved(const plait_box *box, const plait_box *origin,
			   bool *overflow);

/* Returns the number of elements, which fit: the box is of data. */
uint64_t plait__box_elements(const plait_box *box);

/* Returns `least`, or more: up to the last dimension in which the box is not 0 to 1. */
uint32_t plait__box_dimensions(const plait_box *box, uint32_t least);

/* "[0, 4) x [2, 3)", of `dimensions`, at least one. */
enum { PLAIT__BOX_TEXT = 140 };
const char *plait__box_text(const plait_box *box, uint32_t dimensions,
			    char room[PLAIT__BOX_TEXT]);

#endif
