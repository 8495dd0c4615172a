/* SPDX-License-Identifier: MIT */
/*
 * Full path for adding one node: validate the descriptor, resolve its handles
 * to table indices, push the node last.  A step that fails cuts all tables back
 * to the mark.  The fast path for common nodes is add_node_fast.c.
 */
#include "graph/build/add_node_fast.h"
#include "graph/build/atomic_accesses.h"
#include "graph/build/collective_nodes.h"
#include "graph/build/copy_nodes.h"
#include "graph/build/graph.h"
#include "graph/build/image_arguments.h"
#include "graph/build/infer_device.h"
#include "graph/build/launch_arguments.h"
#include "graph/build/node_fields.h"
#include "graph/build/object_refs.h"
#include "graph/build/recent_launches.h"
#include "graph/build/series.h"
#include "graph/build/subgraph.h"
#include "graph/store/unique_values.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "kernel/launch.h"
#include "kernel/signature.h"
#include "object/kernel/kernel.h"
#include "object/memory/image.h"
#include "object/signal/signal.h"

#include <string.h>

enum {
	FEW = 32,	/* predecessors that fit on the stack */
};

static plait_status fail(const plait__node_draft *draft, const char *what)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_INVALID, "%s: %s",
			   plait__refs_node_text(draft, room), what);
}

static plait_status no_memory(const plait__node_draft *draft)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(draft->error, PLAIT_E_NOMEM, "no memory for %s",
			   plait__refs_node_text(draft, room));
}

static void prefix_node(const plait__node_draft *draft)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	plait__error_prefix(draft->error, "%s: ",
			    plait__refs_node_text(draft, room));
}

/* Return the status of an error that the callee has written. */
static plait_status error_status(const plait__node_draft *draft)
{
	return draft->error->status;
}

/* ---- kinds of nodes ---- */

/* The kernel is resolved. */
static plait_status add_geometry(plait__node_draft *draft)
{
	plait__store *store = draft->graph->store;
	plait__plan_geometry geometry = { .param = PLAIT__NONE };
	plait__plan_param param = { .kind = PLAIT__PARAM_GEOMETRY };
	void *const *kernel = plait__vector_at(
		&store->objects[PLAIT__STORE_KERNELS], draft->payload.kernel);
	plait_launch launch;
	bool differs = false;
	plait_status status = plait__launch_read(&launch, draft->desc->launch,
						 draft->error);

	/* A geometry that only runs supply is checked at the run. */
	if (status == PLAIT_OK && (draft->desc->launch != NULL ||
				   draft->desc->launch_parameter == NULL))
		status = plait__select_source_set_groups(*kernel, &launch,
							 draft->error);
	if (status != PLAIT_OK) {
		prefix_node(draft);
		return status;
	}
	geometry.dimensions = launch.dimensions;
	memcpy(geometry.items, launch.items, sizeof(launch.items));
	memcpy(geometry.group, launch.group, sizeof(launch.group));
	if (draft->desc->launch_parameter != NULL) {
		param.name = plait__values_string(
			store, draft->desc->launch_parameter);
		if (param.name == PLAIT__NONE)
			return no_memory(draft);
		geometry.param = plait__values_param(store, &param, &differs);
		if (differs)
			return fail(draft, "launch_parameter: another "
				    "node uses this name for an argument");
		if (geometry.param == PLAIT__NONE)
			return no_memory(draft);
	}
	status = plait__series_push_items(draft, &geometry);
	if (status != PLAIT_OK)
		return status;
	draft->payload.geometry = plait__values_geometry(store, &geometry);
	return draft->payload.geometry != PLAIT__NONE ? PLAIT_OK :
	       no_memory(draft);
}

static const plait__store_kernel *find_kernel(plait__node_draft *draft)
{
	plait__store *store = draft->graph->store;
	const plait__store_kernel *recent =
		plait__recent_kernel(store, draft->desc->kernel);
	plait__store_kernel kernel = { .handle = draft->desc->kernel,
				       .device = PLAIT__NONE };

	if (recent != NULL)
		return recent;
	kernel.kernel = plait__refs_kernel(draft, draft->desc->kernel,
					   &kernel.signature);
	return kernel.kernel != PLAIT__NONE ?
	       plait__recent_remember(store, &kernel) : NULL;
}

/* Resolve the kernel, the geometry and the arguments of a launch; the geometry
 * from the cache if it is a plain one. */
static plait_status add_launch(plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;
	const plait__store_kernel *kernel = find_kernel(draft);
	plait_status status = PLAIT_OK;

	if (kernel == NULL)
		return error_status(draft);
	draft->node.kind = PLAIT__CMD_LAUNCH;
	draft->payload.kernel = kernel->kernel;
	if (desc->launch_parameter == NULL && desc->series == NULL &&
	    desc->series_count == 0)
		draft->payload.geometry = plait__recent_geometry(
			draft->graph->store, kernel, desc->launch);
	if (draft->payload.geometry == PLAIT__NONE)
		status = add_geometry(draft);
	if (status != PLAIT_OK)
		return status;
	draft->node.affinity = draft->payload.kernel + 1;
	status = plait__launch_arguments_push(draft, kernel->signature);
	return status == PLAIT_OK ?
	       plait__image_arguments_check(draft, kernel->signature) : status;
}

static plait_status check_call(const plait__node_draft *draft)
{
	bool any = (draft->desc->flags & PLAIT_CALL_ANY_THREAD) != 0;

	if (any && draft->desc->inbox != NULL)
		return fail(draft, "an inbox and PLAIT_CALL_ANY_THREAD "
			    "contradict each other");
	if (!any && draft->desc->inbox == NULL)
		return fail(draft, "say where the function may run: set an "
			    "inbox or PLAIT_CALL_ANY_THREAD");
	if (draft->desc->function == NULL && draft->desc->inbox == NULL)
		return fail(draft, "function is null");
	if (!any && (draft->desc->flags & PLAIT_CALL_COROUTINE) != 0)
		return fail(draft, "a coroutine needs PLAIT_CALL_ANY_THREAD");
	if ((draft->desc->flags & PLAIT_CALL_FIRST_WORKER) != 0 &&
	    (draft->desc->flags & PLAIT_CALL_COROUTINE) == 0)
		return fail(draft, "PLAIT_CALL_FIRST_WORKER is for coroutines: "
			    "set PLAIT_CALL_COROUTINE, too");
	return PLAIT_OK;
}

/* Set the function of a call or predicate, and what it gets. */
static plait_status add_function(plait__node_draft *draft)
{
	const char *name = draft->desc->user_data_parameter;
	plait__range range = { .slot = PLAIT__NONE };
	plait_status status = check_call(draft);

	if (status != PLAIT_OK)
		return status;
	if (name != NULL && draft->desc->user_data != NULL)
		return fail(draft, "user_data_parameter is in place of "
			    "user_data; both are set");
	if (name != NULL && *name == '\0')
		return fail(draft, "user_data_parameter is empty");
	draft->payload.object = plait__refs_function(draft);
	if (draft->payload.object == PLAIT__NONE)
		return error_status(draft);
	return name == NULL ? PLAIT_OK :
	       plait__arguments_push_parameter(draft, name, PLAIT__PARAM_HOST,
					       &range, 0, PLAIT__NONE);
}

static plait_status add_call(plait__node_draft *draft)
{
	draft->node.kind = draft->desc->inbox != NULL ?
			    PLAIT__CMD_CALLBACK : PLAIT__CMD_HOST;
	return add_function(draft);
}

static plait_status add_collective(plait__node_draft *draft)
{
	plait_status status = add_call(draft);

	return status == PLAIT_OK ? plait__collective_nodes_push(draft) :
				    status;
}

/* The signal is resolved. */
static plait_status check_emit(const plait__node_draft *draft)
{
	const plait__vector *signals =
		&draft->graph->store->objects[PLAIT__STORE_SIGNALS];
	const plait__signal *signal = *(plait__signal **)plait__vector_at(
		signals, draft->payload.object);

	return signal->is_gate ? fail(draft, "the signal is a gate; only "
				      "the host raises it") : PLAIT_OK;
}

static plait_status add_signal(plait__node_draft *draft)
{
	draft->node.kind = draft->desc->kind == PLAIT_NODE_EMIT ?
			    PLAIT__CMD_EMIT : PLAIT__CMD_WAIT;
	draft->payload.value = draft->desc->sequence;
	draft->payload.small = PLAIT__PAYLOAD_SIGNAL;
	draft->payload.object = plait__refs_signal(draft,
						   draft->desc->signal);
	if (draft->payload.object == PLAIT__NONE)
		return error_status(draft);
	return draft->desc->kind == PLAIT_NODE_EMIT ? check_emit(draft) :
	       PLAIT_OK;
}

/* Push the word in a buffer that decides a region. */
static plait_status push_word(plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;
	plait__range range;
	plait_status status = plait__refs_range(draft, desc->predicate,
						desc->predicate_offset, &range);

	if (status != PLAIT_OK)
		return plait__refs_prefix_error(draft, "predicate");
	if (plait__image_refuse(plait__refs_buffer(draft, range.slot),
				"decide a region", draft->error) != PLAIT_OK)
		return plait__refs_prefix_error(draft, "predicate");
	if (range.bytes < 4 || range.offset % 4 != 0)
		return fail(draft, "the predicate is not an aligned word of "
			    "4 bytes in its buffer; see predicate_offset");
	return plait__arguments_push_range(draft, &range, 4,
					   PLAIT__ACCESS_READ);
}

/* Set the predicate of a region: a function, or a word in a buffer. */
static plait_status add_predicate(plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;

	if (desc->function != NULL || desc->inbox != NULL)
		return add_function(draft);
	if (desc->predicate == NULL)
		return fail(draft, "no predicate: set a buffer or a "
			    "function");
	return push_word(draft);
}

/* Set the count of a repeat. */
static plait_status add_count(plait__node_draft *draft)
{
	const plait_node_desc *desc = draft->desc;

	draft->payload.value = desc->count_step > 0 ? desc->count_step : 1;
	if (desc->count_parameter != NULL && desc->predicate != NULL)
		return fail(draft, "count_parameter and predicate are both "
			    "set; the count is one of the two");
	if (desc->count_parameter != NULL)
		return plait__arguments_push_count(draft,
						   desc->count_parameter);
	if (desc->predicate != NULL)
		return push_word(draft);
	if (desc->predicate_offset != 0)
		return fail(draft, "predicate_offset is set without a "
			    "predicate");
	draft->payload.bytes = desc->times;
	return PLAIT_OK;
}

/* Return the expected iterations of a loop, or of a repeat its exact count. */
static uint32_t expected_times(const plait_node_desc *desc)
{
	uint64_t step = desc->count_step > 0 ? desc->count_step : 1;
	uint64_t times = desc->times / step + (desc->times % step > 0);

	if (desc->kind != PLAIT_NODE_REPEAT || desc->predicate != NULL ||
	    desc->count_parameter != NULL)
		times = desc->times > 0 ? times : 1;
	return times < UINT32_MAX ? (uint32_t)times : UINT32_MAX - 1;
}

static plait_status push_payload(plait__node_draft *draft, uint32_t *out)
{
	plait__vector *payloads = &draft->graph->store->payloads;

	*out = payloads->count;
	return PLAIT__VECTOR_ADD(payloads, &draft->payload) != NULL ?
	       PLAIT_OK : no_memory(draft);
}

/* Add a region with empty bodies, and what decides it. */
static plait_status add_region(plait__node_draft *draft)
{
	static const uint32_t kinds[] = { PLAIT__REGION_WHILE,
					  PLAIT__REGION_DO,
					  PLAIT__REGION_CASE,
					  PLAIT__REGION_REPEAT };
	const plait_node_desc *desc = draft->desc;
	plait__input_region region = {
		.kind = kinds[desc->kind - PLAIT_NODE_WHILE],
		.scope_count = 1,
		.times = expected_times(desc),
	};
	plait_status status;

	draft->node.kind = PLAIT__CMD_REGION;
	if (region.kind == PLAIT__REGION_CASE) {
		if (desc->branch_count == 0 ||
		    desc->branch_count > PLAIT__GRAPH_MAX_BRANCHES)
			return fail(draft, "branch_count is not 1 to 65536");
		if (desc->times > desc->branch_count)
			return fail(draft, "times is above branch_count; it "
				    "is 1 + the number of the expected body");
		region.scope_count = (uint32_t)desc->branch_count;
		/* Without an expected body: PLAIT__NONE. */
		region.times = (uint32_t)desc->times - 1;
	} else if (desc->times >= UINT32_MAX &&
		   region.kind != PLAIT__REGION_REPEAT) {
		return fail(draft, "times is not below 2^32 - 1");
	}
	status = region.kind == PLAIT__REGION_REPEAT ? add_count(draft) :
						       add_predicate(draft);
	if (status == PLAIT_OK)
		status = push_payload(draft, &region.predicate);
	if (status != PLAIT_OK)
		return status;
	draft->node.link = plait__store_region_add(
		draft->graph->store, draft->graph->scope, &region);
	return draft->node.link != PLAIT__NONE ? PLAIT_OK :
	       no_memory(draft);
}

static plait_status add_empty(plait__node_draft *draft)
{
	draft->node.kind = draft->desc->kind == PLAIT_NODE_MARK ?
			    PLAIT__CMD_MARK : PLAIT__CMD_JOIN;
	return PLAIT_OK;
}

/* ---- the whole node ---- */

/* plait__node_check_fields has checked the kind, and add_node has taken out
 * subgraphs. */
static plait_status add_kind(plait__node_draft *draft)
{
	static plait_status (*const add[])(plait__node_draft * draft) = {
		add_empty,
		add_launch,
		add_call,
		plait__nodes_add_copy,
		plait__nodes_add_fill,
		add_signal,
		add_signal,
		add_empty,
		NULL,
		add_region,
		add_region,
		add_region,
		add_region,
		plait__nodes_add_copy,
		plait__nodes_add_copy,
		add_collective,
	};

	return add[draft->desc->kind](draft);
}

static bool needs_payload(const plait__node_draft *draft)
{
	return draft->node.kind != PLAIT__CMD_REGION &&
	       draft->node.kind != PLAIT__CMD_JOIN &&
	       draft->node.kind != PLAIT__CMD_MARK;
}

/* Push all of the node but the node itself.  The caller cuts the tables after a
 * failure. */
static plait_status add_parts(plait__node_draft *draft, const uint32_t *after,
			      uint64_t count)
{
	plait__store *store = draft->graph->store;
	plait_status status = PLAIT_OK;

	if (draft->desc->label != NULL || draft->desc->file != NULL)
		status = plait__node_add_names(draft);
	draft->node.access_first = store->accesses.count;
	draft->payload.arg_first = store->args.count;
	if (status == PLAIT_OK)
		status = add_kind(draft);
	if (status == PLAIT_OK && needs_payload(draft))
		status = push_payload(draft, &draft->node.link);
	if (status == PLAIT_OK)
		status = plait__infer_device(draft, after, count);
	if (status == PLAIT_OK)
		plait__atomic_accesses_settle(draft);
	return status;
}

/* `after` holds indices of the scope: resolve_after has found them. */
static plait_status add_node(plait__graph *graph, const plait_node_desc *desc,
			     const uint32_t *after, uint32_t count,
			     uint32_t *out, plait_error *error)
{
	plait__store_mark mark;
	plait__node_draft draft = {
		.graph = graph, .desc = desc, .error = error,
		.first_buffer_device = PLAIT__NONE,
		.node = { .link = PLAIT__NONE,
			  .cost = plait__node_cost(desc),
			  .scratch_bytes = desc->scratch_bytes,
			  .label = PLAIT__NONE, .file = PLAIT__NONE,
			  .line = desc->line },
		.payload = { .kernel = PLAIT__NONE, .geometry = PLAIT__NONE,
			     .object = PLAIT__NONE },
	};
	plait_status status = plait__node_check_fields(&draft);

	if (status != PLAIT_OK)
		return status;
	if (desc->kind == PLAIT_NODE_SUBGRAPH)
		return plait__subgraph_copy(&draft, after, count, out);
	plait__store_take_mark(graph->store, &mark);
	status = add_parts(&draft, after, count);
	if (status == PLAIT_OK) {
		*out = plait__store_push(graph->store, graph->scope,
					 &draft.node, after, count);
		if (*out == PLAIT__NONE)
			status = no_memory(&draft);
	}
	if (status != PLAIT_OK)
		plait__graph_cut(graph, &mark);
	return status;
}

/* Find the indices of the nodes before. */
static plait_status resolve_after(plait__graph *graph,
				  const plait_node_desc *desc,
				  const plait_node *after, uint64_t count,
				  uint32_t *indices, plait_error *error)
{
	const plait__node_draft draft = { .graph = graph, .desc = desc };
	char room[PLAIT__REFS_TEXT_BYTES];
	const plait__store_scope *scope =
		plait__store_scope_at(graph->store, graph->scope);

	for (uint64_t i = 0; i < count; i++) {
		indices[i] = (uint32_t)(after[i] - graph->tag);
		if (!plait__store_has_node(scope, after[i] - graph->tag))
			return plait__fail(error, PLAIT_E_INVALID,
					   "%s: after[%llu]: 0x%llx is not a "
					   "node of this graph; edges stay "
					   "within one body",
					   plait__refs_node_text(&draft, room),
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
				   "after: %llu nodes are too many",
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

/* Name the node in an error about an invalid graph handle, if the descriptor is
 * readable. */
static void name_if_readable(const plait_node_desc *desc, plait_error *error)
{
	plait_error ignored = { .size = sizeof(ignored) };
	plait__node_draft draft = { .error = error };
	plait_node_desc room;
	const void *view;

	if (PLAIT__STRUCT_VIEW(plait_node_desc, &view, &room, desc,
			       &ignored) != PLAIT_OK)
		return;
	draft.desc = view;
	prefix_node(&draft);
}

plait_status plait__add_node(plait__graph *graph, const plait_node_desc *desc,
			     const plait_node *after, uint64_t count,
			     plait_node *out, plait_error *error)
{
	plait_error own = { .size = sizeof(own) };
	uint32_t index;
	plait_status status = add_after(graph, desc, after, count, &index,
					&own);

	if (status == PLAIT_OK)
		*out = plait__graph_node(graph, index);
	else
		plait__error_copy(error, &own);
	return status;
}

plait_status plait_graph_add(plait_graph *graph, const plait_node_desc *desc,
			     const plait_node *after, uint64_t count,
			     plait_node *out, plait_error *error)
{
	plait_error own; /* not zeroed: that costs more than all checks */
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
	status = PLAIT__STRUCT_VIEW(plait_node_desc, &view, &room, desc, &own);
	if (status == PLAIT_OK)
		status = plait__collective_nodes_refuse(view, &own);
	if (status == PLAIT_OK &&
	    !plait__add_node_fast(entered, view, after, count, &index))
		status = add_after(entered, view, after, count, &index, &own);
	if (status == PLAIT_OK)
		node = plait__graph_node(entered, index);
	else
		plait__error_copy(error, &own);
	plait__graph_leave(entered);
set_out:
	/* Written last: `out` may point into `after`, as when a chain is
	 * built. */
	if (out != NULL)
		*out = node;
	return status;
}
