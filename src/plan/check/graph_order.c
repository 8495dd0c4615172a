/* SPDX-License-Identifier: MIT */
/* One order of all nodes of a graph; see graph_order.h. */
#include "plan/check/graph_order.h"

#include "base/error.h"

#include <string.h>

struct level {
	uint32_t scope;
	uint32_t next;		/* index of a node in the scope */
	uint32_t more;		/* further scopes of the same region */
};

static plait__input_scope scope_at(const plait__input *input, uint32_t scope)
{
	return input->scopes != NULL ? input->scopes[scope] :
	       (plait__input_scope){ .node_count = input->node_count,
				     .region = PLAIT__NONE };
}

static uint32_t scope_count(const plait__input *input)
{
	return input->scopes != NULL ? input->scope_count : 1;
}

/* Lend the tables to a plan that has nothing else. */
static void lend_tables(plait__graph_order *order)
{
	const plait__input *input = order->input;

#define LEND(type, name) \
	memcpy(&order->tables.name, &input->tables.name, sizeof(void *)); \
	order->tables.name##_count = input->tables.name##_count;
	PLAIT__PLAN_TABLES(LEND)
#undef LEND
	order->tables.regions_count = input->region_count;
}

static plait_status begin(plait__graph_order *order, plait__check *check)
{
	const plait__input *input = check->input;
	uint32_t nodes = input->node_count, scopes = scope_count(input);

	*order = (plait__graph_order){ .check = check, .input = input };
	lend_tables(order);
	order->node_at = plait__check_alloc(check, nodes, sizeof(uint32_t));
	order->position = plait__check_alloc(check, nodes, sizeof(uint32_t));
	order->scope_of = plait__check_alloc(check, nodes, sizeof(uint32_t));
	order->depth = plait__check_alloc(check, scopes, sizeof(uint32_t));
	order->first = plait__check_alloc(check, scopes, sizeof(uint32_t));
	order->end = plait__check_alloc(check, scopes, sizeof(uint32_t));
	if (order->node_at == NULL || order->position == NULL ||
	    order->scope_of == NULL || order->depth == NULL ||
	    order->first == NULL || order->end == NULL)
		return plait__check_no_memory(check);
	for (uint32_t s = 0; s < scopes; s++) {
		plait__input_scope scope = scope_at(input, s);

		for (uint32_t i = 0; i < scope.node_count; i++)
			order->scope_of[scope.node_first + i] = s;
	}
	return PLAIT_OK;
}

/* Walk the scopes; `sequence` has the nodes of each scope at its own range, or
 * is null.  Regions nest: the input has passed validate_input.c or comes from a
 * graph. */
static plait_status linearize(plait__graph_order *order,
			      const uint32_t *sequence)
{
	const plait__input *input = order->input;
	struct level *stack = plait__check_alloc(
		order->check, scope_count(input), sizeof(*stack));
	uint32_t depth = 1, at = 0;

	if (stack == NULL)
		return plait__check_no_memory(order->check);
	while (depth > 0) {
		struct level *level = &stack[depth - 1];
		plait__input_scope scope = scope_at(input, level->scope);
		const plait__input_region *region;
		uint32_t node;

		if (level->next == scope.node_count) {
			order->end[level->scope] = at;
			if (level->more == 0) {
				depth--;
				continue;
			}
			*level = (struct level){ level->scope + 1, 0,
						 level->more - 1 };
			order->first[level->scope] = at;
			order->depth[level->scope] = depth - 1;
			continue;
		}
		node = scope.node_first + level->next++;
		if (sequence != NULL)
			node = sequence[node];
		order->position[node] = at;
		order->node_at[at++] = node;
		if (input->nodes[node].kind != PLAIT__CMD_REGION)
			continue;
		region = &input->regions[input->nodes[node].link];
		stack[depth] = (struct level){ region->scope_first, 0,
					       region->scope_count - 1 };
		order->first[region->scope_first] = at;
		order->depth[region->scope_first] = depth++;
	}
	return PLAIT_OK;
}

plait_status plait__graph_order_by_adding(plait__graph_order *order,
					  plait__check *check)
{
	plait_status status = begin(order, check);

	return status == PLAIT_OK ? linearize(order, NULL) : status;
}

/* ---- topological order ---- */

static bool edges_ascend(const plait__input *input)
{
	for (uint32_t i = 0; i < input->edge_count; i++)
		if (input->edges[i].before >= input->edges[i].after)
			return false;
	return true;
}

/* Successors of each node as lists; `waits` counts the edges to a node. */
static void list_edges(const plait__input *input, uint32_t *first,
		       uint32_t *to, uint32_t *waits)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < input->edge_count; i++) {
		first[input->edges[i].before]++;
		waits[input->edges[i].after]++;
	}
	for (uint32_t v = 0; v <= input->node_count; v++) {
		sum += first[v];
		first[v] = sum;
	}
	for (uint32_t i = input->edge_count; i-- > 0;)
		to[--first[input->edges[i].before]] = input->edges[i].after;
}

/* Append ready nodes to the range of their scope, until none is left.  `filled`
 * begins as the first index of each scope; edges stay within a scope. */
static uint32_t sort_nodes(const plait__graph_order *order,
			   const uint32_t *first, const uint32_t *to,
			   uint32_t *waits, uint32_t *filled,
			   uint32_t *sequence)
{
	const plait__input *input = order->input;
	uint32_t sorted = 0;

	for (uint32_t v = 0; v < input->node_count; v++) {
		uint32_t *next = &filled[order->scope_of[v]];

		if (waits[v] == 0)
			sequence[(*next)++] = v;
	}
	for (uint32_t s = 0; s < scope_count(input); s++) {
		uint32_t at = scope_at(input, s).node_first;

		for (; at < filled[s]; at++, sorted++) {
			uint32_t v = sequence[at];

			for (uint32_t i = first[v]; i < first[v + 1]; i++)
				if (--waits[to[i]] == 0)
					sequence[filled[s]++] = to[i];
		}
	}
	return sorted;
}

plait_status plait__graph_order_by_edges(plait__graph_order *order,
					 plait__check *check)
{
	const plait__input *input = check->input;
	uint32_t nodes = input->node_count, *first, *to, *waits, *filled;
	uint32_t *sequence;
	plait_status status = begin(order, check);

	if (status != PLAIT_OK || edges_ascend(input))
		return status == PLAIT_OK ? linearize(order, NULL) : status;
	first = plait__check_alloc(check, nodes + 1ull, sizeof(*first));
	to = plait__check_alloc(check, input->edge_count, sizeof(*to));
	waits = plait__check_alloc(check, nodes, sizeof(*waits));
	sequence = plait__check_alloc(check, nodes, sizeof(*sequence));
	filled = plait__check_alloc(check, scope_count(input),
				    sizeof(*filled));
	if (first == NULL || to == NULL || waits == NULL || sequence == NULL ||
	    filled == NULL)
		return plait__check_no_memory(check);
	list_edges(input, first, to, waits);
	for (uint32_t s = 0; s < scope_count(input); s++)
		filled[s] = scope_at(input, s).node_first;
	if (sort_nodes(order, first, to, waits, filled, sequence) != nodes)
		return plait__fail(check->error, PLAIT_E_INVALID,
				   "the graph has a cycle");
	return linearize(order, sequence);
}

/* ---- scopes ---- */

/* Returns the node of the region that a scope is a body of.  The scope is not
 * 0. */
static uint32_t holder(const plait__graph_order *order, uint32_t scope)
{
	return order->input->regions[
		order->input->scopes[scope].region].node;
}

void plait__graph_order_meet(const plait__graph_order *order, uint32_t *a,
			     uint32_t *b)
{
	while (order->scope_of[*a] != order->scope_of[*b]) {
		uint32_t one = order->scope_of[*a], two = order->scope_of[*b];
		uint32_t deep = order->depth[one];

		if (deep >= order->depth[two])
			*a = holder(order, one);
		if (order->depth[two] >= deep)
			*b = holder(order, two);
	}
}

bool plait__graph_order_is_inside(const plait__graph_order *order,
				  uint32_t position, uint32_t region)
{
	const plait__input_region *r = &order->input->regions[region];
	uint32_t last = r->scope_first + r->scope_count - 1;

	return position >= order->first[r->scope_first] &&
	       position < order->end[last];
}
