/* SPDX-License-Identifier: MIT */
/*
 * The hint of a caller that runs a plan itself: in both modes, on a machine
 * with one CPU, each worker is woken with the hint that the caller uses its
 * CPU.
 */
#include "lib/runs.h"
#include "runs_pool.h"

#include "sys/clock.h"
#include "sys/cpu.h"

#include <sched.h>

/* Long enough in all that the worker gets its slice of the CPU meanwhile. */
enum { NODES = 60, BUSY_NS = 1000000 };

static int32_t be_busy(void *user_data)
{
	uint64_t until_ns = plait__clock_now_ns() + BUSY_NS;

	(void)user_data;
	while (plait__clock_now_ns() < until_ns)
		continue;
	return 0;
}

static plait_plan *make_plan(uint32_t mode)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .mode = mode,
				   .lanes = 2, .instances = 1 };
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;

	for (uint32_t i = 0; i < NODES; i++)
		(void)add_call(graph, NULL, be_busy, NULL, NULL, 0);
	IS_INT(plait_graph_freeze(graph, &desc, &plan, &rig.error), PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

static void call_until_aside(plait__pool *pool, uint32_t mode)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_PARALLEL };
	plait_plan *plan = make_plan(mode);
	uint64_t since = 0;
	bool good = plan != NULL;

	at_store_relaxed_u64(&pool->migrated_ns, 0);
	while (good && at_load_relaxed_u64(&pool->migrated_ns) == 0 &&
	       !tap_late(&since))
		good = plait_plan_call(plan, NULL, &desc, &rig.error) ==
		       PLAIT_OK;
	OK_THAT(good && at_load_relaxed_u64(&pool->migrated_ns) != 0,
		"mode %u", mode);
	plait_plan_release(plan);
}

static void on_one_cpu(void)
{
	cpu_set_t before, one;
	plait__pool *pool;

	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&one);
	CPU_SET((size_t)plait__cpu_here(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (!open_host(1))
		return;
	setenv("PLAIT_LANES", "2", 1);
	pool = pool_of(rig.context);
	if (pool == NULL)
		return;
	call_until_aside(pool, PLAIT_MODE_STRICT);
	call_until_aside(pool, PLAIT_MODE_HELPED);
	unsetenv("PLAIT_LANES");
	close_rig(&rig);
	sched_setaffinity(0, sizeof(before), &before);
}

static const struct tap_scenario all[] = {
	{ "on one CPU", on_one_cpu },
};

TAP_MAIN(all)
