/* SPDX-License-Identifier: MIT */
/*
 * Adding one node: the descriptor is checked, what it names is placed in the
 * tables, and the node is pushed last.  When a step fails, everything is cut
 * back to where it was.
 */
#include "graph/build/recent_launches.h"
#include "graph/build/node_fields.h"
#include "graph/build/graph.h"
#include "graph/build/infer_device.h"
#include "graph/build/subgraph.h"
#include "graph/store/unique_values.h"
#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "kernel/launch.h"
#include "kernel/signature.h"
#include "object/kernel/kernel.h"
#include "object/signal/signal.h"

#include <string.h>

enum {
	FEW = 32,	/* predecessors that need no memory of their own */
};

static plait_status wrong(const plait__adding *adding, const char *what)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	return plait__fail(adding->error, PLAIT_E_INVALID, "%s: %s",
			   plait__graph_place(adding, room), what);
}

static plait_status no_memory(const plait__adding *adding)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	return plait__fail(adding->error, PLAIT_E_NOMEM, "no memory for %s",
			   plait__graph_place(adding, room));
}

static void name_place(const plait__adding *adding)
{
	char room[PLAIT__GRAPH_PLACE_ROOM];

	plait__error_prefix(adding->error, "%s: ",
			    plait__graph_place(adding, room));
}

/* A place was not found: the error is written, its status is kept. */
static plait_status kept(const plait__adding *adding)
{
	return adding->error->status;
}

/* ---- what a kind has ---- */

static plait_status add_geometry(plait__adding *adding)
{
	plait__store *store = adding->graph->store;
	plait__plan_geometry geometry = { .param = PLAIT__NONE };
	plait__plan_param param = { .kind = PLAIT__PARAM_GEOMETRY };
	void *const *kernel = plait__vector_at(
		&store->objects[PLAIT__STORE_KERNELS], adding->payload.kernel);
	plait_launch launch;
	bool differs = false;
	plait_status status = plait__launch_read(&launch, adding->desc->launch,
						 adding->error);

	/* A run that brings its own is what has to fit. */
	if (status == PLAIT_OK && (adding->desc->launch != NULL ||
				   adding->desc->launch_parameter == NULL))
		status = plait__kernel_settle(*kernel, &launch, adding->error);
	if (status != PLAIT_OK) {
		name_place(adding);
		return status;
	}
	geometry.dimensions = launch.dimensions;
	memcpy(geometry.items, launch.items, sizeof(launch.items));
	memcpy(geometry.group, launch.group, sizeof(launch.group));
	if (adding->desc->launch_parameter != NULL) {
		param.name = plait__store_string(
			store, adding->desc->launch_parameter);
		if (param.name == PLAIT__NONE)
			return no_memory(adding);
		geometry.param = plait__store_param(store, &param, &differs);
		if (differs)
			return wrong(adding, "launch_parameter is an argument "
				     "elsewhere");
		if (geometry.param == PLAIT__NONE)
			return no_memory(adding);
	}
	adding->payload.geometry = plait__store_geometry(store, &geometry);
	return adding->payload.geometry != PLAIT__NONE ? PLAIT_OK :
	       no_memory(adding);
}

static const plait__store_kernel *find_kernel(plait__adding *adding)
{
	plait__store *store = adding->graph->store;
	const plait__store_kernel *again =
		plait__again_kernel(store, adding->desc->kernel);
	plait__store_kernel kernel = { .handle = adding->desc->kernel,
				       .device = PLAIT__NONE };

	if (again != NULL)
		return again;
	kernel.kernel = plait__graph_kernel(adding, adding->desc->kernel,
					    &kernel.signature);
	return kernel.kernel != PLAIT__NONE ?
	       plait__again_remember(store, &kernel) : NULL;
}

static plait_status add_launch(plait__adding *adding)
{
	const plait_node_desc *desc = adding->desc;
	const plait__store_kernel *kernel = find_kernel(adding);
	plait_status status = PLAIT_OK;

	if (kernel == NULL)
		return kept(adding);
	adding->node.kind = PLAIT__CMD_LAUNCH;
	adding->payload.kernel = kernel->kernel;
	if (desc->launch_parameter == NULL)
		adding->payload.geometry = plait__again_geometry(
			adding->graph->store, kernel, desc->launch);
	if (adding->payload.geometry == PLAIT__NONE)
		status = add_geometry(adding);
	if (status != PLAIT_OK)
		return status;
	adding->node.affinity = adding->payload.kernel + 1;
	return plait__graph_arguments(adding, kernel->signature);
}

static plait_status check_call(const plait__adding *adding)
{
	bool any = (adding->desc->flags & PLAIT_CALL_ANY_THREAD) != 0;

	if (any && adding->desc->inbox != NULL)
		return wrong(adding, "an inbox and PLAIT_CALL_ANY_THREAD "
			     "contradict each other");
	if (!any && adding->desc->inbox == NULL)
		return wrong(adding, "say where the function may run: set an "
			     "inbox or PLAIT_CALL_ANY_THREAD");
	if (adding->desc->function == NULL && adding->desc->inbox == NULL)
		return wrong(adding, "function is null");
	return PLAIT_OK;
}

static plait_status add_call(plait__adding *adding)
{
	plait_status status = check_call(adding);

	if (status != PLAIT_OK)
		return status;
	adding->node.kind = adding->desc->inbox != NULL ?
			    PLAIT__CMD_CALLBACK : PLAIT__CMD_HOST;
	adding->payload.object = plait__graph_function(adding);
	return adding->payload.object != PLAIT__NONE ? PLAIT_OK :
	       kept(adding);
}

static plait_status check_emit(const plait__adding *adding)
{
	const plait__vector *signals =
		&adding->graph->store->objects[PLAIT__STORE_SIGNALS];
	const plait__signal *signal = *(plait__signal **)plait__vector_at(
		signals, adding->payload.object);

	return signal->is_gate ? wrong(adding, "the signal is a gate; only "
				       "the host raises it") : PLAIT_OK;
}

static plait_status add_signal(plait__adding *adding)
{
	adding->node.kind = adding->desc->kind == PLAIT_NODE_EMIT ?
			    PLAIT__CMD_EMIT : PLAIT__CMD_WAIT;
	adding->payload.value = adding->desc->sequence;
	adding->payload.small = PLAIT__PAYLOAD_SIGNAL;
	adding->payload.object = plait__graph_signal(adding,
						     adding->desc->signal);
	if (adding->payload.object == PLAIT__NONE)
		return kept(adding);
	return adding->desc->kind == PLAIT_NODE_EMIT ? check_emit(adding) :
	       PLAIT_OK;
}

/* The word that decides, or the function that answers it. */
static plait_status add_predicate(plait__adding *adding)
{
	const plait_node_desc *desc = adding->desc;
	plait__range range;
	plait_status status;

	if (desc->function != NULL || desc->inbox != NULL) {
		status = check_call(adding);
		if (status != PLAIT_OK)
			return status;
		adding->payload.object = plait__graph_function(adding);
		return adding->payload.object != PLAIT__NONE ? PLAIT_OK :
		       kept(adding);
	}
	if (desc->predicate == NULL)
		return wrong(adding, "no predicate: set a buffer or a "
			     "function");
	status = plait__graph_range(adding, desc->predicate,
				    desc->predicate_offset, &range);
	if (status != PLAIT_OK)
		return plait__graph_name(adding, "predicate");
	if (range.bytes < 4 || range.offset % 4 != 0)
		return wrong(adding, "the predicate is not an aligned word of "
			     "4 bytes in its buffer");
	return plait__graph_memory(adding, &range, 4, PLAIT__ACCESS_READ);
}

static plait_status push_payload(plait__adding *adding, uint32_t *out)
{
	plait__vector *payloads = &adding->graph->store->payloads;

	*out = payloads->count;
	return PLAIT__VECTOR_ADD(payloads, &adding->payload) != NULL ?
	       PLAIT_OK : no_memory(adding);
}

static plait_status add_region(plait__adding *adding)
{
	static const uint32_t kinds[] = { PLAIT__REGION_WHILE,
					  PLAIT__REGION_DO,
					  PLAIT__REGION_CASE };
	const plait_node_desc *desc = adding->desc;
	plait__input_region region = {
		.kind = kinds[desc->kind - PLAIT_NODE_WHILE],
		.scope_count = 1,
		.times = desc->times > 0 ? (uint32_t)desc->times : 1,
	};
	plait_status status;

	adding->node.kind = PLAIT__CMD_REGION;
	if (region.kind == PLAIT__REGION_CASE) {
		if (desc->branch_count == 0 ||
		    desc->branch_count > PLAIT__GRAPH_MAX_BRANCHES)
			return wrong(adding, "a case has 1 to 65536 branches");
		region.scope_count = (uint32_t)desc->branch_count;
		region.times = PLAIT__NONE;
	} else if (desc->times >= UINT32_MAX) {
		return wrong(adding, "times is not below 2^32 - 1");
	}
	status = add_predicate(adding);
	if (status == PLAIT_OK)
		status = push_payload(adding, &region.predicate);
	if (status != PLAIT_OK)
		return status;
	adding->node.link = plait__store_region_add(
		adding->graph->store, adding->graph->scope, &region);
	return adding->node.link != PLAIT__NONE ? PLAIT_OK :
	       no_memory(adding);
}

static plait_status add_empty(plait__adding *adding)
{
	adding->node.kind = adding->desc->kind == PLAIT_NODE_MARK ?
			    PLAIT__CMD_MARK : PLAIT__CMD_EMPTY;
	return PLAIT_OK;
}

/* ---- all of it ---- */

plait_status plait__graph_add_names(plait__adding *adding)
{
	plait__store *store = adding->graph->store;
	const plait_node_desc *desc = adding->desc;

	adding->node.label = plait__store_label(store, desc->label);
	adding->node.file = plait__store_file(store, desc->file);
	if ((desc->label != NULL && adding->node.label == PLAIT__NONE) ||
	    (desc->file != NULL && adding->node.file == PLAIT__NONE))
		return no_memory(adding);
	return PLAIT_OK;
}

static plait_status add_kind(plait__adding *adding)
{
	static plait_status (*const add[])(plait__adding *adding) = {
		add_empty, add_launch, add_call, plait__graph_copy,
		plait__graph_fill, add_signal, add_signal, add_empty, NULL, add_region,
		add_region, add_region,
	};

	return add[adding->desc->kind](adding);
}

static bool needs_payload(const plait__adding *adding)
{
	return adding->node.kind != PLAIT__CMD_REGION &&
	       adding->node.kind != PLAIT__CMD_EMPTY &&
	       adding->node.kind != PLAIT__CMD_MARK;
}

static plait_status add_parts(plait__adding *adding, const uint32_t *after,
			      uint64_t count)
{
	plait__store *store = adding->graph->store;
	plait_status status = PLAIT_OK;

	if (adding->desc->label != NULL || adding->desc->file != NULL)
		status = plait__graph_add_names(adding);
	adding->node.access_first = store->accesses.count;
	adding->payload.arg_first = store->args.count;
	if (status == PLAIT_OK)
		status = add_kind(adding);
	if (status == PLAIT_OK && needs_payload(adding))
		status = push_payload(adding, &adding->node.link);
	if (status == PLAIT_OK)
		status = plait__graph_set_home(adding, after, count);
	return status;
}

static plait_status add_node(plait__graph *graph, const plait_node_desc *desc,
			     const uint32_t *after, uint32_t count,
			     uint32_t *out, plait_error *error)
{
	plait__store_mark mark;
	plait__adding adding = {
		.graph = graph, .desc = desc, .error = error,
		.first_buffer_device = PLAIT__NONE,
		.node = { .link = PLAIT__NONE,
			  .cost = plait__graph_cost(desc),
			  .scratch_bytes = desc->scratch_bytes,
			  .label = PLAIT__NONE, .file = PLAIT__NONE,
			  .line = desc->line },
		.payload = { .kernel = PLAIT__NONE, .geometry = PLAIT__NONE,
			     .object = PLAIT__NONE },
	};
	plait_status status = plait__graph_check_fields(&adding);

	if (status != PLAIT_OK)
		return status;
	if (desc->kind == PLAIT_NODE_SUBGRAPH)
		return plait__graph_import(&adding, after, count, out);
	plait__store_take_mark(graph->store, &mark);
	status = add_parts(&adding, after, count);
	if (status == PLAIT_OK) {
		*out = plait__store_push(graph->store, graph->scope,
					 &adding.node, after, count);
		if (*out == PLAIT__NONE)
			status = no_memory(&adding);
	}
	if (status != PLAIT_OK)
		plait__graph_cut(graph, &mark);
	return status;
}

static plait_status resolve_after(const plait__graph *graph,
				  const plait_node_desc *desc,
				  const plait_node *after, uint64_t count,
				  uint32_t *indices, plait_error *error)
{
	const plait__adding adding = { .desc = desc };
	char room[PLAIT__GRAPH_PLACE_ROOM];
	uint32_t nodes = plait__store_scope_at(graph->store,
					       graph->scope)->nodes.count;

	for (uint64_t i = 0; i < count; i++) {
		indices[i] = (uint32_t)(after[i] - graph->tag);
		if (after[i] - graph->tag >= nodes)
			return plait__fail(error, PLAIT_E_INVALID,
					   "%s: after[%llu]: 0x%llx is not a "
					   "node of this graph; edges stay "
					   "within one body",
					   plait__graph_place(&adding, room),
					   (unsigned long long)i,
					   (unsigned long long)after[i]);
	}
	return PLAIT_OK;
}

static plait_status add_after(plait__graph *graph, const plait_node_desc *desc,
			      const plait_node *after, uint64_t count,
			      uint32_t *out, plait_error *error)
{
	const plait_allocator *allocator = &graph->store->allocator;
	uint32_t few[FEW], *indices = few;
	plait_status status;

	if (count > 0 && after == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "after is null");
	if (count > PLAIT__VECTOR_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "after %llu nodes: too many",
				   (unsigned long long)count);
	if (count > FEW)
		indices = plait__alloc_array(allocator, count,
					     sizeof(*indices));
	if (indices == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %llu edges",
				   (unsigned long long)count);
	status = resolve_after(graph, desc, after, count, indices, error);
	if (status == PLAIT_OK)
		status = add_node(graph, desc, indices, (uint32_t)count, out,
				  error);
	if (indices != few)
		plait__free(allocator, indices, count * sizeof(*indices));
	return status;
}

/* Of a graph that is none the descriptor may still be one. */
static void name_if_readable(const plait_node_desc *desc, plait_error *error)
{
	plait_error ignored = { .size = sizeof(ignored) };
	plait__adding adding = { .error = error };
	plait_node_desc room;
	const void *view;

	if (PLAIT__VIEW(plait_node_desc, &view, &room, desc,
			&ignored) != PLAIT_OK)
		return;
	adding.desc = view;
	name_place(&adding);
}

plait_status plait_graph_add(plait_graph *graph, const plait_node_desc *desc,
			     const plait_node *after, uint64_t count,
			     plait_node *out, plait_error *error)
{
	plait_error own; /* not zeroed: it costs more than all checks */
	plait_node_desc room;
	const void *view;
	plait__graph *entered;
	plait_node node = 0;
	uint32_t index;
	plait_status status;

	own.size = sizeof(own);
	own.status = PLAIT_OK;
	status = plait__graph_enter(graph, &entered, &own);
	if (status != PLAIT_OK) {
		name_if_readable(desc, &own);
		plait__error_copy(error, &own);
		goto set_out;
	}
	status = PLAIT__VIEW(plait_node_desc, &view, &room, desc, &own);
	if (status == PLAIT_OK &&
	    !plait__graph_add_usual(entered, view, after, count, &index))
		status = add_after(entered, view, after, count, &index, &own);
	if (status == PLAIT_OK)
		node = plait__graph_node(entered, index);
	else
		plait__error_copy(error, &own);
	plait__object_leave(&entered->object);
set_out:
	/* Last: `out` may be one of `after`, as when a chain is built. */
	if (out != NULL)
		*out = node;
	return status;
}
