/* SPDX-License-Identifier: MIT */
/*
 * Differences of boxes, coherence and blocks against brute force over elements:
 * random changes of a small cube, compared element by element.
 */
#include "lib/tap.h"

#include "flow/device/data_copies.h"
#include "flow/memory/blocks.h"
#include "flow/memory/coherence.h"

#include "base/alloc.h"

#include <string.h>

enum { SIDE = 5, ELEMENTS = SIDE * SIDE * SIDE, MEMORIES = 4, ROUNDS = 60 };

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static plait_box random_box(void)
{
	plait_box box;

	for (int d = 0; d < 3; d++) {
		uint64_t a = below(SIDE), b = below(SIDE);

		box.low[d] = a < b ? a : b;
		box.high[d] = (a < b ? b : a) + 1;
	}
	return box;
}

static bool is_in(const plait_box *box, uint32_t e)
{
	const uint64_t at[3] = { e % SIDE, e / SIDE % SIDE, e / SIDE / SIDE };

	for (int d = 0; d < 3; d++)
		if (at[d] < box->low[d] || at[d] >= box->high[d])
			return false;
	return true;
}

/* ---- lists of boxes ---- */

static uint32_t count_in(const plait__vector *boxes, uint32_t e)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < boxes->count; i++)
		count += is_in(plait__vector_at(boxes, i), e);
	return count;
}

static void subtracts(void)
{
	uint32_t wrong = 0;

	state = tap_seed() + 1;
	for (int round = 0; round < ROUNDS; round++) {
		plait_box box = random_box();
		bool left[ELEMENTS];
		plait__vector boxes;

		plait__vector_init(&boxes, plait__alloc_default(),
				   sizeof(plait_box));
		OK(PLAIT__VECTOR_ADD(&boxes, &box) != NULL);
		for (uint32_t e = 0; e < ELEMENTS; e++)
			left[e] = is_in(&box, e);
		for (int i = 0; i < 4; i++) {
			plait_box hole = random_box();

			OK(plait__box_list_subtract(&boxes, &hole));
			for (uint32_t e = 0; e < ELEMENTS; e++) {
				left[e] = left[e] && !is_in(&hole, e);
				wrong += count_in(&boxes, e) != left[e];
			}
		}
		plait__vector_fini(&boxes);
	}
	IS_UINT(wrong, 0);
}

static bool are_neighbours(uint32_t one, uint32_t other)
{
	int distance = 0;

	for (uint32_t by = 1; by < ELEMENTS; by *= SIDE) {
		int a = (int)(one / by % SIDE), b = (int)(other / by % SIDE);

		distance += a > b ? a - b : b - a;
	}
	return distance == 1;
}

/* Touching: they overlap, or two elements are neighbours. */
static void touches(void)
{
	uint32_t wrong = 0;

	state = tap_seed() + 2;
	for (int round = 0; round < ROUNDS; round++) {
		plait_box a = random_box(), b = random_box();
		bool touch = plait__box_overlap(&a, &b);
		plait_box bound = plait__box_list_bound(&a, &b);
		uint64_t sum = plait__box_elements(&a) + plait__box_elements(&b);

		for (uint32_t e = 0; e < ELEMENTS; e++)
			for (uint32_t f = 0; f < ELEMENTS; f++)
				touch |= is_in(&a, e) && is_in(&b, f) &&
					 are_neighbours(e, f);
		wrong += plait__box_list_touch(&a, &b) != touch;
		if (!plait__box_overlap(&a, &b))
			wrong += plait__box_list_joins(&a, &b) !=
				 (plait__box_elements(&bound) == sum);
	}
	IS_UINT(wrong, 0);
}

/* ---- coherence ---- */

struct element {
	uint64_t valid;
	uint32_t writer, memory;
};

static struct element elements[ELEMENTS];

static uint32_t compare(const plait__coherence *coherence)
{
	uint32_t wrong = 0, seen[ELEMENTS] = { 0 };

	for (uint32_t i = 0; i < coherence->versions.count; i++) {
		const plait__version *version =
			plait__vector_at(&coherence->versions, i);

		for (uint32_t e = 0; e < ELEMENTS; e++) {
			if (!is_in(&version->box, e))
				continue;
			seen[e]++;
			wrong += version->valid != elements[e].valid ||
				 version->writer != elements[e].writer ||
				 version->memory != elements[e].memory;
		}
	}
	for (uint32_t e = 0; e < ELEMENTS; e++)
		wrong += seen[e] != 1;
	return wrong;
}

static void change(plait__coherence *coherence, uint32_t writer)
{
	plait_box box = random_box();
	uint32_t memory = (uint32_t)below(MEMORIES), how = (uint32_t)below(4);
	uint64_t bit = UINT64_C(1) << memory;

	if (how == 0)
		plait__coherence_write(coherence, &box, writer, memory);
	else if (how == 1)
		plait__coherence_drop(coherence, &box, memory);
	else
		plait__coherence_add(coherence, &box, memory);
	for (uint32_t e = 0; e < ELEMENTS; e++) {
		struct element *at = &elements[e];

		if (!is_in(&box, e))
			continue;
		if (how == 0)
			*at = (struct element){ bit, writer, memory };
		else if (how == 1)
			at->valid &= ~bit;
		else if (at->valid != 0)
			at->valid |= bit;
	}
}

/* Compare the answers about one box. */
static uint32_t compare_found(plait__coherence *coherence)
{
	plait_box box = random_box();
	uint32_t memory = (uint32_t)below(MEMORIES), wrong = 0;
	uint64_t missing = 0;
	bool valid = below(2) != 0;
	plait__vector found;

	plait__vector_init(&found, plait__alloc_default(),
			   sizeof(plait__version));
	wrong += !plait__coherence_find(coherence, &box, memory, valid, &found);
	for (uint32_t e = 0; e < ELEMENTS; e++) {
		bool has = (elements[e].valid >> memory & 1) != 0;
		uint32_t count = 0;

		for (uint32_t i = 0; i < found.count; i++) {
			const plait__version *at = plait__vector_at(&found, i);

			if (!is_in(&at->box, e))
				continue;
			count++;
			wrong += at->writer != elements[e].writer;
		}
		wrong += count != (is_in(&box, e) && has == valid);
		missing += is_in(&box, e) && elements[e].valid != 0 && !has;
	}
	wrong += plait__coherence_missing(coherence, &box, memory) != missing;
	plait__vector_fini(&found);
	return wrong;
}

static void coheres(void)
{
	const plait_box whole = { { 0, 0, 0 }, { SIDE, SIDE, SIDE } };
	plait__coherence coherence;
	uint32_t wrong = 0;

	state = tap_seed() + 3;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t valid = below(2);

		plait__coherence_init(&coherence, plait__alloc_default(),
				      &whole, valid);
		for (uint32_t e = 0; e < ELEMENTS; e++)
			elements[e] = (struct element){ .valid = valid };
		for (uint32_t i = 1; i < 40; i++) {
			change(&coherence, i);
			wrong += compare(&coherence);
			wrong += compare_found(&coherence);
		}
		wrong += coherence.failed;
		plait__coherence_fini(&coherence);
	}
	IS_UINT(wrong, 0);
}

/* A program that repeats itself needs no more versions. */
static void stays_small(void)
{
	const plait_box whole = { { 0, 0, 0 }, { 1000, 1, 1 } };
	plait__coherence coherence;
	plait__vector found;

	plait__coherence_init(&coherence, plait__alloc_default(), &whole, 1);
	for (uint32_t i = 0; i < 1000; i++) {
		plait_box box = { { i, 0, 0 }, { i + 1, 1, 1 } };

		plait__coherence_write(&coherence, &box, 7, 2);
	}
	OK(coherence.versions.count < 40);
	plait__vector_init(&found, plait__alloc_default(),
			   sizeof(plait__version));
	OK(plait__coherence_find(&coherence, &whole, 2, true, &found));
	IS_UINT(found.count, 1);
	plait__vector_fini(&found);
	plait__coherence_fini(&coherence);
}

/* ---- blocks ---- */

static bool are_disjoint(const plait__vector *boxes, size_t each)
{
	for (uint32_t i = 0; i < boxes->count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (plait__box_overlap(
				    (plait_box *)((char *)boxes->items +
						  i * each),
				    (plait_box *)((char *)boxes->items +
						  k * each)))
				return false;
	return true;
}

static void need(plait__blocks *blocks, const plait_box *box, uint32_t number)
{
	plait_box planned;
	plait__vector old;

	if (plait__blocks_find(blocks, box) != NULL)
		return;
	planned = plait__blocks_plan(blocks, &blocks->anticipated, box);
	plait__vector_init(&old, plait__alloc_default(), sizeof(plait__block));
	OK(plait__blocks_take(blocks, &planned, &old));
	for (uint32_t i = 0; i < old.count; i++) {
		const plait__block *at = plait__vector_at(&old, i);

		OK(plait__box_contains(&planned, &at->box));
	}
	OK(plait__blocks_add(blocks, &planned, number));
	OK(plait__blocks_find(blocks, box)->number == number);
	plait__vector_fini(&old);
}

/* ---- room for changes ---- */

static bool memory_is_gone;

static void *resize_while_there(void *user_data, void *pointer,
				uint64_t old_bytes, uint64_t new_bytes)
{
	const plait_allocator *real = plait__alloc_default();

	(void)user_data;
	if (new_bytes > old_bytes && memory_is_gone)
		return NULL;
	return real->resize(real->user_data, pointer, old_bytes, new_bytes);
}

static void clip_to_line(plait_box *box, int d)
{
	box->low[d] = 0;
	box->high[d] = 1;
}

/* Changes for which there is room need no memory. */
static void reserves(void)
{
	const plait_allocator allocator = { .size = sizeof(allocator),
					    .resize = resize_while_there };
	const plait_box shapes[] = {
		{ { 0, 0, 0 }, { SIDE, SIDE, SIDE } },
		{ { 0, 0, 0 }, { SIDE, 1, 1 } },
	};

	state = tap_seed() + 5;
	for (int round = 0; round < ROUNDS; round++) {
		const plait_box *whole = &shapes[round % 2];
		plait__data_copies *copies;
		uint32_t changes = 1 + (uint32_t)below(4), before;

		memory_is_gone = false;
		copies = plait__data_copies_make(&allocator, whole, 3);
		for (uint32_t i = 0; i < 20 && OK(copies != NULL); i++) {
			OK(plait__data_copies_reserve(copies, changes));
			before = copies->coherence.versions.capacity;
			memory_is_gone = true;
			for (uint32_t k = 0; k < changes; k++) {
				plait_box box = random_box();

				for (int d = 1; d < 3; d++)
					if (whole->high[d] == 1)
						clip_to_line(&box, d);
				plait__coherence_write(&copies->coherence,
						       &box,
						       (uint32_t)below(99),
						       (uint32_t)below(4));
			}
			memory_is_gone = false;
			OK(!copies->coherence.failed);
			IS_UINT(copies->coherence.versions.capacity, before);
		}
		plait__data_copies_free(copies, &allocator);
	}
}

/* An answer, or a loss, that finds no memory leaves the state whole. */
static void lacks_memory(void)
{
	const plait_allocator allocator = { .size = sizeof(allocator),
					    .resize = resize_while_there };
	const plait_box whole = { { 0, 0, 0 }, { 8, 1, 1 } };
	const plait_box low = { { 0, 0, 0 }, { 4, 1, 1 } };
	const plait_box part = { { 1, 0, 0 }, { 2, 1, 1 } };
	plait__coherence coherence;
	plait__vector found;

	memory_is_gone = false;
	plait__coherence_init(&coherence, &allocator, &whole, 1);
	plait__coherence_add(&coherence, &low, 1);
	plait__vector_init(&found, &allocator, sizeof(plait__version));
	memory_is_gone = true;
	OK(!plait__coherence_find(&coherence, &whole, 1, true, &found));
	OK(!coherence.failed);
	memory_is_gone = false;
	OK(plait__coherence_find(&coherence, &whole, 1, true, &found));
	IS_UINT(found.count, 1);
	plait__vector_fini(&found);
	memory_is_gone = true;
	plait__coherence_drop_around(&coherence, &part, 1);
	IS_UINT(plait__coherence_missing(&coherence, &whole, 1), 8);
	/* The last values stay. */
	plait__coherence_drop_around(&coherence, &part, 0);
	IS_UINT(plait__coherence_missing(&coherence, &whole, 0), 0);
	OK(!coherence.failed);
	memory_is_gone = false;
	plait__coherence_fini(&coherence);
}

/* Blocks are disjoint; each need has one; what is anticipated is made once. */
static void makes_blocks(void)
{
	enum { NEEDS = 12 };

	state = tap_seed() + 4;
	for (int round = 0; round < ROUNDS; round++) {
		plait_box boxes[NEEDS];
		plait__blocks blocks;
		bool anticipates = below(2) != 0;
		uint32_t made = 0;

		plait__blocks_init(&blocks, plait__alloc_default());
		for (uint32_t i = 0; i < NEEDS; i++) {
			boxes[i] = random_box();
			if (anticipates)
				OK(plait__blocks_anticipate(&blocks,
							    &boxes[i]));
		}
		OK(are_disjoint(&blocks.anticipated, sizeof(plait_box)));
		made = blocks.anticipated.count;
		for (uint32_t i = 0; i < NEEDS; i++)
			need(&blocks, &boxes[i], i + 1);
		OK(are_disjoint(&blocks.items, sizeof(plait__block)));
		if (anticipates)
			IS_UINT(blocks.items.count, made);
		plait__blocks_fini(&blocks);
	}
}

static const struct tap_scenario all[] = {
	{ "differences of boxes", subtracts },
	{ "boxes that touch", touches },
	{ "coherence", coheres },
	{ "a small number of versions", stays_small },
	{ "room for changes", reserves },
	{ "no memory", lacks_memory },
	{ "blocks", makes_blocks },
};

TAP_MAIN(all)
