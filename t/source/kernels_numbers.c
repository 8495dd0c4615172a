/* SPDX-License-Identifier: MIT */
/* Kernels of t/source/kernels that compute, search and count, against plain C.
 */
#include "lib/suite.h"

#include <math.h>

enum { COUNT = 1003 };

static void blackscholes(void)
{
	const double rate = 0.02, volatility = 0.3;
	float price[COUNT], strike[COUNT], years[COUNT];
	float call[COUNT] = { 0 }, put[COUNT] = { 0 };
	float want_call[COUNT], want_put[COUNT];

	for (int i = 0; i < COUNT; i++) {
		double s = (double)(price[i] = suite_between(5, 30));
		double k = (double)(strike[i] = suite_between(1, 100));
		double t = (double)(years[i] = suite_between(0.25f, 10));
		double d1 = (log(s / k) + (rate + 0.5 * volatility *
					   volatility) * t) /
			    (volatility * sqrt(t));
		double d2 = d1 - volatility * sqrt(t);

		want_call[i] = (float)(0.5 * s * erfc(-d1 * M_SQRT1_2) -
				       0.5 * k * exp(-rate * t) *
				       erfc(-d2 * M_SQRT1_2));
		want_put[i] = (float)((double)want_call[i] - s +
				      k * exp(-rate * t));
	}
	if (!suite_load("blackscholes"))
		return;
	SUITE_ARRAY(price);
	SUITE_ARRAY(strike);
	SUITE_ARRAY(years);
	SUITE_ARRAY(call);
	SUITE_ARRAY(put);
	SUITE_VALUE(float, 0.02f);
	SUITE_VALUE(float, 0.3f);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	suite_close_f32(call, want_call, COUNT, 1e-4f);
	suite_close_f32(put, want_put, COUNT, 1e-4f);
}

static void spmv(void)
{
	enum { ROWS = 100, MOST = 4 * ROWS };
	uint32_t starts[ROWS + 1] = { 0 }, columns[MOST];
	double values[MOST], x[ROWS], y[ROWS] = { 0 }, want[ROWS] = { 0 };

	for (int i = 0; i < ROWS; i++)
		x[i] = (double)suite_between(-1, 1);
	for (uint32_t i = 0; i < ROWS; i++) {
		starts[i + 1] = starts[i] + suite_random() % 5;
		for (uint32_t k = starts[i]; k < starts[i + 1]; k++) {
			columns[k] = suite_random() % ROWS;
			values[k] = (double)suite_between(-1, 1);
			want[i] += values[k] * x[columns[k]];
		}
	}
	if (!suite_load("spmv"))
		return;
	SUITE_ARRAY(starts);
	SUITE_ARRAY(columns);
	SUITE_ARRAY(values);
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint64_t, ROWS);
	suite_launch(ROWS, 1, 1);
	suite_close_f64(y, want, ROWS, 1e-13);
}

static void kmeans(void)
{
	enum { POINTS = 500, DIMENSIONS = 3, CLUSTERS = 7 };
	float points[POINTS][DIMENSIONS], centres[CLUSTERS][DIMENSIONS];
	uint32_t nearest[POINTS], sizes[CLUSTERS] = { 0 };
	uint32_t seen[CLUSTERS] = { 0 };
	unsigned wrong = 0;

	for (int i = 0; i < POINTS * DIMENSIONS; i++)
		points[i / DIMENSIONS][i % DIMENSIONS] = suite_between(0, 1);
	for (int i = 0; i < CLUSTERS * DIMENSIONS; i++)
		centres[i / DIMENSIONS][i % DIMENSIONS] = suite_between(0, 1);
	memset(nearest, 0xff, sizeof(nearest));
	if (!suite_load("kmeans"))
		return;
	SUITE_ARRAY(points);
	SUITE_ARRAY(centres);
	SUITE_ARRAY(nearest);
	SUITE_ARRAY(sizes);
	SUITE_VALUE(uint64_t, POINTS);
	SUITE_VALUE(uint32_t, DIMENSIONS);
	SUITE_VALUE(uint32_t, CLUSTERS);
	suite_launch(POINTS, 1, 1);
	for (int i = 0; i < POINTS; i++) {
		float far[CLUSTERS] = { 0 };

		for (int k = 0; k < CLUSTERS * DIMENSIONS; k++) {
			float d = points[i][k % DIMENSIONS] -
				  centres[k / DIMENSIONS][k % DIMENSIONS];

			far[k / DIMENSIONS] += d * d;
		}
		if (nearest[i] >= CLUSTERS) {
			wrong++;
			continue;
		}
		seen[nearest[i]]++;
		for (int c = 0; c < CLUSTERS; c++)
			wrong += far[c] < far[nearest[i]] - 1e-5f;
	}
	IS_INT(wrong, 0);
	OK(memcmp(seen, sizes, sizeof(seen)) == 0);
}

/* A copy of the generator in pi.plk. */
static uint32_t draw(uint64_t *state)
{
	uint64_t old = *state;
	uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
	uint32_t turn = (uint32_t)(old >> 59);

	*state = old * 6364136223846793005u + 1442695040888963407u;
	return mixed >> turn | mixed << (-turn & 31);
}

static void pi(void)
{
	enum { STREAMS = 64, ROUNDS = 500 };
	uint32_t hits[1] = { 0 }, want = 0;

	for (uint64_t i = 0; i < STREAMS; i++) {
		uint64_t state = 7 + i * 0x9e3779b97f4a7c15u;

		draw(&state);
		for (int k = 0; k < ROUNDS; k++) {
			uint64_t x = draw(&state) >> 1;
			uint64_t y = draw(&state) >> 1;

			want += x * x + y * y < (uint64_t)1 << 62;
		}
	}
	if (!suite_load("pi"))
		return;
	SUITE_ARRAY(hits);
	SUITE_VALUE(uint64_t, STREAMS);
	SUITE_VALUE(uint32_t, ROUNDS);
	SUITE_VALUE(uint64_t, 7);
	suite_launch(STREAMS, 1, 1);
	IS_UINT(hits[0], want);
	OK(fabs(4.0 * want / (STREAMS * ROUNDS) - M_PI) < 0.05);
}

static void extremes(void)
{
	int32_t x[COUNT], least[1] = { INT32_MAX }, most[1] = { INT32_MIN };
	int32_t want_least = INT32_MAX, want_most = INT32_MIN;

	for (int i = 0; i < COUNT; i++) {
		x[i] = (int32_t)suite_random();
		want_least = x[i] < want_least ? x[i] : want_least;
		want_most = x[i] > want_most ? x[i] : want_most;
	}
	if (!suite_load("extremes"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(least);
	SUITE_ARRAY(most);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	IS_INT(least[0], want_least);
	IS_INT(most[0], want_most);
}

/* A ring with a chord from each node: levels by breadth from node 0. */
static void frontier(void)
{
	enum { NODES = 200 };
	uint32_t starts[NODES + 1], targets[2 * NODES], level[NODES];
	uint32_t next[NODES] = { 0 }, want[NODES], count[1];
	unsigned wrong = 0;

	for (uint32_t i = 0; i < NODES; i++) {
		starts[i] = 2 * i;
		targets[2 * i] = (i + 1) % NODES;
		targets[2 * i + 1] = suite_random() % NODES;
		level[i] = want[i] = UINT32_MAX;
	}
	starts[NODES] = 2 * NODES;
	level[0] = want[0] = 0;
	for (uint32_t now = 0; now < NODES; now++)
		for (uint32_t i = 0; i < 2 * NODES; i++)
			if (want[i / 2] == now && want[targets[i]] > now + 1)
				want[targets[i]] = now + 1;
	for (uint32_t now = 0;; now++) {
		count[0] = 0;
		if (!suite_load("frontier"))
			return;
		SUITE_ARRAY(starts);
		SUITE_ARRAY(targets);
		SUITE_ARRAY(level);
		SUITE_ARRAY(next);
		SUITE_ARRAY(count);
		SUITE_VALUE(uint32_t, now);
		SUITE_VALUE(uint64_t, NODES);
		if (!suite_launch(NODES, 1, 1) || count[0] == 0)
			break;
		for (uint32_t i = 0; i < count[0]; i++)
			wrong += level[next[i]] != now + 1;
	}
	IS_INT(wrong, 0);
	OK(memcmp(level, want, sizeof(want)) == 0);
}

static void search(void)
{
	int64_t sorted[COUNT], wanted[COUNT];
	uint64_t found[COUNT] = { 0 };
	unsigned wrong = 0;

	for (int i = 0; i < COUNT; i++) {
		sorted[i] = 3 * (int64_t)i - 500;
		wanted[i] = (int64_t)(suite_random() % 4000) - 700;
	}
	if (!suite_load("search"))
		return;
	SUITE_ARRAY(sorted);
	SUITE_ARRAY(wanted);
	SUITE_ARRAY(found);
	SUITE_VALUE(uint64_t, COUNT);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	for (int i = 0; i < COUNT; i++) {
		uint64_t place = 0;

		while (place < COUNT && sorted[place] < wanted[i])
			place++;
		wrong += found[i] != place;
	}
	IS_INT(wrong, 0);
}

static void bits(void)
{
	uint32_t x[COUNT], want[COUNT];
	float y[COUNT] = { 0 };
	unsigned wrong = 0;

	for (int i = 0; i < COUNT; i++) {
		uint32_t value = x[i] = i == 0 ? 0 : suite_random() >> (i % 32);
		uint32_t ones = 0, zeros = 0, made;

		for (uint32_t bit = 0; bit < 32; bit++)
			ones += value >> bit & 1;
		while (zeros < 32 && (value << zeros >> 31) == 0)
			zeros++;
		made = (value & 0x7fffff) | 0x3f800000;
		want[i] = (ones << 8 | zeros) ^ made;
	}
	if (!suite_load("bits"))
		return;
	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	SUITE_VALUE(uint64_t, COUNT);
	suite_launch(COUNT, 1, 1);
	for (int i = 0; i < COUNT; i++)
		wrong += !(y[i] >= 1 && y[i] < 2);
	IS_INT(wrong, 0);
	OK(memcmp(x, want, sizeof(want)) == 0);
}

static void locks(void)
{
	uint32_t words[5] = { 0, UINT32_MAX, 5, 0, 0 }, taken[2] = { 0, 0 };

	if (!suite_load("locks"))
		return;
	SUITE_ARRAY(words);
	SUITE_ARRAY(taken);
	SUITE_VALUE(uint64_t, 64);
	suite_launch(64, 1, 1);
	IS_UINT(words[0], UINT32_MAX);
	IS_UINT(words[1], 0);
	/* Each bit was turned twice. */
	IS_UINT(words[2], 5);
	IS_UINT(words[3], 1);
	IS_UINT(words[4], 7);
	/* A single item saw the 0 of each. */
	IS_UINT(taken[0], 63);
	IS_UINT(taken[1], 1);
}

static void countdown(void)
{
	uint32_t left[2] = { 5, 6 }, sum[1] = { 10 };

	if (!suite_load("countdown"))
		return;
	SUITE_ARRAY(left);
	SUITE_ARRAY(sum);
	suite_launch(1, 1, 1);
	IS_UINT(left[0], 4);
	IS_UINT(left[1], 6);
	IS_UINT(sum[0], 15);
}

static void all_of_them(void)
{
	static void (*const list[])(void) = { blackscholes, spmv, kmeans, pi,
		extremes, frontier, search, bits, locks, countdown };

	for (size_t i = 0; i < TAP_COUNT(list); i++)
		list[i]();
}

SUITE_MAIN(all_of_them)
