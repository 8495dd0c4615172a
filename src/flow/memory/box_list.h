/* SPDX-License-Identifier: MIT */
/* Lists of boxes: differences, intersections, bounding boxes.  A list is a
 * vector of plait_box without empty ones.  Pure. */
#ifndef PLAIT_SRC_FLOW_MEMORY_BOX_LIST_H
#define PLAIT_SRC_FLOW_MEMORY_BOX_LIST_H

#include "flow/region/box.h"

#include "base/vector.h"

/* Returns the elements that are in both, which may be none. */
static inline plait_box plait__box_list_meet(const plait_box *one,
					     const plait_box *other)
{
	plait_box meet;

	for (int d = 0; d < 3; d++) {
		meet.low[d] = one->low[d] > other->low[d] ? one->low[d] :
							    other->low[d];
		meet.high[d] = one->high[d] < other->high[d] ? one->high[d] :
							       other->high[d];
	}
	return meet;
}

/* Returns the least box that contains both. */
plait_box plait__box_list_bound(const plait_box *one, const plait_box *other);

/* Returns true if the boxes overlap, or have a common face. */
bool plait__box_list_touch(const plait_box *one, const plait_box *other);

/* Returns true if the union of two disjoint boxes is a box. */
bool plait__box_list_joins(const plait_box *one, const plait_box *other);

/* Divide what is left of a box without `hole` into disjoint boxes; returns their
 * number. */
enum { PLAIT__BOX_LIST_PARTS = 6 };
uint32_t plait__box_list_without(const plait_box *box, const plait_box *hole,
				 plait_box out[PLAIT__BOX_LIST_PARTS]);

/* Remove the elements of `hole` from all boxes.  Returns false without
 * memory. */
bool plait__box_list_subtract(plait__vector *boxes, const plait_box *hole);

/* Append the elements of a box that are in no box of a list of disjoint ones.
 * Returns false without memory. */
bool plait__box_list_add(plait__vector *boxes, const plait_box *box);

/* Replace boxes that overlap, or that touch if `touching`, by their bounding
 * box, until there are none. */
void plait__box_list_connect(plait__vector *boxes, bool touching);

#endif
