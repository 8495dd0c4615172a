/* SPDX-License-Identifier: MIT */
/*
 * A Poisson problem on a square, solved by conjugate gradients.  The whole
 * solver is one plan: its loop ends when the residual is small, which a kernel
 * finds out.
 */
#include "program.h"

#include <math.h>
#include <stdio.h>

enum { SIZE = 64, N = SIZE * SIZE };

static plait_context *context;
static plait_device *device;

static plait_kernel *kernel(const char *name)
{
	return read_kernel(context, "conjugate_gradient", name);
}

static void add_body(plait_graph *body, plait_buffer *x, plait_buffer *go,
		     plait_buffer *count, plait_buffer *scalars)
{
	static double ones[N];
	const uint32_t size = SIZE, n = N;
	const double tolerance = 1e-8;
	plait_node last;

	for (int i = 0; i < N; i++)
		ones[i] = 1; /* the right side is 1 everywhere */
	plait_buffer *r = new_buffer(device, ones, sizeof(ones));
	plait_buffer *p = new_buffer(device, ones, sizeof(ones));
	plait_buffer *q = new_buffer(device, NULL, sizeof(ones));
	plait_buffer *parts = new_buffer(device, NULL, SIZE * sizeof(double));

	plait_argument applies[] = { BUFFER(p), BUFFER(q), BUFFER(parts),
				     VALUE(size) };
	plait_argument alphas[] = { BUFFER(parts), BUFFER(scalars),
				    VALUE(size) };
	plait_argument steps[] = { BUFFER(x), BUFFER(r), BUFFER(p), BUFFER(q),
				   BUFFER(scalars), BUFFER(parts),
				   VALUE(size) };
	plait_argument betas[] = { BUFFER(parts), BUFFER(scalars), BUFFER(go),
				   BUFFER(count), VALUE(size),
				   VALUE(tolerance) };
	plait_argument turns[] = { BUFFER(p), BUFFER(r), BUFFER(scalars),
				   VALUE(n) };
	plait_kernel *kernels[] = { kernel("apply"), kernel("find_alpha"),
				    kernel("step"), kernel("find_beta"),
				    kernel("turn") };

	last = LAUNCH(body, kernels[0], applies, items(SIZE, 1), 0);
	last = LAUNCH(body, kernels[1], alphas, items(1, 1), last);
	last = LAUNCH(body, kernels[2], steps, items(SIZE, 1), last);
	last = LAUNCH(body, kernels[3], betas, items(1, 1), last);
	LAUNCH(body, kernels[4], turns, items(N, 1), last);

	/* The graph keeps what it uses. */
	for (int i = 0; i < 5; i++)
		plait_kernel_release(kernels[i]);
	plait_buffer_release(parts);
	plait_buffer_release(q);
	plait_buffer_release(p);
	plait_buffer_release(r);
}

int main(void)
{
	static double answer[N];
	double numbers[3] = { 0, 0, N }; /* alpha, beta, r . r */
	uint32_t yes = 1, iterations;
	plait_graph *graph, *body;

	must(plait_context_open(NULL, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
	plait_buffer *x = new_buffer(device, NULL, sizeof(answer));
	plait_buffer *go = new_buffer(device, &yes, sizeof(yes));
	plait_buffer *count = new_buffer(device, NULL, sizeof(iterations));
	plait_buffer *scalars = new_buffer(device, numbers, sizeof(numbers));

	must(plait_graph_create(context, &graph, &error));
	body = add_loop(graph, go, 150);
	add_body(body, x, go, count, scalars);
	run_graph(graph);

	read_buffer(x, answer, sizeof(answer));
	read_buffer(count, &iterations, sizeof(iterations));
	read_buffer(scalars, numbers, sizeof(numbers));
	printf("%s after %u iterations, %.3f in the middle\n",
	       sqrt(numbers[2]) <= 1e-8 ? "solved" : "not solved", iterations,
	       answer[SIZE / 2 * SIZE + SIZE / 2]);

	plait_graph_release(body);
	plait_graph_release(graph);
	plait_buffer_release(scalars);
	plait_buffer_release(count);
	plait_buffer_release(go);
	plait_buffer_release(x);
	plait_context_release(context);
	return 0;
}
