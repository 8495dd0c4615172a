/* SPDX-License-Identifier: MIT */
/*
 * Chains of a merge.  Operations that data connect are a component, which shares
 * nothing with another one.  The operations of a component are executed one
 * after another, and a chain takes one component after another.
 */
#include "coll/merge/merge_cells.h"

#include "base/alloc.h"

#include <string.h>

/* The operations from `first` on; each component is a tree: a parent is an
 * earlier operation, a root is its own. */
typedef struct merge_forest {
	const plait__merge *merge;
	uint32_t first, count;
	uint32_t *parent;
} merge_forest;

static uint32_t root_of(const merge_forest *forest, uint32_t op)
{
	uint32_t *parent = forest->parent;

	while (parent[op] != op) {
		parent[op] = parent[parent[op]];
		op = parent[op];
	}
	return op;
}

static void join(const merge_forest *forest, uint32_t one, uint32_t other)
{
	uint32_t a = root_of(forest, one), b = root_of(forest, other);

	forest->parent[a > b ? a : b] = a > b ? b : a;
}

static void find_components(const merge_forest *forest)
{
	for (uint32_t i = 0; i < forest->count; i++) {
		const plait__merge_op *op = plait__vector_at(
			&forest->merge->ops, forest->first + i);
		const uint32_t *befores = forest->merge->befores.items;

		forest->parent[i] = i;
		for (uint32_t k = 0; k < op->before_count; k++)
			join(forest, i, befores[op->first_before + k] -
						forest->first);
	}
}

int plait__merge_chains_count(const plait__merge *merge, uint32_t *out)
{
	merge_forest forest = { .merge = merge, .count = merge->ops.count };

	*out = 0;
	forest.parent = plait__alloc_array(merge->ops.allocator, forest.count,
					   sizeof(*forest.parent));
	if (forest.count > 0 && forest.parent == NULL)
		return -1;
	find_components(&forest);
	for (uint32_t i = 0; i < forest.count; i++)
		*out += forest.parent[i] == i;
	plait__free(merge->ops.allocator, forest.parent,
		    forest.count * sizeof(*forest.parent));
	return 0;
}

/* ---- order ---- */

/* Set the place of each operation: components in the order of their roots, each in
 * the order of the operations. */
static void order_components(const merge_forest *forest, uint32_t *place)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < forest->count; i++)
		forest->parent[i] = root_of(forest, i);
	for (uint32_t i = 0; i < forest->count; i++)
		place[i] = 0;
	for (uint32_t i = 0; i < forest->count; i++)
		place[forest->parent[i]]++;
	/* Of a root: the size of its component becomes its first place. */
	for (uint32_t i = 0; i < forest->count; i++)
		if (forest->parent[i] == i) {
			uint32_t size = place[i];

			place[i] = total;
			total += size;
		}
}

/* Move the operations to their places; `next` has the free place of a root. */
static void move_ops(const merge_forest *forest, plait__merge_op *ops,
		     const plait__merge_op *from, uint32_t *next)
{
	for (uint32_t i = 0; i < forest->count; i++)
		ops[next[forest->parent[i]]++] = from[i];
}

/* Replace the edges of the operations by those of chains. */
static plait_status link_ops(const merge_forest *forest, plait__merge *merge,
			     const uint32_t *begins, plait__merge_chains *chains)
{
	plait__merge_op *ops = plait__vector_at(&merge->ops, forest->first);
	uint32_t *last = NULL;

	if (forest->count > 0)
		plait__vector_truncate(&merge->befores,
				       chains->first_before);
	for (uint32_t i = 0; i < forest->count; i++) {
		if (begins[i])
			last = &chains->lasts[chains->next++ % chains->count];
		ops[i].first_before = merge->befores.count;
		ops[i].before_count = *last != PLAIT__MERGE_NONE;
		if (ops[i].before_count > 0 &&
		    PLAIT__VECTOR_ADD(&merge->befores, last) == NULL)
			return PLAIT_E_NOMEM;
		*last = forest->first + i;
	}
	return PLAIT_OK;
}

/* `room` is for two numbers of each operation. */
static plait_status chain_ops(merge_forest *forest, plait__merge *merge,
			      plait__merge_op *copy, uint32_t *room,
			      plait__merge_chains *chains)
{
	plait__merge_op *ops = plait__vector_at(&merge->ops, forest->first);
	uint32_t *begins = room + forest->count;

	find_components(forest);
	order_components(forest, room);
	for (uint32_t i = 0; i < forest->count; i++)
		if (forest->parent[i] == i)
			begins[room[i]] = 1;
	memcpy(copy, ops, forest->count * sizeof(*copy));
	move_ops(forest, ops, copy, room);
	return link_ops(forest, merge, begins, chains);
}

plait_status plait__merge_chains_link(plait__merge *merge,
				      plait__merge_chains *chains,
				      uint32_t first)
{
	const plait_allocator *allocator = merge->ops.allocator;
	merge_forest forest = { .merge = merge, .first = first,
				.count = merge->ops.count - first };
	uint64_t count = forest.count + 1ull;
	plait__merge_op *copy = plait__alloc_array(allocator, count,
						   sizeof(*copy));
	uint32_t *room = plait__alloc_array(allocator, count,
					    3 * sizeof(*room));
	plait_status status = PLAIT_E_NOMEM;

	if (copy != NULL && room != NULL) {
		forest.parent = room + 2 * (uint64_t)forest.count;
		status = forest.count == 0 ? PLAIT_OK :
			 chain_ops(&forest, merge, copy, room, chains);
	}
	plait__free(allocator, copy, count * sizeof(*copy));
	plait__free(allocator, room, count * 3 * sizeof(*room));
	return status;
}
