/* SPDX-License-Identifier: MIT */
/*
 * Cholesky's factor of a matrix in tiles: the loops submit the tasks in the
 * order of the textbook, and the flow finds which of them can overlap.
 */
#include "frame.h"

#include <math.h>
#include <stddef.h>

enum { TILES = 5, SIDE = 16, N = TILES * SIDE };

static float matrix[N][N], got[N * N], wanted[N * N], tile[SIDE][SIDE];
static plait_data *tiles[TILES][TILES];

static void sequential(void)
{
	for (int j = 0; j < N; j++)
		for (int i = j; i < N; i++) {
			double sum = matrix[i][j];

			for (int k = 0; k < j; k++)
				sum -= (double)wanted[i * N + k] * wanted[j * N + k];
			wanted[i * N + j] = (float)(i == j ? sqrt(sum) :
						    sum / wanted[j * N + j]);
		}
}

static void cut(void)
{
	for (int i = 0; i < TILES; i++)
		for (int j = 0; j <= i; j++) {
			for (int y = 0; y < SIDE; y++)
				for (int x = 0; x < SIDE; x++)
					tile[y][x] = matrix[i * SIDE + y][j * SIDE + x];
			tiles[i][j] = new_data(SIDE, SIDE, tile[0]);
		}
}

static void gather(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j <= i; j++) {
			plait_box one = { { j % SIDE, i % SIDE, 0 },
					  { j % SIDE + 1, i % SIDE + 1, 1 } };

			must(plait_data_read(tiles[i / SIDE][j / SIDE], &one,
					     &got[i * N + j], &error));
		}
}

static void submit(void)
{
	const uint64_t n = SIDE;
	plait_kernel *factor = read_kernel("flow", "factor");
	plait_kernel *solve = read_kernel("flow", "solve");
	plait_kernel *update = read_kernel("flow", "update");

	for (int k = 0; k < TILES; k++) {
		must(plait_flow_launch(flow, factor, NULL,
				       PLAIT_ARGUMENTS(PLAIT_DATA(tiles[k][k]), PLAIT_VALUE(n)),
				       NULL, &error));
		for (int i = k + 1; i < TILES; i++)
			must(plait_flow_launch(flow, solve, PLAIT_ITEMS(SIDE),
					       PLAIT_ARGUMENTS(PLAIT_DATA(tiles[k][k]),
							       PLAIT_DATA(tiles[i][k]),
							       PLAIT_VALUE(n)),
					       NULL, &error));
		for (int i = k + 1; i < TILES; i++)
			for (int j = k + 1; j <= i; j++)
				must(plait_flow_launch(flow, update, PLAIT_ITEMS(SIDE, SIDE),
						       PLAIT_ARGUMENTS(PLAIT_DATA(tiles[i][k]),
								       PLAIT_DATA(tiles[j][k]),
								       PLAIT_DATA(tiles[i][j]),
								       PLAIT_VALUE(n)),
						       NULL, &error));
	}
}

int main(void)
{
	open_flow();
	for (int i = 0; i < N; i++)
		for (int j = 0; j <= i; j++)
			matrix[i][j] = matrix[j][i] =
				noise(i * 31 + j) + (i == j ? N : 0);
	cut();
	submit();
	sequential();
	gather();
	compare("cholesky", got, wanted, N * N);
	close_flow();
	return 0;
}
