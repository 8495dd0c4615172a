/* SPDX-License-Identifier: MIT */
/* Lists of boxes; see box_list.h. */
#include "flow/memory/box_list.h"

static uint64_t less(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static uint64_t more(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

plait_box plait__box_list_bound(const plait_box *one, const plait_box *other)
{
	plait_box bound;

	for (int d = 0; d < 3; d++) {
		bound.low[d] = less(one->low[d], other->low[d]);
		bound.high[d] = more(one->high[d], other->high[d]);
	}
	return bound;
}

bool plait__box_list_touch(const plait_box *one, const plait_box *other)
{
	int faces = 0;

	for (int d = 0; d < 3; d++) {
		if (one->low[d] > other->high[d] || other->low[d] > one->high[d])
			return false;
		faces += one->low[d] == other->high[d] ||
			 other->low[d] == one->high[d];
	}
	return faces <= 1;
}

bool plait__box_list_joins(const plait_box *one, const plait_box *other)
{
	int differing = 0;

	for (int d = 0; d < 3; d++) {
		if (one->low[d] == other->low[d] &&
		    one->high[d] == other->high[d])
			continue;
		if (one->low[d] != other->high[d] &&
		    other->low[d] != one->high[d])
			return false;
		differing++;
	}
	return differing == 1;
}

uint32_t plait__box_list_without(const plait_box *box, const plait_box *hole,
				 plait_box out[PLAIT__BOX_LIST_PARTS])
{
	plait_box rest = *box;
	uint32_t count = 0;

	out[0] = *box;
	if (!plait__box_overlap(box, hole))
		return plait__box_is_empty(box) ? 0 : 1;
	for (int d = 2; d >= 0; d--) {
		if (rest.low[d] < hole->low[d]) {
			out[count] = rest;
			out[count++].high[d] = hole->low[d];
			rest.low[d] = hole->low[d];
		}
		if (rest.high[d] > hole->high[d]) {
			out[count] = rest;
			out[count++].low[d] = hole->high[d];
			rest.high[d] = hole->high[d];
		}
	}
	return count;
}

static plait_box *at(const plait__vector *boxes, uint32_t i)
{
	return plait__vector_at(boxes, i);
}

static void remove_at(plait__vector *boxes, uint32_t i)
{
	*at(boxes, i) = *at(boxes, boxes->count - 1);
	plait__vector_truncate(boxes, boxes->count - 1);
}

bool plait__box_list_subtract(plait__vector *boxes, const plait_box *hole)
{
	plait_box parts[PLAIT__BOX_LIST_PARTS];

	/* Backwards: parts that are appended, and boxes that move, have no
	 * element of the hole. */
	for (uint32_t i = boxes->count; i-- > 0;) {
		plait_box box = *at(boxes, i);
		uint32_t count;

		if (!plait__box_overlap(&box, hole))
			continue;
		count = plait__box_list_without(&box, hole, parts);
		remove_at(boxes, i);
		if (count > 0 && plait__vector_push(boxes, parts, count) == NULL)
			return false;
	}
	return true;
}

bool plait__box_list_add(plait__vector *boxes, const plait_box *box)
{
	plait__vector rest;
	bool held;

	plait__vector_init(&rest, boxes->allocator, sizeof(plait_box));
	held = PLAIT__VECTOR_ADD(&rest, box) != NULL;
	for (uint32_t i = 0; held && i < boxes->count; i++)
		held = plait__box_list_subtract(&rest, at(boxes, i));
	if (held && rest.count > 0)
		held = plait__vector_push(boxes, rest.items, rest.count) !=
		       NULL;
	plait__vector_fini(&rest);
	return held;
}

/* Join box i with one behind it; returns false if there is none to join. */
static bool connect_one(plait__vector *boxes, uint32_t i, bool touching)
{
	for (uint32_t j = i + 1; j < boxes->count; j++) {
		if (touching ? !plait__box_list_touch(at(boxes, i), at(boxes, j)) :
			       !plait__box_overlap(at(boxes, i), at(boxes, j)))
			continue;
		*at(boxes, i) = plait__box_list_bound(at(boxes, i),
						      at(boxes, j));
		remove_at(boxes, j);
		return true;
	}
	return false;
}

void plait__box_list_connect(plait__vector *boxes, bool touching)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < boxes->count; i++)
			while (connect_one(boxes, i, touching))
				changed = true;
	}
}
