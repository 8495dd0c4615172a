/* SPDX-License-Identifier: MIT */
/* Boxes of elements; see box.h. */
#include "flow/region/box.h"

#include <stdio.h>
#include <string.h>

plait_box plait__box_whole(uint32_t dimensions, const uint64_t extent[3])
{
	plait_box whole = { { 0, 0, 0 }, { 1, 1, 1 } };

	for (uint32_t d = 0; d < dimensions; d++)
		whole.high[d] = extent[d];
	return whole;
}

bool plait__box_has_shape(const plait_box *one, const plait_box *other)
{
	for (int d = 0; d < 3; d++)
		if (one->high[d] - one->low[d] != other->high[d] - other->low[d])
			return false;
	return true;
}

plait_box plait__box_moved(const plait_box *box, const plait_box *origin,
			   bool *overflow)
{
	plait_box moved;

	for (int d = 0; d < 3; d++) {
		*overflow |= __builtin_add_overflow(
			box->low[d], origin->low[d], &moved.low[d]);
		*overflow |= __builtin_add_overflow(
			box->high[d], origin->low[d], &moved.high[d]);
	}
	return moved;
}

uint64_t plait__box_elements(const plait_box *box)
{
	uint64_t count = 1;

	for (int d = 0; d < 3; d++)
		count *= box->high[d] - box->low[d];
	return count;
}

uint32_t plait__box_dimensions(const plait_box *box, uint32_t least)
{
	uint32_t count = least;

	for (uint32_t d = least; d < 3; d++)
		if (box->low[d] != 0 || box->high[d] != 1)
			count = d + 1;
	return count;
}

const char *plait__box_text(const plait_box *box, uint32_t dimensions,
			    char room[PLAIT__BOX_TEXT])
{
	size_t used = 0;

	room[0] = '\0';
	for (uint32_t d = 0; d < (dimensions == 0 ? 1 : dimensions); d++)
		used += (size_t)snprintf(room + used, PLAIT__BOX_TEXT - used,
					 "%s[%llu, %llu)", d == 0 ? "" : " x ",
					 (unsigned long long)box->low[d],
					 (unsigned long long)box->high[d]);
	return room;
}
