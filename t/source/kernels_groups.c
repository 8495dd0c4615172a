/* SPDX-License-Identifier: MIT */
/* Kernels of t/source/kernels that work in groups, against plain C. */
#include "lib/suite.h"

#include <math.h>

enum { COUNT = 1003 };

static void fill(float *x, size_t count)
{
	for (size_t i = 0; i < count; i++)
		x[i] = suite_between(-1, 1);
}

static void matmul(void)
{
	enum { ROWS = 37, INNER = 51, COLUMNS = 18 };
	float a[ROWS][INNER], b[INNER][COLUMNS];
	float c[ROWS][COLUMNS] = { { 0 } }, want[ROWS][COLUMNS] = { { 0 } };

	fill(a[0], ROWS * INNER);
	fill(b[0], INNER * COLUMNS);
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < INNER; k++)
			for (int j = 0; j < COLUMNS; j++)
				want[i][j] += a[i][k] * b[k][j];
	if (!suite_load("matmul"))
		return;
	SUITE_ARRAY(a);
	SUITE_ARRAY(b);
	SUITE_ARRAY(c);
	SUITE_VALUE(uint32_t, ROWS);
	SUITE_VALUE(uint32_t, INNER);
	SUITE_VALUE(uint32_t, COLUMNS);
	suite_launch(COLUMNS, ROWS, 1);
	suite_close_f32(c[0], want[0], ROWS * COLUMNS, 1e-5f);
}

static void scan(void)
{
	enum { GROUPS = (COUNT + 255) / 256 };
	uint32_t x[COUNT], y[COUNT] = { 0 }, sums[GROUPS] = { 0 };
	uint32_t sum = 0;
	unsigned wrong = 0;

	for (int i = 0; i < COUNT; i++)
		x[i] = suite_random();
	if (!suite_load("scan"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_ARRAY(sums);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	for (int i = 0; i < COUNT; i++) {
		sum = (i % 256 == 0 ? 0 : sum) + x[i];
		wrong += y[i] != sum;
		if (i % 256 == 255 || i == COUNT - 1)
			wrong += sums[i / 256] != sum;
	}
	IS_INT(wrong, 0);
}

static void reduce(void)
{
	enum { GROUPS = (COUNT + 255) / 256 };
	uint32_t x[COUNT];
	uint64_t sums[GROUPS] = { 0 }, want[GROUPS] = { 0 };

	for (int i = 0; i < COUNT; i++) {
		x[i] = suite_random();
		want[i / 256] += x[i];
	}
	if (!suite_load("reduce"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(sums);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	OK(memcmp(sums, want, sizeof(want)) == 0);
}

static void histogram(void)
{
	uint8_t x[COUNT];
	uint32_t counts[256], want[256];

	for (int i = 0; i < 256; i++)
		counts[i] = want[i] = (uint32_t)i;
	for (int i = 0; i < COUNT; i++) {
		x[i] = (uint8_t)(suite_random() % 7 * 36);
		want[x[i]]++;
	}
	if (!suite_load("histogram"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(counts);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(320, 1, 1);
	OK(memcmp(counts, want, sizeof(want)) == 0);
}

/* The positions at which each chunk of 128 puts its elements of each digit. */
static void count_digits(const uint32_t *x, uint32_t shift, uint32_t *starts,
			 uint32_t groups)
{
	uint32_t sum = 0;

	memset(starts, 0, 16 * groups * sizeof(*starts));
	for (int i = 0; i < COUNT; i++)
		starts[(x[i] >> shift & 15) * groups + (uint32_t)i / 128]++;
	for (uint32_t i = 0; i < 16 * groups; i++) {
		uint32_t here = starts[i];

		starts[i] = sum;
		sum += here;
	}
}

static void radix(void)
{
	enum { GROUPS = (COUNT + 127) / 128 };
	uint32_t x[COUNT], y[COUNT] = { 0 }, starts[16 * GROUPS];
	unsigned wrong = 0;
	uint64_t before = 0, after = 0;

	for (int i = 0; i < COUNT; i++)
		before += x[i] = suite_random() & 0xffff;
	for (uint32_t shift = 0; shift < 16; shift += 4) {
		count_digits(x, shift, starts, GROUPS);
		if (!suite_load("radix"))
			return;
		SUITE_ARRAY(x);
		SUITE_ARRAY(y);
		SUITE_ARRAY(starts);
		SUITE_VALUE(uint32_t, shift);
		SUITE_VALUE(uint64_t, COUNT);
		suite_launch(COUNT, 1, 1);
		memcpy(x, y, sizeof(x));
	}
	for (int i = 0; i < COUNT; i++) {
		wrong += i > 0 && y[i - 1] > y[i];
		after += y[i];
	}
	IS_INT(wrong, 0);
	IS_UINT(after, before);
}

static void fft(void)
{
	enum { POINTS = 256, ROWS = 3, ALL = POINTS * ROWS };
	float re[ALL], im[ALL], want_re[ALL], want_im[ALL];

	fill(re, ALL);
	fill(im, ALL);
	for (int at = 0; at < ALL; at++) {
		int base = at / POINTS * POINTS;
		double sum_re = 0, sum_im = 0;

		for (int k = 0; k < POINTS; k++) {
			double angle = -2 * M_PI * (at % POINTS) * k / POINTS;
			double c = cos(angle), s = sin(angle);

			sum_re += (double)re[base + k] * c -
				  (double)im[base + k] * s;
			sum_im += (double)re[base + k] * s +
				  (double)im[base + k] * c;
		}
		want_re[at] = (float)sum_re;
		want_im[at] = (float)sum_im;
	}
	if (!suite_load("fft"))
		return;
	SUITE_ARRAY(re);
	SUITE_ARRAY(im);
	suite_launch(ROWS * POINTS / 2, 1, 1);
	suite_close_f32(re, want_re, ALL, 1e-4f);
	suite_close_f32(im, want_im, ALL, 1e-4f);
}

static void dot(void)
{
	float x[COUNT], y[COUNT], result[1] = { 2 }, want[1] = { 2 };

	fill(x, COUNT);
	fill(y, COUNT);
	for (int i = 0; i < COUNT; i++)
		want[0] += x[i] * y[i];
	if (!suite_load("dot"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_ARRAY(result);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(512, 1, 1);
	suite_close_f32(result, want, 1, 1e-4f);
}

static void nbody(void)
{
	enum { BODIES = 150 };
	float x[BODIES], y[BODIES], z[BODIES], mass[BODIES];
	float force[BODIES][3] = { { 0 } }, want[BODIES][3];

	fill(x, BODIES);
	fill(y, BODIES);
	fill(z, BODIES);
	for (int i = 0; i < BODIES; i++)
		mass[i] = suite_between(0.1f, 1) / BODIES;
	for (int i = 0; i < BODIES; i++) {
		double sum[3] = { 0 };

		for (int j = 0; j < BODIES; j++) {
			double d[3] = { (double)(x[j] - x[i]),
					(double)(y[j] - y[i]),
					(double)(z[j] - z[i]) };
			double square = d[0] * d[0] + d[1] * d[1] +
					d[2] * d[2] + 0.01;

			for (int k = 0; k < 3; k++)
				sum[k] += (double)mass[j] * d[k] /
					  (square * sqrt(square));
		}
		for (int k = 0; k < 3; k++)
			want[i][k] = (float)sum[k];
	}
	if (!suite_load("nbody"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_ARRAY(z);
	SUITE_ARRAY(mass);
	SUITE_ARRAY(force);
	SUITE_VALUE(uint32_t, BODIES);
	suite_launch(BODIES, 1, 1);
	suite_close_f32(force[0], want[0], 3 * BODIES, 1e-4f);
}

static int ascending(const void *one, const void *other)
{
	int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;

	return (a > b) - (a < b);
}

static void compact(void)
{
	int32_t x[COUNT], kept[COUNT] = { 0 }, want[COUNT];
	uint32_t count[1] = { 0 }, expected = 0;

	for (int i = 0; i < COUNT; i++) {
		x[i] = (int32_t)suite_random();
		if (x[i] > 0)
			want[expected++] = x[i];
	}
	if (!suite_load("compact"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(kept);
	SUITE_ARRAY(count);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	/* The order of the groups is unspecified. */
	if (!IS_UINT(count[0], expected))
		return;
	qsort(kept, expected, sizeof(kept[0]), ascending);
	qsort(want, expected, sizeof(want[0]), ascending);
	OK(memcmp(kept, want, expected * sizeof(want[0])) == 0);
}

static void bitonic(void)
{
	enum { ROW = 256, ROWS = 3 };
	int32_t x[ROWS * ROW], want[ROWS * ROW];

	for (int i = 0; i < ROWS * ROW; i++)
		x[i] = want[i] = (int32_t)suite_random();
	for (int i = 0; i < ROWS; i++)
		qsort(want + i * ROW, ROW, sizeof(want[0]), ascending);
	if (!suite_load("bitonic"))
		return;
	SUITE_ARRAY(x);
	suite_launch(ROWS * ROW / 2, 1, 1);
	OK(memcmp(x, want, sizeof(x)) == 0);
}

static void softmax(void)
{
	enum { ROWS = 5, WIDTH = 201 };
	float x[ROWS][WIDTH], y[ROWS][WIDTH] = { { 0 } }, want[ROWS][WIDTH];

	for (int i = 0; i < ROWS; i++) {
		double sum = 0;

		for (int j = 0; j < WIDTH; j++) {
			x[i][j] = suite_between(-9, 9);
			sum += exp((double)x[i][j]);
		}
		for (int j = 0; j < WIDTH; j++)
			want[i][j] = (float)(exp((double)x[i][j]) / sum);
	}
	if (!suite_load("softmax"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint32_t, WIDTH);
	suite_launch(ROWS * 64, 1, 1);
	suite_close_f32(y[0], want[0], ROWS * WIDTH, 1e-5f);
}

static void layernorm(void)
{
	enum { ROWS = 4, WIDTH = 77 };
	float x[ROWS][WIDTH], y[ROWS][WIDTH] = { { 0 } }, want[ROWS][WIDTH];
	float gain[WIDTH], shift[WIDTH];

	fill(gain, WIDTH);
	fill(shift, WIDTH);
	for (int i = 0; i < ROWS; i++) {
		double mean = 0, variance = 0;

		fill(x[i], WIDTH);
		for (int j = 0; j < WIDTH; j++)
			mean += (double)x[i][j] / WIDTH;
		for (int j = 0; j < WIDTH; j++)
			variance += ((double)x[i][j] - mean) *
				    ((double)x[i][j] - mean) / WIDTH;
		for (int j = 0; j < WIDTH; j++)
			want[i][j] = (float)(((double)x[i][j] - mean) /
					     sqrt(variance + 1e-5)) * gain[j] +
				     shift[j];
	}
	if (!suite_load("layernorm"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(gain);
	SUITE_ARRAY(shift);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint32_t, WIDTH);
	SUITE_VALUE(float, 1e-5f);
	suite_launch(ROWS * 32, 1, 1);
	suite_close_f32(y[0], want[0], ROWS * WIDTH, 1e-4f);
}

static void matvec(void)
{
	enum { ROWS = 7, COLUMNS = 101 };
	double a[ROWS][COLUMNS], x[COLUMNS], y[ROWS] = { 0 }, want[ROWS] = { 0 };

	for (int j = 0; j < COLUMNS; j++)
		x[j] = (double)suite_between(-1, 1);
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
			a[i][j] = (double)suite_between(-1, 1);
			want[i] += a[i][j] * x[j];
		}
	if (!suite_load("matvec"))
		return;
	SUITE_ARRAY(a);
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint64_t, ROWS);
	SUITE_VALUE(uint64_t, COLUMNS);
	suite_launch(ROWS * 32, 1, 1);
	suite_close_f64(y, want, ROWS, 1e-12);
}

static void rounds(void)
{
	uint32_t words[96], want[96] = { 0 };

	for (uint32_t i = 0; i < 96; i++) {
		words[i] = 1 + suite_random() % 1000;
		for (uint32_t n = words[i]; n > 1; want[i]++)
			n = n % 2 ? 3 * n + 1 : n / 2;
	}
	if (!suite_load("rounds"))
		return;
	SUITE_ARRAY(words);
	suite_launch(96, 1, 1);
	OK(memcmp(words, want, sizeof(want)) == 0);
}

static void volume(void)
{
	enum { NX = 12, NY = 6, NZ = 4 };
	static uint32_t y[NZ][NY][NX];
	unsigned wrong = 0;

	memset(y, 0, sizeof(y));
	if (!suite_load("volume"))
		return;
	SUITE_ARRAY(y);
	/* Less than whole groups: those are whole all the same. */
	suite_launch(NX - 1, NY, NZ - 1);
	for (uint32_t k = 0; k < NZ; k++)
		for (uint32_t j = 0; j < NY; j++)
			for (uint32_t i = 0; i < NX; i++)
				wrong += y[k][j][i] != NX * 1000000 +
					(i / 4 + 10 * (j / 2) +
					 100 * (k / 2)) * 1000 +
					i % 4 + 10 * (j % 2) + 100 * (k % 2);
	IS_INT(wrong, 0);
}

static void all_of_them(void)
{
	static void (*const list[])(void) = {
		matmul, scan, reduce, histogram, radix, fft, dot, nbody,
		compact, bitonic, softmax, layernorm, matvec, rounds, volume
	};

	for (size_t i = 0; i < TAP_COUNT(list); i++)
		list[i]();
}

SUITE_MAIN(all_of_them)
