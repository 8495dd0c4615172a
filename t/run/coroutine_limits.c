/* SPDX-License-Identifier: MIT */
/* Plans with more coroutines than the limits of a context let be suspended, and
 * with very many. */
#include "lib/runs.h"

#include "plait/plugin.h"

enum { LIMIT_STACKS = 2, LANES = 3 };

static uint32_t suspended, ended;	/* atomic */

static int32_t await_gate(void *gate)
{
	plait_status status;

	__atomic_add_fetch(&suspended, 1, __ATOMIC_SEQ_CST);
	status = plait_await_signal(gate, 1, TAP_PATIENCE_NS, NULL);
	__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
	return status != PLAIT_OK;
}

static plait_signal *new_gate(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;

	OK(plait_signal_create(rig.device, &desc, &gate, NULL) == PLAIT_OK);
	return gate;
}

/* Coroutines on a lane each, which await the gate. */
static plait_plan *plan_of(uint32_t count, plait_signal *gate)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_CALL, .label = "awaiter",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = await_gate, .user_data = gate,
	};
	plait_graph *graph = new_graph();
	plait_plan *plan;
	uint32_t added = 0;

	for (uint32_t i = 0; i < count; i++)
		added += plait_graph_add(graph, &desc, NULL, 0, NULL, NULL) ==
			 PLAIT_OK;
	IS_UINT(added, count);
	plan = freeze(graph, count, 1);
	plait_graph_release(graph);
	suspended = ended = 0;
	return plan;
}

/* The node that would need one more stack fails, which cancels the others. */
static void check_refused(const char *name, const char *value)
{
	plait_signal *gate;
	plait_plan *plan;

	OK(setenv(name, value, 1) == 0);
	if (!open_host(2))
		return;
	gate = new_gate();
	plan = plan_of(LANES, gate);
	IS_INT(run_with(plan, PLAIT_RUN_PARALLEL), PLAIT_E_BUSY);
	HAS_STR(rig.error.text, "awaiter");
	HAS_STR(rig.error.text, name);
	IS_UINT(ended, LIMIT_STACKS);
	plait_plan_release(plan);
	/* The stacks are back. */
	plan = plan_of(LIMIT_STACKS, gate);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	IS_INT(run_with(plan, PLAIT_RUN_PARALLEL), PLAIT_OK);
	plait_plan_release(plan);
	plait_signal_release(gate);
	close_rig(&rig);
	OK(unsetenv(name) == 0);
}

static void limits(void)
{
	check_refused("PLAIT_COROUTINES", "2");
	/* Stacks of 64 KiB. */
	check_refused("PLAIT_COROUTINE_BYTES", "150000");
}

static void many(void)
{
	const bool slow = PLAIT_SANITIZER_KIND != PLAIT_SANITIZER_NONE ||
			  getenv("PLAIT_TEST_WRAPPER") != NULL;
	const uint32_t count = slow ? 200 : 10000;
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_PARALLEL };
	plait_signal *gate;
	plait_plan *plan;
	plait_run *run = NULL;

	if (!open_host(2))
		return;
	gate = new_gate();
	plan = plan_of(count, gate);
	OK(plait_plan_run(plan, rig.queue, &desc, &run, NULL) == PLAIT_OK);
	while (__atomic_load_n(&suspended, __ATOMIC_SEQ_CST) < count &&
	       plait_run_poll(run, NULL) == PLAIT_PENDING)
		pause_a_little();
	IS_UINT(suspended, count);
	IS_UINT(ended, 0);
	OK(plait_signal_raise(gate, 1, NULL) == PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_OK);
	IS_UINT(ended, count);
	plait_run_release(run);
	plait_plan_release(plan);
	plait_signal_release(gate);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "limits", limits },
	{ "many", many },
};

TAP_MAIN(all)
