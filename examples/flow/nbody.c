/* SPDX-License-Identifier: MIT */
/*
 * Bodies that attract each other, in pieces: to pull them a piece reads all
 * places, to move them its own ones.
 */
#include "frame.h"

#include <math.h>
#include <stddef.h>

enum { N = 64, STEPS = 10 };

static float places[3 * N], speeds[3 * N], got[3 * N];

static void pull_one(int i)
{
	for (int k = 0; k < N; k++) {
		float d[3], square = 0.1f;

		for (int axis = 0; axis < 3; axis++) {
			d[axis] = places[3 * k + axis] - places[3 * i + axis];
			square += d[axis] * d[axis];
		}
		for (int axis = 0; axis < 3; axis++)
			speeds[3 * i + axis] += 0.01f * d[axis] / (square * sqrtf(square));
	}
}

static void sequential(void)
{
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < N; i++)
			pull_one(i);
		for (int i = 0; i < 3 * N; i++)
			places[i] += 0.01f * speeds[i];
	}
}

int main(void)
{
	const uint64_t n = N;
	plait_mapper own = { .size = sizeof(own),
			     .kind = PLAIT_MAPPER_ONE_TO_ONE };

	open_flow();
	plait_kernel *pull = read_kernel("flow", "pull");
	plait_kernel *drift = read_kernel("flow", "drift");

	for (int i = 0; i < 3 * N; i++)
		places[i] = noise(i);
	plait_data *where = new_data(3, N, places), *how_fast = new_data(3, N, NULL);
	plait_access moved = { .size = sizeof(moved), .data = where, .mapper = &own };
	plait_access speed = { .size = sizeof(speed), .data = how_fast, .mapper = &own };

	for (int step = 0; step < STEPS; step++) {
		launch_rows(pull, PLAIT_ITEMS(3, N),
			    PLAIT_ARGUMENTS(PLAIT_DATA(where), PLAIT_ACCESS(&speed),
					    PLAIT_VALUE(n), PLAIT_CHUNK()));
		launch_rows(drift, PLAIT_ITEMS(3, N),
			    PLAIT_ARGUMENTS(PLAIT_ACCESS(&moved), PLAIT_ACCESS(&speed),
					    PLAIT_CHUNK()));
	}
	sequential();
	must(plait_data_read(where, NULL, got, &error));
	compare("nbody", got, places, 3 * N);
	close_flow();
	return 0;
}
