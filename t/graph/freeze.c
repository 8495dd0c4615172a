/* SPDX-License-Identifier: MIT */
/* Freezing through the public interface: nodes without cost, the meaning of one
 * device, and plans of parts of a graph. */
#include "plait/plait.h"

#include "lib/tap.h"

#include <string.h>

static plait_context *context;
static plait_device *devices[2];
static plait_error error;

static void open_context(void)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "chaos",
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .options = "chaos:devices=2" };

	error = (plait_error){ .size = sizeof(error) };
	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	for (uint32_t i = 0; i < 2; i++)
		IS_INT(plait_context_device(context, i, &devices[i], &error),
		       PLAIT_OK);
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

static plait_node add(plait_graph *graph, plait_node_desc desc,
		      plait_node after)
{
	plait_node node = 0;

	desc.size = sizeof(desc);
	if (!IS_INT(plait_graph_add(graph, &desc, &after, after != 0, &node,
				    &error), PLAIT_OK))
		NOTE("%s", error.text);
	return node;
}

static plait_node step(plait_graph *graph, const char *label, plait_node after)
{
	return add(graph, (plait_node_desc){ .label = label, .file = "x.c",
					     .line = 3 }, after);
}

static plait_status freeze(plait_graph *graph, plait_freeze_desc desc,
			   plait_plan_info *info, plait_plan **out)
{
	plait_plan *plan = NULL;
	plait_status status;

	desc.size = sizeof(desc);
	desc.flags = PLAIT_FREEZE_CHECK;
	*info = (plait_plan_info){ .size = sizeof(*info) };
	error.text[0] = '\0';
	status = plait_graph_freeze(graph, &desc, &plan, &error);
	if (status == PLAIT_OK)
		IS_INT(plait_plan_query(plan, info, &error), PLAIT_OK);
	if (out != NULL)
		*out = plan;
	else
		plait_plan_release(plan);
	return status;
}

static uint64_t makespan(plait_graph *graph)
{
	plait_plan_info info;

	IS_INT(freeze(graph, (plait_freeze_desc){ 0 }, &info, NULL),
	       PLAIT_OK);
	return info.makespan;
}

/* ---- costs ---- */

static void costs(void)
{
	plait_graph *graph = new_graph();
	plait_node_desc free = { .kind = PLAIT_NODE_MARK };
	plait_signal *signal = NULL;
	plait_node last = step(graph, "join", 0);

	last = add(graph, free, last);
	IS_UINT(makespan(graph), 0);
	free.cost = 5;
	last = add(graph, free, last);
	IS_UINT(makespan(graph), 5);
	last = add(graph, (plait_node_desc){ .cost = 7 }, last);
	IS_UINT(makespan(graph), 12);
	/* Others cost 1, unless they are declared free. */
	IS_INT(plait_signal_create(devices[0], NULL, &signal, &error),
	       PLAIT_OK);
	free = (plait_node_desc){ .kind = PLAIT_NODE_EMIT, .signal = signal };
	last = add(graph, free, last);
	IS_UINT(makespan(graph), 13);
	free.flags = PLAIT_NODE_FREE;
	last = add(graph, free, last);
	IS_UINT(makespan(graph), 13);
	plait_signal_release(signal);
	plait_graph_release(graph);
}

static void costs_that_quarrel(void)
{
	plait_graph *graph = new_graph(), *part = new_graph();
	plait_node_desc desc = { .size = sizeof(desc), .cost = 1,
				 .flags = PLAIT_NODE_FREE };

	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "cost and PLAIT_NODE_FREE contradict each other");
	desc.cost = 0;
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &error), PLAIT_OK);
	desc.kind = PLAIT_NODE_SUBGRAPH;
	desc.subgraph = part;
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "PLAIT_NODE_FREE is set, which a subgraph");
	plait_graph_release(part);
	plait_graph_release(graph);
}

/* A single device is a barrier and a group of itself. */
static void one_device(void)
{
	static const uint32_t flags[] = { PLAIT_NODE_ON_FIRST,
					  PLAIT_NODE_ON_ALL_BARRIER,
					  PLAIT_NODE_ON_ALL_GROUP };

	for (size_t i = 0; i < TAP_COUNT(flags); i++) {
		plait_graph *graph = new_graph();
		plait_plan_info info;
		plait_node node = add(graph, (plait_node_desc){
				.cost = 3, .flags = flags[i],
				.device = devices[1] }, 0);

		(void)add(graph, (plait_node_desc){ .cost = 2,
				  .flags = flags[i] }, node);
		IS_INT(freeze(graph, (plait_freeze_desc){ 0 }, &info, NULL),
		       PLAIT_OK);
		IS_UINT(info.commands, 2);
		IS_UINT(info.waits, 0);
		IS_UINT(info.makespan, 5);
		plait_graph_release(graph);
	}
}

/* ---- parts ---- */

/* a -> b -> c, and d alone. */
struct four {
	plait_graph *graph;
	plait_node a, b, c, d;
};

static struct four new_four(const char *first)
{
	struct four four = { .graph = new_graph() };

	four.a = step(four.graph, first, 0);
	four.b = step(four.graph, "b", four.a);
	four.c = step(four.graph, "c", four.b);
	four.d = step(four.graph, "d", 0);
	IS_INT(plait_graph_add_edge(four.graph, four.a, four.b, &error),
	       PLAIT_OK);
	return four;
}

static plait_status part_of(const struct four *four, plait_node source,
			    plait_node sink, plait_plan *whole,
			    plait_plan_info *info)
{
	plait_freeze_desc desc = {
		.sources = source != 0 ? &source : NULL,
		.source_count = source != 0, .whole = whole,
		.sinks = sink != 0 ? &sink : NULL, .sink_count = sink != 0,
	};

	return freeze(four->graph, desc, info, NULL);
}

static void is_in_json(plait_plan *plan, const char *want)
{
	static char text[8192];

	memset(text, 0, sizeof(text));
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_JSON, text,
				sizeof(text) - 1, NULL, &error), PLAIT_OK);
	HAS_STR(text, want);
}

/* Nodes and edges are those of the part. */
static void parts(void)
{
	plait_freeze_desc desc = { .source_count = 1 };
	plait_plan *plan = NULL;
	struct four four = new_four("a");
	plait_plan_info info;

	IS_INT(part_of(&four, 0, 0, NULL, &info), PLAIT_OK);
	IS_UINT(info.nodes, 4);
	IS_UINT(info.edges, 2);
	IS_INT(part_of(&four, four.b, 0, NULL, &info), PLAIT_OK);
	IS_UINT(info.nodes, 2);
	IS_UINT(info.edges, 1);
	IS_INT(part_of(&four, four.d, four.d, NULL, &info), PLAIT_OK);
	IS_UINT(info.nodes, 1);
	IS_UINT(info.edges, 0);
	desc.sources = &four.b;
	IS_INT(freeze(four.graph, desc, &info, &plan), PLAIT_OK);
	is_in_json(plan, "{\"nodes\": 2, \"edges\": 1, ");
	plait_plan_release(plan);
	plait_graph_release(four.graph);
}

static void empty_parts(void)
{
	struct four four = new_four("a");
	plait_node two[] = { four.b, four.c };
	plait_freeze_desc desc = { .sources = two, .source_count = 2,
				   .sinks = &four.d, .sink_count = 1 };
	plait_plan_info info;

	IS_INT(part_of(&four, four.c, four.a, NULL, &info), PLAIT_E_INVALID);
	IS_STR(error.text, "the partial plan is empty: no path leads from "
	       "source node 2 'c' (x.c:3) to sink node 0 'a' (x.c:3)");
	IS_INT(freeze(four.graph, desc, &info, NULL), PLAIT_E_INVALID);
	HAS_STR(error.text, "from any of 2 sources, like node 1 'b' "
		"(x.c:3) to sink node 3 'd' (x.c:3)");
	desc.source_count = 0;
	IS_INT(freeze(four.graph, desc, &info, NULL), PLAIT_E_INVALID);
	HAS_STR(error.text, "sources is set, but there are none");
	plait_graph_release(four.graph);
}

static plait_plan *through_a_file(plait_plan *plan)
{
	static char bytes[16384];
	plait_plan *loaded = NULL;
	uint64_t count = 0;

	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes,
				sizeof(bytes), &count, &error), PLAIT_OK);
	IS_INT(plait_plan_read(context, bytes, count, &loaded, &error),
	       PLAIT_OK);
	return loaded;
}

static void the_whole(void)
{
	struct four four = new_four("a"), same = new_four("a");
	struct four named = new_four("z");
	plait_plan *whole = NULL, *loaded;
	plait_plan_info info;

	IS_INT(freeze(four.graph, (plait_freeze_desc){ 0 }, &info, &whole),
	       PLAIT_OK);
	loaded = through_a_file(whole);
	IS_INT(part_of(&four, four.a, four.b, whole, &info), PLAIT_OK);
	IS_UINT(info.nodes, 2);
	IS_INT(part_of(&four, 0, 0, whole, &info), PLAIT_E_INVALID);
	HAS_STR(error.text, "whole is set, but neither sources nor sinks");
	IS_INT(part_of(&same, same.a, 0, whole, &info), PLAIT_E_INVALID);
	HAS_STR(error.text, "whole is a plan of another graph");
	/* A file has the names of nodes. */
	IS_INT(part_of(&four, four.a, 0, loaded, &info), PLAIT_OK);
	IS_INT(part_of(&same, same.a, 0, loaded, &info), PLAIT_OK);
	IS_INT(part_of(&named, named.a, 0, loaded, &info), PLAIT_E_INVALID);
	HAS_STR(error.text, "in its graph node 0 'z' (x.c:3) is node 'a'");
	/* Nodes that were added after the whole was planned are in no part of
	 * it. */
	(void)step(four.graph, "e", four.c);
	IS_INT(part_of(&four, four.a, four.c, whole, &info), PLAIT_OK);
	IS_INT(part_of(&four, four.a, 0, whole, &info), PLAIT_E_INVALID);
	HAS_STR(error.text, "a node of the part is not in it");
	plait_plan_release(loaded);
	plait_plan_release(whole);
	plait_graph_release(named.graph);
	plait_graph_release(same.graph);
	plait_graph_release(four.graph);
}

static void run_with_context(void (*scenario)(void))
{
	open_context();
	scenario();
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_PLAN), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_CONTEXT), 0);
}

#define WITH(name) static void with_##name(void) { run_with_context(name); }
WITH(costs)
WITH(costs_that_quarrel)
WITH(one_device)
WITH(parts)
WITH(empty_parts)
WITH(the_whole)

static const struct tap_scenario scenarios[] = {
	{ "costs", with_costs },
	{ "costs that quarrel", with_costs_that_quarrel },
	{ "one device", with_one_device },
	{ "parts", with_parts },
	{ "empty parts", with_empty_parts },
	{ "the whole", with_the_whole },
};
TAP_MAIN(scenarios)
