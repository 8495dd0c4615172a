/* SPDX-License-Identifier: MIT */
/* Blocks of one data in one memory; see blocks.h. */
#include "flow/memory/blocks.h"

void plait__blocks_init(plait__blocks *blocks,
			const plait_allocator *allocator)
{
	plait__vector_init(&blocks->items, allocator, sizeof(plait__block));
	plait__vector_init(&blocks->anticipated, allocator, sizeof(plait_box));
}

void plait__blocks_fini(plait__blocks *blocks)
{
	plait__vector_fini(&blocks->items);
	plait__vector_fini(&blocks->anticipated);
}

/* Take an anticipated box that overlaps `box` into it. */
static bool absorb(plait__vector *boxes, plait_box *box)
{
	for (uint32_t i = 0; i < boxes->count; i++) {
		plait_box *other = plait__vector_at(boxes, i);

		if (!plait__box_overlap(box, other))
			continue;
		*box = plait__box_list_bound(box, other);
		*other = *(plait_box *)plait__vector_at(boxes,
							boxes->count - 1);
		plait__vector_truncate(boxes, boxes->count - 1);
		return true;
	}
	return false;
}

bool plait__blocks_anticipate(plait__blocks *blocks, const plait_box *need)
{
	plait_box box = *need;

	while (absorb(&blocks->anticipated, &box))
		continue;
	return PLAIT__VECTOR_ADD(&blocks->anticipated, &box) != NULL;
}

plait__block *plait__blocks_find(const plait__blocks *blocks,
				 const plait_box *box)
{
	for (uint32_t i = 0; i < blocks->items.count; i++)
		if (plait__box_contains(&plait__blocks_at(blocks, i)->box, box))
			return plait__blocks_at(blocks, i);
	return NULL;
}

/* Widen a box to contain another one if they overlap; returns true if it
 * changed. */
static bool widen(plait_box *box, const plait_box *other)
{
	if (!plait__box_overlap(box, other) || plait__box_contains(box, other))
		return false;
	*box = plait__box_list_bound(box, other);
	return true;
}

plait_box plait__blocks_plan(const plait__blocks *blocks,
			     const plait__vector *anticipated,
			     const plait_box *need)
{
	uint32_t to_come = anticipated != NULL ? anticipated->count : 0;
	plait_box box = *need;
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < blocks->items.count; i++)
			changed |= widen(&box,
					 &plait__blocks_at(blocks, i)->box);
		for (uint32_t i = 0; i < to_come; i++)
			changed |= widen(&box,
					 plait__vector_at(anticipated, i));
	}
	return box;
}

bool plait__blocks_take(plait__blocks *blocks, const plait_box *box,
			plait__vector *out)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < blocks->items.count; i++) {
		const plait__block *block = plait__blocks_at(blocks, i);
		plait__block *place = plait__vector_at(&blocks->items, kept);

		if (!plait__box_overlap(&block->box, box)) {
			*place = *block;
			kept++;
		} else if (PLAIT__VECTOR_ADD(out, block) == NULL) {
			return false;
		}
	}
	plait__vector_truncate(&blocks->items, kept);
	return true;
}

bool plait__blocks_add(plait__blocks *blocks, const plait_box *box,
		       uint32_t number)
{
	const plait__block block = { *box, number, 0 };

	return PLAIT__VECTOR_ADD(&blocks->items, &block) != NULL;
}

void plait__blocks_remove(plait__blocks *blocks, uint32_t number)
{
	uint32_t i = 0, last = blocks->items.count - 1;

	while (plait__blocks_at(blocks, i)->number != number)
		i++;
	*plait__blocks_at(blocks, i) = *plait__blocks_at(blocks, last);
	plait__vector_truncate(&blocks->items, last);
}
