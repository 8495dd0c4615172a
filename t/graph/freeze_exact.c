/* SPDX-License-Identifier: MIT */
/* Lanes of a device in plans that the library freezes for itself: at most as many as the
 * device runs at once, where a program may have more. */
#include "graph/plan/freeze.h"

#include "plait/plait.h"

#include "lib/tap.h"

enum { NODES = 8, PARALLEL = 4 };

static plait_error error = { .size = sizeof(error) };

/* Independent nodes of a device. */
static plait_graph *new_graph(plait_context *context, plait_device *device)
{
	const plait_node_desc desc = { .size = sizeof(desc), .cost = 1,
				       .device = device };
	plait_graph *graph = NULL;
	plait_node node;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	for (int i = 0; i < NODES; i++)
		IS_INT(plait_graph_add(graph, &desc, NULL, 0, &node, &error),
		       PLAIT_OK);
	return graph;
}

static void check(plait_graph *graph, bool is_exact, uint32_t lanes,
		  uint64_t want)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .lanes = lanes };
	plait_plan_info info = { .size = sizeof(info) };
	plait_plan *plan = NULL;

	IS_INT(is_exact ? plait__freeze_exact(graph, &desc, &plan, &error) :
			  plait_graph_freeze(graph, &desc, &plan, &error),
	       PLAIT_OK);
	IS_INT(plait_plan_query(plan, &info, &error), PLAIT_OK);
	IS_UINT(info.lanes, want);
	plait_plan_release(plan);
}

static void lanes(void)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host,chaos",
		.flags = PLAIT_CONTEXT_NO_WORKERS,
		.options = "chaos:devices=1,parallel=4" };
	plait_context *context = NULL;
	plait_device *host, *device;
	plait_graph *graph;

	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 0, &host, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 1, &device, &error), PLAIT_OK);
	graph = new_graph(context, device);
	check(graph, false, 0, PARALLEL);
	check(graph, true, 0, PARALLEL);
	check(graph, false, PARALLEL + 2, PARALLEL + 2);
	check(graph, true, PARALLEL + 2, PARALLEL);
	check(graph, true, PARALLEL - 2, PARALLEL - 2);
	plait_graph_release(graph);
	graph = new_graph(context, host);
	check(graph, true, 3, 3);
	plait_graph_release(graph);
	plait_context_release(context);
}

static const struct tap_scenario scenarios[] = {
	{ "lanes", lanes },
};

TAP_MAIN(scenarios)
