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

/* Code of each language: parameters in C and OpenCL C; in CUDA dynamic shared
 * memory, where the second one begins at the next multiple of 16 bytes. */
static const plait_source natives[] = {
	{ .size = sizeof(plait_source), .form = PLAIT_SOURCE_CUDA_C, .code =
	  "extern \"C\" __global__ void blend(const unsigned *x, unsigned *y)\n{\n"
	  "\textern __shared__ unsigned room[];\n"
	  "\tunsigned char *b = (unsigned char *)(room + 8);\n\n"
	  "\tfor (int i = 0; i < 5; i++)\n"
	  "\t\troom[i] = x[i], b[i] = (unsigned char)(i + 1);\n"
	  "\tfor (int i = 0; i < 5; i++)\n"
	  "\t\ty[i] = room[4 - i] + b[i];\n}\n" },
	{ .size = sizeof(plait_source), .form = PLAIT_SOURCE_OPENCL_C, .code =
	  "__kernel void blend(__local uint *a, __local uchar *b,\n"
	  "\t__global const uint *x, __global uint *y)\n{\n"
	  "\tfor (int i = 0; i < 5; i++)\n"
	  "\t\ta[i] = x[i], b[i] = (uchar)(i + 1);\n"
	  "\tfor (int i = 0; i < 5; i++)\n"
	  "\t\ty[i] = a[4 - i] + b[i];\n}\n" },
	{ .size = sizeof(plait_source), .form = PLAIT_SOURCE_C, .code =
	  "void blend(unsigned *a, unsigned char *b, const unsigned *x,\n"
	  "\tunsigned *y)\n{\n"
	  "\tfor (int i = 0; i < 5; i++)\n"
	  "\t\ta[i] = x[i], b[i] = (unsigned char)(i + 1);\n"
	  "\tfor (int i = 0; i < 5; i++)\n"
	  "\t\ty[i] = a[4 - i] + b[i];\n}\n" },
};

static void blend(void)
{
	uint32_t x[5] = { 10, 20, 30, 40, 50 }, y[5] = { 0 };
	const uint32_t want[5] = { 51, 42, 33, 24, 15 };

	if (!suite_take_many("blend(a: local u32, b: local u8, "
			     "x: in pointer u32, y: out pointer u32)", natives,
			     TAP_COUNT(natives)))
		return;
	suite_local(sizeof(x));
	suite_local(5);
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	suite_launch(1, 1, 1);
	OK_THAT(memcmp(y, want, sizeof(y)) == 0, "%u %u %u %u %u", y[0], y[1],
		y[2], y[3], y[4]);
}

static void run_all(void)
{
	blend();
	tree();
	ranks();
	heat();
	turned();
}

SUITE_MAIN(run_all)
