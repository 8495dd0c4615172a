/* SPDX-License-Identifier: MIT */
/* Kernels of t/source/kernels with local parameters, against plain C. */
#include "lib/suite.h"

enum { COUNT = 1003 };

static void tree(void)
{
	enum { WIDTH = 128, GROUPS = 3 };
	float x[COUNT], sums[GROUPS] = { 0 }, want[GROUPS] = { 0 };

	for (int i = 0; i < COUNT; i++) {
		x[i] = suite_between(-1, 1);
		want[i / WIDTH % GROUPS] += x[i];
	}
	if (!suite_load("tree"))
		return;
	suite_local(WIDTH * sizeof(float));
	SUITE_ARRAY(x);
	SUITE_ARRAY(sums);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(GROUPS * WIDTH, 1, 1);
	suite_close_f32(sums, want, GROUPS, 1e-4f);
}

/* Three local memories of different types; the first one's size is no multiple
 * of the others' alignment. */
static void ranks(void)
{
	enum { WIDTH = 64 };
	int16_t x[COUNT];
	uint32_t y[COUNT], rank = 0;
	unsigned wrong = 0;

	for (int i = 0; i < COUNT; i++)
		x[i] = (int16_t)suite_random();
	memset(y, 0xff, sizeof(y));
	if (!suite_load("ranks"))
		return;
	suite_local(WIDTH + 1);
	suite_local(WIDTH * sizeof(uint32_t));
	suite_local(WIDTH * sizeof(uint32_t));
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	for (int i = 0; i < COUNT; i++) {
		rank = (i % WIDTH == 0 ? 0 : rank) + (x[i] > 0);
		wrong += y[i] != (x[i] > 0 ? rank : 0);
	}
	IS_INT(wrong, 0);
}

static void heat(void)
{
	enum { WIDTH = 37, HEIGHT = 11 };
	float x[HEIGHT + 2][WIDTH + 2] = { { 0 } }, y[HEIGHT][WIDTH];
	float inner[HEIGHT][WIDTH], want[HEIGHT][WIDTH];

	for (int i = 0; i < HEIGHT; i++)
		for (int k = 0; k < WIDTH; k++)
			inner[i][k] = x[i + 1][k + 1] = suite_between(0, 9);
	for (int i = 0; i < HEIGHT; i++)
		for (int k = 0; k < WIDTH; k++)
			want[i][k] = x[i + 1][k + 1] + 0.2f *
				(x[i + 1][k] + x[i + 1][k + 2] +
				 x[i][k + 1] + x[i + 2][k + 1] -
				 4 * x[i + 1][k + 1]);
	memset(y, 0, sizeof(y));
	if (!suite_load("heat"))
		return;
	suite_local((16 + 2) * (4 + 2) * sizeof(float));
	SUITE_ARRAY(inner);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint32_t, WIDTH);
	SUITE_VALUE(uint32_t, HEIGHT);
	SUITE_VALUE(float, 0.2f);
	suite_launch(WIDTH, HEIGHT, 1);
	suite_close_f32(y[0], want[0], WIDTH * HEIGHT, 1e-5f);
}

/* Above the 48 KiB that CUDA grants without a request. */
static void turned(void)
{
	enum { LONG = 60000 / 4 };
	uint32_t *y = calloc(LONG, sizeof(*y));
	unsigned wrong = 0;

	if (y == NULL || !suite_load("turned")) {
		free(y);
		return;
	}
	suite_local(LONG * sizeof(*y));
	suite_memory(y, LONG * sizeof(*y));
	SUITE_VALUE(uint32_t, LONG);
	suite_launch(1, 1, 1);
	for (uint32_t i = 0; i < LONG; i++)
		wrong += y[i] != (LONG - 1 - i) * 3;
	IS_INT(wrong, 0);
	free(y);
}

static void run_all(void)
{
	tree();
	ranks();
	heat();
	turned();
}

SUITE_MAIN(run_all)
