/* SPDX-License-Identifier: MIT */
/* Helpers for tests of loops: a graph with a loop, rotations, and a proof. */
#ifndef T_LOOPS_H
#define T_LOOPS_H

#include "plait/plait.h"
#include "lib/tap.h"

static plait_context *context;
static plait_device *devices[2];
static plait_kernel *kernel; /* reads its first argument, writes the second */
static plait_buffer *memory[10];
static plait_error error;

/* A graph with a loop, and the accesses of a node: one argument is read, the
 * other is written. */
struct loop {
	plait_graph *graph;
	plait_graph *body;
	plait_node node;
};

static inline int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static inline int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static inline plait_kernel *new_kernel(const char *signature)
{
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .signature = signature,
				   .function = no_work };
	plait_kernel *made = NULL;

	IS_INT(plait_kernel_create(context, &desc, &made, &error), PLAIT_OK);
	return made;
}

static inline plait_buffer *new_buffer(plait_device *device, uint64_t bytes)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(device, &desc, &buffer, &error), PLAIT_OK);
	return buffer;
}

static inline void open_all(void)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .backends = "chaos",
				    .flags = PLAIT_CONTEXT_NO_WORKERS };

	error = (plait_error){ .size = sizeof(error) };
	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK))
		NOTE("%s", error.text);
	for (uint32_t i = 0; i < 2; i++)
		IS_INT(plait_context_device(context, i, &devices[i], &error),
		       PLAIT_OK);
	kernel = new_kernel("k(from: in pointer f32, to: out pointer f32)");
	for (size_t i = 0; i < TAP_COUNT(memory); i++)
		memory[i] = new_buffer(devices[0], 64);
}

static inline void close_all(void)
{
	for (size_t i = 0; i < TAP_COUNT(memory); i++)
		plait_buffer_release(memory[i]);
	plait_kernel_release(kernel);
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_GRAPH), 0);
}

static inline plait_node add_loop(plait_graph *graph, uint32_t kind,
			   const plait_node *after, plait_graph **body)
{
	plait_node_desc desc = { .size = sizeof(desc), .kind = kind,
				 .function = nothing,
				 .flags = PLAIT_CALL_ANY_THREAD,
				 .branch_count = kind == PLAIT_NODE_CASE,
				 .label = "loop" };
	plait_node node = 0;

	IS_INT(plait_graph_add(graph, &desc, after, after != NULL, &node,
			       &error), PLAIT_OK);
	IS_INT(plait_graph_body(graph, node, 0, body, &error), PLAIT_OK);
	return node;
}

static inline struct loop new_loop(void)
{
	struct loop loop = { NULL, NULL, 0 };

	IS_INT(plait_graph_create(context, &loop.graph, &error), PLAIT_OK);
	loop.node = add_loop(loop.graph, PLAIT_NODE_WHILE, NULL, &loop.body);
	return loop;
}

static inline void end_loop(struct loop *loop)
{
	plait_graph_release(loop->body);
	plait_graph_release(loop->graph);
}

/* A rotation of the buffers memory[digit]; the first one is the prologue, if
 * the text starts with '!'. */
static inline uint64_t rotate(plait_graph *body, const char *digits)
{
	plait_buffer *buffers[10];
	uint32_t flags = digits[0] == '!' ? PLAIT_ROTATION_PROLOGUE : 0;
	uint64_t count = 0, rotation = 0;

	for (digits += flags != 0; digits[count] != '\0'; count++)
		buffers[count] = memory[digits[count] - '0'];
	IS_INT(plait_graph_add_rotation(body, buffers, count, flags, &rotation,
				  &error), PLAIT_OK);
	return rotation;
}

static inline plait_argument turn(uint64_t rotation, uint64_t ahead)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_ROTATION,
				 .rotation = rotation, .ahead = ahead };
}

static inline plait_argument direct(unsigned which)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_BUFFER,
				 .buffer = memory[which] };
}

static inline plait_status try_step(plait_graph *graph, plait_argument from,
			     plait_argument to, const plait_node *after,
			     plait_node *out)
{
	plait_argument both[2] = { from, to };
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
				 .arguments = both, .argument_count = 2,
				 .label = "step" };

	return plait_graph_add(graph, &desc, after, after != NULL, out,
			       &error);
}

static inline plait_node step(plait_graph *graph, plait_argument from,
		       plait_argument to, const plait_node *after)
{
	plait_node node = 0;

	if (!IS_INT(try_step(graph, from, to, after, &node), PLAIT_OK))
		NOTE("%s", error.text);
	return node;
}

/* Freeze with a proof; returns the text of the error, or "". */
static inline const char *prove(plait_graph *graph)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 8,
				   .policy = PLAIT_POLICY_WIDEST,
				   .flags = PLAIT_FREEZE_CHECK };
	plait_plan *plan;

	if (plait_graph_freeze(graph, &desc, &plan, &error) != PLAIT_OK)
		return error.text;
	plait_plan_release(plan);
	return "";
}

#endif
