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

/* Points around four places, equal in every run. */
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
	return new_buffer(points, sizeof(points));
}

/* Append a launch to a body. */
static void launch(plait_graph *body, const char *name, uint64_t items,
		   const plait_argument *arguments, uint64_t count,
		   plait_node *last)
{
	plait_kernel *kernel = read_kernel("kmeans", name);

	must(plait_graph_launch(body, kernel, PLAIT_ITEMS(items), arguments, count, *last, last,
				&error));
}

static void add_body(plait_graph *body, plait_buffer *centres,
		     plait_buffer *state)
{
	const uint32_t n = POINTS, k = CENTRES;
	plait_graph *branches[2];
	plait_node last = 0, moved = 0, seeded = 0;
	plait_buffer *points = make_points();
	plait_buffer *chosen = new_buffer(NULL, 4 * POINTS);
	plait_buffer *sums = new_buffer(NULL, 12 * CENTRES);
	plait_buffer *which = new_buffer(NULL, 4);

	launch(body, "choose", POINTS,
	       PLAIT_ARGUMENTS(PLAIT_BUFFER(points), PLAIT_BUFFER(centres), PLAIT_BUFFER(chosen),
			       PLAIT_VALUE(n), PLAIT_VALUE(k)), &last);
	launch(body, "gather", 1,
	       PLAIT_ARGUMENTS(PLAIT_BUFFER(points), PLAIT_BUFFER(chosen), PLAIT_BUFFER(sums),
			       PLAIT_BUFFER(which), PLAIT_VALUE(n), PLAIT_VALUE(k)), &last);
	must(plait_graph_case(body, which, 0, 2, last, branches, NULL, &error));
	launch(branches[0], "move", 1,
	       PLAIT_ARGUMENTS(PLAIT_BUFFER(centres), PLAIT_BUFFER(sums), PLAIT_BUFFER(state),
			       PLAIT_VALUE(k)), &moved);
	launch(branches[1], "reseed", 1,
	       PLAIT_ARGUMENTS(PLAIT_BUFFER(centres), PLAIT_BUFFER(sums), PLAIT_BUFFER(points),
			       PLAIT_BUFFER(state), PLAIT_VALUE(n), PLAIT_VALUE(k)), &seeded);
	plait_graph_release(branches[1]);
	plait_graph_release(branches[0]);
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
	plait_graph *body;

	open_system();
	plait_buffer *centres = new_buffer(places, sizeof(places));
	plait_buffer *state = new_buffer(words, sizeof(words));

	plait_graph *graph = new_graph();
	must(plait_graph_while(graph, state, 0, 20, 0, &body, NULL, &error));
	add_body(body, centres, state);
	plait_graph_release(body);
	must(plait_plan_call(freeze(graph), NULL, NULL, &error));

	read_buffer(centres, places, sizeof(places));
	read_buffer(state, words, sizeof(words));
	printf("settled after %u moves and %u new seeds\n", words[1],
	       words[2]);
	qsort(places, CENTRES, sizeof(places[0]), compare);
	for (int c = 0; c < CENTRES; c++)
		printf("a centre near %.1f, %.1f\n", places[c][0],
		       places[c][1]);
	close_system();
	return 0;
}
