/* SPDX-License-Identifier: MIT */
/*
 * Large and deep graphs: fan-in and fan-out, diamonds, costs beyond all
 * counting, bodies within bodies, many branches, many parameters.  Nothing
 * recurses and nothing is quadratic; a graph stays usable when it is frozen.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdio.h>
#include <stdlib.h>

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

enum { MILLION = 1000000 };

static plait_context *context;
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
static plait_node add(plait_graph *graph, const plait_node_desc *given,
		      const plait_node *after, uint64_t count)
{
	plait_node_desc desc = *given;
	plait_node node = 0;

	desc.size = sizeof(desc);
	if (plait_graph_add(graph, &desc, after, count, &node, &error) !=
	    PLAIT_OK)
		OK_THAT(false, "add: %s", error.text);
	return node;
}

static plait_node join(plait_graph *graph, const plait_node *after,
		       uint64_t count)
{
	return add(graph, &(plait_node_desc){ .kind = PLAIT_NODE_JOIN,
					      .cost = 1 }, after, count);
}

/* Freeze, prove, and check the counts of the plan. */
static plait_plan_info freeze(plait_graph *graph)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 2,
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

static void fan_out_and_in(void)
{
	uint32_t count = MILLION / SMALLER;
	plait_node *all = malloc(count * sizeof(*all));
	plait_graph *graph = new_graph();
	plait_node first = join(graph, NULL, 0), last;

	for (uint32_t i = 0; i < count; i++)
		all[i] = join(graph, &first, 1);
	last = join(graph, all, count);
	(void)join(graph, &last, 1);
	IS_INT(freeze(graph).nodes, count + 3);
	free(all);
	plait_graph_release(graph);
}

/* 2^24 paths, 24 diamonds. */
static void diamonds(void)
{
	plait_graph *graph = new_graph();
	plait_node top = join(graph, NULL, 0), sides[2];

	for (int i = 0; i < 24; i++) {
		sides[0] = join(graph, &top, 1);
		sides[1] = join(graph, &top, 1);
		top = join(graph, sides, 2);
	}
	IS_INT(freeze(graph).makespan, 49);
	plait_graph_release(graph);
}

/* The dearest possible node can be planned; a second one is too much. */
static void costs_beyond_counting(void)
{
	plait_node_desc dear = { .cost = INT64_MAX };
	plait_graph *graph = new_graph();
	plait_node last = 0;
	plait_plan *plan = NULL;
	plait_plan_info info = { .size = sizeof(info) };

	for (int i = 0; i < 5; i++) {
		plait_status status;

		last = add(graph, &dear, &last, i > 0);
		status = plait_graph_freeze(graph, NULL, &plan, &error);
		if (i == 0) {
			IS_INT(status, PLAIT_OK);
			IS_INT(plait_plan_query(plan, &info, &error),
			       PLAIT_OK);
			OK(info.makespan == (uint64_t)INT64_MAX);
		} else {
			IS_INT(status, PLAIT_E_INVALID);
			HAS_STR(error.text, "add up to more than 2^63 - 1");
		}
		plait_plan_release(plan);
	}
	plait_graph_release(graph);
}

static plait_node add_region(plait_graph *graph, uint32_t kind,
			     uint64_t branches)
{
	plait_node_desc desc = { .kind = kind, .function = nothing,
				 .flags = PLAIT_CALL_ANY_THREAD,
				 .branch_count = branches };

	return add(graph, &desc, NULL, 0);
}

static void many_branches(void)
{
	uint64_t count = 10000 / SMALLER;
	plait_graph *graph = new_graph(), *body;
	plait_node node = add_region(graph, PLAIT_NODE_CASE, count);

	for (uint64_t i = 0; i < count; i += 2) {
		if (plait_graph_body(graph, node, i, &body, &error) !=
		    PLAIT_OK)
			OK_THAT(false, "body: %s", error.text);
		(void)join(body, NULL, 0);
		plait_graph_release(body);
	}
	IS_INT(freeze(graph).nodes, 1 + count / 2);
	plait_graph_release(graph);
}

/* Bodies within bodies; the innermost one has a node. */
static void deep(void)
{
	uint32_t depth = 10000 / SMALLER;
	plait_graph *graph = new_graph(), *in = graph, *body;

	plait_graph_retain(graph);
	for (uint32_t i = 0; i < depth; i++) {
		plait_node node = add_region(in, i % 2 == 0 ?
					     PLAIT_NODE_DO : PLAIT_NODE_CASE,
					     i % 2);

		if (plait_graph_body(in, node, 0, &body, &error) != PLAIT_OK)
			OK_THAT(false, "body: %s", error.text);
		plait_graph_release(in);
		in = body;
	}
	(void)join(in, NULL, 0);
	plait_graph_release(in);
	IS_INT(freeze(graph).regions, depth);
	plait_graph_release(graph);
}

static void many_parameters(void)
{
	uint32_t count = MILLION / SMALLER;
	plait_graph *graph = new_graph();
	plait_kernel_desc code = { .size = sizeof(code),
				   .signature = "k(n: u64)",
				   .function = no_work };
	plait_kernel *kernel;
	char name[32];
	plait_argument argument = { .size = sizeof(argument), .name = name,
				    .kind = PLAIT_ARGUMENT_PARAMETER };
	plait_node_desc desc = { .kind = PLAIT_NODE_LAUNCH,
				 .arguments = &argument,
				 .argument_count = 1 };
	plait_node last = 0;

	IS_INT(plait_kernel_create(context, &code, &kernel, &error),
	       PLAIT_OK);
	desc.kernel = kernel;
	for (uint32_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "parameter %u", i);
		last = add(graph, &desc, &last, i > 0);
	}
	IS_INT(freeze(graph).nodes, count);
	plait_kernel_release(kernel);
	plait_graph_release(graph);
}

/* Freezing does not change the graph; it grows on, and plans are not
 * affected. */
static void again_and_again(void)
{
	plait_graph *graph = new_graph();
	plait_plan *first, *second;
	plait_plan_info info = { .size = sizeof(info) };
	plait_node node = join(graph, NULL, 0);

	IS_INT(plait_graph_freeze(graph, NULL, &first, &error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &second, &error), PLAIT_OK);
	node = join(graph, &node, 1);
	IS_INT(plait_plan_query(first, &info, &error), PLAIT_OK);
	IS_INT(info.nodes, 1);
	IS_INT(plait_plan_query(second, &info, &error), PLAIT_OK);
	IS_INT(info.nodes, 1);
	IS_INT(freeze(graph).nodes, 2);
	plait_plan_release(second);
	plait_plan_release(first);
	plait_graph_release(graph);
}

/* ---- captures ---- */

static plait_status submit(plait_queue *queue, const plait_command *given)
{
	plait_command command = *given;

	command.size = sizeof(command);
	return plait_queue_submit(queue, &command, 1, NULL, &error);
}

/*
 * Many signals, many emissions of one signal, and many addresses of the host:
 * one queue emits all, the other one waits for each, the oldest first.  A
 * search over all of them for each command would take 10^11 steps.
 */
static uint64_t capture_all(plait_queue *const *queues, plait_buffer *buffer,
			    plait_signal **signals, uint32_t count)
{
	static char memory[MILLION];
	uint64_t failed = 0, last = 0;

	for (uint32_t i = 1; i < count; i++) {
		failed += plait_queue_emit(queues[0], signals[0], &last,
					   &error) != PLAIT_OK;
		failed += plait_queue_emit(queues[0], signals[i], NULL,
					   &error) != PLAIT_OK;
		failed += submit(queues[0], &(plait_command){
				.kind = PLAIT_COMMAND_READ, .bytes = 1,
				.source = buffer, .host = &memory[i] }) !=
			  PLAIT_OK;
	}
	for (uint32_t i = 1; i < count; i++) {
		failed += plait_queue_wait(queues[1], signals[0],
					   last - count + 1 + i, &error) !=
			  PLAIT_OK;
		failed += plait_queue_wait(queues[1], signals[i], 1,
					   &error) != PLAIT_OK;
		failed += submit(queues[1], &(plait_command){
				.kind = PLAIT_COMMAND_WRITE, .bytes = 1,
				.target = buffer, .host = &memory[i] }) !=
			  PLAIT_OK;
	}
	return failed;
}

static void captures(void)
{
	enum { COUNT = 300000 / SMALLER };
	const plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 8 };
	plait_signal **signals = calloc(COUNT, sizeof(*signals));
	plait_device *device = NULL;
	plait_buffer *buffer = NULL;
	plait_queue *queues[2] = { NULL };
	plait_graph *graph = NULL;
	uint64_t nodes = 0;

	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	IS_INT(plait_buffer_create(device, &bytes, &buffer, &error), PLAIT_OK);
	for (int i = 0; i < 2; i++)
		IS_INT(plait_queue_create(device, NULL, &queues[i], &error),
		       PLAIT_OK);
	for (uint32_t i = 0; i < COUNT; i++)
		if (plait_signal_create(device, NULL, &signals[i], &error))
			OK_THAT(false, "signal: %s", error.text);
	IS_INT(plait_queue_capture(queues, 2, PLAIT_CAPTURE_LOCAL_SIGNALS,
				   &error), PLAIT_OK);
	if (!IS_UINT(capture_all(queues, buffer, signals, COUNT), 0))
		NOTE("%s", error.text);
	IS_INT(plait_queue_end_capture(queues[0], &graph, &error), PLAIT_OK);
	IS_INT(plait_graph_size(graph, &nodes, NULL, &error), PLAIT_OK);
	OK_THAT(nodes >= 2 * (COUNT - 1), "%llu nodes",
		(unsigned long long)nodes);
	plait_graph_release(graph);
	for (uint32_t i = 0; i < COUNT; i++)
		plait_signal_release(signals[i]);
	for (int i = 0; i < 2; i++)
		plait_queue_release(queues[i]);
	plait_buffer_release(buffer);
	free(signals);
}

static void run_with_context(void (*scenario)(void))
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host",
				    .flags = PLAIT_CONTEXT_NO_WORKERS };

	error = (plait_error){ .size = sizeof(error) };
	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK)) {
		NOTE("%s", error.text);
		return;
	}
	scenario();
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_GRAPH), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_PLAN), 0);
}

#define WITH(name) static void with_##name(void) { run_with_context(name); }
WITH(fan_out_and_in)
WITH(diamonds)
WITH(costs_beyond_counting)
WITH(many_branches)
WITH(deep)
WITH(many_parameters)
WITH(again_and_again)
WITH(captures)

static const struct tap_scenario scenarios[] = {
	{ "fan out and in", with_fan_out_and_in },
	{ "diamonds", with_diamonds },
	{ "costs beyond counting", with_costs_beyond_counting },
	{ "many branches", with_many_branches },
	{ "deep", with_deep },
	{ "many parameters", with_many_parameters },
	{ "again and again", with_again_and_again },
	{ "captures", with_captures },
};
TAP_MAIN(scenarios)
