/* SPDX-License-Identifier: MIT */
/*
 * All nodes of a graph in one order: each scope's own order, with the bodies of
 * a region right after its node.  A node's place in it is its position.
 */
#ifndef PLAIT_SRC_PLAN_CHECK_GRAPH_ORDER_H
#define PLAIT_SRC_PLAN_CHECK_GRAPH_ORDER_H

#include "plan/check/check_state.h"

typedef struct plait__graph_order {
	plait__check *check;
	const plait__input *input;
	plait__plan tables;	/* borrows the input's tables; not a plan */
	uint32_t *node_at;	/* by position */
	uint32_t *position;	/* by node */
	uint32_t *scope_of;	/* by node */
	uint32_t *depth;	/* by scope */
	uint32_t *first;	/* by scope: its positions, nested ones
				 * included, are first .. end */
	uint32_t *end;
} plait__graph_order;

/* Make the order of adding.  The graph's indices are right.  Memory is the
 * check's. */
plait_status plait__graph_order_by_adding(plait__graph_order *order,
					  plait__check *check);

/* Make an order that also follows the edges.  PLAIT_E_INVALID: a cycle. */
plait_status plait__graph_order_by_edges(plait__graph_order *order,
					 plait__check *check);

/* Replace two nodes by the nodes of the innermost common scope that are or hold
 * them.  If these are equal, the two exclude each other, or one holds the
 * other. */
void plait__graph_order_meet(const plait__graph_order *order, uint32_t *a,
			     uint32_t *b);

/* Returns true if the node at the position is in a body of the region. */
bool plait__graph_order_is_inside(const plait__graph_order *order,
				  uint32_t position, uint32_t region);

#endif
