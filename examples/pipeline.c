/* SPDX-License-Identifier: MIT */
/*
 * A function of the program between two kernels, as a node like any other.  One
 * kernel fills a buffer in a muddled order, the program sorts it, another kernel
 * counts what is not in its place.
 */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000, RUNS = 10 };

static int compare(const void *a, const void *b)
{
	const float *p = a, *q = b;

	return (*p > *q) - (*p < *q);
}

/* Runs on any thread; a value other than 0 would fail the node. */
static int32_t sort(void *user_data)
{
	plait_buffer *numbers = user_data;
	plait_error why = { .size = sizeof(why) };
	void *memory;

	if (plait_buffer_map(numbers, 0, COUNT * sizeof(float),
			     PLAIT_MAP_READ | PLAIT_MAP_WRITE, &memory,
			     &why) != PLAIT_OK)
		return 1;
	qsort(memory, COUNT, sizeof(float), compare);
	return plait_buffer_unmap(numbers, memory, &why);
}

static plait_node add_function(plait_graph *graph, plait_host_function function,
			       void *user_data, plait_node after)
{
	plait_node_desc desc = { .size = sizeof(desc), .kind = PLAIT_NODE_CALL,
				 .flags = PLAIT_CALL_ANY_THREAD,
				 .function = function, .label = "sort",
				 .user_data = user_data };
	plait_node node;

	must(plait_graph_add(graph, &desc, &after, 1, &node, &error));
	return node;
}

static void run_often(plait_plan *plan)
{
	plait_binding binding = { .size = sizeof(binding),
				  .bytes = sizeof(uint32_t) };
	plait_run_desc desc = { .size = sizeof(desc), .bindings = &binding,
				.binding_count = 1 };

	must(plait_plan_parameter(plan, "turn", &binding.parameter, &error));
	for (uint32_t turn = 0; turn < RUNS; turn++) {
		binding.value = &turn;
		must(plait_plan_call(plan, NULL, &desc, &error));
	}
}

int main(void)
{
	const uint32_t count = COUNT;
	uint32_t places = 0;
	plait_context *context;
	plait_device *device;
	plait_graph *graph;
	plait_plan *plan;
	plait_node last;

	must(plait_context_open(NULL, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
	plait_kernel *shuffle = read_kernel(context, "pipeline", "shuffle");
	plait_kernel *steps = read_kernel(context, "pipeline", "steps");
	plait_buffer *numbers = new_buffer(device, NULL, COUNT * sizeof(float));
	plait_buffer *wrong = new_buffer(device, NULL, sizeof(places));

	plait_argument shuffles[] = { BUFFER(numbers), VALUE(count),
				      { .size = sizeof(plait_argument),
					.kind = PLAIT_ARGUMENT_PARAMETER,
					.name = "turn" } };
	plait_argument counts[] = { BUFFER(numbers), BUFFER(wrong),
				    VALUE(count) };

	must(plait_graph_create(context, &graph, &error));
	last = LAUNCH(graph, shuffle, shuffles, items(COUNT, 1), 0);
	last = add_function(graph, sort, numbers, last);
	LAUNCH(graph, steps, counts, items(COUNT, 1), last);
	must(plait_graph_freeze(graph, NULL, &plan, &error));
	run_often(plan);
	read_buffer(wrong, &places, sizeof(places));
	printf("%d runs, %u numbers out of place\n", RUNS, places);

	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_buffer_release(wrong);
	plait_buffer_release(numbers);
	plait_kernel_release(steps);
	plait_kernel_release(shuffle);
	plait_context_release(context);
	return 0;
}
