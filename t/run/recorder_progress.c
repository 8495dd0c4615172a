/* SPDX-License-Identifier: MIT */
/* Progress that a recorded run reports while it is in flight. */
#include "lib/runs.h"

enum { TURNS = 5 };

static int32_t left;

static int32_t count_down(void *user_data)
{
	(void)user_data;
	return left > 0 ? left-- : 0;
}

/* A loop around an event of an inbox. */
static plait_plan *make_asking(plait_inbox *inbox)
{
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_WHILE, .label = "loop", .times = TURNS,
		.flags = PLAIT_CALL_ANY_THREAD, .function = count_down,
	};
	const plait_node_desc ask = { .kind = PLAIT_NODE_CALL,
				      .label = "ask", .inbox = inbox };
	plait_graph *graph = new_graph(), *body;
	plait_plan *plan;

	left = TURNS;
	body = body_of(graph, add_node(graph, loop, NULL, 0), 0);
	(void)add_node(body, ask, NULL, 0);
	plan = freeze(graph, 1, 1);
	plait_graph_release(body);
	plait_graph_release(graph);
	return plan;
}

/* Each event keeps the run where it is, so the reported progress is exact. */
static void check_progress(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = flags | PLAIT_RUN_RECORD };
	plait_run_info info = { .size = sizeof(info) };
	plait_event event = { .size = sizeof(event) };
	plait_inbox *inbox = NULL;
	plait_plan *plan;
	plait_run *run = NULL;

	IS_INT(plait_inbox_create(rig.context, &inbox, NULL), PLAIT_OK);
	plan = make_asking(inbox);
	IS_INT(plait_plan_record(plan, 0, &rig.error), PLAIT_OK);
	IS_INT(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error),
	       PLAIT_OK);
	for (uint64_t i = 0; i < TURNS && run != NULL; i++) {
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
		IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_OK);
		IS_INT(plait_run_query(run, &info, NULL), PLAIT_OK);
		IS_INT(info.status, PLAIT_PENDING);
		IS_UINT(info.iterations, i);
		IS_UINT(info.commands, i);
		IS_UINT(info.commands_expected, TURNS);
		OK(info.begin_ns == 0 && info.end_ns == 0);
		IS_INT(plait_inbox_answer(inbox, event.id, 0, NULL, NULL),
		       PLAIT_OK);
	}
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	IS_INT(plait_run_query(run, &info, NULL), PLAIT_OK);
	IS_UINT(info.iterations, TURNS);
	IS_UINT(info.commands, TURNS);
	plait_run_release(run);
	plait_plan_release(plan);
	plait_inbox_release(inbox);
}

static void progress(void)
{
	everywhere(check_progress);
}

static const struct tap_scenario all[] = {
	{ "progress", progress },
};

TAP_MAIN(all)
