/* SPDX-License-Identifier: MIT */
/*
 * Heat spreads over a plate until the changes are small: a loop in a graph.  A
 * kernel decides when the loop ends; the program waits once, for all of it.
 */
#include "program.h"

#include <stdio.h>

enum { SIZE = 64 };

int main(void)
{
	static float plate[SIZE * SIZE];
	const uint32_t size = SIZE, yes = 1;
	const float tolerance = 1e-4f;
	uint32_t steps;
	uint64_t turns;
	plait_graph *body;
	plait_node last;

	open_system();
	plait_kernel *spread = read_kernel("heat", "spread");
	plait_kernel *change = read_kernel("heat", "change");
	plait_kernel *decide = read_kernel("heat", "decide");

	for (int x = 0; x < SIZE; x++)
		plate[x] = 100; /* one edge is hot */
	plait_buffer *plates[2] = { new_buffer(plate, sizeof(plate)),
				    new_buffer(plate, sizeof(plate)) };
	plait_buffer *changes = new_buffer(NULL, SIZE * sizeof(float));
	plait_buffer *go = new_buffer(&yes, sizeof(yes));
	plait_buffer *count = new_buffer(NULL, sizeof(steps));

	plait_graph *graph = new_graph();
	must(plait_graph_while(graph, go, 0, 1000, 0, &body, NULL, &error));
	must(plait_graph_add_rotation(body, plates, 2, 0, &turns, &error));
	must(plait_graph_launch(body, spread, PLAIT_ITEMS(SIZE, SIZE),
				PLAIT_ARGUMENTS(PLAIT_ROTATION(turns, 0), PLAIT_ROTATION(turns, 1),
						PLAIT_VALUE(size)), 0, &last, &error));
	must(plait_graph_launch(body, change, PLAIT_ITEMS(SIZE),
				PLAIT_ARGUMENTS(PLAIT_ROTATION(turns, 0), PLAIT_ROTATION(turns, 1),
						PLAIT_BUFFER(changes), PLAIT_VALUE(size)),
				last, &last, &error));
	must(plait_graph_launch(body, decide, NULL,
				PLAIT_ARGUMENTS(PLAIT_BUFFER(changes), PLAIT_BUFFER(go),
						PLAIT_BUFFER(count), PLAIT_VALUE(size),
						PLAIT_VALUE(tolerance)), last, NULL, &error));
	plait_graph_release(body);
	must(plait_plan_call(freeze(graph), NULL, NULL, &error));

	read_buffer(count, &steps, sizeof(steps));
	read_buffer(plates[steps % 2], plate, sizeof(plate));
	printf("settled after %u steps, %.1f degrees in the middle\n", steps,
	       plate[SIZE / 2 * SIZE + SIZE / 2]);
	close_system();
	return 0;
}
