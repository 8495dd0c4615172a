/* SPDX-License-Identifier: MIT */
/*
 * Two vectors are squared at a time, then the sum of their differences is
 * taken, in rounds: the host writes new numbers as soon as the old ones are
 * not needed any more.
 */
#include "frame.h"

#include <stddef.h>

enum { N = 10000, PARTS = 100, ROUNDS = 5 };

static float x[N], y[N], sums[PARTS];

static float sequential(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += (double)x[i] * x[i] - (double)y[i] * y[i];
	return (float)sum;
}

int main(void)
{
	const uint64_t n = N, parts = PARTS;
	float got[ROUNDS] = { 0 }, wanted[ROUNDS];

	open_flow();
	plait_kernel *square = read_kernel("flow", "square");
	plait_kernel *differ = read_kernel("flow", "differ");
	plait_data *left = new_data(N, 1, NULL), *right = new_data(N, 1, NULL);
	plait_data *parted = new_data(PARTS, 1, NULL);

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < N; i++) {
			x[i] = noise(i + round);
			y[i] = noise(3 * i + round);
		}
		must(plait_data_write(left, NULL, x, &error));
		must(plait_data_write(right, NULL, y, &error));
		must(plait_flow_launch(flow, square, PLAIT_ITEMS(N),
				       PLAIT_ARGUMENTS(PLAIT_DATA(left), PLAIT_VALUE(n)),
				       NULL, &error));
		must(plait_flow_launch(flow, square, PLAIT_ITEMS(N),
				       PLAIT_ARGUMENTS(PLAIT_DATA(right), PLAIT_VALUE(n)),
				       NULL, &error));
		must(plait_flow_launch(flow, differ, PLAIT_ITEMS(PARTS),
				       PLAIT_ARGUMENTS(PLAIT_DATA(left), PLAIT_DATA(right),
						       PLAIT_DATA(parted), PLAIT_VALUE(n),
						       PLAIT_VALUE(parts)),
				       NULL, &error));
		must(plait_data_read(parted, NULL, sums, &error));
		for (int i = 0; i < PARTS; i++)
			got[round] += sums[i];
		wanted[round] = sequential();
	}
	compare("vec", got, wanted, ROUNDS);
	close_flow();
	return 0;
}
