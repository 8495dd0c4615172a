/* SPDX-License-Identifier: MIT */
/*
 * Short forms of plait_graph_add: one function per kind of node, without
 * labels, devices and costs.  Each fills a descriptor; plait_graph_add checks
 * it.  Loops and branches also return their bodies: the bodies are allocated
 * before the node is added, so that a failure leaves the graph unchanged.
 */
#include "graph/build/graph.h"

#include "base/error.h"

static plait_status add(plait_graph *graph, const plait_node_desc *desc,
			plait_node after, plait_node *out, plait_error *error)
{
	return plait_graph_add(graph, desc, &after, after != 0, out, error);
}

plait_status plait_graph_join(plait_graph *graph, const plait_node *after,
			      uint64_t count, plait_node *out,
			      plait_error *error)
{
	const plait_node_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_NODE_JOIN };

	return plait_graph_add(graph, &desc, after, count, out, error);
}

plait_status plait_graph_launch(plait_graph *graph, plait_kernel *kernel,
				const plait_launch *launch,
				const plait_argument *arguments,
				uint64_t count, plait_node after,
				plait_node *out, plait_error *error)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = kernel, .launch = launch, .arguments = arguments,
		.argument_count = count,
	};

	return add(graph, &desc, after, out, error);
}

plait_status plait_graph_call(plait_graph *graph, plait_host_function function,
			      void *user_data, plait_node after,
			      plait_node *out, plait_error *error)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .function = function,
		.user_data = user_data,
	};

	return add(graph, &desc, after, out, error);
}

static plait_node_desc copy_of(plait_buffer *target, uint64_t target_offset,
			       plait_buffer *source, uint64_t source_offset,
			       uint64_t bytes)
{
	return (plait_node_desc){
		.size = sizeof(plait_node_desc), .kind = PLAIT_NODE_COPY,
		.target = target, .target_offset = target_offset,
		.source = source, .source_offset = source_offset,
		.bytes = bytes,
	};
}

plait_status plait_graph_copy(plait_graph *graph, plait_buffer *target,
			      uint64_t target_offset, plait_buffer *source,
			      uint64_t source_offset, uint64_t bytes,
			      plait_node after, plait_node *out,
			      plait_error *error)
{
	const plait_node_desc desc = copy_of(target, target_offset, source,
					     source_offset, bytes);

	return add(graph, &desc, after, out, error);
}

plait_status plait_graph_copy_rows(plait_graph *graph, plait_buffer *target,
				   uint64_t target_offset,
				   plait_buffer *source,
				   uint64_t source_offset, uint64_t bytes,
				   const plait_rows *rows, plait_node after,
				   plait_node *out, plait_error *error)
{
	plait_node_desc desc = copy_of(target, target_offset, source,
				       source_offset, bytes);

	desc.rows = rows;
	if (rows != NULL)
		return add(graph, &desc, after, out, error);
	if (out != NULL)
		*out = 0;
	return plait__fail(error, PLAIT_E_INVALID, "rows is null");
}

plait_status plait_graph_fill(plait_graph *graph, plait_buffer *target,
			      uint64_t target_offset, uint64_t bytes,
			      uint64_t pattern, uint32_t pattern_bytes,
			      plait_node after, plait_node *out,
			      plait_error *error)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_FILL,
		.target = target, .target_offset = target_offset,
		.bytes = bytes, .pattern = pattern,
		.pattern_bytes = pattern_bytes,
	};

	return add(graph, &desc, after, out, error);
}

plait_status plait_graph_emit(plait_graph *graph, plait_signal *signal,
			      plait_node after, plait_node *out,
			      plait_error *error)
{
	const plait_node_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_NODE_EMIT,
				       .signal = signal };

	return add(graph, &desc, after, out, error);
}

plait_status plait_graph_wait(plait_graph *graph, plait_signal *signal,
			      uint64_t sequence, plait_node after,
			      plait_node *out, plait_error *error)
{
	const plait_node_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_NODE_WAIT,
				       .signal = signal,
				       .sequence = sequence };

	return add(graph, &desc, after, out, error);
}

plait_status plait_graph_mark(plait_graph *graph, const char *label,
			      plait_node after, plait_node *out,
			      plait_error *error)
{
	const plait_node_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_NODE_MARK,
				       .label = label };

	return add(graph, &desc, after, out, error);
}

plait_status plait_graph_subgraph(plait_graph *graph, plait_graph *subgraph,
				  plait_node after, plait_node *out,
				  plait_error *error)
{
	const plait_node_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_NODE_SUBGRAPH,
				       .subgraph = subgraph };

	return add(graph, &desc, after, out, error);
}

/* ---- loops and branches ---- */

/* Release the first `count` bodies and clear them. */
static void release_bodies(plait_graph **bodies, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		plait_graph_release(bodies[i]);
		bodies[i] = NULL;
	}
}

/* Create `count` bodies, add the node, attach them: all or nothing.  The caller
 * has entered the graph.  All of `out_bodies` are null. */
static plait_status add_with_bodies(plait__graph *graph,
				    const plait_node_desc *desc,
				    plait_node after, plait_graph **out_bodies,
				    uint64_t count, plait_node *out,
				    plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint64_t made = 0;
	plait_node node = 0;

	while (made < count && status == PLAIT_OK)
		status = plait__graph_body_create(graph, &out_bodies[made++],
						  error);
	if (status == PLAIT_OK)
		status = plait__add_node(graph, desc, &after, after != 0,
					 &node, error);
	if (status != PLAIT_OK) {
		release_bodies(out_bodies, made);
		return status;
	}
	for (uint64_t i = 0; i < count; i++)
		plait__graph_body_attach(graph, node, i, out_bodies[i]);
	if (out != NULL)
		*out = node;
	return PLAIT_OK;
}

/* `count` is the number of bodies; plait_graph_add refuses one out of range. */
static plait_status add_region(plait_graph *graph, const plait_node_desc *desc,
			       plait_node after, plait_graph **out_bodies,
			       uint64_t count, plait_node *out,
			       plait_error *error)
{
	plait__graph *entered;
	plait_status status;

	if (out != NULL)
		*out = 0;
	if (out_bodies == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s is null",
				   desc->kind == PLAIT_NODE_CASE ?
				   "out_bodies" : "out_body");
	if (count > PLAIT__GRAPH_MAX_BRANCHES)
		count = 0;
	for (uint64_t i = 0; i < count; i++)
		out_bodies[i] = NULL;
	status = plait__graph_enter(graph, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = add_with_bodies(entered, desc, after, out_bodies,
				 count, out, error);
	plait__graph_leave(entered);
	return status;
}

static plait_status add_loop(plait_graph *graph, plait_node_kind kind,
			     plait_buffer *word, uint64_t offset,
			     uint64_t times, plait_node after,
			     plait_graph **out_body, plait_node *out,
			     plait_error *error)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = kind, .predicate = word,
		.predicate_offset = offset, .times = times,
	};

	return add_region(graph, &desc, after, out_body, 1, out, error);
}

plait_status plait_graph_while(plait_graph *graph, plait_buffer *word,
			       uint64_t offset, uint64_t times,
			       plait_node after, plait_graph **out_body,
			       plait_node *out, plait_error *error)
{
	return add_loop(graph, PLAIT_NODE_WHILE, word, offset, times, after,
			out_body, out, error);
}

plait_status plait_graph_do(plait_graph *graph, plait_buffer *word,
			    uint64_t offset, uint64_t times, plait_node after,
			    plait_graph **out_body, plait_node *out,
			    plait_error *error)
{
	return add_loop(graph, PLAIT_NODE_DO, word, offset, times, after,
			out_body, out, error);
}

plait_status plait_graph_repeat(plait_graph *graph, uint64_t times,
				plait_node after, plait_graph **out_body,
				plait_node *out, plait_error *error)
{
	const plait_node_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_NODE_REPEAT,
				       .times = times };

	return add_region(graph, &desc, after, out_body, 1, out, error);
}

plait_status plait_graph_case(plait_graph *graph, plait_buffer *word,
			      uint64_t offset, uint64_t count,
			      plait_node after, plait_graph **out_bodies,
			      plait_node *out, plait_error *error)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CASE,
		.predicate = word, .predicate_offset = offset,
		.branch_count = count,
	};

	return add_region(graph, &desc, after, out_bodies, count, out, error);
}
