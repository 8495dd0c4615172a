/* SPDX-License-Identifier: MIT */
/* Waits with a limit, and polls: tasks that they run. */
#include "flows.h"

enum { TASK_NS = 2000000, TASKS = 12 };

static pthread_t waiting_thread;
static int own_calls, all_calls;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int32_t take_time(void *user_data)
{
	const uint64_t end_ns = now_ns() + TASK_NS;

	(void)user_data;
	if (pthread_equal(pthread_self(), waiting_thread))
		__atomic_add_fetch(&own_calls, 1, __ATOMIC_SEQ_CST);
	while (now_ns() < end_ns)
		;
	__atomic_add_fetch(&all_calls, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* Returns what they are a chain on. */
static plait_data *submit_long_tasks(void)
{
	plait_data *data = new_data(0, 0, 0, 0, 0, "chain");
	const plait_access access = access_of(data, PLAIT_ACCESS_READ_WRITE,
					      NULL);

	waiting_thread = pthread_self();
	own_calls = all_calls = 0;
	for (int i = 0; i < TASKS; i++)
		call_task("long", take_time, NULL, &access, 1);
	return data;
}

/* A wait begins no task behind its limit, or without workers one. */
static void limits(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		const int most = flow_settings[s].workers == 0 ? 2 : 1;
		plait_status status;
		plait_data *data;
		int waits = 0;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		data = submit_long_tasks();
		do {
			status = plait_flow_wait(flow, 0, TASK_NS / 2,
						 &flow_rig.error);
			waits++;
		} while (status == PLAIT_E_TIMEOUT);
		IS_INT(status, PLAIT_OK);
		OK_THAT(own_calls <= most * waits, "%d tasks in %d waits",
			own_calls, waits);
		IS_INT(all_calls, TASKS);
		plait_data_release(data);
		close_flow();
	}
}

/* A poll runs no task that a worker can run; without any it goes on. */
static void polls_of_long_tasks(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		const bool alone = flow_settings[s].workers == 0;
		plait_status status;
		plait_data *data;
		int calls = 0;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		data = submit_long_tasks();
		do {
			status = plait_flow_wait(flow, 0, 0, &flow_rig.error);
			calls += alone;
			if (own_calls != calls)
				break;
		} while (status == PLAIT_E_TIMEOUT);
		IS_INT(status, PLAIT_OK);
		IS_INT(own_calls, calls);
		IS_INT(all_calls, TASKS);
		IS_INT(wait_task(0), PLAIT_OK);
		plait_data_release(data);
		close_flow();
	}
}

/* ---- another flow ---- */

static plait_flow *flow_of_chain;
static int stop;

static int32_t submit_next(void *user_data);

static void submit_link(void)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL, .label = "link",
		.function = submit_next,
	};

	IS_INT(plait_flow_submit(flow_of_chain, &desc, NULL, NULL), PLAIT_OK);
}

/* There is always a task that is ready. */
static int32_t submit_next(void *user_data)
{
	const uint64_t end_ns = now_ns() + TASK_NS;

	(void)user_data;
	while (now_ns() < end_ns)
		;
	if (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST))
		submit_link();
	return 0;
}

static int32_t stop_links(void *user_data)
{
	(void)user_data;
	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* Waits that end by their limit let other flows of the context progress, if no worker
 * does. */
static void other_flows(void)
{
	const plait_flow_desc desc = { .size = sizeof(desc), .window = 64 };
	enum { WAITS_MOST = 50 };

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_status status = PLAIT_E_TIMEOUT;
		int waits = 0;

		if (flow_settings[s].workers != 0 ||
		    !open_flow(&flow_settings[s], 64))
			continue;
		OK(plait_flow_create(flow_rig.context, &desc, &flow_of_chain,
				     NULL) == PLAIT_OK);
		stop = 0;
		for (int i = 0; i < 4; i++)
			submit_link();
		call_task("stop", stop_links, NULL, NULL, 0);
		for (; status == PLAIT_E_TIMEOUT && waits < WAITS_MOST; waits++)
			status = plait_flow_wait(flow_of_chain, 0, TASK_NS / 2,
						 &flow_rig.error);
		OK_THAT(__atomic_load_n(&stop, __ATOMIC_SEQ_CST),
			"%d waits, and the other flow has not begun", waits);
		stop_links(NULL);
		IS_INT(plait_flow_wait(flow_of_chain, 0, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(wait_task(0), PLAIT_OK);
		plait_flow_release(flow_of_chain);
		close_flow();
	}
}

static const struct tap_scenario all[] = {
	{ "limits", limits },
	{ "polls of long tasks", polls_of_long_tasks },
	{ "other flows", other_flows },
};

TAP_MAIN(all)
