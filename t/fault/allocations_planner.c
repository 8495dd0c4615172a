/* SPDX-License-Identifier: MIT */
/*
 * Failing allocations of planning, checking and simulating: the first one
 * fails, then the second, and so on until the call succeeds.  Nothing leaks,
 * the error says so, and the next attempt works.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/check/check.h"
#include "plan/simulate/simulate.h"
#include "lib/shapes.h"
#include "lib/tap.h"

struct fault {
	uint64_t at;		/* the allocation that fails; 0: none */
	uint64_t count;
	uint64_t live_bytes;
	bool lasting;		/* all after it fail as well */
};

static void *resize_faulty(void *user_data, void *pointer, uint64_t old_bytes,
			   uint64_t new_bytes)
{
	struct fault *fault = user_data;
	void *moved;

	if (new_bytes == 0) {
		fault->live_bytes -= old_bytes;
		free(pointer);
		return NULL;
	}
	fault->count++;
	if (fault->at > 0 && (fault->count == fault->at ||
			      (fault->lasting && fault->count > fault->at)))
		return NULL;
	moved = realloc(pointer, (size_t)new_bytes);
	if (moved != NULL)
		fault->live_bytes += new_bytes - old_bytes;
	return moved;
}

static plait_status run_all(const struct shape *shape,
			    const plait__input_options *options,
			    const plait_allocator *allocator,
			    plait_error *error)
{
	plait__plan *plan = NULL;
	plait__timeline *timeline = NULL;
	plait_status status;

	status = plait__planner_run(&shape->input, options, allocator, NULL,
				    &plan, error);
	if (status == PLAIT_OK)
		status = plait__check_plan(plan, &shape->input,
					   PLAIT__CHECK_REDUNDANT, allocator,
					   NULL, error);
	if (status == PLAIT_OK)
		status = plait__simulate_plan(plan, NULL, allocator,
					      &timeline, error);
	else if (plan == NULL)
		error->origin = 1;
	plait__simulate_release(timeline);
	plait__plan_release(plan);
	return status;
}

static void sweep(const struct shape *shape,
		  const plait__input_options *options, bool lasting,
		  const char *name)
{
	struct fault fault = { 0, 0, 0, lasting };
	plait_allocator allocator = {
		sizeof(allocator), 0, resize_faulty, &fault
	};
	uint32_t leaks = 0, silent = 0, other = 0;
	plait_status status = PLAIT_E_NOMEM;
	uint64_t at;

	for (at = 1; at < 10000 && status != PLAIT_OK; at++) {
		plait_error error = { 0 };

		fault.at = at;
		fault.count = 0;
		status = run_all(shape, options, &allocator, &error);
		leaks += fault.live_bytes != 0;
		fault.live_bytes = 0;
		other += status != PLAIT_OK && status != PLAIT_E_NOMEM;
		silent += status == PLAIT_E_NOMEM &&
			  strstr(error.text, "no memory") == NULL;
	}
	NOTE("%s: %llu allocations", name, (unsigned long long)at);
	OK_THAT(status == PLAIT_OK && at > 20, "%s: it ends well", name);
	OK_THAT(leaks == 0, "%s: nothing leaks (%u)", name, leaks);
	OK_THAT(other == 0, "%s: nothing else fails (%u)", name, other);
	OK_THAT(silent == 0, "%s: the error says so (%u)", name, silent);
}

static void every_allocation(void)
{
	static const struct shape_draw draw = {
		60, 60, 3, 200, 3, 120, 2, 300, 5, 4
	};
	uint32_t sources[1] = { 0 }, i;
	struct shape_random random;
	struct shape shape;

	shape_seed(&random, tap_seed());
	shape_random(&shape, &draw, &random);
	shape.devices[1].flags = PLAIT__DEVICE_ASYNC;
	for (i = 0; i < 8; i++) {
		plait__input_options options = { 0 };
		plait__plan *whole = NULL;

		options.policy = i & 1;
		options.mode = i >> 1 & 1;
		options.lanes = i & 1 ? 0 : 2;
		sweep(&shape, &options, i & 4, "all");
		if (i & 4)
			continue;
		if (plait__planner_run(&shape.input, &options, NULL, NULL,
				       &whole, NULL) != PLAIT_OK)
			continue;
		options.sources = sources;
		options.source_count = 1;
		options.whole = whole;
		sweep(&shape, &options, false, "a part");
		plait__plan_release(whole);
	}
	shape_fini(&shape);
}

/* From some thousand nodes on blocks are cut from others; planning alone. */
static void sweep_large(const struct shape *shape,
			const plait__input_options *options, const char *name)
{
	struct fault fault = { .at = 1 };
	plait_allocator allocator = {
		sizeof(allocator), 0, resize_faulty, &fault
	};
	uint32_t leaks = 0;
	plait_status status = PLAIT_E_NOMEM;

	for (; fault.at < 10000 && status == PLAIT_E_NOMEM; fault.at++) {
		plait__plan *plan = NULL;

		fault.count = 0;
		status = plait__planner_run(&shape->input, options, &allocator,
					    NULL, &plan, NULL);
		if (status == PLAIT_OK)
			OK_THAT(plait__check_plan(plan, &shape->input, 0, NULL,
						  NULL, NULL) == PLAIT_OK,
				"%s: it is right", name);
		plait__plan_release(plan);
		leaks += fault.live_bytes != 0;
		fault.live_bytes = 0;
	}
	OK_THAT(status == PLAIT_OK && fault.at > 20,
		"%s: it ends well after %llu allocations", name,
		(unsigned long long)fault.at);
	OK_THAT(leaks == 0, "%s: nothing leaks (%u)", name, leaks);
}

static void make_ladder(struct shape *shape)
{
	shape_init(shape, 2);
	for (uint32_t i = 0; i < 8400; i++) {
		shape_node(shape, 0, NULL);
		if (i >= 4)
			shape_edge(shape, i - 4, i);
		if (i >= 4 && i % 5 == 0)
			shape_edge(shape, i - 3, i);
	}
}

static void every_large_allocation(void)
{
	static const uint32_t devices[2] = { 0, 1 };
	plait__input_options options = { .lanes = 2 };
	struct shape shape;

	make_ladder(&shape);
	sweep_large(&shape, &options, "bounded");
	/* A node of two commands: more than the scope was prepared for. */
	shape_multi(&shape, devices, 2, PLAIT__MEANING_BARRIER, "both");
	options.policy = PLAIT__POLICY_WIDEST;
	options.mode = PLAIT__MODE_HELPED;
	options.lanes = 0;
	sweep_large(&shape, &options, "widest");
	shape_fini(&shape);
}

static const struct tap_scenario all[] = {
	{ "every allocation", every_allocation },
	{ "every large allocation", every_large_allocation },
};

TAP_MAIN(all)
