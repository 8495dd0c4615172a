/* SPDX-License-Identifier: MIT */
/* Uses of objects and their segment trees, empty; see conflict_trees.h. */
#include "plan/check/conflict_trees.h"

#include "plan/rotation.h"

/* ---- uses ---- */

/* The table is at most half full (collect_uses), so a free entry ends the
 * search.  A key is never 0. */
static plait__conflict_object *find_object(plait__conflict_scan *s, uint64_t key)
{
	uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 33);

	for (i &= s->mask; s->objects[i].key != 0; i = (i + 1) & s->mask)
		if (s->objects[i].key == key)
			return &s->objects[i];
	s->objects[i].key = key;
	s->objects[i].number = s->object_count++;
	return &s->objects[i];
}

static bool is_flat(const plait__plan_box *box)
{
	for (uint32_t i = 1; i < 3; i++)
		if (box->low[i] != 0 || box->high[i] != 1)
			return false;
	return true;
}

/* count_uses has bounded the uses. */
static void add_use(plait__conflict_scan *s, uint32_t item, uint32_t access,
		    uint64_t key, bool is_exact)
{
	const plait__plan *tables = s->conflicts->tables;
	const plait__plan_access *a = &tables->accesses[access];
	uint32_t number = find_object(s, key)->number;
	plait__conflict_tree *tree = &s->trees[number];

	s->uses[s->use_count++] = (plait__conflict_use){ item, access, number,
							 is_exact };
	tree->is_written |= a->mode != PLAIT__ACCESS_READ;
	if (a->box != PLAIT__NONE && !is_flat(&tables->boxes[a->box]))
		tree->is_deep = true;
	if (!is_exact && a->box != PLAIT__NONE)
		tree->end_count += 2;
}

/* Add a use for each slot that the rotation may map the access to. */
static void add_rotation(plait__conflict_scan *s, uint32_t item, uint32_t access,
			 const plait__plan_rotation *rotation)
{
	const plait__plan *tables = s->conflicts->tables;
	uint32_t object = tables->accesses[access].object, i, k;

	for (i = 0; i < plait__rotation_period(rotation); i++) {
		uint32_t slot = plait__rotation_slot(tables, rotation, object,
						     i);

		for (k = 0; k < i; k++)
			if (plait__rotation_slot(tables, rotation, object,
						 k) == slot)
				break;
		if (k == i)
			add_use(s, item, access, ((uint64_t)slot + 1) << 1,
				true);
	}
}

static void add_access(plait__conflict_scan *s, uint32_t item, uint32_t access)
{
	const plait__plan *tables = s->conflicts->tables;
	const plait__plan_access *a = &tables->accesses[access];
	const plait__plan_rotation *rotation = plait__rotation_of(tables, a);

	if (!plait__check_touches(tables, a))
		return;
	if (rotation != NULL)
		add_rotation(s, item, access, rotation);
	else if (a->alias != 0)
		add_use(s, item, access, ((uint64_t)a->alias << 1) | 1, true);
	else
		add_use(s, item, access, ((uint64_t)a->object + 1) << 1,
			false);
}

/* Upper bound of the uses: one per access, or per slot of its rotation. */
static uint64_t count_uses(const plait__conflict_scan *s)
{
	plait__conflicts *c = s->conflicts;
	uint64_t sum = 0;

	for (uint32_t item = 0; item < c->count; item++) {
		uint32_t count, first = c->accesses(c, item, &count);

		for (uint32_t i = first; i < first + count; i++) {
			const plait__plan_rotation *rotation =
				plait__rotation_of(c->tables,
						   &c->tables->accesses[i]);

			sum += rotation != NULL ?
			       plait__rotation_period(rotation) : 1;
		}
	}
	return sum;
}

static plait_status collect_uses(plait__conflict_scan *s, uint64_t bound)
{
	plait__conflicts *c = s->conflicts;
	uint32_t size = 16;

	if (bound > UINT32_MAX / 8)
		return plait__check_no_memory(c->check);
	while (size < 2 * bound)
		size *= 2;
	s->mask = size - 1;
	s->objects = plait__check_alloc(c->check, size, sizeof(*s->objects));
	s->uses = plait__check_alloc(c->check, bound, sizeof(*s->uses));
	s->trees = plait__check_alloc(c->check, bound, sizeof(*s->trees));
	if (s->objects == NULL || s->uses == NULL || s->trees == NULL)
		return plait__check_no_memory(c->check);
	for (uint32_t item = 0; item < c->count; item++) {
		uint32_t count, first = c->accesses(c, item, &count);

		for (uint32_t i = first; i < first + count; i++)
			add_access(s, item, i);
	}
	return PLAIT_OK;
}

/* ---- trees ---- */

static void sift(uint64_t *heap, uint32_t i, uint32_t count)
{
	uint64_t item = heap[i];
	uint32_t child;

	while ((child = 2 * i + 1) < count) {
		if (child + 1 < count && heap[child] < heap[child + 1])
			child++;
		if (item >= heap[child])
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = item;
}

/* Sort, and drop repeated values; return the number that remain. */
static uint32_t sort_ends(uint64_t *ends, uint32_t count)
{
	uint32_t left = count, unique = 0;

	for (uint32_t i = count / 2; i-- > 0;)
		sift(ends, i, count);
	while (left-- > 1) {
		uint64_t top = ends[0];

		ends[0] = ends[left];
		ends[left] = top;
		sift(ends, 0, left);
	}
	for (uint32_t i = 0; i < count; i++)
		if (unique == 0 || ends[unique - 1] != ends[i])
			ends[unique++] = ends[i];
	return unique;
}

/* `ends` has two per use. */
static void fill_ends(plait__conflict_scan *s)
{
	const plait__plan *tables = s->conflicts->tables;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < s->object_count; i++) {
		s->trees[i].end_first = sum;
		sum += s->trees[i].end_count;
		s->trees[i].end_count = 0;
	}
	for (uint32_t i = 0; i < s->use_count; i++) {
		plait__conflict_tree *tree = &s->trees[s->uses[i].object];
		uint32_t box = plait__conflict_access(s, &s->uses[i])->box;
		uint64_t *at = s->ends + tree->end_first + tree->end_count;

		if (s->uses[i].is_exact || box == PLAIT__NONE)
			continue;
		at[0] = tables->boxes[box].low[0];
		at[1] = tables->boxes[box].high[0];
		tree->end_count += 2;
	}
}

static uint32_t place_branches(plait__conflict_scan *s)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < s->object_count; i++) {
		plait__conflict_tree *tree = &s->trees[i];

		tree->end_count = sort_ends(s->ends + tree->end_first,
					    tree->end_count);
		tree->leaves = 1;
		while (tree->leaves + 1 < tree->end_count)
			tree->leaves *= 2;
		tree->branch_first = sum;
		sum += 2 * tree->leaves;
	}
	return sum;
}

static plait_status plant_trees(plait__conflict_scan *s)
{
	const plait__conflict_list empty = { PLAIT__NONE, PLAIT__NONE, PLAIT__NONE };
	plait__check *check = s->conflicts->check;
	uint32_t count;

	s->ends = plait__check_alloc(check, 2ull * s->use_count,
				     sizeof(*s->ends));
	if (s->ends == NULL)
		return plait__check_no_memory(check);
	fill_ends(s);
	count = place_branches(s);
	s->branches = plait__check_alloc(check, count, sizeof(*s->branches));
	s->met = plait__check_alloc(check, s->conflicts->count,
				    sizeof(*s->met));
	if (s->branches == NULL || s->met == NULL)
		return plait__check_no_memory(check);
	for (uint32_t i = 0; i < count; i++)
		s->branches[i] = (plait__conflict_branch){
			.lists = { empty, empty, empty },
			.settled_for = { PLAIT__NONE, PLAIT__NONE,
					 PLAIT__NONE }
		};
	return PLAIT_OK;
}

uint32_t plait__conflict_trees_leaf(const plait__conflict_scan *s,
				    const plait__conflict_tree *tree,
				    uint64_t end)
{
	const uint64_t *ends = s->ends + tree->end_first;
	uint32_t low = 0, high = tree->end_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (ends[middle] <= end)
			low = middle;
		else
			high = middle;
	}
	return low;
}

plait_status plait__conflict_trees_init(plait__conflict_scan *s)
{
	uint64_t bound = count_uses(s);
	plait_status status;

	if (bound == 0)
		return PLAIT_OK;
	status = collect_uses(s, bound);
	return status == PLAIT_OK ? plant_trees(s) : status;
}
