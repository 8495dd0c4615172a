/* SPDX-License-Identifier: MIT */
/*
 * Error texts of rejected nodes: the node, where it was added, and which of its
 * fields is wrong.  Handles of each kind that are null, released, of another
 * kind or of another context; edges, bodies and rotations.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdio.h>
#include <string.h>

static plait_context *context, *stranger;
static plait_device *device;
static plait_buffer *buffer;
static plait_kernel *kernel;
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

static plait_buffer *new_buffer(plait_context *of, uint64_t bytes)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes,
				   .label = "memory" };
	plait_device *place = NULL;
	plait_buffer *made = NULL;

	IS_INT(plait_context_device(of, 0, &place, &error), PLAIT_OK);
	IS_INT(plait_buffer_create(place, &desc, &made, &error), PLAIT_OK);
	return made;
}

static plait_kernel *new_kernel(plait_context *of)
{
	plait_kernel_desc desc = { .size = sizeof(desc), .function = no_work,
				   .signature = "k(a: f32, "
						"p: inout pointer f32)" };
	plait_kernel *made = NULL;

	IS_INT(plait_kernel_create(of, &desc, &made, &error), PLAIT_OK);
	return made;
}

static plait_graph *new_graph(plait_context *of)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(of, &graph, &error), PLAIT_OK);
	return graph;
}

static void open_all(void)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host",
				    .flags = PLAIT_CONTEXT_NO_WORKERS };

	error = (plait_error){ .size = sizeof(error) };
	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	IS_INT(plait_context_open(&desc, &stranger, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	buffer = new_buffer(context, 64);
	kernel = new_kernel(context);
}

static void close_all(void)
{
	plait_kernel_release(kernel);
	plait_buffer_release(buffer);
	plait_context_release(stranger);
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_CONTEXT), 0);
}

static void refuse(plait_graph *graph, plait_node_desc desc, const char *part)
{
	plait_node node = 1;
	plait_status status;

	desc.size = sizeof(desc);
	desc.label = "it";
	desc.file = "work.c";
	desc.line = 7;
	error.text[0] = '\0';
	status = plait_graph_add(graph, &desc, NULL, 0, &node, &error);
	OK_THAT(status != PLAIT_OK && node == 0, "refused: %s", part);
	HAS_STR(error.text, part);
}

/* ---- handles ---- */

static plait_node_desc launch_of(plait_kernel *which,
				 const plait_argument *arguments)
{
	return (plait_node_desc){ .kind = PLAIT_NODE_LAUNCH, .kernel = which,
				  .arguments = arguments,
				  .argument_count = 2 };
}

static void kernels_and_arguments(void)
{
	static const float a = 1;
	plait_argument arguments[2] = {
		{ .size = sizeof(arguments[0]), .value = &a, .bytes = 4 },
		{ .kind = PLAIT_ARGUMENT_BUFFER, .buffer = buffer },
	};
	plait_graph *graph = new_graph(context);
	plait_kernel *foreign = new_kernel(stranger);
	plait_buffer *gone = new_buffer(context, 64);

	arguments[1].size = sizeof(arguments[1]);
	refuse(graph, launch_of(NULL, arguments),
	       "node \"it\" (work.c:7): kernel: kernel handle is null");
	refuse(graph, launch_of((plait_kernel *)(void *)buffer, arguments),
	       "node \"it\" (work.c:7): kernel: handle 0x");
	refuse(graph, launch_of(foreign, arguments),
	       "node \"it\" (work.c:7): kernel: graph ");
	arguments[1].buffer = NULL;
	refuse(graph, launch_of(kernel, arguments), "node \"it\" (work.c:7): "
	       "k: argument 1 \"p\": buffer handle is null");
	arguments[1].buffer = gone;
	plait_buffer_release(gone);
	refuse(graph, launch_of(kernel, arguments), "node \"it\" (work.c:7): "
	       "k: argument 1 \"p\": buffer handle 0x");
	HAS_STR(error.text, "released before");
	arguments[1].buffer = buffer;
	arguments[1].offset_bytes = 65;
	refuse(graph, launch_of(kernel, arguments), "node \"it\" (work.c:7): "
	       "k: argument 1 \"p\": starts at 65 of the 64 bytes of "
	       "buffer \"memory\"");
	plait_kernel_release(foreign);
	plait_graph_release(graph);
}

static void memory(void)
{
	plait_graph *graph = new_graph(context);
	plait_buffer *foreign = new_buffer(stranger, 64);
	plait_node_desc desc = { .kind = PLAIT_NODE_COPY, .bytes = 4,
				 .source = buffer };

	refuse(graph, desc, "node \"it\" (work.c:7): target: buffer handle is "
	       "null");
	desc.target = foreign;
	refuse(graph, desc, "node \"it\" (work.c:7): target: graph ");
	desc.target = buffer;
	desc.source = foreign;
	refuse(graph, desc, "node \"it\" (work.c:7): source: graph ");
	desc.source = buffer;
	desc.source_offset = 70;
	refuse(graph, desc, "node \"it\" (work.c:7): source: starts at 70 of "
	       "the 64 bytes of buffer \"memory\"");
	desc = (plait_node_desc){ .kind = PLAIT_NODE_DO,
				  .predicate = foreign };
	refuse(graph, desc, "node \"it\" (work.c:7): predicate: graph ");
	plait_buffer_release(foreign);
	plait_graph_release(graph);
}

static void other_things(void)
{
	plait_graph *graph = new_graph(context), *other = new_graph(stranger);
	plait_device *far = NULL, *both[2] = { device, NULL };
	plait_inbox *inbox = NULL;
	plait_node_desc desc = { .kind = PLAIT_NODE_EMIT };

	IS_INT(plait_context_device(stranger, 0, &far, &error), PLAIT_OK);
	IS_INT(plait_inbox_create(stranger, &inbox, &error), PLAIT_OK);
	refuse(graph, desc, "node \"it\" (work.c:7): signal: signal handle is "
	       "null");
	desc = (plait_node_desc){ .kind = PLAIT_NODE_CALL, .inbox = inbox,
				  .function = nothing };
	refuse(graph, desc, "node \"it\" (work.c:7): inbox: ");
	desc = (plait_node_desc){ .device = far };
	refuse(graph, desc, "node \"it\" (work.c:7): device: ");
	desc = (plait_node_desc){ .devices = both, .device_count = 2 };
	refuse(graph, desc, "node \"it\" (work.c:7): device: device handle is "
	       "null");
	desc = (plait_node_desc){ .kind = PLAIT_NODE_SUBGRAPH };
	refuse(graph, desc, "node \"it\" (work.c:7): subgraph: graph handle is "
	       "null");
	desc.subgraph = other;
	refuse(graph, desc, "node \"it\" (work.c:7): subgraph: ");
	desc = (plait_node_desc){ .kind = PLAIT_NODE_JOIN };
	refuse(NULL, desc, "node \"it\" (work.c:7): graph handle is null");
	IS_INT(plait_graph_add(NULL, NULL, NULL, 0, NULL, &error),
	       PLAIT_E_HANDLE);
	IS_STR(error.text, "graph handle is null");
	plait_inbox_release(inbox);
	plait_graph_release(other);
	plait_graph_release(graph);
}

/* ---- edges, bodies, rotations ---- */

static plait_node add(plait_graph *graph, const char *label, const char *file)
{
	plait_node_desc desc = { .size = sizeof(desc), .label = label,
				 .file = file, .line = 11 };
	plait_node node = 0;

	IS_INT(plait_graph_add(graph, &desc, NULL, 0, &node, &error),
	       PLAIT_OK);
	return node;
}

/* The index of the node, the handle of the buffer. */
static void without_labels(void)
{
	const plait_buffer_desc small = { .size = sizeof(small), .bytes = 8 };
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_FILL, .bytes = 8,
				 .target_offset = 9, .pattern_bytes = 8 };
	plait_buffer *unnamed = NULL;
	plait_graph *graph = NULL;
	plait_node node = 0;

	IS_INT(plait_buffer_create(device, &small, &unnamed, &error), PLAIT_OK);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	(void)add(graph, "first", NULL);
	desc.target = unnamed;
	OK(plait_graph_add(graph, &desc, NULL, 0, &node, &error) != PLAIT_OK);
	HAS_STR(error.text, "node 1: target: starts at 9 of the 8 bytes of "
		"buffer 0x");
	desc.label = "";
	OK(plait_graph_add(graph, &desc, NULL, 0, &node, &error) != PLAIT_OK);
	HAS_STR(error.text, "node 1: target");
	plait_graph_release(graph);
	plait_buffer_release(unnamed);
}

static void edges(void)
{
	plait_graph *graph = new_graph(context), *other = new_graph(context);
	plait_node a = add(graph, "a", "x.c"), b = add(graph, NULL, NULL);
	plait_node far = add(other, "far", "y.c");

	IS_INT(plait_graph_add_edge(graph, a, a, &error), PLAIT_E_INVALID);
	IS_STR(error.text, "edge: node 0 'a' (x.c:11) cannot come after "
	       "itself");
	IS_INT(plait_graph_add_edge(graph, b, b, &error), PLAIT_E_INVALID);
	IS_STR(error.text, "edge: node 1 (line 11) cannot come after itself");
	IS_INT(plait_graph_add_edge(graph, a, far, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "`before` is node 0 'a' (x.c:11): edge: `after`, "
		"0x");
	HAS_STR(error.text, "is not a node of this graph");
	IS_INT(plait_graph_add_edge(graph, far, a, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "`after` is node 0 'a' (x.c:11): edge: `before`, "
		"0x");
	IS_INT(plait_graph_add_edge(graph, far, far, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "edge: `before`, 0x");
	IS_INT(plait_graph_add_edge(NULL, a, b, &error), PLAIT_E_HANDLE);
	IS_STR(error.text, "edge: graph handle is null");
	plait_graph_release(other);
	plait_graph_release(graph);
}

static void bodies(void)
{
	plait_graph *graph = new_graph(context), *body = NULL;
	plait_node_desc desc = { .size = sizeof(desc), .label = "pick",
				 .kind = PLAIT_NODE_CASE, .branch_count = 2,
				 .predicate = buffer };
	plait_node a = add(graph, "a", "x.c"), pick = 0;

	IS_INT(plait_graph_add(graph, &desc, NULL, 0, &pick, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_body(graph, a, 0, &body, &error), PLAIT_E_INVALID);
	IS_STR(error.text, "body: node 0 'a' (x.c:11) is not a while, do, "
	       "repeat or case");
	IS_INT(plait_graph_body(graph, pick, 2, &body, &error),
	       PLAIT_E_INVALID);
	IS_STR(error.text, "body: branch 2 of node 1 'pick', which has 2, "
	       "counted from 0");
	IS_INT(plait_graph_body(NULL, pick, 0, &body, &error),
	       PLAIT_E_HANDLE);
	IS_STR(error.text, "body: graph handle is null");
	plait_graph_release(graph);
}

static void refuse_turns(plait_graph *graph, plait_buffer *const *buffers,
			 uint64_t count, uint32_t flags, const char *text)
{
	uint64_t rotation = 1;

	OK(plait_graph_add_rotation(graph, buffers, count, flags, &rotation,
			      &error) != PLAIT_OK);
	HAS_STR(error.text, text);
	IS_INT(rotation, 0);
}

static void rotations(void)
{
	plait_graph *graph = new_graph(context), *body = NULL;
	plait_node_desc desc = { .size = sizeof(desc), .predicate = buffer,
				 .kind = PLAIT_NODE_DO };
	plait_buffer *other = new_buffer(context, 64);
	plait_buffer *turns[3] = { buffer, other, buffer };
	plait_node loop = 0;
	uint64_t rotation = 0;

	IS_INT(plait_graph_add(graph, &desc, NULL, 0, &loop, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_body(graph, loop, 0, &body, &error), PLAIT_OK);
	refuse_turns(NULL, turns, 2, 0, "rotation: graph handle is null");
	refuse_turns(body, NULL, 2, 0, "rotation: buffers is null");
	refuse_turns(body, turns, 1, 0, "rotation: 2 to 8 buffers");
	refuse_turns(body, turns, 3, 0, "rotation: buffer 2: is buffer 0 too");
	refuse_turns(body, turns, 3, PLAIT_ROTATION_PROLOGUE,
		     "rotation: buffer 2: is buffer 0 too");
	turns[1] = NULL;
	refuse_turns(body, turns, 2, 0,
		     "rotation: buffer 1: buffer handle is null");
	turns[1] = other;
	IS_INT(plait_graph_add_rotation(body, turns, 2, 0, &rotation, &error),
	       PLAIT_OK);
	OK(rotation != 0);
	IS_INT(plait_graph_add_rotation(body, turns, 2, 0, NULL, &error),
	       PLAIT_E_INVALID);
	IS_STR(error.text, "rotation: out is null");
	plait_buffer_release(other);
	plait_graph_release(body);
	plait_graph_release(graph);
}

static void run_with_all(void (*scenario)(void))
{
	open_all();
	scenario();
	close_all();
}

#define WITH(name) static void with_##name(void) { run_with_all(name); }
WITH(kernels_and_arguments)
WITH(memory)
WITH(other_things)
WITH(edges)
WITH(without_labels)
WITH(bodies)
WITH(rotations)

static const struct tap_scenario scenarios[] = {
	{ "kernels and arguments", with_kernels_and_arguments },
	{ "memory", with_memory },
	{ "other things", with_other_things },
	{ "edges", with_edges },
	{ "without labels", with_without_labels },
	{ "bodies", with_bodies },
	{ "rotations", with_rotations },
};
TAP_MAIN(scenarios)
