/* SPDX-License-Identifier: MIT */
/*
 * Predecessors against an all-pairs closure: random accesses to boxes in one to
 * three dimensions.  Two tasks that conflict are ordered, by edges and marks
 * alone; each edge is between tasks that conflict; the true predecessors are the
 * last writers of the elements that are read.  Maps of fronts are compared with
 * arrays of elements, also after joining.
 */
#include "lib/tap.h"

#include "flow/access/front_access.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS = 120, NODES = 1000, ELEMENTS = 512, ROUNDS = 60, WINDOW = 1024 };

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* A task, or a mark. */
struct node {
	bool is_mark;
	plait_box box;
	uint32_t mode;
	uint32_t count;
	plait__pred preds[NODES];
	unsigned char before[NODES]; /* the closure */
};

static struct node nodes[NODES];
static uint64_t newest;
static plait__front_map map;
static plait__front_list fronts;
static plait_box whole;
static uint64_t writers[ELEMENTS]; /* the model */

static uint64_t place(uint64_t x, uint64_t y, uint64_t z)
{
	return x + whole.high[0] * (y + whole.high[1] * z);
}

static plait_box random_box(void)
{
	plait_box box = whole;

	if (below(8) == 0)
		return box;
	for (int d = 0; d < 3; d++) {
		uint64_t a = below(whole.high[d]), b = below(whole.high[d]);

		box.low[d] = a < b ? a : b;
		box.high[d] = (a < b ? b : a) + 1;
	}
	return box;
}

static struct node *add_node(void)
{
	struct node *node = &nodes[++newest];

	memset(node, 0, sizeof(*node));
	return node;
}

static void add_pred(struct node *node, uint64_t number, bool is_true)
{
	node->preds[node->count++] = (plait__pred){ number, is_true };
	for (uint64_t i = 0; i < NODES; i++)
		node->before[i] |= nodes[number].before[i];
	node->before[number] = 1;
}

static uint64_t mark(void *arg, const uint64_t *numbers, uint32_t count)
{
	struct node *node = add_node();

	(void)arg;
	node->is_mark = true;
	for (uint32_t i = 0; i < count; i++)
		add_pred(node, numbers[i], false);
	return newest;
}

static bool conflicts(const struct node *one, const struct node *other)
{
	return plait__box_overlap(&one->box, &other->box) &&
	       ((one->mode | other->mode) & PLAIT__ACCESS_WRITES) != 0;
}

/* Every task that a predecessor stands for conflicts with the task. */
static bool all_conflict(const struct node *node, uint64_t number)
{
	const struct node *pred = &nodes[number];

	if (!pred->is_mark)
		return conflicts(node, pred);
	for (uint32_t i = 0; i < pred->count; i++)
		if (!all_conflict(node, pred->preds[i].number))
			return false;
	return true;
}

static bool has_true(const struct node *node, uint64_t number)
{
	for (uint32_t i = 0; i < node->count; i++)
		if (node->preds[i].number == number)
			return node->preds[i].is_true;
	return false;
}

/* The true ones are the last writers. */
static uint64_t count_wrong_writers(const struct node *node)
{
	bool is_writer[NODES] = { false };
	uint64_t wrong = 0;

	for (uint64_t z = node->box.low[2]; z < node->box.high[2]; z++)
		for (uint64_t y = node->box.low[1]; y < node->box.high[1]; y++)
			for (uint64_t x = node->box.low[0];
			     x < node->box.high[0]; x++)
				is_writer[writers[place(x, y, z)]] = true;
	for (uint64_t i = 1; i < NODES; i++)
		wrong += (is_writer[i] &&
			  (node->mode & PLAIT__ACCESS_READS) != 0) !=
			 has_true(node, i);
	return wrong;
}

static void write_model(const struct node *node, uint64_t number)
{
	for (uint64_t z = node->box.low[2]; z < node->box.high[2]; z++)
		for (uint64_t y = node->box.low[1]; y < node->box.high[1]; y++)
			for (uint64_t x = node->box.low[0];
			     x < node->box.high[0]; x++)
				writers[place(x, y, z)] = number;
}

static void collect(const plait_box *box)
{
	fronts.count = 0;
	OK(plait__front_map_cut(&map, box));
	IS_INT(plait__front_map_collect(&map, box, &fronts),
	       PLAIT__FRONT_MAP_COLLECTED);
}

/* The map has the model's writer for each element. */
static void check_map(void)
{
	uint64_t wrong = 0;

	for (uint64_t z = 0; z < whole.high[2]; z++)
		for (uint64_t y = 0; y < whole.high[1]; y++)
			for (uint64_t x = 0; x < whole.high[0]; x++) {
				const plait_box box = { { x, y, z },
							{ x + 1, y + 1,
							  z + 1 } };

				fronts.count = 0;
				if (!plait__front_map_cut(&map, &box) ||
				    plait__front_map_collect(&map, &box,
							     &fronts) !=
					    PLAIT__FRONT_MAP_COLLECTED ||
				    fronts.count != 1 ||
				    fronts.items[0].count != 1 ||
				    fronts.items[0].first->writer !=
					    writers[place(x, y, z)])
					wrong++;
			}
	IS_UINT(wrong, 0);
	plait__front_map_join(&map);
}

static void add_task(plait__preds *preds)
{
	plait__front_record record = { .mark = mark };
	struct node *node = add_node();
	uint64_t number = newest, wrong = 0;

	node->box = random_box();
	/* Mostly readers, which make marks. */
	node->mode = below(4) != 0 ? PLAIT__ACCESS_READS :
				     1 + (uint32_t)below(3);
	collect(&node->box);
	plait__preds_begin(preds, 0, false);
	for (uint32_t i = 0; i < fronts.count; i++)
		plait__front_access_gather_row(preds, &fronts.items[i],
					       node->mode);
	OK(!preds->lacks_memory && preds->count < TAP_COUNT(node->preds));
	for (uint32_t i = 0; i < preds->count; i++) {
		wrong += !all_conflict(node, preds->items[i].number);
		add_pred(node, preds->items[i].number,
			 preds->items[i].is_true);
	}
	IS_UINT(wrong, 0);
	IS_UINT(count_wrong_writers(node), 0);
	record.number = number;
	for (uint32_t i = 0; i < fronts.count; i++)
		plait__front_access_record_row(&record, &fronts.items[i],
					       node->mode);
	IS_UINT(newest - number, preds->marks);
	if ((node->mode & PLAIT__ACCESS_WRITES) != 0)
		write_model(node, number);
}

static void check_closure(void)
{
	uint64_t wrong = 0;

	for (uint64_t j = 1; j <= newest; j++)
		for (uint64_t i = 1; i < j; i++)
			if (!nodes[i].is_mark && !nodes[j].is_mark &&
			    conflicts(&nodes[i], &nodes[j]))
				wrong += !nodes[j].before[i];
	IS_UINT(wrong, 0);
}

static void run_round(uint32_t dimensions)
{
	static const uint64_t most[] = { 1, 300, 20, 8 };
	const plait_allocator *allocator = plait__alloc_default();
	uint64_t extent[3];
	plait__preds preds;

	for (int d = 0; d < 3; d++)
		extent[d] = 1 + below(most[dimensions]);
	whole = plait__box_whole(dimensions, extent);
	memset(writers, 0, sizeof(writers));
	memset(nodes, 0, sizeof(nodes));
	newest = 0;
	plait__front_map_init(&map, allocator, &whole);
	plait__preds_init(&preds, allocator, WINDOW);
	fronts = (plait__front_list){ .allocator = allocator };
	for (int t = 0; t < TASKS && newest + 400 < NODES; t++) {
		add_task(&preds);
		if (below(20) == 0)
			plait__front_map_join(&map);
	}
	check_closure();
	check_map();
	plait__front_map_free_list(&fronts);
	plait__preds_fini(&preds);
	plait__front_map_fini(&map);
	IS_UINT(map.pieces, 0);
}

static void closure(void)
{
	uint64_t seed = tap_seed();
	uint64_t rounds = tap_soak() ? 50 * ROUNDS : ROUNDS;

	for (uint64_t r = 0; r < rounds && tap_failed() == 0; r++) {
		state = (seed + r) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		run_round((uint32_t)(r % 4));
	}
}

/* A predecessor comes before the task for one reason and then for another, with `others`
 * in between; of `low` all numbers have one entry of the recent ones. */
static void add_twice(plait__preds *preds, uint64_t others, uint64_t low,
		      bool is_true)
{
	const uint64_t first = PLAIT__PREDS_RECENT + 1;

	plait__preds_begin(preds, PLAIT__PREDS_RECENT, false);
	plait__preds_add(preds, first, is_true);
	for (uint64_t i = 1; i < others; i++)
		plait__preds_add(preds, first + i, false);
	if (others > 0)
		plait__preds_add(preds, first + low, false);
	plait__preds_add(preds, first, !is_true);
	IS_UINT(preds->count, others + 1);
	OK(preds->items[0].number == first);
	OK_THAT(preds->items[0].is_true, "true is %s, of %llu",
		is_true ? "first" : "last", (unsigned long long)others);
}

static void both_kinds(void)
{
	static const uint64_t others[] = { 0, 1, PLAIT__PREDS_FEW - 1,
					   PLAIT__PREDS_FEW,
					   3 * PLAIT__PREDS_FEW };
	plait__preds preds;

	plait__preds_init(&preds, plait__alloc_default(), WINDOW);
	for (size_t i = 0; i < TAP_COUNT(others); i++)
		for (int is_true = 0; is_true < 2; is_true++) {
			add_twice(&preds, others[i], PLAIT__PREDS_RECENT,
				  is_true != 0);
			add_twice(&preds, others[i], others[i], is_true != 0);
		}
	plait__preds_fini(&preds);
}

static const struct tap_scenario all[] = {
	{ "closure", closure },
	{ "true and not", both_kinds },
};

TAP_MAIN(all)
