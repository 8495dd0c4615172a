/* SPDX-License-Identifier: MIT */
/*
 * The choice of lanes by the hop cost: whether a run uses all lanes of a plan
 * depends on the latency between two threads, and on nothing else here:
 * functions take much longer than the saving of a second lane has to be.  The
 * number of merged lanes is checked, too.
 */
#include "lib/runs.h"

#include <string.h>
#include <time.h>

enum { LEVELS = 10, WIDEST = 4, RECORDS = 1000, FIRST_RUNS = 3, BUSY_NS = 5000 };

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* At least that long. */
static int32_t be_busy(void *user_data)
{
	uint64_t until_ns = now_ns() + BUSY_NS;

	(void)user_data;
	while (now_ns() < until_ns)
		continue;
	return 0;
}

/* Levels of some, each of all of the level before: as many lanes, and as many
 * hops a level. */
static plait_plan *make_levels(uint32_t width)
{
	plait_graph *graph = new_graph();
	plait_node before[WIDEST], level[WIDEST];
	plait_plan *plan;

	for (uint32_t i = 0; i < LEVELS; i++) {
		for (uint32_t k = 0; k < width; k++)
			level[k] = add_call(graph, NULL, be_busy, NULL, before,
					    i > 0 ? width : 0);
		memcpy(before, level, sizeof(before));
	}
	plan = freeze(graph, width, 1);
	plait_graph_release(graph);
	return plan;
}

/* Returns how many lanes a recorded run uses; one lane has to be the first.
 * Checks that each command runs on the lane that the plan gave it. */
static uint32_t count_lanes(plait_plan *plan, uint32_t flags, bool *out_own)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_RECORD | flags };
	static plait_record records[RECORDS];
	uint64_t count = 0, dropped = 0;
	uint32_t lanes = 0;
	plait_run *run = NULL;

	OK(plait_plan_record(plan, RECORDS, &rig.error) == PLAIT_OK &&
	   plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
		   PLAIT_OK);
	OK(plait_run_wait(run, PLAIT_FOREVER, &rig.error) == PLAIT_OK);
	records[0].size = sizeof(records[0]);
	OK(plait_run_records(run, records, RECORDS, &count, &dropped,
			     &rig.error) == PLAIT_OK);
	*out_own = true;
	for (uint64_t i = 0; i < count && i < RECORDS; i++) {
		*out_own = *out_own &&
			   records[i].lane == records[i].planned_lane;
		if (records[i].lane >= lanes)
			lanes = records[i].lane + 1;
	}
	plait_run_release(run);
	return lanes;
}

static bool chosen(const char *hop_ns)
{
	plait_plan *plan;
	bool lanes, own;

	setenv("PLAIT_HOP_NS", hop_ns, 1);
	plan = make_levels(2);
	for (uint32_t i = 0; i < FIRST_RUNS; i++)
		OK(plait_plan_call(plan, NULL, NULL, &rig.error) == PLAIT_OK);
	lanes = count_lanes(plan, 0, &own) > 1;
	plait_plan_release(plan);
	unsetenv("PLAIT_HOP_NS");
	return lanes;
}

static void by_hop(void)
{
	if (!open_host(1))
		return;
	/* Also on a machine of one processor. */
	setenv("PLAIT_LANES", "2", 1);
	OK(chosen("0"));
	OK(!chosen("4000000000"));
	/* Not a number: measured.  It works with any result. */
	(void)chosen("soon");
	unsetenv("PLAIT_LANES");
	close_rig(&rig);
}

/* The lanes that a plan of four lanes has when it is prepared now. */
static void fits(const char *said, uint32_t lanes, bool is_own)
{
	plait_plan *plan;
	bool own;

	setenv("PLAIT_LANES", said, 1);
	plan = make_levels(WIDEST);
	for (uint32_t i = 0; i < 2; i++) {
		IS_INT(count_lanes(plan, PLAIT_RUN_PARALLEL, &own), lanes);
		OK_THAT(own == is_own, "PLAIT_LANES=%s: own lanes", said);
	}
	plait_plan_release(plan);
	unsetenv("PLAIT_LANES");
}

static void given_number_of_lanes(void)
{
	if (!open_host(3))
		return;
	fits("0", 4, true);
	fits("4", 4, true);
	fits("5", 4, true);
	fits("3", 3, false);
	fits("2", 2, false);
	fits("1", 1, false);
	close_rig(&rig);
}

static void without_workers(void)
{
	if (!open_host(0))
		return;
	setenv("PLAIT_LANES", "2", 1);
	OK(!chosen("0"));
	unsetenv("PLAIT_LANES");
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "by the hop", by_hop },
	{ "the given number of lanes", given_number_of_lanes },
	{ "without workers", without_workers },
};
TAP_MAIN(all)
