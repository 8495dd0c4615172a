/* SPDX-License-Identifier: MIT */
/* Removed nodes and edges of a store; see removal.h. */
#include "graph/store/removal.h"

static plait__input_node *node_at(const plait__store_scope *scope,
				  uint32_t node)
{
	return plait__vector_at(&scope->nodes, node);
}

/* A node on several devices keeps the first. */
static uint32_t first_device(const plait__store *store,
			     const plait__input_node *node)
{
	return node->device_count == 1 ? node->device :
	       *(uint32_t *)plait__vector_at(&store->device_sets,
					     node->device);
}

/* The node of a region stays one, since its bodies stay in the tables. */
static void mark(const plait__store *store, plait__store_scope *scope,
		 plait__input_node *node)
{
	bool is_region = node->kind == PLAIT__CMD_REGION;

	if (node->is_removed)
		return;
	*node = (plait__input_node){
		.kind = is_region ? PLAIT__CMD_REGION : PLAIT__CMD_JOIN,
		.device_count = 1, .device = first_device(store, node),
		.link = is_region ? node->link : PLAIT__NONE,
		.label = PLAIT__NONE, .file = PLAIT__NONE, .is_removed = 1
	};
	scope->removed_count++;
}

void plait__removal_mark(plait__store *store, uint32_t scope, uint32_t node)
{
	plait__store_scope *in = plait__store_scope_at(store, scope);
	plait__input_node *marked = node_at(in, node);

	mark(store, in, marked);
	if (marked->kind == PLAIT__CMD_REGION)
		store->has_removed_regions = true;
}

static void drop_edges(plait__store_scope *scope)
{
	plait__input_edge *edges = scope->edges.items;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < scope->edges.count; i++)
		if (!node_at(scope, edges[i].before)->is_removed &&
		    !node_at(scope, edges[i].after)->is_removed)
			edges[kept++] = edges[i];
	plait__vector_truncate(&scope->edges, kept);
}

static bool has_removed_node(const plait__store *store,
			     const plait__store_scope *body)
{
	const plait__store_region *region =
		plait__vector_at(&store->regions, body->region);

	return node_at(plait__store_scope_at(store, region->scope),
		       region->input.node)->is_removed;
}

static void drop_body(const plait__store *store, plait__store_scope *body)
{
	for (uint32_t i = 0; i < body->nodes.count; i++)
		mark(store, body, node_at(body, i));
	plait__vector_truncate(&body->edges, 0);
	body->is_removed = true;
}

/* A body's number is above that of the scope that holds it, so one ascending
 * pass finds nested bodies too. */
static void drop_bodies(plait__store *store)
{
	for (uint32_t i = 1; i < store->scopes.count; i++) {
		plait__store_scope *body = plait__store_scope_at(store, i);

		if (!body->is_removed && has_removed_node(store, body))
			drop_body(store, body);
	}
}

void plait__removal_settle(plait__store *store, uint32_t scope)
{
	drop_edges(plait__store_scope_at(store, scope));
	if (store->has_removed_regions)
		drop_bodies(store);
	store->has_removed_regions = false;
}

uint32_t plait__removal_edge(plait__store *store, uint32_t scope,
			     uint32_t before, uint32_t after)
{
	plait__vector *edges = &plait__store_scope_at(store, scope)->edges;
	plait__input_edge *edge = edges->items;
	uint32_t count = edges->count, kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (edge[i].before != before || edge[i].after != after)
			edge[kept++] = edge[i];
	plait__vector_truncate(edges, kept);
	return count - kept;
}
