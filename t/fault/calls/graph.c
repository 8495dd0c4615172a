/* SPDX-License-Identifier: MIT */
/* Graphs, tried while something fails. */
#include "fault/calls.h"

static int32_t fill_bytes(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	unsigned char *bytes = *(unsigned char **)arguments[0];
	uint64_t i;

	(void)user_data;
	for (i = 0; i < launch->items[0]; i++)
		bytes[i] = (unsigned char)i;
	return 0;
}

plait_status calls_make_kernel(struct place *place, plait_kernel **out,
			       plait_error *error)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc),
		.signature = "touch(x: inout pointer u8, by: u32)",
		.function = fill_bytes,
	};

	return plait_kernel_create(place->context, &desc, out, error);
}

/* A node that cannot be added does not exist, nor do its edges. */
static plait_status add(plait_graph *graph, const plait_node_desc *desc,
			const plait_node *after, uint64_t count,
			plait_node *out, plait_error *error)
{
	uint64_t nodes, edges, more_nodes, more_edges;
	plait_status status;

	*out = 0;
	(void)plait_graph_size(graph, &nodes, &edges, NULL);
	status = plait_graph_add(graph, desc, after, count, out, error);
	(void)plait_graph_size(graph, &more_nodes, &more_edges, NULL);
	if (status == PLAIT_OK)
		return status;
	if (nodes != more_nodes || edges != more_edges || *out != 0)
		return calls_wrong(error, "a node is there that failed");
	return status;
}

/* Launch (with a parameter, if it is to have one), fill, copy, join. */
static plait_status add_work(struct place *place, plait_graph *graph,
			     const char *parameter, plait_node *out,
			     plait_error *error)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { 64 } };
	const uint32_t by = 3;
	const plait_rows rows = { .size = sizeof(rows), .rows = 2,
				  .target_row = 16, .source_row = 12 };
	plait_argument arguments[2] = {
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_BUFFER, .buffer = place->buffer },
		{ .size = sizeof(plait_argument), .value = &by,
		  .bytes = sizeof(by) },
	};
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_LAUNCH,
				 .label = "touch", .file = "graph.c",
				 .line = 1, .launch = &launch,
				 .arguments = arguments, .argument_count = 2 };
	plait_node nodes[3];
	plait_status status;

	if (parameter != NULL)
		arguments[1] = (plait_argument){
			.size = sizeof(plait_argument),
			.kind = PLAIT_ARGUMENT_PARAMETER, .name = parameter
		};
	status = calls_make_kernel(place, &desc.kernel, error);
	if (status != PLAIT_OK)
		return status;
	status = add(graph, &desc, NULL, 0, &nodes[0], error);
	plait_kernel_release(desc.kernel);
	if (status != PLAIT_OK)
		return status;
	desc = (plait_node_desc){ .size = sizeof(desc),
				  .kind = PLAIT_NODE_FILL, .label = "fill",
				  .target = place->buffer, .bytes = 32,
				  .pattern = 7, .pattern_bytes = 1 };
	if ((status = add(graph, &desc, &nodes[0], 1, &nodes[1], error)))
		return status;
	desc = (plait_node_desc){ .size = sizeof(desc),
				  .kind = PLAIT_NODE_COPY, .label = "copy",
				  .source = place->buffer,
				  .target = place->buffer, .rows = &rows,
				  .target_offset = 32, .bytes = 8 };
	if ((status = add(graph, &desc, NULL, 0, &nodes[2], error)) ||
	    (status = plait_graph_add_edge(graph, nodes[1], nodes[2], error)))
		return status;
	desc = (plait_node_desc){ .size = sizeof(desc),
				  .kind = PLAIT_NODE_CALL, .label = "count",
				  .flags = PLAIT_CALL_ANY_THREAD,
				  .function = calls_add_one,
				  .user_data = &place->count };
	return add(graph, &desc, nodes, 3, out, error);
}

static int32_t once(void *user_data)
{
	int *count = user_data;

	return (*count)++ == 0;
}

/* A loop with a rotation of two buffers. */
static plait_status add_loop(struct place *place, plait_graph *graph,
			     plait_node after, plait_error *error)
{
	const plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 64 };
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_WHILE, .label = "loop",
				 .flags = PLAIT_CALL_ANY_THREAD,
				 .function = once,
				 .user_data = &place->turns };
	plait_buffer *turns[2] = { NULL, NULL };
	plait_graph *body = NULL;
	uint64_t rotation;
	plait_node loop, inside;
	plait_status status;

	if ((status = add(graph, &desc, &after, 1, &loop, error)) ||
	    (status = plait_graph_body(graph, loop, 0, &body, error)) ||
	    (status = plait_buffer_create(place->device, &bytes, &turns[0],
					  error)) ||
	    (status = plait_buffer_create(place->device, &bytes, &turns[1],
					  error)) ||
	    (status = plait_graph_add_rotation(body, turns, 2, 0, &rotation, error)))
		goto release_all;
	desc = (plait_node_desc){ .size = sizeof(desc),
				  .kind = PLAIT_NODE_MARK, .label = "mark" };
	status = add(body, &desc, NULL, 0, &inside, error);
release_all:
	plait_buffer_release(turns[0]);
	plait_buffer_release(turns[1]);
	plait_graph_release(body);
	return status;
}

plait_status calls_make_graph(struct place *place, const char *parameter,
			      plait_graph **out, plait_error *error)
{
	plait_graph *graph = (void *)place;
	plait_status status = plait_graph_create(place->context, &graph,
						 error);
	plait_node last;

	*out = NULL;
	if (status != PLAIT_OK)
		return graph == NULL ? status :
				       calls_wrong(error, "out is set");
	status = add_work(place, graph, parameter, &last, error);
	if (status == PLAIT_OK)
		status = add_loop(place, graph, last, error);
	if (status == PLAIT_OK)
		*out = graph;
	else
		plait_graph_release(graph);
	return status;
}

/* Signals, and a copy of the whole graph in itself. */
static plait_status add_rest(struct place *place, plait_graph *graph,
			     plait_error *error)
{
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_EMIT, .label = "emit",
				 .signal = place->signal };
	plait_node nodes[3];
	plait_status status;

	if ((status = add(graph, &desc, NULL, 0, &nodes[0], error)))
		return status;
	desc = (plait_node_desc){ .size = sizeof(desc), .label = "wait",
				  .kind = PLAIT_NODE_WAIT,
				  .signal = place->gate, .sequence = 1 };
	if ((status = add(graph, &desc, NULL, 0, &nodes[1], error)))
		return status;
	desc = (plait_node_desc){ .size = sizeof(desc), .label = "again",
				  .kind = PLAIT_NODE_SUBGRAPH,
				  .subgraph = graph };
	return add(graph, &desc, nodes, 2, &nodes[2], error);
}

/* Short forms in a row, from the fill to the mark. */
static plait_status add_short(struct place *place, plait_graph *graph,
			      plait_kernel *kernel, plait_error *error)
{
	const plait_rows rows = { .size = sizeof(rows), .rows = 2,
				  .target_row = 16, .source_row = 12 };
	const uint32_t by = 3;
	plait_node last = 0;
	plait_status status;

	if ((status = plait_graph_fill(graph, place->buffer, 0, 32, 7, 1, 0,
				       &last, error)) ||
	    (status = plait_graph_launch(
		     graph, kernel, PLAIT_ITEMS(32),
		     PLAIT_ARGUMENTS(PLAIT_BUFFER(place->buffer),
				     PLAIT_VALUE(by)), last, &last, error)) ||
	    (status = plait_graph_copy(graph, place->buffer, 32,
				       place->buffer, 0, 8, last, &last,
				       error)) ||
	    (status = plait_graph_copy_rows(graph, place->buffer, 32,
					    place->buffer, 0, 8, &rows, last,
					    &last, error)) ||
	    (status = plait_graph_call(graph, calls_add_one, &place->count,
				       last, &last, error)) ||
	    (status = plait_graph_emit(graph, place->signal, last, &last,
				       error)) ||
	    (status = plait_graph_wait(graph, place->gate, 1, last, &last,
				       error)) ||
	    (status = plait_graph_join(graph, &last, 1, &last, error)))
		return status;
	return plait_graph_mark(graph, "mark", last, NULL, error);
}

static int32_t no_items(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

/* A launch whose number and items follow the iteration. */
static plait_status add_number(struct place *place, plait_graph *body,
			       plait_error *error)
{
	const plait_series series = { sizeof(series), 0, 0, 1, 0 };
	const plait_argument argument = PLAIT_ITERATION(&series);
	const plait_kernel_desc made = { .size = sizeof(made),
					 .signature = "number(i: u32)",
					 .function = no_items };
	plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.arguments = &argument, .argument_count = 1,
		.series = &series, .series_count = 1,
	};
	plait_status status = plait_kernel_create(place->context, &made,
						  &desc.kernel, error);

	if (status == PLAIT_OK)
		status = plait_graph_add(body, &desc, NULL, 0, NULL, error);
	plait_kernel_release(desc.kernel);
	return status;
}

/* A body exists only if its node does. */
static plait_status add_short_regions(struct place *place, plait_graph *graph,
				      plait_error *error)
{
	plait_graph *bodies[2] = { graph, graph };
	plait_node node = 1;
	plait_status status = plait_graph_while(graph, place->buffer, 0, 2, 0,
						&bodies[0], &node, error);

	if (status != PLAIT_OK)
		return bodies[0] == NULL && node == 0 ? status :
		       calls_wrong(error, "a loop is there that failed");
	plait_graph_release(bodies[0]);
	status = plait_graph_do(graph, place->buffer, 0, 2, node, &bodies[0],
				&node, error);
	if (status != PLAIT_OK)
		return status;
	plait_graph_release(bodies[0]);
	status = plait_graph_repeat(graph, 3, node, &bodies[0], &node, error);
	if (status != PLAIT_OK)
		return bodies[0] == NULL && node == 0 ? status :
		       calls_wrong(error, "a repeat is there that failed");
	status = add_number(place, bodies[0], error);
	plait_graph_release(bodies[0]);
	if (status != PLAIT_OK)
		return status;
	status = plait_graph_case(graph, place->buffer, 0, 2, node, bodies,
				  &node, error);
	if (status != PLAIT_OK)
		return bodies[0] == NULL && bodies[1] == NULL ? status :
		       calls_wrong(error, "a body is there that failed");
	plait_graph_release(bodies[1]);
	plait_graph_release(bodies[0]);
	return plait_graph_subgraph(graph, graph, node, NULL, error);
}

static plait_status build_short(struct place *place, plait_error *error)
{
	plait_kernel *kernel = NULL;
	plait_graph *graph;
	plait_status status = plait_graph_create(place->context, &graph,
						 error);

	if (status != PLAIT_OK)
		return status;
	status = calls_make_kernel(place, &kernel, error);
	if (status == PLAIT_OK)
		status = add_short(place, graph, kernel, error);
	if (status == PLAIT_OK)
		status = add_short_regions(place, graph, error);
	plait_kernel_release(kernel);
	plait_graph_release(graph);
	return status;
}

/* Remove nodes that were just added, and an edge. */
static plait_status remove_again(plait_graph *graph, plait_error *error)
{
	plait_node_desc desc = { .size = sizeof(desc), .label = "gone" };
	plait_node nodes[2];
	plait_status status;

	if ((status = add(graph, &desc, NULL, 0, &nodes[0], error)) ||
	    (status = add(graph, &desc, nodes, 1, &nodes[1], error)) ||
	    (status = plait_graph_remove_edge(graph, nodes[0], nodes[1],
					      error)))
		return status;
	return plait_graph_remove(graph, nodes, 2, error);
}

/* Two nodes that need one unit, in a loop and beside it. */
static plait_status add_limits(plait_graph *graph, plait_error *error)
{
	plait_node_desc desc = { .size = sizeof(desc), .label = "limited" };
	plait_graph *body = NULL;
	plait_node node, inner;
	plait_status status;

	if ((status = plait_graph_add_resource(graph, "bus", 1, error)) ||
	    (status = add(graph, &desc, NULL, 0, &node, error)) ||
	    (status = plait_graph_set_priority(graph, node, 3, error)) ||
	    (status = plait_graph_add_need(graph, node, "bus", 1, error)) ||
	    (status = plait_graph_repeat(graph, 2, 0, &body, &node, error)))
		return status;
	status = add(body, &desc, NULL, 0, &inner, error);
	if (status == PLAIT_OK)
		status = plait_graph_add_need(body, inner, "bus", 1, error);
	plait_graph_release(body);
	return status;
}

static plait_status build(struct place *place, plait_error *error)
{
	plait_graph *graph;
	plait_status status = calls_make_graph(place, NULL, &graph, error);

	if (status != PLAIT_OK)
		return status;
	status = add_rest(place, graph, error);
	if (status == PLAIT_OK)
		status = remove_again(graph, error);
	if (status == PLAIT_OK)
		status = add_limits(graph, error);
	plait_graph_retain(graph);
	plait_graph_release(graph);
	plait_graph_release(graph);
	return status;
}

static plait_status read_text(struct place *place, plait_error *error)
{
	static const char text[] = "device gpu lanes=2\n"
				   "node a device=gpu cost=2\n"
				   "while loop times=3 after=a\n"
				   "  node b device=gpu scratch=64\n"
				   "end\n"
				   "node c kernel=k after=loop\n";
	plait_graph *graph = (void *)place;
	plait_status status = plait_graph_read(place->context, text,
					       sizeof(text) - 1, "g.txt",
					       &graph, error);

	if (status != PLAIT_OK && graph != NULL)
		return calls_wrong(error, "out is set");
	plait_graph_release(graph);
	return status;
}

/* The planner allocates everywhere; after a failure the graph is as good as
 * before. */
static plait_status freeze(struct place *place, plait_error *error)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_FREEZE_CHECK |
						  PLAIT_FREEZE_PROGRAM_ORDER,
					 .lanes = 2, .hop_cost = 1 };
	plait_plan *plan = (void *)place;
	plait_graph *graph;
	plait_status status = calls_make_graph(place, NULL, &graph, error);

	if (status != PLAIT_OK)
		return status;
	status = add_limits(graph, error);
	if (status == PLAIT_OK)
		status = plait_graph_freeze(graph, &desc, &plan, error);
	else
		plan = NULL;
	if (status != PLAIT_OK && plan != NULL)
		status = calls_wrong(error, "out is set");
	else
		plait_plan_release(plan);
	plait_graph_release(graph);
	return status;
}

static plait_status text_of(struct place *place, plait_error *error)
{
	static const char code[] = "KERNEL(scale) { x[i] = x[i] * by; }\n";
	const plait_source source = { .size = sizeof(source), .code = code };
	char text[65536];
	uint64_t bytes;

	(void)place;
	return plait_source_text("scale(by: f32, x: inout pointer f32)",
				 &source, PLAIT_SOURCE_OPENCL_C, text,
				 sizeof(text), &bytes, error);
}

const struct calls_entry calls_graph[] = {
	{ "plait_graph_create plait_graph_add plait_graph_add_edge "
	  "plait_graph_body plait_graph_add_rotation plait_graph_size "
	  "plait_graph_remove plait_graph_remove_edge "
	  "plait_graph_set_priority plait_graph_add_resource "
	  "plait_graph_add_need "
	  "plait_graph_retain plait_graph_release", build, NULL },
	{ "plait_graph_join plait_graph_launch plait_graph_call "
	  "plait_graph_copy plait_graph_copy_rows plait_graph_fill "
	  "plait_graph_emit plait_graph_wait plait_graph_mark "
	  "plait_graph_subgraph plait_graph_while plait_graph_do "
	  "plait_graph_repeat plait_graph_case", build_short, NULL },
	{ "plait_graph_read", read_text, NULL },
	{ "plait_graph_freeze", freeze, NULL },
	{ "plait_source_text", text_of, NULL },
	{ NULL, NULL, NULL }
};
