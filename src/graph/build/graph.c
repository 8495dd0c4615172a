/* SPDX-License-Identifier: MIT */
/* Graph and body objects: handles, life, edges, bodies, sizes.  Nodes are added
 * by add_node.c. */
#include "graph/build/graph.h"

#include "graph/text/parser.h"
#include "base/alloc.h"
#include "base/error.h"
#include "object/inbox/inbox.h"
#include "object/signal/signal.h"

enum { INDEX_BITS = 32 };

/* ---- node numbers ---- */

/* Look up the scope's tag, once per graph object. */
static uint64_t tag_of(const plait__graph *graph)
{
	return plait__store_scope_at(graph->store, graph->scope)->tag;
}

plait_node plait__graph_node(const plait__graph *graph, uint32_t index)
{
	return graph->tag | index;
}

uint32_t plait__graph_index(const plait__graph *graph, plait_node node)
{
	const plait__store_scope *scope =
		plait__store_scope_at(graph->store, graph->scope);
	uint64_t index = node - graph->tag;

	return plait__store_has_node(scope, index) ? (uint32_t)index :
						     PLAIT__NONE;
}

/* ---- life ---- */

/* Drop the holds on objects from index `first` on. */
static void drop_objects(plait__graph *root, uint32_t kind, uint32_t first)
{
	plait__vector *objects = &root->store->objects[kind];

	for (uint32_t i = first; i < objects->count; i++) {
		plait__object **held = plait__vector_at(objects, i);

		/* A temporary of a text has no object. */
		if (*held == NULL)
			continue;
		if (kind == PLAIT__STORE_SIGNALS)
			plait__submit_drop_source(
				(plait__signal *)(void *)*held);
		plait__object_drop(*held);
	}
}

static void drop_functions(plait__graph *root, uint32_t first)
{
	plait__vector *functions =
		&root->store->objects[PLAIT__STORE_FUNCTIONS];

	for (uint32_t i = first; i < functions->count; i++) {
		plait__store_function *held = plait__vector_at(functions, i);

		if (held->inbox != NULL)
			plait__object_drop(held->inbox);
	}
}

static void drop_from(plait__graph *root, uint32_t kernels, uint32_t buffers,
		      uint32_t signals, uint32_t functions)
{
	drop_objects(root, PLAIT__STORE_KERNELS, kernels);
	drop_objects(root, PLAIT__STORE_BUFFERS, buffers);
	drop_objects(root, PLAIT__STORE_SIGNALS, signals);
	drop_functions(root, functions);
}

void plait__graph_cut(plait__graph *graph, const plait__store_mark *mark)
{
	/* store.c lists regions, devices, their objects and sets first. */
	const uint32_t *objects = &mark->counts[PLAIT__STORE_MARK_OBJECTS];

	drop_from(graph->root, objects[PLAIT__STORE_KERNELS],
		  objects[PLAIT__STORE_BUFFERS],
		  objects[PLAIT__STORE_SIGNALS],
		  objects[PLAIT__STORE_FUNCTIONS]);
	plait__store_cut(graph->store, mark);
}

static void destroy_spare(void *store)
{
	plait__store_destroy(store);
}

/* Leave the tables to the next graph of the context: memory that is mapped
 * already costs a third of new memory of the system.  No graph object has it
 * any more. */
static void recycle_store(plait__context *context, plait__store *store)
{
	if (plait__store_reset(store))
		store = plait__context_swap_spare(context, store,
						  destroy_spare);
	plait__store_destroy(store);
}

static plait_status take_store(plait__context *context, plait__store **out,
			       plait_error *error)
{
	*out = plait__context_swap_spare(context, NULL, NULL);
	return *out != NULL ? PLAIT_OK :
	       plait__store_create(plait__context_allocator(context), out,
				   error);
}

static void destroy_graph(plait__object *object)
{
	plait__graph *graph = (plait__graph *)object;

	if (graph->root == graph) {
		drop_from(graph, 0, 0, 0, 0);
		recycle_store(object->context, graph->store);
	} else {
		plait__object_drop(&graph->root->object);
	}
	plait__free(plait__context_allocator(object->context), graph,
		    sizeof(*graph));
}

static const plait__class graph_class = {
	.type = PLAIT_OBJECT_GRAPH, .destroy = destroy_graph
};

static plait_status new_graph(plait__context *context, plait__graph **out,
			      plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__graph *graph = plait__alloc(allocator, sizeof(*graph));
	plait_status status;

	*out = NULL;
	if (graph == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a graph");
	status = plait__object_init(&graph->object, &graph_class, context,
				    error);
	if (status == PLAIT_OK)
		*out = graph;
	else
		plait__free(allocator, graph, sizeof(*graph));
	return status;
}

plait_status plait__graph_make(plait__context *context, plait__graph **out,
			       plait_error *error)
{
	plait__store *store;
	plait_status status = take_store(context, &store, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	status = new_graph(context, out, error);
	if (status != PLAIT_OK) {
		recycle_store(context, store);
		return status;
	}
	(*out)->root = *out;
	(*out)->store = store;
	(*out)->tag = tag_of(*out);
	return PLAIT_OK;
}

static plait_status enter(plait_graph *handle, plait__graph **out,
			  plait_error *error)
{
	plait__object *object;
	plait_status status = plait__object_enter(handle, PLAIT_OBJECT_GRAPH,
						  &object, error);

	*out = (plait__graph *)object;
	return status;
}

/* Returns true for a body whose loop or case was removed.  The graph's own scope
 * never is.  Caller uses the graph. */
static inline bool has_lost_node(const plait__graph *graph)
{
	return graph->scope != 0 &&
	       plait__store_scope_at(graph->store, graph->scope)->is_removed;
}

static plait_status refuse_use(plait__graph **graph, plait_error *error)
{
	plait__object_leave(&(*graph)->object);
	*graph = NULL;
	return plait__fail(error, PLAIT_E_STATE,
			   "another thread is using this graph; one thread at "
			   "a time may use a graph and its bodies");
}

static plait_status refuse_lost(plait__graph **graph, plait_error *error)
{
	*graph = NULL;
	return plait__fail(error, PLAIT_E_STATE,
			   "the loop or case of this body was removed from the "
			   "graph");
}

plait_status plait__graph_enter(plait_graph *handle, plait__graph **out,
				plait_error *error)
{
	plait_status status = enter(handle, out, error);
	plait__graph *graph = *out;
	uint32_t use = PLAIT__GRAPH_FREE;

	if (status != PLAIT_OK)
		return status;
	if (!at_cas_u32(&graph->root->use, &use, PLAIT__GRAPH_CHANGES))
		return refuse_use(out, error);
	if (!has_lost_node(graph))
		return PLAIT_OK;
	plait__graph_leave(graph);
	return refuse_lost(out, error);
}

/* Add a reader, unless a thread changes the graph. */
static bool take_to_read(plait__graph *root)
{
	uint32_t use = at_load_relaxed_u32(&root->use);

	while (use != PLAIT__GRAPH_CHANGES)
		if (at_cas_u32(&root->use, &use, use + PLAIT__GRAPH_READ))
			return true;
	return false;
}

plait_status plait__graph_enter_to_read(plait_graph *handle,
					const plait__graph *reader,
					plait__graph **out,
					plait_error *error)
{
	plait_status status = enter(handle, out, error);
	plait__graph *graph = *out;

	if (status != PLAIT_OK)
		return status;
	if (graph->root != reader->root && !take_to_read(graph->root))
		return refuse_use(out, error);
	if (!has_lost_node(graph))
		return PLAIT_OK;
	plait__graph_leave_read(graph, reader);
	return refuse_lost(out, error);
}

void plait__graph_leave_read(plait__graph *graph, const plait__graph *reader)
{
	if (graph->root != reader->root)
		(void)at_sub_u32(&graph->root->use, PLAIT__GRAPH_READ);
	plait__object_leave(&graph->object);
}

plait_status plait_graph_create(plait_context *context, plait_graph **out,
				plait_error *error)
{
	plait__context *entered;
	plait__graph *graph;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__context_enter(context, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = plait__graph_make(entered, &graph, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&graph->object);
	plait__object_leave(&entered->object);
	return status;
}

PLAIT__OBJECT_REFERENCES(graph, PLAIT_OBJECT_GRAPH);

/* ---- edges, bodies, rotations, sizes ---- */

const char *plait__graph_node_text(const plait__graph *graph, uint32_t index,
				   char text[PLAIT__NODE_TEXT_BYTES])
{
	const plait__store *store = graph->store;
	const plait__store_scope *scope = plait__store_scope_at(store,
								graph->scope);
	const plait__input input = {
		.nodes = scope->nodes.items,
		.text_name = store->text_name,
		.tables.strings = store->strings.items,
		.tables.strings_count = store->strings.count,
	};

	return plait__input_node_text(&input, index, text);
}

/* Report that the end `which` is not a node; name the other end if it is
 * one. */
static plait_status fail_edge(const plait__graph *graph, const char *which,
			      plait_node node, const char *other_end,
			      uint32_t other, plait_error *error)
{
	char text[PLAIT__NODE_TEXT_BYTES];

	plait__fail(error, PLAIT_E_INVALID,
		    "edge: `%s`, 0x%llx, is not a node of this graph; edges "
		    "stay within one body", which, (unsigned long long)node);
	if (other != PLAIT__NONE)
		plait__error_prefix(error, "`%s` is %s: ", other_end,
				    plait__graph_node_text(graph, other, text));
	return PLAIT_E_INVALID;
}

static plait_status check_edge(const plait__graph *graph, plait_node before,
			       plait_node after, plait_error *error)
{
	uint32_t from = plait__graph_index(graph, before);
	uint32_t to = plait__graph_index(graph, after);
	char text[PLAIT__NODE_TEXT_BYTES];

	if (from == PLAIT__NONE)
		return fail_edge(graph, "before", before, "after", to, error);
	if (to == PLAIT__NONE)
		return fail_edge(graph, "after", after, "before", from, error);
	if (from == to)
		return plait__fail(error, PLAIT_E_INVALID,
				   "edge: %s cannot come after itself",
				   plait__graph_node_text(graph, from, text));
	return PLAIT_OK;
}

plait_status plait_graph_add_edge(plait_graph *graph, plait_node before,
				  plait_node after, plait_error *error)
{
	plait__graph *entered;
	plait_status status = plait__graph_enter(graph, &entered, error);

	if (status != PLAIT_OK) {
		plait__error_prefix(error, "edge: ");
		return status;
	}
	status = check_edge(entered, before, after, error);
	if (status == PLAIT_OK &&
	    plait__store_edge(entered->store, entered->scope,
			      plait__graph_index(entered, before),
			      plait__graph_index(entered, after)) != 0)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for an edge");
	plait__graph_leave(entered);
	return status;
}

/* Find the scope of a region's branch. */
static plait_status find_body(const plait__graph *graph, plait_node node,
			      uint64_t branch, uint32_t *out,
			      plait_error *error)
{
	const plait__store_scope *scope =
		plait__store_scope_at(graph->store, graph->scope);
	uint32_t index = plait__graph_index(graph, node);
	const plait__input_node *found;
	const plait__store_region *region;
	char text[PLAIT__NODE_TEXT_BYTES];

	if (index == PLAIT__NONE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "body: 0x%llx is not a node of this graph",
				   (unsigned long long)node);
	found = plait__vector_at(&scope->nodes, index);
	if (found->kind != PLAIT__CMD_REGION)
		return plait__fail(error, PLAIT_E_INVALID,
				   "body: %s is not a while, do, repeat or case",
				   plait__graph_node_text(graph, index, text));
	region = plait__vector_at(&graph->store->regions, found->link);
	if (branch >= region->input.scope_count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "body: branch %llu of %s, which has %u, "
				   "counted from 0", (unsigned long long)branch,
				   plait__graph_node_text(graph, index, text),
				   region->input.scope_count);
	*out = region->input.scope_first + (uint32_t)branch;
	return PLAIT_OK;
}

plait_status plait__graph_body_create(plait__graph *graph, plait_graph **out,
				      plait_error *error)
{
	plait__graph *body;
	plait_status status = new_graph(graph->object.context, &body, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	plait__object_hold(&graph->root->object);
	body->root = graph->root;
	body->store = graph->store;
	*out = plait__object_handle(&body->object);
	return PLAIT_OK;
}

static void attach_body(plait_graph *handle, uint32_t scope)
{
	plait__graph *body;

	if (enter(handle, &body, NULL) != PLAIT_OK)
		return;
	body->scope = scope;
	body->tag = tag_of(body);
	plait__object_leave(&body->object);
}

void plait__graph_body_attach(const plait__graph *graph, plait_node node,
			      uint64_t branch, plait_graph *body)
{
	uint32_t scope;

	if (find_body(graph, node, branch, &scope, NULL) == PLAIT_OK)
		attach_body(body, scope);
}

plait_status plait_graph_body(plait_graph *graph, plait_node node,
			      uint64_t branch, plait_graph **out,
			      plait_error *error)
{
	plait__graph *entered;
	uint32_t scope = 0;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "body: out is null");
	*out = NULL;
	status = plait__graph_enter(graph, &entered, error);
	if (status != PLAIT_OK) {
		plait__error_prefix(error, "body: ");
		return status;
	}
	status = find_body(entered, node, branch, &scope, error);
	if (status == PLAIT_OK)
		status = plait__graph_body_create(entered, out, error);
	if (status == PLAIT_OK)
		attach_body(*out, scope);
	plait__graph_leave(entered);
	return status;
}

plait_status plait_graph_size(plait_graph *graph, uint64_t *out_nodes,
			      uint64_t *out_edges, plait_error *error)
{
	const plait__store_scope *scope;
	plait__graph *entered;
	plait_status status = plait__graph_enter(graph, &entered, error);

	if (status != PLAIT_OK)
		return status;
	scope = plait__store_scope_at(entered->store, entered->scope);
	if (out_nodes != NULL)
		*out_nodes = scope->nodes.count - scope->removed_count;
	if (out_edges != NULL)
		*out_edges = scope->edges.count;
	plait__graph_leave(entered);
	return PLAIT_OK;
}

plait_status plait_graph_read(plait_context *context, const char *text,
			      uint64_t bytes, const char *name,
			      plait_graph **out, plait_error *error)
{
	plait__context *entered;
	plait__graph *graph;
	plait_status status;

	if (out == NULL || text == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s is null",
				   out == NULL ? "out" : "text");
	*out = NULL;
	status = plait__context_enter(context, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = plait__graph_make(entered, &graph, error);
	if (status == PLAIT_OK) {
		status = plait__parser_read(graph->store, text, bytes, name,
					    error);
		if (status == PLAIT_OK)
			*out = plait__object_handle(&graph->object);
		else
			plait__object_release(
				plait__object_handle(&graph->object),
				PLAIT_OBJECT_GRAPH);
	}
	plait__object_leave(&entered->object);
	return status;
}
