/* SPDX-License-Identifier: MIT */
/*
 * Running mean of times: cases by hand, limits, and random streams against a
 * model that keeps signed numbers, and the whole stream behind it.
 */
#include "policy_random.h"

#include "flow/policy/time_model.h"

enum { TIMES = 200 };

static plait__time_model model;

static void add(uint64_t ns, uint32_t count)
{
	while (count-- > 0)
		plait__time_model_add(&model, ns);
}

static void rule(void)
{
	model = (plait__time_model){ .count = 0 };
	add(1000, 1);
	IS_UINT(model.mean, 1000);
	IS_UINT(model.spread, 500);
	add(1800, 1);
	/* 500 + (800 - 500) / 8, rounded up; 1000 + 800 / 8. */
	IS_UINT(model.spread, 538);
	IS_UINT(model.mean, 1100);
	add(300, 1);
	IS_UINT(model.mean, 1000);
	IS_UINT(model.count, 3);
	/* Steps are rounded up: the mean arrives. */
	model = (plait__time_model){ .count = 0 };
	add(10, 1);
	add(11, 40);
	IS_UINT(model.mean, 11);
}

/* One time of a page fault is no change; two in a row are one. */
static void outliers(void)
{
	model = (plait__time_model){ .count = 0 };
	add(1000, 20);
	for (int i = 0; i < 100; i++) {
		add(50000, 1);
		IS_UINT(model.mean, 1000);
		add(1000, 1);
		IS_UINT(model.mean, 1000);
	}
	add(8000, 1);		/* not above 8 means */
	IS_UINT(model.mean, 1875);
	model = (plait__time_model){ .count = 0 };
	add(1000, 20);
	add(9000, 1);
	IS_UINT(model.count, 20);
	add(9000, 1);		/* the first one counts */
	IS_UINT(model.count, 21);
	IS_UINT(model.mean, 2000);
	add(2000, 1);		/* the second one does not */
	IS_UINT(model.count, 22);
	IS_UINT(model.mean, 2000);
}

/* After 8 times in a row far away the mean is new, in both directions. */
static void rows(void)
{
	static const uint64_t far[] = { 100, 5000, 1000000 };

	for (size_t i = 0; i < TAP_COUNT(far); i++) {
		model = (plait__time_model){ .count = 0 };
		add(1000, 100);
		add(far[i], 7);
		OK(model.mean != far[i]);
		add(1000, 1);
		add(1000, 100);
		IS_UINT(model.mean, 1000);
		add(far[i], 8);
		IS_UINT(model.mean, far[i]);
		IS_UINT(model.count, 1);
	}
}

static void limits(void)
{
	model = (plait__time_model){ .count = 0 };
	add(UINT64_MAX, 1);
	IS_UINT(model.mean, PLAIT__TIME_MOST_NS);
	add(UINT64_MAX, 100);
	IS_UINT(model.mean, PLAIT__TIME_MOST_NS);
	add(0, 100);
	IS_UINT(model.mean, 0);
	add(0, 1);
	add(UINT64_MAX, 3);
	OK(model.mean <= PLAIT__TIME_MOST_NS);
	model.count = UINT32_MAX;
	model.mean = 100;
	add(100, 1);
	IS_UINT(model.count, UINT32_MAX);
}

/* ---- the definition ---- */

static int64_t stream[TIMES];

struct signed_model {
	int64_t m, v;
};

static int64_t up(int64_t difference)
{
	return difference >= 0 ? (difference + 7) / 8 : -((7 - difference) / 8);
}

static int64_t apart(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

static void update(struct signed_model *s, int64_t x)
{
	s->v += up(apart(x, s->m) - s->v);
	s->m += up(x - s->m);
}

/* Play the stream from its begin; whether a time counts is asked of the next
 * one, once that is there. */
static struct signed_model replay(uint32_t count)
{
	struct signed_model s = { stream[0], stream[0] / 2 }, before = s;
	int64_t open = -1;
	uint32_t row = 0;

	for (uint32_t i = 1; i < count; i++) {
		int64_t x = stream[i];
		bool above = x > 8 * s.m;

		before = row == 0 ? s : before;
		row = apart(x, before.m) > 4 * before.v ? row + 1 : 0;
		if (row == 8) {
			s = (struct signed_model){ x, x / 2 };
			row = 0;
			open = -1;
			continue;
		}
		if (open >= 0 && above)
			update(&s, open);
		open = above ? x : -1;
		if (!above)
			update(&s, x);
	}
	return s;
}

static uint32_t play(void)
{
	uint64_t base = 1 + below((uint64_t)1 << below(40));
	uint32_t wrong = 0;

	model = (plait__time_model){ .count = 0 };
	for (uint32_t i = 0; i < TIMES; i++) {
		uint64_t ns = base + below(base / 4 + 1);
		struct signed_model want;

		if (below(10) == 0)
			ns *= below(30);
		if (below(60) == 0)
			base = 1 + below((uint64_t)1 << below(40));
		stream[i] = (int64_t)ns;
		plait__time_model_add(&model, ns);
		want = replay(i + 1);
		wrong += model.mean != (uint64_t)want.m ||
			 model.spread != (uint64_t)want.v;
	}
	return wrong;
}

static void random_streams(void)
{
	play_rounds(tap_soak() ? 20000 : 200, play);
}

static const struct tap_scenario all[] = {
	{ "rule", rule },
	{ "outliers", outliers },
	{ "rows", rows },
	{ "limits", limits },
	{ "random streams", random_streams },
};

TAP_MAIN(all)
