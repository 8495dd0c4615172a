/* SPDX-License-Identifier: MIT */
/* Whether runs use all lanes of a plan depends on how long a hop between two
 * threads is, and on nothing else here: functions take much longer than what
 * a second lane has to save. */
#include "runs.h"

#include <time.h>

enum { LEVELS = 10, RECORDS = 100, FIRST_RUNS = 3, BUSY_NS = 5000 };

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

/* Pairs, each of both of the pair before: two lanes, and two hops a level. */
static plait_plan *make_pairs(void)
{
	plait_graph *graph = new_graph();
	plait_node before[2], pair[2];
	plait_plan *plan;

	for (uint32_t i = 0; i < LEVELS; i++) {
		for (uint32_t k = 0; k < 2; k++)
			pair[k] = add_call(graph, NULL, be_busy, NULL, before,
					   i > 0 ? 2 : 0);
		before[0] = pair[0];
		before[1] = pair[1];
	}
	plan = freeze(graph, 2, 1);
	plait_graph_release(graph);
	return plan;
}

/* Does a recorded run have the second lane do something?  When one lane does
 * it all, that is the first. */
static bool uses_lanes(plait_plan *plan)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_RECORD };
	static plait_record records[RECORDS];
	uint64_t count = 0, dropped = 0, others = 0;
	plait_run *run = NULL;

	OK(plait_plan_record(plan, RECORDS, &rig.error) == PLAIT_OK &&
	   plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
		   PLAIT_OK);
	OK(plait_run_wait(run, PLAIT_FOREVER, &rig.error) == PLAIT_OK);
	records[0].size = sizeof(records[0]);
	OK(plait_run_records(run, records, RECORDS, &count, &dropped,
			     &rig.error) == PLAIT_OK);
	for (uint64_t i = 0; i < count && i < RECORDS; i++)
		others += records[i].lane != 0;
	plait_run_release(run);
	return others > 0;
}

static bool chosen(const char *hop_ns)
{
	plait_plan *plan;
	bool lanes;

	setenv("PLAIT_HOP_NS", hop_ns, 1);
	plan = make_pairs();
	for (uint32_t i = 0; i < FIRST_RUNS; i++)
		OK(plait_plan_call(plan, NULL, NULL, &rig.error) == PLAIT_OK);
	lanes = uses_lanes(plan);
	plait_plan_release(plan);
	unsetenv("PLAIT_HOP_NS");
	return lanes;
}

static void by_hop(void)
{
	if (!open_host(1))
		return;
	OK(chosen("0"));
	OK(!chosen("4000000000"));
	/* Not a number: measured.  Whatever that gives, it works. */
	(void)chosen("soon");
	close_rig(&rig);
}

static void without_workers(void)
{
	if (!open_host(0))
		return;
	OK(!chosen("0"));
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "by the hop", by_hop },
	{ "without workers", without_workers },
};
TAP_MAIN(all)
