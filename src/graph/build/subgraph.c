/* SPDX-License-Identifier: MIT */
/*
 * Subgraph copies: nodes, bodies and all table entries that they name are
 * copied from one store to another, or within one store.  Bodies are queued in
 * a list, so that depth costs no stack.
 */
#include "graph/build/subgraph.h"

#include "graph/build/infer_device.h"
#include "graph/build/node_fields.h"
#include "graph/build/object_refs.h"
#include "graph/build/subgraph_tables.h"
#include "graph/store/resources.h"
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* Scope to be copied. */
struct job {
	uint32_t from;
	uint32_t to;
	uint32_t node_first;	/* first index of its copies */
};

struct subgraph_copy {
	plait__subgraph_tables tables;
	plait__node_draft *draft;
	plait__vector jobs;	/* struct job */
	/* Sizes of the target scope at the start: it may be part of the
	 * source. */
	uint32_t own_nodes;
	uint32_t own_edges;
	uint32_t own_removed;
	uint32_t own_needs;	/* in the source, which may be the target */
};

static plait_status no_memory(const struct subgraph_copy *copy)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(copy->draft->error, PLAIT_E_NOMEM,
			   "no memory for %s",
			   plait__refs_node_text(copy->draft, room));
}

static bool is_own(const struct subgraph_copy *copy, uint32_t scope)
{
	return copy->tables.from == copy->tables.to &&
	       scope == copy->draft->graph->scope;
}

static uint32_t nodes_of(const struct subgraph_copy *copy, uint32_t scope)
{
	return is_own(copy, scope) ? copy->own_nodes :
	       plait__store_scope_at(copy->tables.from, scope)->nodes.count;
}

static uint32_t edges_of(const struct subgraph_copy *copy, uint32_t scope)
{
	return is_own(copy, scope) ? copy->own_edges :
	       plait__store_scope_at(copy->tables.from, scope)->edges.count;
}

/* Return the first node from `index` on, in steps of 1 or -1, that was not
 * removed, or PLAIT__NONE. */
static uint32_t find_live(const struct subgraph_copy *copy, uint32_t scope,
			  uint32_t index, int step)
{
	const plait__store_scope *from =
		plait__store_scope_at(copy->tables.from, scope);

	for (; index < nodes_of(copy, scope); index += (uint32_t)step)
		if (plait__store_has_node(from, index))
			return index;
	return PLAIT__NONE;
}

static plait_status push_job(struct subgraph_copy *copy, uint32_t from,
			     uint32_t to)
{
	struct job job = { from, to, plait__store_scope_at(
			   copy->tables.to, to)->nodes.count };

	return plait__vector_push(&copy->jobs, &job, 1) != NULL ? PLAIT_OK :
	       no_memory(copy);
}

/* ---- nodes ---- */

/* Copy a region without its bodies, each of which becomes a job. */
static plait_status copy_region(struct subgraph_copy *copy, uint32_t scope,
				plait__input_node *node)
{
	plait__store_region old = *(plait__store_region *)plait__vector_at(
		&copy->tables.from->regions, node->link);
	plait__input_region region = old.input;
	plait__store_region *added;
	plait_status status = plait__subgraph_map_payload(&copy->tables,
							  &region.predicate);
	uint32_t at;

	if (status != PLAIT_OK)
		return status;
	at = plait__store_region_add(copy->tables.to, scope, &region);
	if (at == PLAIT__NONE ||
	    plait__subgraph_add_region(&copy->tables, node->link, at) !=
	    PLAIT_OK)
		return no_memory(copy);
	node->link = at;
	for (uint32_t i = 0; status == PLAIT_OK &&
	     i < region.scope_count; i++) {
		added = plait__vector_at(&copy->tables.to->regions, at);
		status = push_job(copy, old.input.scope_first + i,
				  added->input.scope_first + i);
	}
	return status;
}

/* A removed node keeps its place in the copy, so that edges need no map of
 * nodes.  The graph has a device: push_join has run. */
static plait_status copy_removed(struct subgraph_copy *copy, uint32_t scope)
{
	static const plait__input_node removed = {
		.kind = PLAIT__CMD_JOIN, .device_count = 1,
		.link = PLAIT__NONE, .label = PLAIT__NONE,
		.file = PLAIT__NONE, .is_removed = 1
	};

	if (plait__store_push(copy->tables.to, scope, &removed, NULL, 0) ==
	    PLAIT__NONE)
		return no_memory(copy);
	plait__store_scope_at(copy->tables.to, scope)->removed_count++;
	return PLAIT_OK;
}

static plait_status copy_node(struct subgraph_copy *copy, const struct job *job,
			      uint32_t index)
{
	plait__store_scope *from = plait__store_scope_at(copy->tables.from,
							 job->from);
	plait__input_node node = *(plait__input_node *)plait__vector_at(
		&from->nodes, index);
	plait_status status;

	if (node.is_removed)
		return copy_removed(copy, job->to);
	status = plait__subgraph_map_node(&copy->tables, &node);
	if (status == PLAIT_OK && node.kind == PLAIT__CMD_REGION)
		status = copy_region(copy, job->to, &node);
	else if (status == PLAIT_OK)
		status = plait__subgraph_map_payload(&copy->tables, &node.link);
	if (status != PLAIT_OK)
		return status;
	return plait__store_push(copy->tables.to, job->to, &node, NULL, 0) !=
	       PLAIT__NONE ? PLAIT_OK : no_memory(copy);
}

/* The target may be the scope itself: nodes and edges are counted before it
 * grows. */
static plait_status copy_scope(struct subgraph_copy *copy, struct job job)
{
	uint32_t nodes = nodes_of(copy, job.from);
	uint32_t edges = edges_of(copy, job.from);
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < nodes; i++)
		status = copy_node(copy, &job, i);
	for (uint32_t i = 0; status == PLAIT_OK && i < edges; i++) {
		plait__input_edge edge = *(plait__input_edge *)
			plait__vector_at(&plait__store_scope_at(
				copy->tables.from, job.from)->edges, i);

		if (plait__store_edge(copy->tables.to, job.to,
				      job.node_first + edge.before,
				      job.node_first + edge.after) != 0)
			status = no_memory(copy);
	}
	return status;
}

/* ---- needs ---- */

/* Translate a resource: that of the same name, or a new one. */
static plait_status map_resource(const plait__subgraph_tables *tables,
				 uint32_t *resource)
{
	const plait__plan_resource *old;
	plait_error own = { .size = sizeof(own) };
	char room[PLAIT__REFS_TEXT_BYTES];
	plait_status status;

	if (tables->from == tables->to)
		return PLAIT_OK;
	old = plait__vector_at(&tables->from->resources, *resource);
	status = plait__resources_add(
		tables->to, plait__vector_at(&tables->from->strings, old->name),
		old->units, resource, &own);
	return status == PLAIT_OK ? PLAIT_OK :
	       plait__fail(tables->draft->error, status, "%s: %s",
			   plait__refs_node_text(tables->draft, room),
			   own.text);
}

/* `job_of` has 1 + the job of each scope of the source, or 0. */
static plait_status copy_needs(struct subgraph_copy *copy,
			       const uint32_t *job_of)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < copy->own_needs && status == PLAIT_OK; i++) {
		plait__store_need need = *(plait__store_need *)
			plait__vector_at(&copy->tables.from->needs, i);
		const struct job *job;

		if (job_of[need.scope] == 0)
			continue;
		job = plait__vector_at(&copy->jobs, job_of[need.scope] - 1);
		need.scope = job->to;
		need.node += job->node_first;
		status = map_resource(&copy->tables, &need.resource);
		if (status == PLAIT_OK &&
		    plait__resources_add_need(copy->tables.to, &need) != 0)
			status = no_memory(copy);
	}
	return status;
}

/* All jobs are done. */
static plait_status map_needs(struct subgraph_copy *copy)
{
	const plait_allocator *allocator = &copy->tables.to->allocator;
	uint64_t bytes = (uint64_t)copy->tables.from->scopes.count *
			 sizeof(uint32_t);
	uint32_t *job_of;
	plait_status status;

	if (copy->own_needs == 0)
		return PLAIT_OK;
	job_of = plait__alloc(allocator, bytes);
	if (job_of == NULL)
		return no_memory(copy);
	for (uint32_t i = 0; i < copy->jobs.count; i++)
		job_of[((struct job *)plait__vector_at(&copy->jobs,
						       i))->from] = i + 1;
	status = copy_needs(copy, job_of);
	plait__free(allocator, job_of, bytes);
	return status;
}

/* ---- joins around the copy ---- */

/* Mark each node: 1 = has a predecessor, 2 = has a successor.  The marks are 0
 * at first. */
static void mark_ends(const struct subgraph_copy *copy, uint32_t scope,
		      uint8_t *marks)
{
	const plait__input_edge *edges =
		plait__store_scope_at(copy->tables.from, scope)->edges.items;
	uint32_t count = edges_of(copy, scope);

	for (uint32_t i = 0; i < count; i++) {
		marks[edges[i].after] |= 1;
		marks[edges[i].before] |= 2;
	}
}

/* The scope is copied, to indices from `job->node_first` on. */
static plait_status connect(struct subgraph_copy *copy, const struct job *job,
			    uint32_t entry, uint32_t leave,
			    const uint8_t *marks)
{
	uint32_t count = nodes_of(copy, job->from);

	if (find_live(copy, job->from, 0, 1) == PLAIT__NONE &&
	    plait__store_edge(copy->tables.to, job->to, entry, leave) != 0)
		return no_memory(copy);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = job->node_first + i;

		if (!plait__store_has_node(plait__store_scope_at(
						   copy->tables.to, job->to),
					   node))
			continue;
		if ((!(marks[i] & 1) &&
		     plait__store_edge(copy->tables.to, job->to, entry,
				       node) != 0) ||
		    (!(marks[i] & 2) &&
		     plait__store_edge(copy->tables.to, job->to, node,
				       leave) != 0))
			return no_memory(copy);
	}
	return PLAIT_OK;
}

static plait_status connect_ends(struct subgraph_copy *copy,
				 const struct job *job, uint32_t entry,
				 uint32_t leave)
{
	const plait_allocator *allocator = &copy->tables.to->allocator;
	uint64_t bytes = (uint64_t)nodes_of(copy, job->from) + 1;
	uint8_t *marks = plait__alloc(allocator, bytes);
	plait_status status;

	if (marks == NULL)
		return no_memory(copy);
	mark_ends(copy, job->from, marks);
	status = connect(copy, job, entry, leave, marks);
	plait__free(allocator, marks, bytes);
	return status;
}

/* Return the device of a source node as an index of the target store. */
static plait_status device_of(struct subgraph_copy *copy, uint32_t scope,
			      uint32_t index, uint32_t *out)
{
	const plait__store *from = copy->tables.from;
	const plait__input_node *node = plait__vector_at(
		&plait__store_scope_at(from, scope)->nodes, index);

	*out = node->device_count == 1 ? node->device :
	       *(uint32_t *)plait__vector_at(&from->device_sets,
					     node->device);
	return plait__subgraph_map_device(&copy->tables, out);
}

/* Push a join without cost.  Joins take the devices of the first and the last
 * node of the copy; around an empty graph, the inferred device. */
static plait_status push_join(struct subgraph_copy *copy, uint32_t device,
			      const uint32_t *after, uint32_t count,
			      uint32_t *out)
{
	plait__input_node join = copy->draft->node;

	join.kind = PLAIT__CMD_JOIN;
	join.cost = 0;
	join.access_first = copy->tables.to->accesses.count;
	join.device_count = 1;
	join.device = device;
	*out = plait__store_push(copy->tables.to,
				 copy->draft->graph->scope, &join, after,
				 count);
	return *out != PLAIT__NONE ? PLAIT_OK : no_memory(copy);
}

/* ---- the whole copy ---- */

static plait_status find_devices(struct subgraph_copy *copy, uint32_t scope,
				 const uint32_t *after, uint32_t count,
				 uint32_t *first, uint32_t *last)
{
	uint32_t front = find_live(copy, scope, 0, 1);
	uint32_t back = find_live(copy, scope, nodes_of(copy, scope) - 1, -1);
	plait_status status;

	if (front == PLAIT__NONE) {
		*first = *last = plait__infer_device_from_preds(copy->draft,
								after, count);
		return *first != PLAIT__NONE ? PLAIT_OK :
		       copy->draft->error->status;
	}
	status = device_of(copy, scope, front, first);
	return status == PLAIT_OK ? device_of(copy, scope, back, last) :
				    status;
}

/* Copy all scopes between two joins.  After a failure the caller cuts the
 * tables. */
static plait_status copy_all(struct subgraph_copy *copy, uint32_t scope,
			     const uint32_t *after, uint32_t count,
			     uint32_t *out)
{
	uint32_t entry = 0, first_device = 0, last_device = 0;
	plait_status status = find_devices(copy, scope, after, count,
					   &first_device, &last_device);
	struct job first;

	if (status == PLAIT_OK)
		status = push_join(copy, first_device, after, count,
				   &entry);
	if (status == PLAIT_OK)
		status = push_job(copy, scope, copy->draft->graph->scope);
	for (uint32_t i = 0; status == PLAIT_OK && i < copy->jobs.count; i++)
		status = copy_scope(copy, *(struct job *)plait__vector_at(
				    &copy->jobs, i));
	if (status == PLAIT_OK)
		status = map_needs(copy);
	if (status == PLAIT_OK)
		status = push_join(copy, last_device, NULL, 0, out);
	if (status != PLAIT_OK)
		return status;
	first = *(struct job *)plait__vector_at(&copy->jobs, 0);
	return connect_ends(copy, &first, entry, *out);
}

/* Copy a graph, or cut back to the state before: the scope of the node, too,
 * which plait__graph_cut leaves. */
static plait_status copy_graph(plait__node_draft *draft, plait__graph *graph,
			       const uint32_t *after, uint32_t count,
			       uint32_t *out)
{
	plait__store *to = draft->graph->store;
	plait__store_scope *scope = plait__store_scope_at(
		to, draft->graph->scope);
	struct subgraph_copy copy = { .draft = draft,
				 .own_nodes = scope->nodes.count,
				 .own_edges = scope->edges.count,
				 .own_removed = scope->removed_count,
				 .own_needs = graph->store->needs.count };
	plait__store_mark mark;
	plait_status status;

	plait__store_take_mark(to, &mark);
	plait__subgraph_tables_init(&copy.tables, draft, graph->store);
	plait__vector_init(&copy.jobs, &to->allocator, sizeof(struct job));
	status = plait__node_add_names(draft);
	if (status == PLAIT_OK)
		status = copy_all(&copy, graph->scope, after, count, out);
	if (status != PLAIT_OK) {
		scope = plait__store_scope_at(to, draft->graph->scope);
		plait__vector_truncate(&scope->nodes, copy.own_nodes);
		plait__vector_truncate(&scope->edges, copy.own_edges);
		scope->removed_count = copy.own_removed;
		plait__graph_cut(draft->graph, &mark);
	}
	plait__vector_fini(&copy.jobs);
	plait__subgraph_tables_fini(&copy.tables);
	return status;
}

plait_status plait__subgraph_copy(plait__node_draft *draft,
				  const uint32_t *after, uint32_t count,
				  uint32_t *out)
{
	plait__graph *graph;
	plait_status status = plait__graph_enter_to_read(
		draft->desc->subgraph, draft->graph, &graph, draft->error);

	if (status != PLAIT_OK)
		return plait__refs_prefix_error(draft, "subgraph");
	status = plait__context_check_same(&draft->graph->object,
					   &graph->object, draft->error);
	if (status == PLAIT_OK)
		status = copy_graph(draft, graph, after, count, out);
	else
		(void)plait__refs_prefix_error(draft, "subgraph");
	plait__graph_leave_read(graph, draft->graph);
	return status;
}
