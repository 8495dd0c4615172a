/* SPDX-License-Identifier: MIT */
/*
 * Hubs and authorities among pages that link each other: both are made anew
 * from the other one of the step before, so they overlap.
 */
#include "frame.h"

#include <stddef.h>

enum { N = 60, STEPS = 8 };

static float links[N * N], hubs[2][N], pages[2][N], got[2 * N], wanted[2 * N];

static void follow(const float *from, float *to, int back)
{
	float sum = 0;

	for (int i = 0; i < N; i++) {
		to[i] = 0;
		for (int k = 0; k < N; k++)
			to[i] += (back ? links[k * N + i] : links[i * N + k]) * from[k];
		sum += to[i];
	}
	for (int i = 0; i < N; i++)
		to[i] /= sum;
}

static void sequential(void)
{
	for (int step = 0; step < STEPS; step++) {
		follow(hubs[step % 2], pages[(step + 1) % 2], 1);
		follow(pages[step % 2], hubs[(step + 1) % 2], 0);
	}
	for (int i = 0; i < N; i++) {
		wanted[i] = hubs[STEPS % 2][i];
		wanted[N + i] = pages[STEPS % 2][i];
	}
}

static void submit(plait_data *all, plait_data *from, plait_data *to,
		   plait_data *sum, uint32_t back)
{
	static plait_kernel *kernels[3];
	const uint64_t n = N;

	if (kernels[0] == NULL) {
		kernels[0] = read_kernel("flow", "follow");
		kernels[1] = read_kernel("flow", "total");
		kernels[2] = read_kernel("flow", "shrink");
	}
	must(plait_flow_launch(flow, kernels[0], PLAIT_ITEMS(N),
			       PLAIT_ARGUMENTS(PLAIT_DATA(all), PLAIT_DATA(from), PLAIT_DATA(to),
					       PLAIT_VALUE(n), PLAIT_VALUE(back)), NULL, &error));
	must(plait_flow_launch(flow, kernels[1], NULL,
			       PLAIT_ARGUMENTS(PLAIT_DATA(to), PLAIT_DATA(sum), PLAIT_VALUE(n)),
			       NULL, &error));
	must(plait_flow_launch(flow, kernels[2], PLAIT_ITEMS(N),
			       PLAIT_ARGUMENTS(PLAIT_DATA(to), PLAIT_DATA(sum), PLAIT_VALUE(n)),
			       NULL, &error));
}

int main(void)
{
	open_flow();
	for (int i = 0; i < N * N; i++)
		links[i] = noise(i) < 0.2f;
	for (int i = 0; i < N; i++)
		hubs[0][i] = pages[0][i] = 1.0f / N;
	plait_data *all = new_data(N, N, links);
	plait_data *hub[2] = { new_data(N, 1, hubs[0]), new_data(N, 1, NULL) };
	plait_data *page[2] = { new_data(N, 1, pages[0]), new_data(N, 1, NULL) };
	plait_data *sums[2] = { new_data(1, 1, NULL), new_data(1, 1, NULL) };

	for (int step = 0; step < STEPS; step++) {
		submit(all, hub[step % 2], page[(step + 1) % 2], sums[0], 1);
		submit(all, page[step % 2], hub[(step + 1) % 2], sums[1], 0);
	}
	sequential();
	must(plait_data_read(hub[STEPS % 2], NULL, got, &error));
	must(plait_data_read(page[STEPS % 2], NULL, got + N, &error));
	compare("hits", got, wanted, 2 * N);
	close_flow();
	return 0;
}
