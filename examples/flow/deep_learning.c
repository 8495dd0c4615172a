/* SPDX-License-Identifier: MIT */
/*
 * A small network: two branches of convolution, pooling and convolution look at
 * an image at the same time, and a dense layer joins them.
 */
#include "frame.h"

#include <stddef.h>

enum { N = 34, WIDE = N - 2, HALF = WIDE / 2, END = HALF - 2, LAST = END * END };
enum { OUTPUTS = 10 };

static float image[N * N], filters[4][9], weights[OUTPUTS * 2 * LAST];
static float ends[2][LAST], got[OUTPUTS], wanted[OUTPUTS];

static void convolve_one(const float *from, const float *filter, float *to, int n)
{
	for (int y = 0; y < n - 2; y++)
		for (int x = 0; x < n - 2; x++) {
			float sum = 0;

			for (int k = 0; k < 9; k++)
				sum += filter[k] * from[(y + k / 3) * n + x + k % 3];
			to[y * (n - 2) + x] = sum > 0 ? sum : 0;
		}
}

static void branch_one(int b)
{
	static float wide[WIDE * WIDE], half[HALF * HALF];

	convolve_one(image, filters[2 * b], wide, N);
	for (int i = 0; i < HALF * HALF; i++) {
		const float *at = &wide[i / HALF * 2 * WIDE + i % HALF * 2];

		half[i] = 0.25f * (at[0] + at[1] + at[WIDE] + at[WIDE + 1]);
	}
	convolve_one(half, filters[2 * b + 1], ends[b], HALF);
}

static void sequential(void)
{
	branch_one(0);
	branch_one(1);
	for (int o = 0; o < OUTPUTS; o++)
		for (int i = 0; i < 2 * LAST; i++)
			wanted[o] += weights[2 * LAST * o + i] * ends[i / LAST][i % LAST];
}

static void convolve_to(plait_kernel *kernel, plait_data *from,
			const float *filter, plait_data *to, uint64_t n)
{
	plait_data *nine = new_data(9, 1, filter);

	must(plait_flow_launch(flow, kernel, PLAIT_ITEMS(n - 2, n - 2),
			       PLAIT_ARGUMENTS(PLAIT_DATA(from), PLAIT_DATA(nine),
					       PLAIT_DATA(to), PLAIT_VALUE(n)), NULL, &error));
}

static plait_data *branch(plait_kernel *convolve, plait_kernel *pool,
			  plait_data *picture, int b)
{
	const uint64_t n = WIDE;
	plait_data *wide = new_data(WIDE, WIDE, NULL), *half = new_data(HALF, HALF, NULL);
	plait_data *end = new_data(LAST, 1, NULL);

	convolve_to(convolve, picture, filters[2 * b], wide, N);
	must(plait_flow_launch(flow, pool, PLAIT_ITEMS(HALF, HALF),
			       PLAIT_ARGUMENTS(PLAIT_DATA(wide), PLAIT_DATA(half), PLAIT_VALUE(n)),
			       NULL, &error));
	convolve_to(convolve, half, filters[2 * b + 1], end, HALF);
	return end;
}

int main(void)
{
	const uint64_t last = LAST, outputs = OUTPUTS;

	open_flow();
	plait_kernel *convolve = read_kernel("flow", "convolve");
	plait_kernel *pool = read_kernel("flow", "pool");
	plait_kernel *dense = read_kernel("flow", "dense");

	for (int i = 0; i < N * N; i++)
		image[i] = noise(i);
	for (int i = 0; i < 4 * 9; i++)
		filters[i / 9][i % 9] = noise(3 * i) - 0.4f;
	for (int i = 0; i < OUTPUTS * 2 * LAST; i++)
		weights[i] = noise(5 * i) - 0.5f;
	plait_data *picture = new_data(N, N, image), *out = new_data(OUTPUTS, 1, NULL);
	plait_data *all = new_data(2 * LAST, OUTPUTS, weights);
	plait_data *left = branch(convolve, pool, picture, 0);
	plait_data *right = branch(convolve, pool, picture, 1);

	must(plait_flow_launch(flow, dense, PLAIT_ITEMS(OUTPUTS),
			       PLAIT_ARGUMENTS(PLAIT_DATA(left), PLAIT_DATA(right), PLAIT_DATA(all),
					       PLAIT_DATA(out), PLAIT_VALUE(last),
					       PLAIT_VALUE(outputs)), NULL, &error));
	sequential();
	must(plait_data_read(out, NULL, got, &error));
	compare("deep_learning", got, wanted, OUTPUTS);
	close_flow();
	return 0;
}
