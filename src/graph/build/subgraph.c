/* SPDX-License-Identifier: MIT */
/*
 * Subgraphs: nodes, bodies and everything that they name are copied from one
 * store to another, which may be the same.  Bodies wait in a list, so that
 * depth costs no stack.
 */
#include "graph/build/subgraph.h"

#include "graph/build/infer_device.h"
#include "graph/build/subgraph_tables.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* A set of nodes that is to be copied. */
struct job {
	uint32_t from;
	uint32_t to;
	uint32_t node_first;	/* where its copy starts */
};

struct import {
	plait__remap remap;
	plait__adding *adding;
	plait__vector jobs;	/* struct job */
	/* What the scope that the copy goes into had at the start: it may be
	 * part of what is copied. */
	uint32_t own_nodes;
	uint32_t own_edges;
};

static plait_status no_memory(const struct import *import)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	return plait__fail(import->adding->error, PLAIT_E_NOMEM,
			   "no memory for %s",
			   plait__graph_place(import->adding, room));
}

static bool is_own(const struct import *import, uint32_t scope)
{
	return import->remap.from == import->remap.to &&
	       scope == import->adding->graph->scope;
}

static uint32_t nodes_of(const struct import *import, uint32_t scope)
{
	return is_own(import, scope) ? import->own_nodes :
	       plait__store_scope_at(import->remap.from, scope)->nodes.count;
}

static uint32_t edges_of(const struct import *import, uint32_t scope)
{
	return is_own(import, scope) ? import->own_edges :
	       plait__store_scope_at(import->remap.from, scope)->edges.count;
}

static plait_status push_job(struct import *import, uint32_t from, uint32_t to)
{
	struct job job = { from, to, plait__store_scope_at(
			   import->remap.to, to)->nodes.count };

	return plait__vector_push(&import->jobs, &job, 1) != NULL ? PLAIT_OK :
	       no_memory(import);
}

/* ---- nodes ---- */

static plait_status copy_region(struct import *import, uint32_t scope,
				plait__input_node *node)
{
	plait__store_region old = *(plait__store_region *)plait__vector_at(
		&import->remap.from->regions, node->link);
	plait__input_region region = old.input;
	plait__store_region *added;
	plait_status status = plait__remap_payload(&import->remap,
						   &region.predicate);
	uint32_t at;

	if (status != PLAIT_OK)
		return status;
	at = plait__store_region_add(import->remap.to, scope, &region);
	if (at == PLAIT__NONE ||
	    plait__remap_region(&import->remap, node->link, at) != PLAIT_OK)
		return no_memory(import);
	node->link = at;
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < region.scope_count; i++) {
		added = plait__vector_at(&import->remap.to->regions, at);
		status = push_job(import, old.input.scope_first + i,
				  added->input.scope_first + i);
	}
	return status;
}

static plait_status copy_node(struct import *import, const struct job *job,
			      uint32_t index)
{
	plait__store_scope *from = plait__store_scope_at(import->remap.from,
							 job->from);
	plait__input_node node = *(plait__input_node *)plait__vector_at(
		&from->nodes, index);
	plait_status status = plait__remap_node(&import->remap, &node);

	if (status == PLAIT_OK && node.kind == PLAIT__CMD_REGION)
		status = copy_region(import, job->to, &node);
	else if (status == PLAIT_OK)
		status = plait__remap_payload(&import->remap, &node.link);
	if (status != PLAIT_OK)
		return status;
	return plait__store_push(import->remap.to, job->to, &node, NULL, 0) !=
	       PLAIT__NONE ? PLAIT_OK : no_memory(import);
}

static plait_status copy_scope(struct import *import, struct job job)
{
	uint32_t nodes = nodes_of(import, job.from);
	uint32_t edges = edges_of(import, job.from);
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < nodes; i++)
		status = copy_node(import, &job, i);
	for (uint32_t i = 0; status == PLAIT_OK && i < edges; i++) {
		plait__input_edge edge = *(plait__input_edge *)
			plait__vector_at(&plait__store_scope_at(
				import->remap.from, job.from)->edges, i);

		if (plait__store_edge(import->remap.to, job.to,
				      job.node_first + edge.before,
				      job.node_first + edge.after) != 0)
			status = no_memory(import);
	}
	return status;
}

/* ---- the joins around the copy ---- */

/* 1: something comes before; 2: something comes after. */
static void mark_ends(const struct import *import, uint32_t scope,
		      uint8_t *marks)
{
	const plait__input_edge *edges =
		plait__store_scope_at(import->remap.from, scope)->edges.items;
	uint32_t count = edges_of(import, scope);

	for (uint32_t i = 0; i < count; i++) {
		marks[edges[i].after] |= 1;
		marks[edges[i].before] |= 2;
	}
}

static plait_status tie(struct import *import, const struct job *job,
			uint32_t entry, uint32_t leave, const uint8_t *marks)
{
	uint32_t count = nodes_of(import, job->from);

	if (count == 0 && plait__store_edge(import->remap.to, job->to, entry,
					    leave) != 0)
		return no_memory(import);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = job->node_first + i;

		if ((!(marks[i] & 1) &&
		     plait__store_edge(import->remap.to, job->to, entry,
				       node) != 0) ||
		    (!(marks[i] & 2) &&
		     plait__store_edge(import->remap.to, job->to, node,
				       leave) != 0))
			return no_memory(import);
	}
	return PLAIT_OK;
}

static plait_status tie_ends(struct import *import, const struct job *job,
			     uint32_t entry, uint32_t leave)
{
	const plait_allocator *allocator = &import->remap.to->allocator;
	uint64_t bytes = (uint64_t)nodes_of(import, job->from) + 1;
	uint8_t *marks = plait__alloc(allocator, bytes);
	plait_status status;

	if (marks == NULL)
		return no_memory(import);
	mark_ends(import, job->from, marks);
	status = tie(import, job, entry, leave, marks);
	plait__free(allocator, marks, bytes);
	return status;
}

/* The device of a node of what is copied, in the new store. */
static plait_status device_of(struct import *import, uint32_t scope,
			      uint32_t index, uint32_t *out)
{
	const plait__store *from = import->remap.from;
	const plait__input_node *node = plait__vector_at(
		&plait__store_scope_at(from, scope)->nodes, index);

	*out = node->device_count == 1 ? node->device :
	       *(uint32_t *)plait__vector_at(&from->device_sets,
					     node->device);
	return plait__remap_device(&import->remap, out);
}

/* The joins are where the copy begins and ends; around nothing, where a node
 * in their place would be.  They cost nothing. */
static plait_status push_join(struct import *import, uint32_t device,
			      const uint32_t *after, uint32_t count,
			      uint32_t *out)
{
	plait__input_node join = import->adding->node;

	join.kind = PLAIT__CMD_EMPTY;
	join.cost = 0;
	join.access_first = import->remap.to->accesses.count;
	join.device_count = 1;
	join.device = device;
	*out = plait__store_push(import->remap.to,
				 import->adding->graph->scope, &join, after,
				 count);
	return *out != PLAIT__NONE ? PLAIT_OK : no_memory(import);
}

/* ---- all of it ---- */

static plait_status find_devices(struct import *import, uint32_t scope,
				 const uint32_t *after, uint32_t count,
				 uint32_t *first, uint32_t *last)
{
	uint32_t nodes = nodes_of(import, scope);
	plait_status status;

	if (nodes == 0) {
		*first = *last = plait__graph_inherit_device(import->adding,
							     after, count);
		return *first != PLAIT__NONE ? PLAIT_OK :
		       import->adding->error->status;
	}
	status = device_of(import, scope, 0, first);
	return status == PLAIT_OK ?
	       device_of(import, scope, nodes - 1, last) : status;
}

static plait_status copy_all(struct import *import, uint32_t scope,
			     const uint32_t *after, uint32_t count,
			     uint32_t *out)
{
	uint32_t entry = 0, first_device = 0, last_device = 0;
	plait_status status = find_devices(import, scope, after, count,
					   &first_device, &last_device);
	struct job first;

	if (status == PLAIT_OK)
		status = push_join(import, first_device, after, count,
				   &entry);
	if (status == PLAIT_OK)
		status = push_job(import, scope, import->adding->graph->scope);
	for (uint32_t i = 0; status == PLAIT_OK && i < import->jobs.count; i++)
		status = copy_scope(import, *(struct job *)plait__vector_at(
				    &import->jobs, i));
	if (status == PLAIT_OK)
		status = push_join(import, last_device, NULL, 0, out);
	if (status != PLAIT_OK)
		return status;
	first = *(struct job *)plait__vector_at(&import->jobs, 0);
	return tie_ends(import, &first, entry, *out);
}

static plait_status import_graph(plait__adding *adding, plait__graph *graph,
				 const uint32_t *after, uint32_t count,
				 uint32_t *out)
{
	plait__store *to = adding->graph->store;
	plait__store_scope *scope = plait__store_scope_at(
		to, adding->graph->scope);
	struct import import = { .adding = adding,
				 .own_nodes = scope->nodes.count,
				 .own_edges = scope->edges.count };
	plait__store_mark mark;
	plait_status status;

	plait__store_take_mark(to, &mark);
	plait__remap_init(&import.remap, adding, graph->store);
	plait__vector_init(&import.jobs, &to->allocator, sizeof(struct job));
	status = plait__graph_add_names(adding);
	if (status == PLAIT_OK)
		status = copy_all(&import, graph->scope, after, count, out);
	if (status != PLAIT_OK) {
		scope = plait__store_scope_at(to, adding->graph->scope);
		plait__vector_cut(&scope->nodes, import.own_nodes);
		plait__vector_cut(&scope->edges, import.own_edges);
		plait__graph_cut(adding->graph, &mark);
	}
	plait__vector_fini(&import.jobs);
	plait__remap_fini(&import.remap);
	return status;
}

plait_status plait__graph_import(plait__adding *adding, const uint32_t *after,
				 uint32_t count, uint32_t *out)
{
	plait__graph *graph;
	plait_status status = plait__graph_enter(adding->desc->subgraph,
						 &graph, adding->error);

	if (status != PLAIT_OK)
		return plait__graph_name(adding, "subgraph");
	status = plait__context_check_same(&adding->graph->object,
					   &graph->object, adding->error);
	if (status == PLAIT_OK)
		status = import_graph(adding, graph, after, count, out);
	else
		(void)plait__graph_name(adding, "subgraph");
	plait__object_leave(&graph->object);
	return status;
}
