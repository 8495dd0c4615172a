/* SPDX-License-Identifier: MIT */
/*
 * Random graphs in every setting: each plan passes the check, against the graph
 * that it was made from, and has no redundant wait.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/check/check.h"
#include "lib/shapes.h"
#include "lib/tap.h"

struct setting {
	const char *name;
	struct shape_draw draw;
	uint32_t policy;
	uint32_t mode;
	uint32_t lanes;
	uint32_t hop;
};

#define DRAW(devices, multi, meaning, regions, depth, scratch, objects) \
	{ 40, 80, devices, multi, meaning, regions, depth, scratch, objects, 5 }

static const struct setting settings[] = {
	{ "widest", DRAW(1, 0, 0, 0, 0, 0, 0), 1, 0, 0, 0 },
	{ "widest limit 4", DRAW(1, 0, 0, 0, 0, 300, 0), 1, 0, 4, 0 },
	{ "bounded 1", DRAW(1, 0, 0, 0, 0, 300, 0), 0, 0, 1, 0 },
	{ "bounded 2", DRAW(1, 0, 0, 0, 0, 300, 0), 0, 0, 2, 0 },
	{ "bounded 4", DRAW(1, 0, 0, 0, 0, 300, 0), 0, 0, 4, 0 },
	{ "bounded 8 helped", DRAW(1, 0, 0, 0, 0, 500, 0), 0, 1, 8, 0 },
	{ "widest helped", DRAW(1, 0, 0, 0, 0, 500, 0), 1, 1, 0, 0 },
	{ "2 devices widest", DRAW(2, 0, 0, 0, 0, 300, 0), 1, 0, 0, 0 },
	{ "4 devices bounded 2", DRAW(4, 0, 0, 0, 0, 300, 0), 0, 0, 2, 0 },
	{ "first widest", DRAW(4, 220, 0, 0, 0, 300, 0), 1, 0, 0, 0 },
	{ "first bounded 2", DRAW(4, 220, 0, 0, 0, 300, 0), 0, 0, 2, 0 },
	{ "first helped", DRAW(4, 220, 0, 0, 0, 500, 0), 0, 1, 3, 0 },
	{ "barrier widest", DRAW(4, 220, 1, 0, 0, 300, 0), 1, 0, 0, 0 },
	{ "barrier bounded 2", DRAW(4, 220, 1, 0, 0, 300, 0), 0, 0, 2, 0 },
	{ "barrier helped", DRAW(4, 220, 1, 0, 0, 300, 0), 0, 1, 2, 0 },
	{ "group widest", DRAW(2, 150, 2, 0, 0, 300, 0), 1, 0, 0, 0 },
	{ "group bounded 3", DRAW(4, 220, 2, 0, 0, 300, 0), 0, 0, 3, 0 },
	{ "group helped", DRAW(4, 220, 2, 0, 0, 300, 0), 1, 1, 0, 0 },
	{ "any meaning bounded", DRAW(4, 300, 3, 0, 0, 300, 0), 0, 0, 2, 0 },
	{ "any meaning widest", DRAW(4, 300, 3, 0, 0, 300, 0), 1, 0, 0, 0 },
	{ "any meaning helped", DRAW(4, 300, 3, 0, 0, 500, 0), 0, 1, 3, 0 },
	{ "regions widest", DRAW(1, 0, 0, 150, 3, 300, 0), 1, 0, 0, 0 },
	{ "regions bounded 4", DRAW(1, 0, 0, 150, 3, 300, 0), 0, 0, 4, 0 },
	{ "regions helped", DRAW(1, 0, 0, 150, 3, 500, 0), 0, 1, 4, 0 },
	{ "regions bounded 1", DRAW(2, 0, 0, 150, 3, 300, 0), 0, 0, 1, 0 },
	{ "everything widest", DRAW(4, 200, 3, 120, 3, 300, 0), 1, 0, 0, 0 },
	{ "everything bounded", DRAW(4, 200, 3, 120, 3, 300, 0), 0, 0, 3, 0 },
	{ "everything helped", DRAW(4, 200, 3, 120, 3, 500, 0), 0, 1, 3, 0 },
	{ "accesses widest", DRAW(2, 0, 0, 0, 0, 0, 9), 1, 0, 0, 0 },
	{ "accesses bounded", DRAW(2, 100, 3, 100, 2, 100, 9), 0, 0, 3, 0 },
	{ "accesses helped", DRAW(2, 100, 3, 100, 2, 100, 9), 0, 1, 3, 0 },
	{ "hops", DRAW(1, 0, 0, 0, 0, 300, 0), 0, 0, 4, 7 },
	{ "hops, no limit", DRAW(2, 0, 0, 0, 0, 300, 0), 0, 0, 0, 3 },
	{ "hops everything", DRAW(3, 200, 3, 120, 3, 300, 0), 0, 0, 3, 7 },
	{ "hops helped", DRAW(3, 200, 3, 120, 3, 500, 0), 0, 1, 3, 2 },
};

struct sums {
	uint64_t orderings;
	uint64_t redundant;
	uint64_t lanes;
	uint64_t waits;
	uint32_t failed;
};

static void run_one(const struct setting *setting, uint64_t seed,
		    struct sums *sums)
{
	plait__input_options options = { 0 };
	plait__check_report report = { 0 };
	plait_error error = { 0 };
	struct shape_random random;
	struct shape shape;
	plait__plan *plan;
	uint32_t i;

	shape_seed(&random, seed);
	shape_random(&shape, &setting->draw, &random);
	for (i = 0; i < setting->draw.devices; i++)
		shape.devices[i].flags = i % 2 ? PLAIT__DEVICE_ASYNC : 0;
	options.policy = setting->policy;
	options.mode = setting->mode;
	options.lanes = setting->lanes;
	options.hop_cost = setting->hop;
	if (plait__planner_run(&shape.input, &options, NULL, NULL, &plan,
			       &error) != PLAIT_OK ||
	    plait__check_plan(plan, &shape.input, PLAIT__CHECK_REDUNDANT, NULL,
			      &report, &error) != PLAIT_OK) {
		if (sums->failed++ == 0)
			NOTE("%s, seed=%llu: %s", setting->name,
			     (unsigned long long)seed, error.text);
	} else {
		sums->orderings += report.orderings;
		sums->redundant += report.redundant_waits;
		sums->lanes += plan->lanes_count;
		sums->waits += plan->waits_count;
	}
	plait__plan_release(plan);
	shape_fini(&shape);
}

/* A thousand; a tenth of that where every access is checked. */
static uint32_t rounds(void)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");

	if (sanitizer == NULL || strcmp(sanitizer, "no") == 0)
		return 1000;
	return tap_soak() ? 1000 : 100;
}

static void every_setting(void)
{
	uint64_t seed = tap_seed();
	uint32_t count = rounds();
	size_t s;

	for (s = 0; s < TAP_COUNT(settings); s++) {
		struct sums sums = { 0, 0, 0, 0, 0 };
		uint32_t i;

		for (i = 0; i < count; i++)
			run_one(&settings[s], seed * 1000003 + i, &sums);
		NOTE("%-20s lanes %.2f waits %.2f orderings %llu",
		     settings[s].name, (double)sums.lanes / count,
		     (double)sums.waits / count,
		     (unsigned long long)sums.orderings);
		OK_THAT(sums.failed == 0, "%s: %u of %u plans are wrong",
			settings[s].name, sums.failed, count);
		OK_THAT(sums.redundant == 0, "%s: %llu waits are redundant",
			settings[s].name, (unsigned long long)sums.redundant);
	}
}

/* Layers of 300 on two devices: some 600 lanes, and a join of them all. */
static void wide(uint32_t policy, uint32_t width)
{
	plait__input_options options = { .policy = policy, .lanes = 0 };
	plait__check_report report = { 0 };
	struct shape_random random;
	struct shape shape;
	plait__plan *plan = NULL;
	uint32_t i, k;

	shape_seed(&random, tap_seed());
	shape_init(&shape, 2);
	if (policy == 0)
		options.lanes = width;
	for (i = 0; i < 6 * width; i++) {
		static const uint32_t both[] = { 0, 1 };

		if (shape_below(&random, 100) < 5)
			shape_multi(&shape, both, 2, PLAIT__MEANING_BARRIER,
				    NULL);
		else
			shape_node(&shape, shape_below(&random, 2), NULL);
		for (k = 0; k < 2 && i >= width; k++)
			shape_edge(&shape, (i / width - 1) * width +
				   shape_below(&random, width), i);
	}
	if (OK_THAT(plait__planner_run(&shape.input, &options, NULL, NULL,
				       &plan, NULL) == PLAIT_OK &&
		    plait__check_plan(plan, &shape.input,
				      PLAIT__CHECK_REDUNDANT, NULL, &report,
				      NULL) == PLAIT_OK, "a wide plan")) {
		NOTE("policy %u: %u lanes, %u waits", policy,
		     plan->lanes_count, plan->waits_count);
		OK_THAT(report.redundant_waits == 0,
			"%llu waits are redundant",
			(unsigned long long)report.redundant_waits);
	}
	plait__plan_release(plan);
	shape_fini(&shape);
}

static void wide_ones(void)
{
	wide(0, 150);
	wide(1, 150);
	wide(0, 300);
	wide(1, 300);
}

static const struct tap_scenario all[] = {
	{ "every setting", every_setting },
	{ "wide ones", wide_ones },
};

TAP_MAIN(all)
