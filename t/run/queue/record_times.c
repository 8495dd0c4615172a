/* SPDX-License-Identifier: MIT */
/*
 * Recorded times on queues where a lane has no part in the branch that a region
 * takes: commands behind the region are submitted when it is left, and have not
 * started before the lane's commands in front of it have ended.  The same
 * inside.
 */
#include "lib/runs.h"

#include <sched.h>

enum { MOST = 64, ROUNDS = 20 };

static uint32_t behind;

/* Ends when the region has been left, which does not wait for it. */
static int32_t wait_for_behind(void *user_data)
{
	uint64_t since = 0;

	(void)user_data;
	while (__atomic_load_n(&behind, __ATOMIC_ACQUIRE) == 0 &&
	       !tap_late(&since))
		(void)sched_yield();
	return 0;
}

static int32_t be_behind(void *user_data)
{
	(void)user_data;
	__atomic_store_n(&behind, 1, __ATOMIC_RELEASE);
	return 0;
}

static int32_t choose_first(void *user_data)
{
	(void)user_data;
	return 0;
}

static plait_node add_on(plait_graph *graph, plait_device *device,
			 const char *label, plait_host_function function,
			 const plait_node *after, uint64_t count)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.label = label, .function = function, .cost = 1000,
		.device = device, .user_data = &rig,
	};

	return add_node(graph, desc, after, count);
}

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/*
 * first -> choice { inside | other } -> free, and held -> filled parallel to
 * it, on another device, which takes part in the second branch.  Or `within`:
 * filled is in the first branch, parallel to inside, and in its lane behind
 * held all the same.
 */
static plait_plan *make_plan(plait_device *other, plait_buffer *buffer,
			     bool within)
{
	const plait_freeze_desc desc = {
		.size = sizeof(desc), .lanes = 2, .flags = PLAIT_FREEZE_CHECK,
	};
	const plait_node_desc choice = {
		.kind = PLAIT_NODE_CASE, .label = "choice", .branch_count = 2,
		.flags = PLAIT_CALL_ANY_THREAD, .function = choose_first,
		.device = rig.device,
	};
	const plait_node_desc fill = {
		.kind = PLAIT_NODE_FILL, .label = "filled", .target = buffer,
		.bytes = 8, .pattern_bytes = 8, .cost = 1000, .device = other,
	};
	plait_graph *graph = new_graph(), *body;
	plait_plan *plan = NULL;
	plait_node node, both[2];

	both[0] = add_on(graph, other, "held", wait_for_behind, NULL, 0);
	node = add_on(graph, rig.device, "first", nothing, NULL, 0);
	both[1] = add_node(graph, choice, &node, 1);
	body = body_of(graph, both[1], 0);
	(void)add_on(body, rig.device, "inside", within ? be_behind : nothing,
		     NULL, 0);
	if (within)
		(void)add_node(body, fill, NULL, 0);
	plait_graph_release(body);
	body = body_of(graph, both[1], 1);
	(void)add_on(body, other, "other", nothing, NULL, 0);
	plait_graph_release(body);
	(void)add_on(graph, rig.device, "free", be_behind, &both[1], 1);
	if (!within)
		(void)add_node(graph, fill, both, 2);
	OK_THAT(plait_graph_freeze(graph, &desc, &plan, &rig.error) ==
		PLAIT_OK, "freeze: %s", rig.error.text);
	plait_graph_release(graph);
	return plan;
}

static void find(plait_plan *plan, plait_run *run, const char *label,
		 plait_record *out)
{
	plait_record records[MOST] = { { .size = sizeof(records[0]) } };
	uint64_t count = 0;

	memset(out, 0, sizeof(*out));
	OK(plait_run_records(run, records, MOST, &count, NULL, &rig.error) ==
	   PLAIT_OK);
	for (uint64_t i = 0; i < count; i++) {
		plait_command_info info = { .size = sizeof(info) };

		OK(plait_plan_query_command(plan, records[i].command, &info, NULL) ==
		   PLAIT_OK);
		if (records[i].kind == PLAIT_RECORD_COMMAND &&
		    strcmp(info.label, label) == 0)
			*out = records[i];
	}
	OK_THAT(out->end_ns != 0, "%s is there", label);
}

static void run_once(plait_plan *plan)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_PARALLEL |
					       PLAIT_RUN_RECORD };
	plait_record held, filled;
	plait_run *run = NULL;

	__atomic_store_n(&behind, 0, __ATOMIC_RELAXED);
	IS_INT(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	find(plan, run, "held", &held);
	find(plan, run, "filled", &filled);
	IS_UINT(held.planned_lane, filled.planned_lane);
	OK(held.start_ns < held.end_ns);
	OK_THAT(held.end_ns <= filled.start_ns, "%lld ns between them",
		(long long)(filled.start_ns - held.end_ns));
	plait_run_release(run);
}

static void check(bool within)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 8 };
	plait_buffer *buffer = NULL;
	plait_device *other = NULL;
	plait_plan *plan;

	rig = (struct rig){ .backend = "chaos,host", .workers = 1 };
	if (!open_rig(&rig))
		return;
	OK(plait_context_find_device(rig.context, "host", &other,
				     &rig.error) == PLAIT_OK);
	OK(plait_buffer_create(other, &desc, &buffer, &rig.error) ==
	   PLAIT_OK);
	plan = make_plan(other, buffer, within);
	OK(plait_plan_record(plan, 0, &rig.error) == PLAIT_OK);
	for (int i = 0; i < ROUNDS; i++)
		run_once(plan);
	plait_plan_release(plan);
	plait_buffer_release(buffer);
	close_rig(&rig);
}

static void past_a_region(void)
{
	check(false);
}

static void into_a_region(void)
{
	check(true);
}

static const struct tap_scenario all[] = {
	{ "past a region", past_a_region },
	{ "into a region", into_a_region },
};
TAP_MAIN(all)
