/* SPDX-License-Identifier: MIT */
/*
 * Heat spreads over a plate, in pieces of rows: a piece of a step waits for the
 * pieces next to it of the step before, and no others.
 */
#include "frame.h"

#include <string.h>

enum { N = 64, STEPS = 50 };

static float start[N * N], other[N * N], got[N * N];

static float *sequential(void)
{
	float *now = start, *next = other, *swap;

	memcpy(other, start, sizeof(start));
	for (int step = 0; step < STEPS; step++) {
		for (int y = 1; y < N - 1; y++)
			for (int i = y * N + 1; i < y * N + N - 1; i++)
				next[i] = 0.25f * (now[i - 1] + now[i + 1] +
						   now[i - N] + now[i + N]);
		swap = now, now = next, next = swap;
	}
	return now;
}

int main(void)
{
	const uint64_t n = N;
	plait_mapper near = { .size = sizeof(near), .extent = { 1, 1 },
			      .kind = PLAIT_MAPPER_NEIGHBORHOOD,
			      .flags = PLAIT_MAPPER_NO_CORNERS };
	plait_mapper own = { .size = sizeof(own),
			     .kind = PLAIT_MAPPER_ONE_TO_ONE };

	open_flow();
	plait_kernel *warm = read_kernel("flow", "warm");

	for (int x = 0; x < N; x++)
		start[x] = 100; /* one edge is hot */
	plait_data *plates[2] = { new_data(N, N, start), new_data(N, N, NULL) };

	for (int step = 0; step < STEPS; step++) {
		plait_access now = { .size = sizeof(now), .mapper = &near,
				     .data = plates[step % 2] };
		plait_access next = { .size = sizeof(next), .mapper = &own,
				      .data = plates[(step + 1) % 2] };

		launch_rows(warm, PLAIT_ITEMS(N, N),
			    PLAIT_ARGUMENTS(PLAIT_ACCESS(&now), PLAIT_ACCESS(&next),
					    PLAIT_VALUE(n), PLAIT_CHUNK()));
	}
	must(plait_data_read(plates[STEPS % 2], NULL, got, &error));
	compare("heat", got, sequential(), N * N);
	close_flow();
	return 0;
}
