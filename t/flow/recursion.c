/* SPDX-License-Identifier: MIT */
/*
 * Recursion by tasks that submit tasks: Fibonacci numbers, as the sum of the leaves
 * of the tree of calls.  A task that finds no room in the window calls its child
 * itself, so that any window is wide enough.
 */
#include "flows.h"

enum { SMALL = 2 };

/* One for each task, until the flow is done. */
struct call {
	uint32_t n;
};

static struct call calls[4096];
static uint32_t call_count, leaves, inside;

static int32_t fibonacci(void *user_data);

static void descend(uint32_t n)
{
	uint32_t i = __atomic_fetch_add(&call_count, 1, __ATOMIC_SEQ_CST);
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = fibonacci, .user_data = &calls[i],
	};
	plait_status status;

	calls[i].n = n;
	status = plait_flow_submit(flow, &desc, NULL, NULL);
	if (status == PLAIT_OK)
		return;
	if (status != PLAIT_E_BUSY)
		abort();
	__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	(void)fibonacci(&calls[i]);
}

static int32_t fibonacci(void *user_data)
{
	const struct call *call = user_data;

	if (call->n < SMALL) {
		__atomic_add_fetch(&leaves, call->n, __ATOMIC_SEQ_CST);
		return 0;
	}
	descend(call->n - 1);
	descend(call->n - 2);
	return 0;
}

/* A task submits its children before it is done, so nothing is left when no
 * number is newer than those that were waited for. */
static void wait_for_tree(void)
{
	plait_flow_info info = { .size = sizeof(info) };
	plait_task seen;

	do {
		IS_INT(plait_flow_query(flow, &info, &flow_rig.error),
		       PLAIT_OK);
		seen = info.newest;
		IS_INT(wait_task(0), PLAIT_OK);
		IS_INT(plait_flow_query(flow, &info, &flow_rig.error),
		       PLAIT_OK);
	} while (info.newest != seen);
}

static void tree(uint32_t window, bool fits)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		if (!open_flow(&flow_settings[s], window))
			continue;
		call_count = leaves = inside = 0;
		descend(14);
		wait_for_tree();
		IS_UINT(leaves, 377);
		IS_UINT(call_count, 1219);
		OK(fits ? inside == 0 : s > 0 || inside > 0);
		close_flow();
	}
}

static void wide(void)
{
	tree(2048, true);
}

static void narrow(void)
{
	tree(16, false);
}

static const struct tap_scenario all[] = {
	{ "wide", wide },
	{ "narrow", narrow },
};
TAP_MAIN(all)
