/* SPDX-License-Identifier: MIT */
/*
 * Light in a room, as a table that grows by a row in each step: a step reads
 * all rows before its own, so what it accesses is never twice the same.
 */
#include "frame.h"

#include <stddef.h>

enum { N = 100, STEPS = 40 };

static float table[(STEPS + 1) * N], got[(STEPS + 1) * N];

static void sequential(void)
{
	for (int count = 1; count <= STEPS; count++)
		for (int x = 0; x < N; x++) {
			float sum = 0;

			for (int y = 0; y < count; y++)
				sum += table[y * N + (x * (y + 1) + 1) % N] /
				       (float)(count - y + 1);
			table[count * N + x] = 0.5f * sum;
		}
}

int main(void)
{
	const uint64_t n = N;

	open_flow();
	plait_kernel *shine = read_kernel("flow", "shine");

	for (int x = 0; x < N; x++)
		table[x] = noise(x);
	plait_data *light = new_data(N, STEPS + 1, table);

	for (uint64_t count = 1; count <= STEPS; count++) {
		plait_box known = { { 0, 0, 0 }, { N, count, 1 } };
		plait_box row = { { 0, count, 0 }, { N, count + 1, 1 } };
		plait_access from = { .size = sizeof(from), .data = light, .box = &known };
		plait_access to = { .size = sizeof(to), .data = light, .box = &row };

		must(plait_flow_launch(flow, shine, PLAIT_ITEMS(N),
				       PLAIT_ARGUMENTS(PLAIT_ACCESS(&from), PLAIT_ACCESS(&to),
						       PLAIT_VALUE(count), PLAIT_VALUE(n)),
				       NULL, &error));
	}
	sequential();
	must(plait_data_read(light, NULL, got, &error));
	compare("rsim", got, table, (STEPS + 1) * N);
	close_flow();
	return 0;
}
