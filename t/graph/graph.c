/* SPDX-License-Identifier: MIT */
/* The public builder: nodes of every kind, bodies, subgraphs, rotations,
 * freezing, and rejections; a failed call changes nothing. */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plait_context *context;
static plait_device *device;
static plait_error error = { .size = sizeof(error) };

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static int32_t add_one(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	float *y = *(float **)arguments[1];
	float a = *(float *)arguments[0];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		y[i] += a;
	return 0;
}

static plait_buffer *new_buffer(uint64_t bytes, const char *label)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes,
				   .label = label };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(device, &desc, &buffer, &error), PLAIT_OK);
	return buffer;
}

static plait_kernel *new_kernel(const char *signature)
{
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .signature = signature,
				   .function = add_one };
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(context, &desc, &kernel, &error),
	       PLAIT_OK);
	return kernel;
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

static plait_node join(plait_graph *graph, const char *label,
		       const plait_node *after, uint64_t count)
{
	plait_node_desc desc = { .size = sizeof(desc), .label = label };
	plait_node node = 0;

	if (!IS_INT(plait_graph_add(graph, &desc, after, count, &node,
				    &error), PLAIT_OK))
		NOTE("%s", error.text);
	return node;
}

static plait_status freeze(plait_graph *graph, uint32_t flags,
			   plait_plan_info *info)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .flags = flags,
				   .lanes = 4 };
	plait_plan *plan;
	plait_status status = plait_graph_freeze(graph, &desc, &plan, &error);

	*info = (plait_plan_info){ .size = sizeof(*info) };
	if (status != PLAIT_OK)
		return status;
	IS_INT(plait_plan_query(plan, info, &error), PLAIT_OK);
	if (flags & PLAIT_FREEZE_CHECK)
		IS_INT(plait_plan_check(plan, &error), PLAIT_OK);
	plait_plan_release(plan);
	return PLAIT_OK;
}

static void every_kind(void)
{
	plait_graph *graph = new_graph();
	plait_kernel *kernel = new_kernel("add(a: f32, y: inout pointer f32)");
	plait_buffer *x = new_buffer(4096, "x"), *y = new_buffer(4096, "y");
	plait_signal *signal;
	float a = 1;
	plait_argument arguments[2] = {
		{ .size = sizeof(arguments[0]), .value = &a, .bytes = 4 },
		{ .kind = PLAIT_ARGUMENT_BUFFER, .buffer = y },
	};
	plait_launch launch = { .size = sizeof(launch), .items = { 1024 } };
	plait_node_desc nodes[] = {
		{ .kind = PLAIT_NODE_FILL, .target = x, .bytes = 4096,
		  .pattern = 7, .pattern_bytes = 4, .label = "fill" },
		{ .kind = PLAIT_NODE_COPY, .source = x, .target = y,
		  .bytes = 4096, .label = "copy", .file = __FILE__,
		  .line = __LINE__ },
		{ .kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		  .launch = &launch, .arguments = arguments,
		  .argument_count = 2, .label = "add" },
		{ .kind = PLAIT_NODE_CALL, .function = nothing,
		  .flags = PLAIT_CALL_ANY_THREAD },
		{ .kind = PLAIT_NODE_MARK, .label = "here" },
		{ .kind = PLAIT_NODE_EMIT },
		{ .kind = PLAIT_NODE_WAIT },
		{ .kind = PLAIT_NODE_JOIN },
	};
	plait_node last = 0, none = 0;
	plait_plan_info info;
	uint64_t count_nodes, count_edges;

	IS_INT(plait_signal_create(device, NULL, &signal, &error), PLAIT_OK);
	nodes[5].signal = nodes[6].signal = signal;
	for (size_t i = 0; i < TAP_COUNT(nodes); i++) {
		nodes[i].size = sizeof(nodes[i]);
		none = last;
		if (!IS_INT(plait_graph_add(graph, &nodes[i], &none,
					    i > 0, &last, &error), PLAIT_OK))
			NOTE("%s", error.text);
	}
	IS_INT(plait_graph_size(graph, &count_nodes, &count_edges, &error),
	       PLAIT_OK);
	IS_INT(count_nodes, 8);
	IS_INT(count_edges, 7);
	IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &info), PLAIT_OK);
	IS_INT(info.nodes, 8);
	IS_INT(info.lanes, 1);
	/* The graph keeps the objects that it names. */
	plait_signal_release(signal);
	plait_buffer_release(x);
	plait_buffer_release(y);
	plait_kernel_release(kernel);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 2);
	IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &info), PLAIT_OK);
	plait_graph_release(graph);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_KERNEL), 0);
}

/* Nodes of one body are foreign to another, and a body is not frozen. */
static void check_apart(plait_graph *body, plait_node outer, plait_node inner)
{
	IS_INT(plait_graph_add_edge(body, outer, inner, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "within one body");
	IS_INT(plait_graph_freeze(body, NULL, &(plait_plan *){ NULL },
				  &error), PLAIT_E_INVALID);
}

static plait_node_desc loop_of(uint32_t kind, uint64_t branches)
{
	return (plait_node_desc){
		.size = sizeof(plait_node_desc), .kind = kind,
		.function = nothing, .flags = PLAIT_CALL_ANY_THREAD,
		.times = branches > 0 ? 0 : 5, .branch_count = branches,
		.label = "region",
	};
}

static void bodies_and_rotations(void)
{
	plait_graph *graph = new_graph(), *body, *inner;
	plait_kernel *kernel = new_kernel(
		"step(i: u32, from: in pointer f32, to: out pointer f32)");
	plait_buffer *turns[2] = { new_buffer(64, "even"),
				   new_buffer(64, "odd") };
	plait_node_desc loop = loop_of(PLAIT_NODE_WHILE, 0);
	plait_argument arguments[3] = {
		{ .size = sizeof(arguments[0]),
		  .kind = PLAIT_ARGUMENT_ITERATION },
		{ .kind = PLAIT_ARGUMENT_ROTATION },
		{ .kind = PLAIT_ARGUMENT_ROTATION, .ahead = 1 },
	};
	plait_node_desc step = { .size = sizeof(step),
				 .kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
				 .arguments = arguments,
				 .argument_count = 3, .label = "step" };
	plait_node_desc branch = loop_of(PLAIT_NODE_CASE, 3);
	plait_node node, pick, first;
	uint64_t rotation = 0;
	plait_plan_info info;

	first = join(graph, "first", NULL, 0);
	IS_INT(plait_graph_add(graph, &loop, &first, 1, &node, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_body(graph, node, 0, &body, &error), PLAIT_OK);
	IS_INT(plait_graph_body(graph, node, 1, &inner, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_graph_add_rotation(graph, turns, 2, 0, &rotation, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_graph_add_rotation(body, turns, 2, 0, &rotation, &error),
	       PLAIT_OK);
	arguments[1].rotation = arguments[2].rotation = rotation;
	IS_INT(plait_graph_add(body, &step, NULL, 0, &pick, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_add(body, &branch, &pick, 1, &pick, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_body(body, pick, 2, &inner, &error), PLAIT_OK);
	(void)join(inner, "deep", NULL, 0);
	check_apart(body, first, pick);
	/* Behind the loop: the buffer that the last body wrote. */
	arguments[0] = (plait_argument){ .size = sizeof(arguments[0]),
					 .value = &(uint32_t){ 0 },
					 .bytes = 4 };
	arguments[1].ahead = 1;
	arguments[2].ahead = 0;
	IS_INT(plait_graph_add(graph, &step, &node, 1, NULL, &error),
	       PLAIT_OK);
	IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &info), PLAIT_OK);
	IS_INT(info.regions, 2);
	plait_graph_release(graph);
	/* A body keeps the graph. */
	(void)join(body, "late", NULL, 0);
	plait_graph_release(inner);
	plait_graph_release(body);
	plait_kernel_release(kernel);
	plait_buffer_release(turns[0]);
	plait_buffer_release(turns[1]);
	IS_INT(plait_live_count(PLAIT_OBJECT_GRAPH), 0);
}

static void subgraphs(void)
{
	plait_graph *part = new_graph(), *graph = new_graph();
	plait_buffer *x = new_buffer(64, "x");
	plait_node_desc fill = { .size = sizeof(fill),
				 .kind = PLAIT_NODE_FILL, .target = x,
				 .bytes = 64, .pattern_bytes = 1,
				 .label = "fill" };
	plait_node_desc sub = { .size = sizeof(sub),
				.kind = PLAIT_NODE_SUBGRAPH,
				.subgraph = part, .label = "part" };
	plait_node_desc loop = {
		.size = sizeof(loop), .kind = PLAIT_NODE_DO, .predicate = x,
		.label = "loop",
	};
	plait_node a, b;
	plait_graph *body;
	plait_plan_info info;
	uint64_t nodes;

	IS_INT(plait_graph_add(part, &fill, NULL, 0, &a, &error), PLAIT_OK);
	IS_INT(plait_graph_add(part, &loop, &a, 1, &b, &error), PLAIT_OK);
	IS_INT(plait_graph_body(part, b, 0, &body, &error), PLAIT_OK);
	IS_INT(plait_graph_add(body, &fill, NULL, 0, NULL, &error), PLAIT_OK);
	a = join(graph, "a", NULL, 0);
	IS_INT(plait_graph_add(graph, &sub, &a, 1, &b, &error), PLAIT_OK);
	IS_INT(plait_graph_add(graph, &sub, &b, 1, &b, &error), PLAIT_OK);
	IS_INT(plait_graph_size(graph, &nodes, NULL, &error), PLAIT_OK);
	IS_INT(nodes, 1 + 2 * 4);
	IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &info), PLAIT_OK);
	IS_INT(info.regions, 2);
	/* A graph into its own body: as it was. */
	sub.subgraph = part;
	IS_INT(plait_graph_add(body, &sub, NULL, 0, &b, &error), PLAIT_OK);
	IS_INT(freeze(part, 0, &info), PLAIT_OK);
	IS_INT(info.regions, 2);
	plait_graph_release(body);
	plait_graph_release(part);
	plait_graph_release(graph);
	plait_buffer_release(x);
	IS_INT(plait_live_count(PLAIT_OBJECT_GRAPH), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
}

/* Not rejected because of a missing order: the plan's proof reports that. */
static void conflicts_are_found(void)
{
	plait_graph *graph = new_graph();
	plait_buffer *x = new_buffer(64, "x");
	plait_node_desc fill = { .size = sizeof(fill),
				 .kind = PLAIT_NODE_FILL, .target = x,
				 .bytes = 32, .pattern_bytes = 1,
				 .label = "low" };
	plait_plan_info info;
	plait_node low;

	IS_INT(plait_graph_add(graph, &fill, NULL, 0, &low, &error),
	       PLAIT_OK);
	fill.target_offset = 32;
	fill.label = "high";
	IS_INT(plait_graph_add(graph, &fill, NULL, 0, NULL, &error),
	       PLAIT_OK);
	IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &info), PLAIT_OK);
	fill.target_offset = 16;
	fill.label = "middle";
	IS_INT(plait_graph_add(graph, &fill, &low, 1, NULL, &error),
	       PLAIT_OK);
	IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &info), PLAIT_E_INVALID);
	HAS_STR(error.text, "high");
	HAS_STR(error.text, "middle");
	plait_graph_release(graph);
	plait_buffer_release(x);
}

static void refuse(plait_graph *graph, plait_node_desc desc, const char *part)
{
	uint64_t before, after, edges_before, edges_after;
	plait_node node = 1;

	desc.size = sizeof(desc);
	(void)plait_graph_size(graph, &before, &edges_before, NULL);
	if (plait_graph_add(graph, &desc, NULL, 0, &node, &error) >= 0)
		OK_THAT(false, "accepted, but: %s", part);
	HAS_STR(error.text, part);
	IS_INT(node, 0);
	(void)plait_graph_size(graph, &after, &edges_after, NULL);
	OK(before == after && edges_before == edges_after);
}

static void refuses_arguments(void)
{
	plait_graph *graph = new_graph();
	plait_kernel *kernel = new_kernel("add(a: f32, y: inout pointer f32)");
	plait_buffer *x = new_buffer(64, "x");
	float a = 0;
	plait_argument two[2] = {
		{ .size = sizeof(two[0]), .value = &a, .bytes = 8 },
		{ .kind = PLAIT_ARGUMENT_BUFFER, .buffer = x },
	};
	plait_node_desc launch = { .kind = PLAIT_NODE_LAUNCH,
				   .kernel = kernel, .label = "n",
				   .file = "here.c", .line = 7 };
	const plait_launch huge = { .size = sizeof(huge), .dimensions = 2,
				    .items = { UINT64_MAX, 2 } };

	refuse(graph, launch, "node \"n\" (here.c:7): 0 arguments for 2");
	launch.arguments = two;
	launch.argument_count = 2;
	refuse(graph, launch, "\"a\" (f32): bytes is 8, not 4, the "
	       "size of its type f32");
	two[0].bytes = 4;
	two[1].kind = PLAIT_ARGUMENT_VALUE;
	refuse(graph, launch, "add: argument 1 \"y\" (pointer f32): value is null");
	two[1].kind = 99;
	refuse(graph, launch, "kind is not one of");
	two[1].kind = PLAIT_ARGUMENT_PARAMETER;
	refuse(graph, launch, "a parameter needs a name");
	two[1].kind = PLAIT_ARGUMENT_ROTATION;
	refuse(graph, launch, "no such rotation");
	two[1].kind = PLAIT_ARGUMENT_SCRATCH;
	refuse(graph, launch, "scratch_bytes is 0");
	two[1].kind = PLAIT_ARGUMENT_BUFFER;
	two[1].offset_bytes = 65;
	refuse(graph, launch, "starts at 65 of the 64 bytes of buffer \"x\"");
	refuse(graph, launch, "add: argument 1 \"y\": ");
	two[1].offset_bytes = 6;
	refuse(graph, launch, "not aligned for its elements");
	two[1].buffer = NULL;
	refuse(graph, launch, "buffer handle is null");
	two[1].offset_bytes = 0;
	launch.launch = &huge;
	refuse(graph, launch, "more than 64 bits can count");
	plait_kernel_release(kernel);
	plait_buffer_release(x);
	plait_graph_release(graph);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
}

static void refuses_nodes(void)
{
	plait_graph *graph = new_graph(), *other = new_graph();
	plait_buffer *x = new_buffer(64, "x");
	plait_node_desc call = { .kind = PLAIT_NODE_CALL };
	plait_node_desc fill = { .kind = PLAIT_NODE_FILL, .target = x,
				 .bytes = 65, .pattern_bytes = 4 };
	plait_node_desc branch = { .kind = PLAIT_NODE_CASE,
				   .predicate = x };
	plait_node foreign = join(other, "foreign", NULL, 0);
	plait_node_desc plain = { .size = sizeof(plain) };

	refuse(graph, call, "say where the function may run");
	call.flags = PLAIT_CALL_ANY_THREAD;
	refuse(graph, call, "function is null");
	refuse(graph, fill, "65 bytes, but the target has 64");
	fill.bytes = 8;
	fill.pattern_bytes = 3;
	refuse(graph, fill, "1, 2, 4 or 8");
	refuse(graph, branch, "branch_count is not 1 to 65536");
	branch.branch_count = 2;
	branch.predicate_offset = 62;
	refuse(graph, branch, "not an aligned word");
	branch.predicate = NULL;
	refuse(graph, branch, "no predicate");
	refuse(graph, (plait_node_desc){ .kind = 77 }, "not one of PLAIT_NODE");
	refuse(graph, (plait_node_desc){ .flags = 1u << 30 }, "flags");
	refuse(graph, (plait_node_desc){ .device_count = 2 },
	       "devices is null");
	refuse(graph, (plait_node_desc){ .cost = UINT64_MAX }, "below 2^63");
	IS_INT(plait_graph_add(graph, &plain, &foreign, 1, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "not a node of this graph");
	IS_INT(plait_graph_add(graph, &plain, NULL, 1, NULL, &error),
	       PLAIT_E_INVALID);
	plait_buffer_release(x);
	plait_graph_release(other);
	plait_graph_release(graph);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
}

static void cycles_are_named(void)
{
	plait_graph *graph = new_graph();
	plait_node a = join(graph, "alpha", NULL, 0);
	plait_node b = join(graph, "beta", &a, 1);
	plait_plan_info info;

	IS_INT(plait_graph_add_edge(graph, a, a, &error), PLAIT_E_INVALID);
	IS_INT(plait_graph_add_edge(graph, b, a, &error), PLAIT_OK);
	OK(freeze(graph, 0, &info) < 0);
	HAS_STR(error.text, "alpha");
	HAS_STR(error.text, "beta");
	plait_graph_release(graph);
}

static void an_empty_graph(void)
{
	plait_graph *graph = new_graph();
	plait_plan_info info;

	IS_INT(freeze(graph, PLAIT_FREEZE_CHECK, &info), PLAIT_OK);
	IS_INT(info.nodes, 0);
	plait_graph_release(graph);
}

static void plans_outlive_graphs(void)
{
	plait_graph *graph = new_graph();
	plait_buffer *x = new_buffer(64, "x");
	plait_node_desc fill = { .size = sizeof(fill),
				 .kind = PLAIT_NODE_FILL, .target = x,
				 .bytes = 64, .pattern_bytes = 1,
				 .label = "fill" };
	plait_plan *plan, *again;
	uint64_t bytes = 0;
	char *saved;

	IS_INT(plait_graph_add(graph, &fill, NULL, 0, NULL, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	plait_graph_release(graph);
	plait_buffer_release(x);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 1);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, NULL, 0, &bytes,
				&error), PLAIT_OK);
	saved = malloc(bytes);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, saved, bytes - 1,
				NULL, &error), PLAIT_E_INVALID);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, saved, bytes, NULL,
				&error), PLAIT_OK);
	IS_INT(plait_plan_bind_buffer(plan, "x", NULL, &error),
	       PLAIT_E_STATE);
	plait_plan_release(plan);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
	IS_INT(plait_plan_read(context, saved, bytes, &again, &error),
	       PLAIT_OK);
	x = new_buffer(32, "small");
	IS_INT(plait_plan_bind_buffer(again, "x", x, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "64 bytes, this buffer has 32");
	IS_INT(plait_plan_bind_buffer(again, "z", x, &error),
	       PLAIT_E_INVALID);
	plait_buffer_release(x);
	x = new_buffer(64, "other");
	IS_INT(plait_plan_bind_buffer(again, "x", x, &error), PLAIT_OK);
	plait_buffer_release(x);
	plait_plan_release(again);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
	free(saved);
}

static void launches_outside(void)
{
	plait_kernel *kernel = new_kernel("add(a: f32, y: inout pointer f32)");
	plait_buffer *y = new_buffer(40, "y");
	float a = 2, got[10];
	plait_argument arguments[2] = {
		{ .size = sizeof(arguments[0]), .value = &a, .bytes = 4 },
		{ .kind = PLAIT_ARGUMENT_BUFFER, .buffer = y },
	};
	plait_launch launch = { .size = sizeof(launch), .items = { 10 } };
	plait_queue *queue;

	IS_INT(plait_queue_create(device, NULL, &queue, &error), PLAIT_OK);
	IS_INT(plait_queue_fill(queue, y, 0, 40, 0, 4, &error), PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		if (!IS_INT(plait_queue_launch(queue, kernel, &launch,
					       arguments, 2, &error),
			    PLAIT_OK))
			NOTE("%s", error.text);
		a += 1;	/* the value was copied */
	}
	IS_INT(plait_queue_launch(queue, kernel, &launch, arguments, 1,
				  &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "1 arguments for 2 parameters of add");
	plait_kernel_release(kernel);
	IS_INT(plait_queue_read(queue, y, 0, got, 40, &error), PLAIT_OK);
	OK(got[0] == 9.0f && got[9] == 9.0f);
	plait_buffer_release(y);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &error), PLAIT_OK);
	plait_queue_release(queue);
}

/* A mapping may be a copy: a launch sees earlier commands of the queue, and
 * later ones see the writes of the launch. */
static void launches_in_order(void)
{
	plait_context_desc desc = {
		.size = sizeof(desc), .backends = "chaos",
		.options = "chaos:quirks=staged_map",
		.flags = PLAIT_CONTEXT_NO_WORKERS,
	};

	plait_context_release(context);
	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK))
		return;
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	launches_outside();
}

static void run_with_context(void (*scenario)(void))
{
	if (!IS_INT(plait_context_open(NULL, &context, &error), PLAIT_OK)) {
		NOTE("%s", error.text);
		return;
	}
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	scenario();
	plait_context_release(context);
}

#define WITH(name) static void with_##name(void) { run_with_context(name); }
WITH(every_kind)
WITH(bodies_and_rotations)
WITH(subgraphs)
WITH(conflicts_are_found)
WITH(refuses_arguments)
WITH(refuses_nodes)
WITH(cycles_are_named)
WITH(an_empty_graph)
WITH(plans_outlive_graphs)
WITH(launches_outside)
WITH(launches_in_order)

static const struct tap_scenario scenarios[] = {
	{ "every kind", with_every_kind },
	{ "bodies and rotations", with_bodies_and_rotations },
	{ "subgraphs", with_subgraphs },
	{ "conflicts are found", with_conflicts_are_found },
	{ "refuses arguments", with_refuses_arguments },
	{ "refuses nodes", with_refuses_nodes },
	{ "cycles are named", with_cycles_are_named },
	{ "an empty graph", with_an_empty_graph },
	{ "plans outlive graphs", with_plans_outlive_graphs },
	{ "launches outside", with_launches_outside },
	{ "launches in order", with_launches_in_order },
};
TAP_MAIN(scenarios)
