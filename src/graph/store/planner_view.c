/* SPDX-License-Identifier: MIT */
/*
 * Planner input of a store.  Tables are lent as they are, as are nodes and
 * edges of a graph without bodies; with bodies, the nodes and edges of all
 * scopes are copied one after another.
 */
#include "graph/store/planner_view.h"

#include "graph/store/store.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* Arrays of the input that are copies. */
struct copied {
	plait__input_node *nodes;
	plait__input_edge *edges;
	plait__input_scope *scopes;
	plait__input_region *regions;
};

/* Count nodes and edges of all scopes.  PLAIT_E_INVALID: too many. */
static plait_status count_all(const plait__store *store, plait__input *input,
			      plait_error *error)
{
	uint64_t nodes = 0, edges = 0;

	for (uint32_t i = 0; i < store->scopes.count; i++) {
		const plait__store_scope *scope =
			plait__store_scope_at(store, i);

		nodes += scope->nodes.count;
		edges += scope->edges.count;
	}
	if (nodes > PLAIT__VECTOR_MAX || edges > PLAIT__VECTOR_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "graph has more than %u nodes or edges",
				   PLAIT__VECTOR_MAX);
	input->node_count = (uint32_t)nodes;
	input->edge_count = (uint32_t)edges;
	input->scope_count = store->scopes.count;
	input->region_count = store->regions.count;
	return PLAIT_OK;
}

/* Allocate an array; null for zero elements. */
static int alloc_array(const plait_allocator *allocator, uint32_t count,
		       uint64_t each, void *out)
{
	void *block = NULL;

	if (count > 0) {
		block = plait__alloc_array(allocator, count, each);
		if (block == NULL)
			return -1;
	}
	memcpy(out, &block, sizeof(block));
	return 0;
}

static int alloc_copies(const plait__store *store, const plait__input *input,
			struct copied *copied)
{
	const plait_allocator *allocator = &store->allocator;

	if (alloc_array(allocator, input->node_count, sizeof(*copied->nodes),
			&copied->nodes) != 0 ||
	    alloc_array(allocator, input->edge_count, sizeof(*copied->edges),
			&copied->edges) != 0 ||
	    alloc_array(allocator, input->scope_count, sizeof(*copied->scopes),
			&copied->scopes) != 0 ||
	    alloc_array(allocator, input->region_count,
			sizeof(*copied->regions), &copied->regions) != 0)
		return -1;
	return 0;
}

static void lay_scopes(const plait__store *store, struct copied *copied)
{
	uint32_t node = 0, edge = 0;

	for (uint32_t i = 0; i < store->scopes.count; i++) {
		const plait__store_scope *scope =
			plait__store_scope_at(store, i);
		const plait__input_edge *edges = scope->edges.items;

		copied->scopes[i] = (plait__input_scope){
			.node_first = node,
			.node_count = scope->nodes.count,
			.region = scope->region,
		};
		for (uint32_t k = 0; k < scope->edges.count; k++, edge++) {
			copied->edges[edge].before = node + edges[k].before;
			copied->edges[edge].after = node + edges[k].after;
		}
		if (scope->nodes.count > 0)
			memcpy(&copied->nodes[node], scope->nodes.items,
			       scope->nodes.count * sizeof(*copied->nodes));
		node += scope->nodes.count;
	}
}

/* lay_scopes has run. */
static void lay_regions(const plait__store *store, struct copied *copied)
{
	for (uint32_t i = 0; i < store->regions.count; i++) {
		const plait__store_region *region =
			plait__vector_at(&store->regions, i);

		copied->regions[i] = region->input;
		copied->regions[i].node +=
			copied->scopes[region->scope].node_first;
	}
}

/* Lend the graph as its only scope.  There are no bodies. */
static void lend_graph(const plait__store *store, plait__input *input)
{
	const plait__store_scope *graph = plait__store_scope_at(store, 0);

	input->nodes = graph->nodes.items;
	input->node_count = graph->nodes.count;
	input->edges = graph->edges.items;
	input->edge_count = graph->edges.count;
}

/* Copy the scopes one behind the other, with numbers of the whole graph. */
static plait_status lay_graph(const plait__store *store, plait__input *input,
			      plait_error *error)
{
	struct copied copied = { 0 };
	plait_status status = count_all(store, input, error);

	if (status != PLAIT_OK)
		return status;
	if (alloc_copies(store, input, &copied) != 0)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory to freeze a graph of %u nodes",
				     input->node_count);
	input->nodes = copied.nodes;
	input->edges = copied.edges;
	input->scopes = copied.scopes;
	input->regions = copied.regions;
	if (status != PLAIT_OK) {
		plait__planner_view_fini(store, input);
		return status;
	}
	lay_scopes(store, &copied);
	lay_regions(store, &copied);
	return PLAIT_OK;
}

/* Needs as holds without units, of nodes that were not removed.  The nodes are
 * in the input. */
static plait_status lay_needs(const plait__store *store, plait__input *input,
			      plait_error *error)
{
	const plait__store_need *needs = store->needs.items;
	plait__plan_hold *holds;
	uint32_t count = 0;

	if (alloc_array(&store->allocator, store->needs.count, sizeof(*holds),
			&holds) != 0)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to freeze a graph of %u nodes",
				   input->node_count);
	for (uint32_t i = 0; i < store->needs.count; i++) {
		uint32_t node = needs[i].node;

		if (input->scopes != NULL)
			node += input->scopes[needs[i].scope].node_first;
		if (!input->nodes[node].is_removed)
			holds[count++] = (plait__plan_hold){
				node, needs[i].resource, PLAIT__NONE,
				needs[i].units
			};
	}
	input->tables.holds = holds;
	input->tables.holds_count = count;
	return PLAIT_OK;
}

plait_status plait__planner_view_init(const plait__store *store,
				      plait__input *input, plait_error *error)
{
	plait_status status = PLAIT_OK;

	memset(input, 0, sizeof(*input));
	if (store->scopes.count == 1)
		lend_graph(store, input);
	else
		status = lay_graph(store, input, error);
	if (status != PLAIT_OK)
		return status;
	input->text_name = store->text_name;
	input->devices = store->devices.items;
	input->device_count = store->devices.count;
	input->device_sets = store->device_sets.items;
	input->device_set_count = store->device_sets.count;
#define LEND_TABLE(type, name) \
	input->tables.name = store->name.items; \
	input->tables.name##_count = store->name.count;
	PLAIT__PLAN_TABLES(LEND_TABLE)
#undef LEND_TABLE
	status = lay_needs(store, input, error);
	if (status != PLAIT_OK)
		plait__planner_view_fini(store, input);
	return status;
}

/* Free a copied array through its const pointer. */
static void free_all(const plait_allocator *allocator, const void *block,
		     uint32_t count, uint64_t each)
{
	void *copied;

	memcpy(&copied, &block, sizeof(copied));
	plait__free(allocator, copied, count * each);
}

void plait__planner_view_fini(const plait__store *store, plait__input *input)
{
	const plait_allocator *allocator = &store->allocator;

	free_all(allocator, input->tables.holds, store->needs.count,
		 sizeof(*input->tables.holds));
	if (input->scope_count == 0) {
		memset(input, 0, sizeof(*input));
		return;
	}
	free_all(allocator, input->nodes, input->node_count,
		 sizeof(*input->nodes));
	free_all(allocator, input->edges, input->edge_count,
		 sizeof(*input->edges));
	free_all(allocator, input->scopes, input->scope_count,
		 sizeof(*input->scopes));
	free_all(allocator, input->regions, input->region_count,
		 sizeof(*input->regions));
	memset(input, 0, sizeof(*input));
}
