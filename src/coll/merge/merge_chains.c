/* SPDX-License-Identifier: MIT */
/*
 * Chains of a merge.  Operations that data connect are a group; a group shares
 * nothing with another one.  The operations of a group are executed one after
 * another, and a chain takes one group after another.
 */
#include "coll/merge/merge_cells.h"

#include "base/alloc.h"

#include <string.h>

/* The operations from `first` on, as trees of groups: a parent is an earlier
 * operation, a root is its own. */
typedef struct merge_groups {
	const plait__merge *merge;
	uint32_t first, count;
	uint32_t *parent;
} merge_groups;

static uint32_t root_of(const merge_groups *groups, uint32_t op)
{
	uint32_t *parent = groups->parent;

	while (parent[op] != op) {
		parent[op] = parent[parent[op]];
		op = parent[op];
	}
	return op;
}

static void join(const merge_groups *groups, uint32_t one, uint32_t other)
{
	uint32_t a = root_of(groups, one), b = root_of(groups, other);

	groups->parent[a > b ? a : b] = a > b ? b : a;
}

static void find_groups(const merge_groups *groups)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		const plait__merge_op *op = plait__vector_at(
			&groups->merge->ops, groups->first + i);
		const uint32_t *befores = groups->merge->befores.items;

		groups->parent[i] = i;
		for (uint32_t k = 0; k < op->before_count; k++)
			join(groups, i, befores[op->first_before + k] -
						groups->first);
	}
}

int plait__merge_chains_count(const plait__merge *merge, uint32_t *out)
{
	merge_groups groups = { .merge = merge, .count = merge->ops.count };

	*out = 0;
	groups.parent = plait__alloc_array(merge->ops.allocator, groups.count,
					   sizeof(*groups.parent));
	if (groups.count > 0 && groups.parent == NULL)
		return -1;
	find_groups(&groups);
	for (uint32_t i = 0; i < groups.count; i++)
		*out += groups.parent[i] == i;
	plait__free(merge->ops.allocator, groups.parent,
		    groups.count * sizeof(*groups.parent));
	return 0;
}

/* ---- order ---- */

/* Set the place of each operation: groups in the order of their roots, each in
 * the order of the operations. */
static void order_groups(const merge_groups *groups, uint32_t *place)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < groups->count; i++)
		groups->parent[i] = root_of(groups, i);
	for (uint32_t i = 0; i < groups->count; i++)
		place[i] = 0;
	for (uint32_t i = 0; i < groups->count; i++)
		place[groups->parent[i]]++;
	/* Of a root: the size of its group becomes its first place. */
	for (uint32_t i = 0; i < groups->count; i++)
		if (groups->parent[i] == i) {
			uint32_t size = place[i];

			place[i] = total;
			total += size;
		}
}

/* Move the operations to their places; `next` has the free place of a root. */
static void move_ops(const merge_groups *groups, plait__merge_op *ops,
		     const plait__merge_op *from, uint32_t *next)
{
	for (uint32_t i = 0; i < groups->count; i++)
		ops[next[groups->parent[i]]++] = from[i];
}

/* Replace the edges of the operations by those of chains. */
static plait_status link_ops(const merge_groups *groups, plait__merge *merge,
			     const uint32_t *begins, plait__merge_chains *chains)
{
	plait__merge_op *ops = plait__vector_at(&merge->ops, groups->first);
	uint32_t *last = NULL;

	if (groups->count > 0)
		plait__vector_truncate(&merge->befores,
				       chains->first_before);
	for (uint32_t i = 0; i < groups->count; i++) {
		if (begins[i])
			last = &chains->lasts[chains->next++ % chains->count];
		ops[i].first_before = merge->befores.count;
		ops[i].before_count = *last != PLAIT__MERGE_NONE;
		if (ops[i].before_count > 0 &&
		    PLAIT__VECTOR_ADD(&merge->befores, last) == NULL)
			return PLAIT_E_NOMEM;
		*last = groups->first + i;
	}
	return PLAIT_OK;
}

/* `room` is for two numbers of each operation. */
static plait_status chain_ops(merge_groups *groups, plait__merge *merge,
			      plait__merge_op *copy, uint32_t *room,
			      plait__merge_chains *chains)
{
	plait__merge_op *ops = plait__vector_at(&merge->ops, groups->first);
	uint32_t *begins = room + groups->count;

	find_groups(groups);
	order_groups(groups, room);
	for (uint32_t i = 0; i < groups->count; i++)
		if (groups->parent[i] == i)
			begins[room[i]] = 1;
	memcpy(copy, ops, groups->count * sizeof(*copy));
	move_ops(groups, ops, copy, room);
	return link_ops(groups, merge, begins, chains);
}

plait_status plait__merge_chains_link(plait__merge *merge,
				      plait__merge_chains *chains,
				      uint32_t first)
{
	const plait_allocator *allocator = merge->ops.allocator;
	merge_groups groups = { .merge = merge, .first = first,
				.count = merge->ops.count - first };
	uint64_t count = groups.count + 1ull;
	plait__merge_op *copy = plait__alloc_array(allocator, count,
						   sizeof(*copy));
	uint32_t *room = plait__alloc_array(allocator, count,
					    3 * sizeof(*room));
	plait_status status = PLAIT_E_NOMEM;

	if (copy != NULL && room != NULL) {
		groups.parent = room + 2 * (uint64_t)groups.count;
		status = groups.count == 0 ? PLAIT_OK :
			 chain_ops(&groups, merge, copy, room, chains);
	}
	plait__free(allocator, copy, count * sizeof(*copy));
	plait__free(allocator, room, count * 3 * sizeof(*room));
	return status;
}
