/* SPDX-License-Identifier: MIT */
/*
 * A host function between two kernels, as a node like any other.  One kernel
 * fills a buffer in a muddled order, the program sorts it, another kernel counts
 * the numbers out of place.
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

/* Runs on any thread; a value other than 0 fails the node. */
static int32_t sort(void *numbers)
{
	void *memory = map_buffer(numbers, COUNT * sizeof(float));

	qsort(memory, COUNT, sizeof(float), compare);
	return plait_buffer_unmap(numbers, memory, NULL);
}

int main(void)
{
	uint32_t count = COUNT, places, turn, number;
	plait_node last;

	open_system();
	plait_kernel *shuffle = read_kernel("pipeline", "shuffle");
	plait_kernel *steps = read_kernel("pipeline", "steps");
	plait_buffer *numbers = new_buffer(NULL, COUNT * sizeof(float));
	plait_buffer *wrong = new_buffer(NULL, sizeof(places));

	plait_graph *graph = new_graph();
	must(plait_graph_launch(graph, shuffle, PLAIT_ITEMS(COUNT),
				PLAIT_ARGUMENTS(PLAIT_BUFFER(numbers), PLAIT_VALUE(count),
						PLAIT_PARAMETER("turn")), 0, &last, &error));
	must(plait_graph_call(graph, sort, numbers, last, &last, &error));
	must(plait_graph_launch(graph, steps, PLAIT_ITEMS(COUNT),
				PLAIT_ARGUMENTS(PLAIT_BUFFER(numbers), PLAIT_BUFFER(wrong),
						PLAIT_VALUE(count)), last, NULL, &error));
	plait_plan *plan = freeze(graph);

	must(plait_plan_find_parameter(plan, "turn", &number, &error));
	for (turn = 0; turn < RUNS; turn++)
		must(plait_plan_call(plan, NULL, PLAIT_BINDINGS(PLAIT_BIND_VALUE(number, turn)),
				     &error));
	read_buffer(wrong, &places, sizeof(places));
	printf("%d runs, %u numbers out of place\n", RUNS, places);
	close_system();
	return 0;
}
