/* SPDX-License-Identifier: MIT */
/*
 * k-means: a loop whose body takes one of two branches.  After every point has
 * chosen its nearest centre, either all centres have points and move to their
 * middle, or one has none and is put where a point is.
 */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 3000, CENTRES = 4 };

static plait_context *context;
static plait_device *device;

/* Around four places, the same ones every time. */
static plait_buffer *make_points(void)
{
	static const float middles[4][2] = { { 2, 2 }, { 2, 8 }, { 8, 2 },
					     { 8, 8 } };
	static float points[2 * POINTS];
	uint64_t state = 1;

	for (int i = 0; i < 2 * POINTS; i++) {
		state = state * 16807 % 2147483647;
		points[i] = middles[i / 2 % 4][i % 2] +
			    (float)((double)state / 2147483647 - 0.5);
	}
	return new_buffer(device, points, sizeof(points));
}

static void add_branches(plait_graph *body, plait_node after,
			 plait_buffer *which, plait_graph *branches[2])
{
	plait_node_desc desc = { .size = sizeof(desc), .predicate = which,
				 .kind = PLAIT_NODE_CASE, .branch_count = 2 };
	plait_node node;

	must(plait_graph_add(body, &desc, &after, 1, &node, &error));
	for (uint64_t i = 0; i < 2; i++)
		must(plait_graph_body(body, node, i, &branches[i], &error));
}

static void add_body(plait_graph *body, plait_buffer *centres,
		     plait_buffer *state)
{
	const uint32_t n = POINTS, k = CENTRES;
	plait_graph *branches[2];
	plait_node last;
	plait_buffer *points = make_points();
	plait_buffer *chosen = new_buffer(device, NULL, 4 * POINTS);
	plait_buffer *sums = new_buffer(device, NULL, 12 * CENTRES);
	plait_buffer *which = new_buffer(device, NULL, 4);
	plait_kernel *choose = read_kernel(context, "kmeans", "choose");
	plait_kernel *gather = read_kernel(context, "kmeans", "gather");
	plait_kernel *move = read_kernel(context, "kmeans", "move");
	plait_kernel *reseed = read_kernel(context, "kmeans", "reseed");

	plait_argument chooses[] = { BUFFER(points), BUFFER(centres),
				     BUFFER(chosen), VALUE(n), VALUE(k) };
	plait_argument gathers[] = { BUFFER(points), BUFFER(chosen),
				     BUFFER(sums), BUFFER(which), VALUE(n),
				     VALUE(k) };
	plait_argument moves[] = { BUFFER(centres), BUFFER(sums),
				   BUFFER(state), VALUE(k) };
	plait_argument reseeds[] = { BUFFER(centres), BUFFER(sums),
				     BUFFER(points), BUFFER(state), VALUE(n),
				     VALUE(k) };

	last = LAUNCH(body, choose, chooses, items(POINTS, 1), 0);
	last = LAUNCH(body, gather, gathers, items(1, 1), last);
	add_branches(body, last, which, branches);
	LAUNCH(branches[0], move, moves, items(1, 1), 0);
	LAUNCH(branches[1], reseed, reseeds, items(1, 1), 0);

	/* The graph keeps what it uses. */
	plait_graph_release(branches[1]);
	plait_graph_release(branches[0]);
	plait_kernel_release(reseed);
	plait_kernel_release(move);
	plait_kernel_release(gather);
	plait_kernel_release(choose);
	plait_buffer_release(which);
	plait_buffer_release(sums);
	plait_buffer_release(chosen);
	plait_buffer_release(points);
}

static int compare(const void *a, const void *b)
{
	const float *p = a, *q = b;

	if (p[0] < q[0] - 1 || p[0] > q[0] + 1)
		return p[0] < q[0] ? -1 : 1;
	return p[1] < q[1] ? -1 : 1;
}

int main(void)
{
	/* All of the centres but one start far from every point. */
	float places[CENTRES][2] = { { 5, 5 }, { 1000, 1000 },
				     { 1000, 1000 }, { 1000, 1000 } };
	uint32_t words[3] = { 1, 0, 0 }; /* go on, moves, new seeds */
	plait_graph *graph, *body;

	must(plait_context_open(NULL, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
	plait_buffer *centres = new_buffer(device, places, sizeof(places));
	plait_buffer *state = new_buffer(device, words, sizeof(words));

	must(plait_graph_create(context, &graph, &error));
	body = add_loop(graph, state, 20);
	add_body(body, centres, state);
	run_graph(graph);

	read_buffer(centres, places, sizeof(places));
	read_buffer(state, words, sizeof(words));
	printf("settled after %u moves and %u new seeds\n", words[1],
	       words[2]);
	qsort(places, CENTRES, sizeof(places[0]), compare);
	for (int c = 0; c < CENTRES; c++)
		printf("a centre near %.1f, %.1f\n", places[c][0],
		       places[c][1]);

	plait_graph_release(body);
	plait_graph_release(graph);
	plait_buffer_release(state);
	plait_buffer_release(centres);
	plait_context_release(context);
	return 0;
}
