/* SPDX-License-Identifier: MIT */
/*
 * PLAIT_FREEZE_CHECK and PLAIT_CHECK: a missing edge is refused with one lane as
 * with many.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdlib.h>
#include <string.h>

static plait_context *context;
static plait_device *device;
static plait_buffer *memory;
static plait_error error;

static void open_context(void)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host",
				    .flags = PLAIT_CONTEXT_NO_WORKERS };
	plait_buffer_desc wanted = { .size = sizeof(wanted), .bytes = 4096,
				     .label = "m" };

	error = (plait_error){ .size = sizeof(error) };
	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	IS_INT(plait_buffer_create(device, &wanted, &memory, &error),
	       PLAIT_OK);
}

static void close_context(void)
{
	plait_buffer_release(memory);
	plait_context_release(context);
	IS_UINT(plait_live_count(PLAIT_OBJECT_ANY), 0);
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

static plait_node fill(plait_graph *graph, const char *label, uint64_t offset,
		       uint64_t bytes, plait_node after)
{
	plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_FILL, .label = label,
		.file = "a/rather/long/path/of/folders/to/the/source.c",
		.line = 7, .target = memory, .target_offset = offset,
		.bytes = bytes, .pattern_bytes = 1
	};
	plait_node node = 0;

	IS_INT(plait_graph_add(graph, &desc, &after, after != 0, &node,
			       &error), PLAIT_OK);
	return node;
}

static plait_status freeze(plait_graph *graph, plait_freeze_desc desc)
{
	plait_plan *plan = NULL;
	plait_status status;

	desc.size = sizeof(desc);
	error.text[0] = '\0';
	status = plait_graph_freeze(graph, &desc, &plan, &error);
	plait_plan_release(plan);
	return status;
}

/* Every policy, mode and number of lanes answers alike. */
static void is_refused_always(plait_graph *graph, const char *text)
{
	for (uint32_t i = 0; i < 12; i++) {
		plait_freeze_desc desc = { .flags = PLAIT_FREEZE_CHECK,
					   .policy = i % 2, .mode = i / 2 % 3,
					   .lanes = i / 6 * 7 + 1 };

		IS_INT(freeze(graph, desc), PLAIT_E_INVALID);
		HAS_STR(error.text, text);
	}
}

static void missing_edges(void)
{
	plait_graph *graph = new_graph();
	plait_node first = fill(graph, "left", 0, 64, 0);
	plait_node second = fill(graph, "", 64, 64, 0);

	IS_INT(freeze(graph, (plait_freeze_desc){
		.flags = PLAIT_FREEZE_CHECK }), PLAIT_OK);
	(void)fill(graph, "both", 32, 64, first);
	is_refused_always(graph, "nothing orders node 1 (.../folders/to/the/source."
			  "c:7) before node 2 'both' (.../folders/to/the/"
			  "source.c:7): both use the same memory, buffer 'm'");
	/* Without a check the plan is made. */
	IS_INT(freeze(graph, (plait_freeze_desc){ 0 }), PLAIT_OK);
	(void)second;
	plait_graph_release(graph);
}

/* A part of a graph has only its own conflicts. */
static void parts(void)
{
	plait_graph *graph = new_graph();
	plait_node first = fill(graph, "one", 0, 64, 0), last;

	(void)fill(graph, "two", 0, 64, 0);
	last = fill(graph, "three", 0, 64, first);
	is_refused_always(graph, "node 1 'two'");
	IS_INT(freeze(graph, (plait_freeze_desc){
		.flags = PLAIT_FREEZE_CHECK, .sources = &first,
		.source_count = 1, .sinks = &last, .sink_count = 1 }),
	       PLAIT_OK);
	plait_graph_release(graph);
}

static void the_variable(void)
{
	plait_graph *graph = new_graph();

	(void)fill(graph, "one", 0, 64, 0);
	(void)fill(graph, "two", 0, 64, 0);
	IS_INT(freeze(graph, (plait_freeze_desc){ 0 }), PLAIT_OK);
	setenv("PLAIT_CHECK", "1", 1);
	IS_INT(freeze(graph, (plait_freeze_desc){ 0 }), PLAIT_E_INVALID);
	setenv("PLAIT_CHECK", "0", 1);
	IS_INT(freeze(graph, (plait_freeze_desc){ 0 }), PLAIT_OK);
	unsetenv("PLAIT_CHECK");
	plait_graph_release(graph);
}

/* Bodies: a node of a body against one beside the loop, branches of a case
 * against each other, and one iteration against the next. */
static void bodies(void)
{
	plait_graph *graph = new_graph(), *body = NULL;
	plait_node_desc desc = { .size = sizeof(desc), .kind = PLAIT_NODE_CASE,
				 .predicate = memory, .branch_count = 2,
				 .label = "pick" };
	plait_node pick = 0;

	IS_INT(plait_graph_add(graph, &desc, NULL, 0, &pick, &error),
	       PLAIT_OK);
	for (uint32_t i = 0; i < 2; i++) {
		IS_INT(plait_graph_body(graph, pick, i, &body, &error),
		       PLAIT_OK);
		(void)fill(body, "branch", 64, 64, 0);
		plait_graph_release(body);
	}
	IS_INT(freeze(graph, (plait_freeze_desc){
		.flags = PLAIT_FREEZE_CHECK }), PLAIT_OK);
	(void)fill(graph, "beside", 100, 64, 0);
	is_refused_always(graph, "'beside'");
	plait_graph_release(graph);
}

static void run_with_context(void (*scenario)(void))
{
	open_context();
	scenario();
	close_context();
}

#define WITH(name) static void with_##name(void) { run_with_context(name); }
WITH(missing_edges)
WITH(parts)
WITH(the_variable)
WITH(bodies)

static const struct tap_scenario scenarios[] = {
	{ "missing edges", with_missing_edges },
	{ "parts", with_parts },
	{ "the variable", with_the_variable },
	{ "bodies", with_bodies },
};
TAP_MAIN(scenarios)
