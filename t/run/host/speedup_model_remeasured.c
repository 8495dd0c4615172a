/* SPDX-License-Identifier: MIT */
/*
 * Recalibration of the hop: after one measurement that was too long, plans that
 * were prepared with it use all lanes again.
 */
#include "lib/runs.h"
#include "runs_pool.h"

#include "sys/clock.h"
#include "sys/thread.h"

enum { LEVELS = 6, RECORDS = 100, FIRST_RUNS = 3, BUSY_NS = 20000 };

static int32_t be_busy(void *user_data)
{
	uint64_t until_ns = plait__clock_now_ns() + BUSY_NS;

	(void)user_data;
	while (plait__clock_now_ns() < until_ns)
		continue;
	return 0;
}

/* Diamonds, one after the other. */
static plait_plan *make_diamonds(void)
{
	plait_graph *graph = new_graph();
	plait_node sides[2], end = 0;
	plait_plan *plan;

	for (uint32_t i = 0; i < LEVELS; i++) {
		for (uint32_t k = 0; k < 2; k++)
			sides[k] = add_call(graph, NULL, be_busy, NULL, &end,
					    i > 0);
		end = add_call(graph, NULL, be_busy, NULL, sides, 2);
	}
	plan = freeze(graph, 2, 1);
	plait_graph_release(graph);
	return plan;
}

static uint32_t count_lanes(plait_plan *plan)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_RECORD };
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
	for (uint64_t i = 0; i < count && i < RECORDS; i++)
		if (records[i].lane >= lanes)
			lanes = records[i].lane + 1;
	plait_run_release(run);
	return lanes;
}

/* The woken worker may find its work already done by another thread. */
static void await_idle(plait__pool *pool)
{
	uint64_t since = 0;

	while (!plait__ready_is_idle(&pool->ready) && !tap_late(&since))
		plait__thread_yield();
}

static uint64_t short_hop(plait__pool *pool)
{
	at_store_relaxed_u32(&pool->latency.in_use, 0);
	return 50;
}

static void bad_minute_is_over(void)
{
	plait__pool *pool;
	plait_plan *plan;

	if (!open_host(1))
		return;
	setenv("PLAIT_LANES", "2", 1);
	pool = pool_of(rig.context);
	if (pool == NULL)
		return;
	/* As if a latency had been measured that exceeds everything. */
	at_store_relaxed_u64(&pool->latency.ns, UINT32_MAX);
	at_store_relaxed_u64(&pool->latency.due_ns, UINT64_MAX);
	pool->latency.measure = short_hop;
	plan = make_diamonds();
	for (uint32_t i = 0; i < FIRST_RUNS; i++)
		OK(plait_plan_call(plan, NULL, NULL, &rig.error) == PLAIT_OK);
	IS_UINT(count_lanes(plan), 1);
	IS_INT(plait_plan_prepare(plan, &rig.error), PLAIT_OK);
	IS_UINT(count_lanes(plan), 1);
	at_store_relaxed_u64(&pool->latency.due_ns, 0);
	await_idle(pool);
	IS_INT(plait_plan_prepare(plan, &rig.error), PLAIT_OK);
	IS_UINT(plait__hop_latency_known_ns(pool), 50);
	IS_UINT(count_lanes(plan), 2);
	plait_plan_release(plan);
	unsetenv("PLAIT_LANES");
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "a bad minute is over", bad_minute_is_over },
};

TAP_MAIN(all)
