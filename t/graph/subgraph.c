/* SPDX-License-Identifier: MIT */
/*
 * Subgraphs: the joins around a copy, loops and their rotations, the same graph
 * twice, a graph in itself; and that many or large ones cost no more than their
 * nodes.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdio.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SMALLER = 10 };
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
enum { SMALLER = 10 };
#else
enum { SMALLER = 1 };
#endif
#else
enum { SMALLER = 1 };
#endif

static plait_context *context;
static plait_device *devices[2];
static plait_error error;

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

/* Checks are not counted one by one: there are too many nodes. */
static plait_node join(plait_graph *graph, const plait_node *after,
		       uint64_t count)
{
	plait_node_desc desc = { .size = sizeof(desc), .label = "n",
				 .cost = 1 };
	plait_node node = 0;

	if (plait_graph_add(graph, &desc, after, count, &node, &error) !=
	    PLAIT_OK)
		OK_THAT(false, "join: %s", error.text);
	return node;
}

static plait_status try_import(plait_graph *graph, plait_graph *part,
			       const plait_node *after, plait_node *out)
{
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_SUBGRAPH,
				 .subgraph = part, .label = "part" };

	return plait_graph_add(graph, &desc, after, after != NULL, out,
			       &error);
}

static plait_node import(plait_graph *graph, plait_graph *part,
			 const plait_node *after)
{
	plait_node node = 0;

	if (try_import(graph, part, after, &node) != PLAIT_OK)
		OK_THAT(false, "import: %s", error.text);
	return node;
}

static void has_size(plait_graph *graph, uint64_t nodes, uint64_t edges)
{
	uint64_t got_nodes, got_edges;

	IS_INT(plait_graph_size(graph, &got_nodes, &got_edges, &error),
	       PLAIT_OK);
	IS_INT(got_nodes, nodes);
	IS_INT(got_edges, edges);
}

static plait_plan_info freeze(plait_graph *graph)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 4,
				   .flags = PLAIT_FREEZE_CHECK };
	plait_plan_info info = { .size = sizeof(info) };
	plait_plan *plan;

	if (!IS_INT(plait_graph_freeze(graph, &desc, &plan, &error),
		    PLAIT_OK)) {
		NOTE("%s", error.text);
		return info;
	}
	IS_INT(plait_plan_query(plan, &info, &error), PLAIT_OK);
	plait_plan_release(plan);
	return info;
}

/* ---- joins ---- */

static void nothing_inside(void)
{
	plait_graph *graph = new_graph(), *part = new_graph();
	plait_node a = join(graph, NULL, 0), b = import(graph, part, &a);

	(void)join(graph, &b, 1);
	has_size(graph, 4, 3);
	/* Joins around a copy cost nothing. */
	IS_INT(freeze(graph).makespan, 2);
	plait_graph_release(part);
	plait_graph_release(graph);
}

static void one_inside(void)
{
	plait_graph *graph = new_graph(), *part = new_graph();
	plait_node a;

	(void)join(part, NULL, 0);
	a = import(graph, part, NULL);
	(void)import(graph, part, &a);
	has_size(graph, 6, 5);
	IS_INT(freeze(graph).makespan, 2);
	plait_graph_release(part);
	plait_graph_release(graph);
}

/* Sources come after the predecessors of the copy, sinks before its
 * successors. */
static void many_ends(void)
{
	plait_graph *graph = new_graph(), *part = new_graph();
	plait_node a[3], last;

	for (int i = 0; i < 3; i++)
		a[i] = join(part, NULL, 0);
	(void)join(part, a, 2);
	(void)join(part, a, 3);
	last = join(graph, NULL, 0);
	last = import(graph, part, &last);
	(void)join(graph, &last, 1);
	/* 5 inside, of which 3 are sources and 2 are sinks. */
	has_size(graph, 1 + 7 + 1, 1 + 3 + 5 + 2 + 1);
	IS_INT(freeze(graph).makespan, 4);
	plait_graph_release(part);
	plait_graph_release(graph);
}

static void joins_are_with_the_copy(void)
{
	plait_graph *graph = new_graph(), *part = new_graph();
	plait_node_desc far = { .size = sizeof(far), .device = devices[1] };
	plait_node last;

	IS_INT(plait_graph_add(part, &far, NULL, 0, NULL, &error), PLAIT_OK);
	last = import(graph, part, NULL);
	/* The successor went to the lane of the copy. */
	(void)join(graph, &last, 1);
	IS_INT(freeze(graph).devices, 1);
	plait_graph_release(part);
	plait_graph_release(graph);
}

static void into_itself(void)
{
	plait_graph *graph = new_graph();
	plait_node a = join(graph, NULL, 0);

	a = import(graph, graph, &a);
	has_size(graph, 1 + 3, 3);
	(void)import(graph, graph, &a);
	has_size(graph, 4 + 6, 3 + 1 + 3 + 2);
	(void)freeze(graph);
	plait_graph_release(graph);
}

/* ---- loops ---- */

struct loop {
	plait_graph *body;
	plait_node node;
	uint64_t rotation;
};

static plait_buffer *buffers[2];
static plait_kernel *kernel;

static void open_memory(void)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 64 };
	plait_kernel_desc code = {
		.size = sizeof(code), .function = no_work,
		.signature = "k(i: u64, a: in pointer u8, b: out pointer u8)",
	};

	for (int i = 0; i < 2; i++)
		IS_INT(plait_buffer_create(devices[0], &desc, &buffers[i],
					   &error), PLAIT_OK);
	IS_INT(plait_kernel_create(context, &code, &kernel, &error),
	       PLAIT_OK);
}

static void close_memory(void)
{
	plait_kernel_release(kernel);
	plait_buffer_release(buffers[0]);
	plait_buffer_release(buffers[1]);
}

static plait_node step(plait_graph *graph, uint64_t rotation)
{
	plait_argument arguments[3] = {
		{ .size = sizeof(arguments[0]),
		  .kind = PLAIT_ARGUMENT_ITERATION },
		{ .kind = PLAIT_ARGUMENT_ROTATION, .rotation = rotation },
		{ .kind = PLAIT_ARGUMENT_ROTATION, .rotation = rotation,
		  .ahead = 1 },
	};
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
				 .arguments = arguments, .argument_count = 3,
				 .label = "step" };
	plait_node node = 0;

	if (!IS_INT(plait_graph_add(graph, &desc, NULL, 0, &node, &error),
		    PLAIT_OK))
		NOTE("%s", error.text);
	return node;
}

static struct loop add_loop(plait_graph *graph, uint32_t kind)
{
	struct loop loop = { NULL, 0, 0 };
	plait_node_desc desc = { .size = sizeof(desc), .kind = kind,
				 .function = nothing, .label = "loop",
				 .branch_count = kind == PLAIT_NODE_CASE,
				 .flags = PLAIT_CALL_ANY_THREAD };

	IS_INT(plait_graph_add(graph, &desc, NULL, 0, &loop.node, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_body(graph, loop.node, 0, &loop.body, &error),
	       PLAIT_OK);
	if (kind != PLAIT_NODE_CASE)
		IS_INT(plait_graph_add_rotation(loop.body, buffers, 2, 0,
					  &loop.rotation, &error), PLAIT_OK);
	return loop;
}

static void loops_come_along(void)
{
	plait_graph *graph = new_graph(), *part = new_graph();
	struct loop loop, inner;
	plait_node a;

	open_memory();
	loop = add_loop(part, PLAIT_NODE_WHILE);
	inner = add_loop(loop.body, PLAIT_NODE_CASE);
	a = step(loop.body, loop.rotation);
	IS_INT(plait_graph_add_edge(loop.body, a, inner.node, &error), PLAIT_OK);
	(void)step(inner.body, loop.rotation);
	a = import(graph, part, NULL);
	(void)import(graph, part, &a);
	IS_INT(freeze(graph).regions, 4);
	/* A part of the loop is valid in the loop only. */
	IS_INT(try_import(graph, inner.body, NULL, NULL), PLAIT_E_INVALID);
	HAS_STR(error.text, "of a loop that is not part of it");
	IS_INT(try_import(part, inner.body, NULL, NULL), PLAIT_E_INVALID);
	a = import(loop.body, inner.body, &inner.node);
	IS_INT(freeze(part).regions, 2);
	plait_graph_release(inner.body);
	plait_graph_release(loop.body);
	plait_graph_release(part);
	plait_graph_release(graph);
	close_memory();
}

/* Into the body of the copied loop: as it was before. */
static void into_its_own_body(void)
{
	plait_graph *part = new_graph();
	struct loop loop;
	plait_node node;

	open_memory();
	loop = add_loop(part, PLAIT_NODE_DO);
	node = step(loop.body, loop.rotation);
	(void)import(loop.body, part, &node);
	has_size(loop.body, 1 + 3, 3);
	has_size(part, 1, 0);
	HAS_STR(freeze(part).regions == 2 ? "" : error.text, "");
	plait_graph_release(loop.body);
	plait_graph_release(part);
	close_memory();
}

/* ---- size ---- */

static void a_large_one(void)
{
	plait_graph *graph = new_graph(), *part = new_graph();
	uint32_t count = 100000 / SMALLER;
	plait_node last = 0;

	for (uint32_t i = 0; i < count; i++)
		last = join(part, &last, i % 3 != 0);
	(void)import(graph, part, NULL);
	has_size(graph, count + 2, count / 3 * 2 + count % 3 / 2 +
		 2 * ((count + 2) / 3));
	plait_graph_release(part);
	plait_graph_release(graph);
}

static void many_small_ones(void)
{
	plait_graph *graph = new_graph(), *part = new_graph();
	uint32_t count = 10000 / SMALLER;
	plait_node last = 0;

	for (int i = 0; i < 10; i++)
		(void)join(part, NULL, 0);
	for (uint32_t i = 0; i < count; i++)
		last = import(graph, part, i > 0 ? &last : NULL);
	has_size(graph, 12 * (uint64_t)count, 21 * (uint64_t)count - 1);
	plait_graph_release(part);
	plait_graph_release(graph);
}

/* Each copy looks at one body, not at all that the graph has. */
static void bodies_one_by_one(void)
{
	plait_graph *graph = new_graph(), *part = new_graph(), *body;
	uint64_t count = 20000 / SMALLER;
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_CASE,
				 .function = nothing, .branch_count = count,
				 .flags = PLAIT_CALL_ANY_THREAD };
	plait_node node = 0;

	IS_INT(plait_graph_add(part, &desc, NULL, 0, &node, &error),
	       PLAIT_OK);
	for (uint64_t i = 0; i < count; i++) {
		if (plait_graph_body(part, node, i, &body, &error) !=
		    PLAIT_OK)
			OK_THAT(false, "body: %s", error.text);
		(void)join(body, NULL, 0);
		(void)import(graph, body, NULL);
		plait_graph_release(body);
	}
	has_size(graph, 3 * count, 2 * count);
	plait_graph_release(part);
	plait_graph_release(graph);
}

static void run_with_all(void (*scenario)(void))
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .backends = "chaos",
				    .flags = PLAIT_CONTEXT_NO_WORKERS };

	error = (plait_error){ .size = sizeof(error) };
	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK)) {
		NOTE("%s", error.text);
		return;
	}
	for (uint32_t i = 0; i < 2; i++)
		IS_INT(plait_context_device(context, i, &devices[i], &error),
		       PLAIT_OK);
	scenario();
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_GRAPH), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
}

#define WITH(name) static void with_##name(void) { run_with_all(name); }
WITH(nothing_inside)
WITH(one_inside)
WITH(many_ends)
WITH(joins_are_with_the_copy)
WITH(into_itself)
WITH(loops_come_along)
WITH(into_its_own_body)
WITH(a_large_one)
WITH(many_small_ones)
WITH(bodies_one_by_one)

static const struct tap_scenario scenarios[] = {
	{ "nothing inside", with_nothing_inside },
	{ "one inside", with_one_inside },
	{ "many ends", with_many_ends },
	{ "joins are with the copy", with_joins_are_with_the_copy },
	{ "into itself", with_into_itself },
	{ "loops come along", with_loops_come_along },
	{ "into its own body", with_into_its_own_body },
	{ "a large one", with_a_large_one },
	{ "many small ones", with_many_small_ones },
	{ "bodies one by one", with_bodies_one_by_one },
};
TAP_MAIN(scenarios)
