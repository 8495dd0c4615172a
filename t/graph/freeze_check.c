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
	is_refused_always(graph, "no edge orders node 1 (.../folders/to/the/source."
			  "c:7) and node 2 'both' (.../folders/to/the/"
			  "source.c:7); both use buffer 'm', bytes "
			  "64 to 96, and both write: add an edge (after), or "
			  "freeze in program order");
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
	/* Edges stay within a scope, so the text names the nodes to join. */
	is_refused_always(graph, "no edge orders node 3 'branch' (.../to/the/source.c:"
			  "7) and node 1 'beside' (.../to/the/source.c:7); both use "
			  "buffer 'm', bytes 100 to 128, and both write: add "
			  "an edge between nodes 0 and 1 (after), or freeze "
			  "in program order");
	plait_graph_release(graph);
}

static int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static plait_kernel *new_kernel(const char *signature)
{
	plait_kernel_desc desc = { .size = sizeof(desc), .signature = signature,
				   .function = no_work };
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(context, &desc, &kernel, &error), PLAIT_OK);
	return kernel;
}

static void launch(plait_graph *graph, plait_kernel *kernel,
		   plait_argument argument)
{
	plait_node_desc desc = { .size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
				 .kernel = kernel, .arguments = &argument,
				 .argument_count = 1 };

	argument.size = sizeof(argument);
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &error), PLAIT_OK);
}

static const plait_argument *image(void)
{
	static const plait_argument parameter = {
		.kind = PLAIT_ARGUMENT_PARAMETER, .name = "image"
	};

	return &parameter;
}

/* Queries and pictures name a launch without a label by its kernel. */
static void shown_names(plait_graph *graph)
{
	plait_command_info info = { .size = sizeof(info) };
	plait_plan *plan = NULL;
	char picture[4096] = "";
	uint64_t bytes;

	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_INT(plait_plan_query_command(plan, 1, &info, &error), PLAIT_OK);
	IS_STR(info.label, "blur");
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_DOT, picture,
				sizeof(picture), &bytes, &error), PLAIT_OK);
	HAS_STR(picture, "blur #1");
	plait_plan_release(plan);
}

/* Nodes without labels have the names of their kernels; the text names the
 * region that holds them, and memory that has no label. */
static void names(void)
{
	plait_graph *graph = new_graph(), *body = NULL;
	plait_kernel *blur = new_kernel("blur(x: inout pointer f32)");
	plait_kernel *sum = new_kernel("sum(x: in pointer f32)");
	plait_buffer_desc wanted = { .size = sizeof(wanted), .bytes = 64 };
	plait_buffer *buffer = NULL;
	plait_argument plain = { .kind = PLAIT_ARGUMENT_BUFFER };
	plait_node loop = 0;

	IS_INT(plait_graph_while(graph, memory, 0, 1, 0, &body, &loop, &error),
	       PLAIT_OK);
	launch(body, blur, *image());
	launch(body, sum, *image());
	is_refused_always(graph, "no edge orders node 1 'blur' and node 2 'sum' in "
			  "the body of node 0; both use parameter 'image', and "
			  "one writes: add an edge (after), or freeze in "
			  "program order");
	plait_graph_release(body);
	plait_graph_release(graph);
	graph = new_graph();
	IS_INT(plait_buffer_create(device, &wanted, &buffer, &error),
	       PLAIT_OK);
	plain.buffer = buffer;
	launch(graph, blur, plain);
	launch(graph, blur, plain);
	is_refused_always(graph, "both use buffer 0 (64 bytes, no label), and both "
			  "write");
	shown_names(graph);
	plait_buffer_release(buffer);
	plait_kernel_release(blur);
	plait_kernel_release(sum);
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
WITH(names)

static const struct tap_scenario scenarios[] = {
	{ "missing edges", with_missing_edges },
	{ "parts", with_parts },
	{ "the variable", with_the_variable },
	{ "bodies", with_bodies },
	{ "names", with_names },
};
TAP_MAIN(scenarios)
