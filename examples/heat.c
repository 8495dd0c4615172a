/* SPDX-License-Identifier: MIT */
/*
 * Heat spreads over a plate until nothing changes much: a loop in a graph.  The
 * device decides when it is done; the program waits once, for all of it.
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
	plait_context *context;
	plait_device *device;
	plait_graph *graph, *body;
	plait_node step;

	must(plait_context_open(NULL, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
	plait_kernel *spread = read_kernel(context, "heat", "spread");
	plait_kernel *change = read_kernel(context, "heat", "change");
	plait_kernel *decide = read_kernel(context, "heat", "decide");

	for (int x = 0; x < SIZE; x++)
		plate[x] = 100; /* one edge is hot */
	plait_buffer *plates[2] = { new_buffer(device, plate, sizeof(plate)),
				    new_buffer(device, plate, sizeof(plate)) };
	plait_buffer *changes = new_buffer(device, NULL, SIZE * sizeof(float));
	plait_buffer *go = new_buffer(device, &yes, sizeof(yes));
	plait_buffer *count = new_buffer(device, NULL, sizeof(steps));

	must(plait_graph_create(context, &graph, &error));
	body = add_loop(graph, go, 1000);
	must(plait_graph_rotate(body, plates, 2, 0, &turns, &error));

	plait_argument spreads[] = { TURN(turns, 0), TURN(turns, 1),
				     VALUE(size) };
	plait_argument compares[] = { TURN(turns, 0), TURN(turns, 1),
				      BUFFER(changes), VALUE(size) };
	plait_argument decides[] = { BUFFER(changes), BUFFER(go),
				     BUFFER(count), VALUE(size),
				     VALUE(tolerance) };

	step = LAUNCH(body, spread, spreads, items(SIZE, SIZE), 0);
	step = LAUNCH(body, change, compares, items(SIZE, 1), step);
	step = LAUNCH(body, decide, decides, items(1, 1), step);
	run_graph(graph);

	read_buffer(count, &steps, sizeof(steps));
	read_buffer(plates[steps % 2], plate, sizeof(plate));
	printf("settled after %u steps, %.1f degrees in the middle\n", steps,
	       plate[SIZE / 2 * SIZE + SIZE / 2]);

	plait_graph_release(body);
	plait_graph_release(graph);
	plait_buffer_release(count);
	plait_buffer_release(go);
	plait_buffer_release(changes);
	plait_buffer_release(plates[1]);
	plait_buffer_release(plates[0]);
	plait_kernel_release(decide);
	plait_kernel_release(change);
	plait_kernel_release(spread);
	plait_context_release(context);
	return 0;
}
