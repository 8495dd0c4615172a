/* SPDX-License-Identifier: MIT */
/* Kernels of t/source/kernels on arrays and grids, against plain C. */
#include "lib/suite.h"

#include <math.h>

enum { COUNT = 1003, WIDTH = 37, HEIGHT = 23, DEPTH = 5 };

static void fill(float *x, size_t count, float low, float high)
{
	for (size_t i = 0; i < count; i++)
		x[i] = suite_between(low, high);
}

static void saxpy(void)
{
	float x[COUNT], y[COUNT], want[COUNT];

	fill(x, COUNT, -1, 1);
	fill(y, COUNT, -1, 1);
	for (int i = 0; i < COUNT; i++)
		want[i] = y[i] + 1.5f * x[i];
	if (!suite_load("saxpy"))
		return;
	SUITE_VALUE(float, 1.5f);
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	suite_close_f32(y, want, COUNT, 1e-6f);
}

/* A range is done once, however many items the launch has. */
static void saxpy_once(void)
{
	static const uint64_t shapes[][3] = { { 1, 1, 1 }, { 7, 1, 1 },
		{ 5000, 1, 1 }, { 3, 4, 5 }, { 1, 1, 9 }, { 2, 600, 1 } };
	float x[COUNT], y[COUNT];

	fill(x, COUNT, 1, 1);
	for (size_t k = 0; k < TAP_COUNT(shapes); k++) {
		unsigned wrong = 0;

		fill(y, COUNT, 2, 2);
		if (!suite_load("saxpy"))
			return;
		SUITE_VALUE(float, 3);
		SUITE_ARRAY(x);
		SUITE_ARRAY(y);
		SUITE_VALUE(uint64_t, COUNT);
		suite_launch(shapes[k][0], shapes[k][1], shapes[k][2]);
		for (int i = 0; i < COUNT; i++)
			wrong += y[i] != 5;
		IS_INT(wrong, 0);
	}
}

static void stencil1(void)
{
	float x[COUNT], y[COUNT] = { 0 }, want[COUNT];

	fill(x, COUNT, -1, 1);
	for (int i = 0; i < COUNT; i++)
		want[i] = i == 0 || i == COUNT - 1 ? x[i] :
			  0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
	if (!suite_load("stencil1"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	suite_close_f32(y, want, COUNT, 1e-6f);
}

static void jacobi_on(uint64_t nx, uint64_t ny)
{
	double x[HEIGHT][WIDTH], y[HEIGHT][WIDTH] = { { 0 } };
	double want[HEIGHT][WIDTH];

	for (int j = 0; j < HEIGHT; j++)
		for (int i = 0; i < WIDTH; i++)
			x[j][i] = (double)suite_between(-1, 1);
	for (int j = 0; j < HEIGHT; j++)
		for (int i = 0; i < WIDTH; i++)
			want[j][i] = i == 0 || j == 0 || i == WIDTH - 1 ||
				     j == HEIGHT - 1 ? x[j][i] :
				0.25 * (x[j][i - 1] + x[j][i + 1] +
					x[j - 1][i] + x[j + 1][i]);
	if (!suite_load("jacobi"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint64_t, WIDTH);
	SUITE_VALUE(uint64_t, HEIGHT);
	suite_launch(nx, ny, 1);
	suite_close_f64(y[0], want[0], WIDTH * HEIGHT, 1e-14);
}

static void jacobi(void)
{
	jacobi_on(WIDTH, HEIGHT);
	jacobi_on(1, 1);
	jacobi_on(8, 2);
}

static void stencil3_on(uint64_t nx, uint64_t ny, uint64_t nz)
{
	enum { PLANE = WIDTH * HEIGHT, ALL = PLANE * DEPTH };
	static float x[ALL], y[ALL], want[ALL];

	fill(x, ALL, -1, 1);
	memset(y, 0, sizeof(y));
	for (int at = 0; at < ALL; at++) {
		int i = at % WIDTH, j = at / WIDTH % HEIGHT, k = at / PLANE;

		want[at] = i == 0 || j == 0 || k == 0 || i == WIDTH - 1 ||
			   j == HEIGHT - 1 || k == DEPTH - 1 ? x[at] :
			6 * x[at] - x[at - 1] - x[at + 1] - x[at - WIDTH] -
			x[at + WIDTH] - x[at - PLANE] - x[at + PLANE];
	}
	if (!suite_load("stencil3"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint32_t, WIDTH);
	SUITE_VALUE(uint32_t, HEIGHT);
	SUITE_VALUE(uint32_t, DEPTH);
	suite_launch(nx, ny, nz);
	suite_close_f32(y, want, ALL, 1e-5f);
}

static void stencil3(void)
{
	stencil3_on(WIDTH, HEIGHT, DEPTH);
	stencil3_on(3, 2, 2);
}

/* The numbers of an array, as without a flow: at, pitch, slice. */
static void add_place(uint32_t dimensions)
{
	SUITE_VALUE(int64_t, -(DEPTH - 2));
	if (dimensions > 1)
		SUITE_VALUE(uint64_t, WIDTH);
	if (dimensions > 2)
		SUITE_VALUE(uint64_t, WIDTH * HEIGHT);
}

/* Add the inner elements of arrays in coordinates that begin at DEPTH - 1. */
static void add_chunk(uint32_t dimensions)
{
	const uint64_t d = DEPTH - 1;
	const plait_box chunk = {
		{ d, dimensions > 1, dimensions > 2 },
		{ d + WIDTH - 2, dimensions > 1 ? HEIGHT - 1 : 1,
		  dimensions > 2 ? DEPTH - 1 : 1 } };

	suite_value(&chunk, sizeof(chunk));
}

static void part1_on(uint64_t items)
{
	static float x[WIDTH], y[WIDTH], want[WIDTH];

	fill(x, WIDTH, -1, 1);
	fill(y, WIDTH, -1, 1);
	memcpy(want, y, sizeof(y));
	for (int i = 1; i < WIDTH - 1; i++)
		want[i] += 0.5f * (x[i - 1] + x[i + 1]);
	if (!suite_load("part1"))
		return;
	SUITE_ARRAY(x);
	add_place(1);
	SUITE_ARRAY(y);
	add_place(1);
	add_chunk(1);
	suite_launch(items, 1, 1);
	suite_close_f32(y, want, WIDTH, 1e-5f);
}

static void part2_on(uint64_t nx, uint64_t ny)
{
	enum { ALL = WIDTH * HEIGHT };
	static float u[ALL], v[ALL], want[ALL];

	fill(u, ALL, -1, 1);
	memset(v, 0, sizeof(v));
	memset(want, 0, sizeof(want));
	for (int y = 1; y < HEIGHT - 1; y++)
		for (int x = 1; x < WIDTH - 1; x++) {
			int at = y * WIDTH + x;

			want[at] = u[at] + 0.125f *
				(u[at - 1] + u[at + 1] + u[at - WIDTH] +
				 u[at + WIDTH] - 4 * u[at]);
		}
	if (!suite_load("part2"))
		return;
	SUITE_ARRAY(u);
	add_place(2);
	SUITE_ARRAY(v);
	add_place(2);
	add_chunk(2);
	SUITE_VALUE(float, 0.125f);
	suite_launch(nx, ny, 1);
	suite_close_f32(v, want, ALL, 1e-5f);
}

static void part3_on(uint64_t nx, uint64_t ny, uint64_t nz)
{
	enum { PLANE = WIDTH * HEIGHT, ALL = PLANE * DEPTH };
	static float u[ALL], v[ALL], want[ALL];

	fill(u, ALL, -1, 1);
	memset(v, 0, sizeof(v));
	memset(want, 0, sizeof(want));
	for (int at = 0; at < ALL; at++) {
		int i = at % WIDTH, j = at / WIDTH % HEIGHT, k = at / PLANE;

		if (i == 0 || i == WIDTH - 1 || j == 0 || j == HEIGHT - 1 ||
		    k == 0 || k == DEPTH - 1 || u[at] < 0)
			continue;
		want[at] = fmaxf(u[at], fmaxf(u[at - PLANE], u[at + PLANE]));
	}
	if (!suite_load("part3"))
		return;
	SUITE_ARRAY(u);
	add_place(3);
	SUITE_ARRAY(v);
	add_place(3);
	add_chunk(3);
	suite_launch(nx, ny, nz);
	suite_close_f32(v, want, ALL, 0);
}

/* As many items as elements, and fewer. */
static void parts(void)
{
	part1_on(WIDTH - 2);
	part1_on(5);
	part2_on(WIDTH - 2, HEIGHT - 2);
	part2_on(3, 2);
	part3_on(WIDTH - 2, HEIGHT - 2, DEPTH - 2);
	part3_on(2, 3, 1);
}

static void transpose(void)
{
	float x[HEIGHT][WIDTH], y[WIDTH][HEIGHT];
	unsigned wrong = 0;

	fill(x[0], WIDTH * HEIGHT, -1, 1);
	memset(y, 0, sizeof(y));
	if (!suite_load("transpose"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint64_t, WIDTH);
	SUITE_VALUE(uint64_t, HEIGHT);
	suite_launch(WIDTH, HEIGHT, 1);
	for (int j = 0; j < HEIGHT; j++)
		for (int i = 0; i < WIDTH; i++)
			wrong += y[i][j] != x[j][i];
	IS_INT(wrong, 0);
}

static void mandelbrot(void)
{
	uint32_t got[HEIGHT][WIDTH] = { { 0 } };
	unsigned inside = 0, outside = 0, beyond = 0;

	if (!suite_load("mandelbrot"))
		return;
	SUITE_ARRAY(got);
	SUITE_VALUE(uint32_t, WIDTH);
	SUITE_VALUE(uint32_t, HEIGHT);
	SUITE_VALUE(uint32_t, 50);
	suite_launch(WIDTH, HEIGHT, 1);
	for (int j = 0; j < HEIGHT; j++)
		for (int i = 0; i < WIDTH; i++) {
			double re = -2.0 + 3.0 * i / WIDTH;
			double im = -1.0 + 2.0 * j / HEIGHT;
			double q = (re - 0.25) * (re - 0.25) + im * im;

			/* The main bulb is inside; radius 2 bounds it all. */
			if (q * (q + (re - 0.25)) < 0.25 * im * im - 1e-9)
				inside += got[j][i] != 50;
			if (re * re + im * im > 4)
				outside += got[j][i] != 1;
			beyond += got[j][i] > 50;
		}
	IS_INT(inside, 0);
	IS_INT(outside, 0);
	IS_INT(beyond, 0);
}

static void life(void)
{
	enum { ALL = WIDTH * HEIGHT };
	uint8_t now[ALL], then[ALL] = { 0 }, want[ALL];

	for (int i = 0; i < ALL; i++)
		now[i] = suite_random() % 3 == 0;
	for (int j = 0; j < HEIGHT; j++)
		for (int i = 0; i < WIDTH; i++) {
			int count = -now[j * WIDTH + i];

			for (int k = 0; k < 9; k++)
				count += now[(j + k / 3 + HEIGHT - 1) % HEIGHT *
					     WIDTH +
					     (i + k % 3 + WIDTH - 1) % WIDTH];
			want[j * WIDTH + i] = count == 3 ||
				(count == 2 && now[j * WIDTH + i]);
		}
	if (!suite_load("life"))
		return;
	SUITE_ARRAY(now);
	SUITE_ARRAY(then);
	SUITE_VALUE(int32_t, WIDTH);
	SUITE_VALUE(int32_t, HEIGHT);
	suite_launch(WIDTH, HEIGHT, 1);
	OK(memcmp(then, want, ALL) == 0);
}

static void convolution(void)
{
	static const float weight[5] = { 1, 4, 6, 4, 1 };
	float x[HEIGHT][WIDTH], y[HEIGHT][WIDTH] = { { 0 } };
	float want[HEIGHT][WIDTH] = { { 0 } };

	fill(x[0], WIDTH * HEIGHT, -1, 1);
	for (int j = 0; j < HEIGHT; j++)
		for (int i = 0; i < WIDTH; i++)
			for (int k = 0; k < 25; k++) {
				int r = j + k / 5 - 2, c = i + k % 5 - 2;

				if (r < 0 || c < 0 || r >= HEIGHT || c >= WIDTH)
					continue;
				want[j][i] += weight[k / 5] * weight[k % 5] *
					      x[r][c] / 256;
			}
	if (!suite_load("convolution"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(int32_t, WIDTH);
	SUITE_VALUE(int32_t, HEIGHT);
	suite_launch(WIDTH, HEIGHT, 1);
	suite_close_f32(y[0], want[0], WIDTH * HEIGHT, 1e-5f);
}

static void gray(void)
{
	uint8_t rgb[COUNT][3], got[COUNT] = { 0 };
	unsigned wrong = 0;

	for (int i = 0; i < 3 * COUNT; i++)
		rgb[i / 3][i % 3] = (uint8_t)suite_random();
	if (!suite_load("gray"))
		return;
	SUITE_ARRAY(rgb);
	SUITE_ARRAY(got);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	for (int i = 0; i < COUNT; i++)
		wrong += got[i] != (77 * rgb[i][0] + 150 * rgb[i][1] +
				    29 * rgb[i][2]) / 256;
	IS_INT(wrong, 0);
}

static void gather(void)
{
	uint64_t from[COUNT];
	int16_t x[COUNT], y[COUNT] = { 0 };
	unsigned wrong = 0;

	for (int i = 0; i < COUNT; i++) {
		from[i] = suite_random() % COUNT;
		x[i] = (int16_t)suite_random();
	}
	if (!suite_load("gather"))
		return;
	SUITE_ARRAY(from);
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	for (int i = 0; i < COUNT; i++)
		wrong += y[i] != x[from[i]];
	IS_INT(wrong, 0);
}

static void convert(void)
{
	int8_t a[COUNT];
	uint16_t b[COUNT];
	int64_t c[COUNT];
	double y[COUNT] = { 0 }, want[COUNT];

	for (int i = 0; i < COUNT; i++) {
		a[i] = (int8_t)suite_random();
		b[i] = (uint16_t)suite_random();
		c[i] = (int64_t)suite_random() << 20;
		want[i] = -((double)a[i] + b[i] + (double)c[i]) * 0.5 + 7;
	}
	if (!suite_load("convert"))
		return;
	SUITE_ARRAY(a);
	SUITE_ARRAY(b);
	SUITE_ARRAY(c);
	SUITE_ARRAY(y);
	SUITE_VALUE(double, 0.5);
	SUITE_VALUE(bool, true);
	SUITE_VALUE(char, 7);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	suite_close_f64(y, want, COUNT, 0);
}

static void maths(void)
{
	enum { EACH = 16, UNTOUCHED = 7 };
	float x[64], y[64 * EACH] = { 0 }, want[64 * EACH];
	double z[64] = { 0 }, want_z[64];

	for (int i = 0; i < 64; i++) {
		float a = x[i] = suite_between(0.1f, 3.9f);
		double b = (double)a;
		const float all[EACH] = {
			sqrtf(a), expf(a) + exp2f(a) + expm1f(a),
			logf(a) + log2f(a) + log10f(a) + log1pf(a),
			sinf(a) + cosf(a) + tanf(a),
			asinf(a / 4) + acosf(a / 4) + atanf(a),
			sinhf(a) + coshf(a) + tanhf(a), erff(a) + erfcf(a),
			fabsf(-a) + floorf(a) + ceilf(a),
			truncf(a) + roundf(a) + rintf(a),
			powf(a, 1.5f) + fmodf(a, 0.7f),
			atan2f(a, 2.0f) + hypotf(a, 2.0f),
			copysignf(a, -1.0f) + fminf(a, 1.0f),
			fmaxf(a, 1.0f) + fmaf(a, a, 1.0f),
			1 / sqrtf(a) + cbrtf(a), tgammaf(a) + lgammaf(a),
			(float)((int)a < 1 ? (int)a : 1) +
				(float)((int)a > 1 ? (int)a : 1)
		};

		memcpy(want + EACH * i, all, sizeof(all));
		want_z[i] = sqrt(b) + exp(b) + log(b) + sin(b) + pow(b, 1.5) +
			    fmax(b, 1.0) + fma(b, b, 1.0) + floor(b) +
			    1 / sqrt(b);
	}
	if (!suite_load("maths"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_ARRAY(z);
	SUITE_VALUE(uint64_t, 64);
	/* lgamma of the C library writes this variable of the process. */
	signgam = UNTOUCHED;
	suite_launch(64, 1, 1);
	IS_INT(signgam, UNTOUCHED);
	suite_close_f32(y, want, 64 * EACH, 1e-4f);
	suite_close_f64(z, want_z, 64, 1e-12);
}

static void all_of_them(void)
{
	static void (*const list[])(void) = {
		saxpy, saxpy_once, stencil1, jacobi, stencil3, parts, transpose,
		mandelbrot, life, convolution, gray, gather, convert, maths
	};

	for (size_t i = 0; i < TAP_COUNT(list); i++)
		list[i]();
}

SUITE_MAIN(all_of_them)
