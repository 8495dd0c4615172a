/* SPDX-License-Identifier: MIT */
/*
 * A graph with random accesses, and slow answers about it: which nodes conflict,
 * and which the edges order, by all pairs and a transitive closure.
 */
#ifndef SLOW_ORDER_H
#define SLOW_ORDER_H

#include <string.h>

#include "lib/shapes.h"

enum { MOST = 400, BOXES = 4096, OBJECTS = 4 };

static struct shape shape;
static plait__plan_box boxes[BOXES];
static bool reaches[MOST][MOST];
static uint32_t scope_of[MOST];

static inline void close_edges(void)
{
	uint32_t n = shape.input.node_count, i, j, k;

	memset(reaches, 0, sizeof(reaches));
	memset(scope_of, 0, sizeof(scope_of));
	for (i = 0; i < shape.input.edge_count; i++)
		reaches[shape.edges[i].before][shape.edges[i].after] = true;
	for (k = 0; k < n; k++)
		for (i = 0; i < n; i++)
			for (j = 0; reaches[i][k] && j < n; j++)
				reaches[i][j] |= reaches[k][j];
	for (k = 0; k < shape.input.scope_count; k++)
		for (i = 0; i < shape.scopes[k].node_count; i++)
			scope_of[shape.scopes[k].node_first + i] = k;
}

static inline uint32_t holder(uint32_t node)
{
	return shape.regions[shape.scopes[scope_of[node]].region].node;
}

static inline uint32_t depth(uint32_t node)
{
	uint32_t count = 0;

	for (; scope_of[node] != 0; node = holder(node))
		count++;
	return count;
}

static inline void meet(uint32_t *a, uint32_t *b)
{
	while (scope_of[*a] != scope_of[*b]) {
		uint32_t one = depth(*a), two = depth(*b);

		if (one >= two)
			*a = holder(*a);
		if (two >= one)
			*b = holder(*b);
	}
}

static inline bool is_empty(const plait__plan_access *a)
{
	for (uint32_t i = 0; a->box != PLAIT__NONE && i < 3; i++)
		if (boxes[a->box].low[i] >= boxes[a->box].high[i])
			return true;
	return false;
}

static inline bool accesses_conflict(const plait__plan_access *a,
			      const plait__plan_access *b)
{
	if ((a->mode == b->mode && (a->mode == PLAIT__ACCESS_READ ||
				    a->mode == PLAIT__ACCESS_ATOMIC)) ||
	    is_empty(a) || is_empty(b) || a->alias != b->alias)
		return false;
	if (a->object != b->object)
		return a->alias != 0;
	for (uint32_t i = 0; a->box != PLAIT__NONE && b->box != PLAIT__NONE &&
	     i < 3; i++)
		if (boxes[a->box].high[i] <= boxes[b->box].low[i] ||
		    boxes[b->box].high[i] <= boxes[a->box].low[i])
			return false;
	return true;
}

static inline bool nodes_conflict(uint32_t m, uint32_t n)
{
	const plait__input_node *a = &shape.nodes[m], *b = &shape.nodes[n];

	for (uint32_t i = 0; i < a->access_count; i++)
		for (uint32_t k = 0; k < b->access_count; k++)
			if (accesses_conflict(
				    &shape.accesses[a->access_first + i],
				    &shape.accesses[b->access_first + k]))
				return true;
	return false;
}

static inline bool is_unordered(uint32_t a, uint32_t b)
{
	if (!nodes_conflict(a, b))
		return false;
	meet(&a, &b);
	return a != b && !reaches[a][b] && !reaches[b][a];
}

static inline void add_access(struct shape_random *random, uint32_t node, bool deep)
{
	uint32_t form = shape_below(random, 10), index, i;
	plait__plan_box box = { { 0, 0, 0 }, { 0, 1, 1 } };
	plait__plan_access *access;

	shape_access(&shape, node, shape_below(random, OBJECTS),
		     shape_below(random, 4));
	index = shape.input.tables.accesses_count - 1;
	access = &shape.accesses[index];
	if (deep && form == 9)
		access->alias = 1;
	if (form < 3)
		return;
	box.low[0] = shape_below(random, 12);
	box.high[0] = box.low[0] + shape_below(random, 5);
	for (i = 1; deep && form == 8 && i < 3; i++) {
		box.low[i] = shape_below(random, 3);
		box.high[i] = box.low[i] + shape_below(random, 3);
	}
	access->box = shape.input.tables.boxes_count;
	boxes[shape.input.tables.boxes_count++] = box;
}

#endif
