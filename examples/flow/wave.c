/* SPDX-License-Identifier: MIT */
/*
 * A wave on a membrane, in pieces of rows: a step reads the state before it
 * with its neighbours, and overwrites the one before that.
 */
#include "frame.h"

#include <stddef.h>

enum { N = 64, STEPS = 50 };

static float states[2][N * N], got[N * N];

static void step(const float *now, float *other)
{
	for (int y = 1; y < N - 1; y++)
		for (int i = y * N + 1; i < y * N + N - 1; i++)
			other[i] = 2 * now[i] - other[i] +
				   0.1f * (now[i - 1] + now[i + 1] + now[i - N] +
					   now[i + N] - 4 * now[i]);
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
	plait_kernel *swing = read_kernel("flow", "swing");

	states[0][N / 2 * N + N / 2] = states[1][N / 2 * N + N / 2] = 1;
	plait_data *membranes[2] = { new_data(N, N, states[0]),
				     new_data(N, N, states[1]) };

	for (int i = 0; i < STEPS; i++) {
		plait_access now = { .size = sizeof(now), .mapper = &near,
				     .data = membranes[i % 2] };
		plait_access other = { .size = sizeof(other), .mapper = &own,
				       .data = membranes[(i + 1) % 2] };

		launch_rows(swing, PLAIT_ITEMS(N, N),
			    PLAIT_ARGUMENTS(PLAIT_ACCESS(&now), PLAIT_ACCESS(&other),
					    PLAIT_VALUE(n), PLAIT_CHUNK()));
	}
	for (int i = 0; i < STEPS; i++)
		step(states[i % 2], states[(i + 1) % 2]);
	must(plait_data_read(membranes[STEPS % 2], NULL, got, &error));
	compare("wave", got, states[STEPS % 2], N * N);
	close_flow();
	return 0;
}
