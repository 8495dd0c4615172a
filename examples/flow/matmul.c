/* SPDX-License-Identifier: MIT */
/*
 * Two products of matrices, one behind the other, in pieces of rows: a piece of
 * the second one needs the same rows of the first one, and no others.
 */
#include "frame.h"

#include <stddef.h>

enum { N = 48 };

static float a[N * N], b[N * N], ab[N * N], wanted[N * N], got[N * N];

static void sequential(const float *left, const float *right, float *product)
{
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += (double)left[y * N + k] * right[k * N + x];
			product[y * N + x] = (float)sum;
		}
}

static void multiply(plait_kernel *kernel, plait_data *left, plait_data *right,
		     plait_data *product)
{
	const uint64_t n = N;
	plait_mapper rows = { .size = sizeof(rows), .kind = PLAIT_MAPPER_SLICE };
	plait_mapper own = { .size = sizeof(own),
			     .kind = PLAIT_MAPPER_ONE_TO_ONE };
	plait_access from = { .size = sizeof(from), .data = left, .mapper = &rows };
	plait_access to = { .size = sizeof(to), .data = product, .mapper = &own };

	launch_rows(kernel, PLAIT_ITEMS(N, N),
		    PLAIT_ARGUMENTS(PLAIT_ACCESS(&from), PLAIT_DATA(right),
				    PLAIT_ACCESS(&to), PLAIT_VALUE(n),
				    PLAIT_CHUNK()));
}

int main(void)
{
	open_flow();
	plait_kernel *kernel = read_kernel("flow", "multiply");

	for (int i = 0; i < N * N; i++) {
		a[i] = noise(i) - 0.5f;
		b[i] = noise(5 * i) - 0.5f;
	}
	plait_data *left = new_data(N, N, a), *right = new_data(N, N, b);
	plait_data *first = new_data(N, N, NULL), *second = new_data(N, N, NULL);

	multiply(kernel, left, right, first);
	multiply(kernel, first, right, second);
	sequential(a, b, ab);
	sequential(ab, b, wanted);
	must(plait_data_read(second, NULL, got, &error));
	compare("matmul", got, wanted, N * N);
	close_flow();
	return 0;
}
