/* SPDX-License-Identifier: MIT */
/*
 * A Poisson problem on a square, solved by conjugate gradients.  The whole
 * solver is one plan: its loop ends when a kernel finds the residual small.
 */
#include "program.h"

#include <math.h>
#include <stdio.h>

enum { SIZE = 64, N = SIZE * SIZE };

/* Append a launch to a body. */
static void launch(plait_graph *body, const char *name, uint64_t items,
		   const plait_argument *arguments, uint64_t count,
		   plait_node *last)
{
	plait_kernel *kernel = read_kernel("conjugate_gradient", name);

	must(plait_graph_launch(body, kernel, PLAIT_ITEMS(items), arguments, count, *last, last,
				&error));
}

static void add_body(plait_graph *body, plait_buffer *x, plait_buffer *go,
		     plait_buffer *count, plait_buffer *scalars)
{
	static double ones[N];
	const uint32_t size = SIZE, n = N;
	const double tolerance = 1e-8;
	plait_node last = 0;

	for (int i = 0; i < N; i++)
		ones[i] = 1; /* the right side is 1 everywhere */
	plait_buffer *r = new_buffer(ones, sizeof(ones));
	plait_buffer *p = new_buffer(ones, sizeof(ones));
	plait_buffer *q = new_buffer(NULL, sizeof(ones));
	plait_buffer *parts = new_buffer(NULL, SIZE * sizeof(double));

	launch(body, "apply", SIZE,
	       PLAIT_ARGUMENTS(PLAIT_BUFFER(p), PLAIT_BUFFER(q), PLAIT_BUFFER(parts),
			       PLAIT_VALUE(size)), &last);
	launch(body, "find_alpha", 1,
	       PLAIT_ARGUMENTS(PLAIT_BUFFER(parts), PLAIT_BUFFER(scalars), PLAIT_VALUE(size)),
	       &last);
	launch(body, "step", SIZE,
	       PLAIT_ARGUMENTS(PLAIT_BUFFER(x), PLAIT_BUFFER(r), PLAIT_BUFFER(p), PLAIT_BUFFER(q),
			       PLAIT_BUFFER(scalars), PLAIT_BUFFER(parts), PLAIT_VALUE(size)),
	       &last);
	launch(body, "find_beta", 1,
	       PLAIT_ARGUMENTS(PLAIT_BUFFER(parts), PLAIT_BUFFER(scalars), PLAIT_BUFFER(go),
			       PLAIT_BUFFER(count), PLAIT_VALUE(size), PLAIT_VALUE(tolerance)),
	       &last);
	launch(body, "turn", N,
	       PLAIT_ARGUMENTS(PLAIT_BUFFER(p), PLAIT_BUFFER(r), PLAIT_BUFFER(scalars),
			       PLAIT_VALUE(n)), &last);
}

int main(void)
{
	static double answer[N];
	double numbers[3] = { 0, 0, N }; /* alpha, beta, r . r */
	uint32_t yes = 1, iterations;
	plait_graph *body;

	open_system();
	plait_buffer *x = new_buffer(NULL, sizeof(answer));
	plait_buffer *go = new_buffer(&yes, sizeof(yes));
	plait_buffer *count = new_buffer(NULL, sizeof(iterations));
	plait_buffer *scalars = new_buffer(numbers, sizeof(numbers));

	plait_graph *graph = new_graph();
	must(plait_graph_while(graph, go, 0, 150, 0, &body, NULL, &error));
	add_body(body, x, go, count, scalars);
	plait_graph_release(body);
	must(plait_plan_call(freeze(graph), NULL, NULL, &error));

	read_buffer(x, answer, sizeof(answer));
	read_buffer(count, &iterations, sizeof(iterations));
	read_buffer(scalars, numbers, sizeof(numbers));
	printf("%s after %u iterations, %.3f in the middle\n",
	       sqrt(numbers[2]) <= 1e-8 ? "solved" : "not solved", iterations,
	       answer[SIZE / 2 * SIZE + SIZE / 2]);
	close_system();
	return 0;
}
