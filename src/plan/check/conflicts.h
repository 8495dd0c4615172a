/* SPDX-License-Identifier: MIT */
/*
 * Conflicting accesses in one topological order: the pairs whose order implies
 * the order of all conflicting pairs.
 *
 * Items (nodes of a graph, or commands of a plan) are visited in the caller's
 * order.  Accesses to one object are kept in a segment tree over the ends of
 * their ranges; a write removes the accesses that it covers, since to be
 * ordered after the write is to be ordered after them.  The caller decides what
 * to do with a pair: prove it, or add an edge.
 *
 * Not here: what orders two items.
 */
#ifndef PLAIT_SRC_PLAN_CHECK_CONFLICTS_H
#define PLAIT_SRC_PLAN_CHECK_CONFLICTS_H

#include "plan/check/check_state.h"

typedef struct plait__conflicts plait__conflicts;

/* An item is its position in the order.  The caller fills all fields. */
struct plait__conflicts {
	plait__check *check;
	/* Accesses, boxes and rotations; nothing else of it is read. */
	const plait__plan *tables;
	uint32_t count;
	/* By item, or null: the ends of forced paths (reach.h).  They bound the
	 * number of pairs where items meet at a join. */
	const uint32_t *root;
	const uint32_t *anchor;
	/* Returns the item's first access in the tables, and their number. */
	uint32_t (*accesses)(const plait__conflicts *conflicts, uint32_t item,
			     uint32_t *out_count);
	/* Returns true if the item is in a body of the region. */
	bool (*is_inside)(const plait__conflicts *conflicts, uint32_t item,
			  uint32_t region);
	/* Returns the first item whose accesses this item's writes remove. */
	uint32_t (*floor)(const plait__conflicts *conflicts, uint32_t item);
	/*
	 * Require that `before` is ordered before `after`, which conflicts with
	 * it.  If `target` is not `after`, it is an anchor of `after` above
	 * `before`, and order before `target` is what is needed.
	 */
	plait_status (*order)(plait__conflicts *conflicts, uint32_t before,
			      uint32_t after, uint32_t target);
};

/* Visit the items and call `order` for each pair that it has to settle.  Stops
 * with the first status of `order` that is not PLAIT_OK; PLAIT_E_NOMEM. */
plait_status plait__conflicts_visit(plait__conflicts *conflicts);

#endif
