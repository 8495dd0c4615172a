/* SPDX-License-Identifier: MIT */
/* Late tasks: signals, inboxes, notification, cancellation. */
#include "flows.h"

/* ---- signals ---- */

static int32_t append(void *user_data)
{
	++*(uint64_t *)user_data;
	return 0;
}

/* Emissions and waits come behind what their accesses name. */
static void signals(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc emit = { .size = sizeof(emit),
					 .kind = PLAIT_TASK_EMIT };
		plait_task_desc wait = { .size = sizeof(wait),
					 .kind = PLAIT_TASK_WAIT };
		plait_access access;
		plait_data *token;
		uint64_t count = 0, reached = 0;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		token = new_data(0, 0, 0, 0, 0, "order");
		access = access_of(token, PLAIT_ACCESS_READ_WRITE, NULL);
		emit.signal = flow_rig.signal;
		wait.signal = flow_rig.gate;
		wait.sequence = 5;
		emit.accesses = wait.accesses = &access;
		emit.access_count = wait.access_count = 1;
		/* The gate holds the tasks behind the wait. */
		OK_THAT(plait_flow_submit(flow, &wait, NULL,
					  &flow_rig.error) == PLAIT_OK, "%s",
			flow_rig.error.text);
		for (int i = 0; i < 50; i++)
			call_task("count", append, &count, &access, 1);
		OK_THAT(plait_flow_submit(flow, &emit, NULL,
					  &flow_rig.error) == PLAIT_OK, "%s",
			flow_rig.error.text);
		/* An independent task passes them. */
		IS_INT(wait_task(call_task("free", return_it, NULL, NULL, 0)),
		       PLAIT_OK);
		OK(plait_signal_query(flow_rig.signal, &reached, NULL, NULL) ==
		   PLAIT_OK);
		IS_UINT(reached, 0);
		IS_INT(plait_flow_wait(flow, 0, 0, NULL), PLAIT_E_TIMEOUT);
		OK(plait_signal_raise(flow_rig.gate, 5, NULL) == PLAIT_OK);
		IS_INT(wait_task(0), PLAIT_OK);
		IS_UINT(count, 50);
		OK(plait_signal_query(flow_rig.signal, &reached, NULL, NULL) ==
		   PLAIT_OK);
		IS_UINT(reached, 1);
		plait_data_release(token);
		close_flow();
	}
}

/* ---- inboxes ---- */

static int32_t fail_with_five(void *user_data)
{
	(void)user_data;
	return 5;
}

static int32_t note_thread(void *user_data)
{
	*(pthread_t *)user_data = pthread_self();
	return 0;
}

/* The owner of an inbox runs functions while it waits. */
static void inboxes(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		pthread_t ran = 0;
		plait_inbox *inbox = NULL;
		plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.function = note_thread, .user_data = &ran,
		};
		plait_event event = { .size = sizeof(event) };
		plait_task task = 0;
		int mark = 0;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		OK(plait_inbox_create(flow_rig.context, &inbox, NULL) ==
		   PLAIT_OK);
		desc.inbox = inbox;
		OK(plait_flow_submit(flow, &desc, &task, NULL) == PLAIT_OK);
		IS_INT(wait_task(task), PLAIT_OK);
		OK(pthread_equal(ran, pthread_self()));
		desc.function = fail_with_five;
		OK(plait_flow_submit(flow, &desc, &task, NULL) == PLAIT_OK);
		IS_INT(wait_task(task), PLAIT_E_FAILED);
		IS_INT(flow_rig.error.origin, 5);
		OK(plait_flow_notify(flow, task, inbox, NULL, &mark,
				     &flow_rig.error) == PLAIT_OK);
		OK(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL) == PLAIT_OK);
		OK(plait_inbox_next(inbox, &event, NULL) == PLAIT_OK);
		IS_INT(event.kind, PLAIT_EVENT_TASK);
		IS_INT(event.status, PLAIT_E_FAILED);
		IS_INT(event.origin, 5);
		IS_UINT(event.sequence, task);
		IS_PTR(event.user_data, &mark);
		plait_inbox_release(inbox);
		close_flow();
	}
}

static void cancelled(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc wait = { .size = sizeof(wait),
					 .kind = PLAIT_TASK_WAIT,
					 .sequence = 1 };
		plait_access access;
		plait_data *data;
		plait_task task;
		uint64_t word;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		data = new_data(0, 0, 0, 0, 8, "u");
		access = access_of(data, PLAIT_ACCESS_READ_WRITE, NULL);
		wait.signal = flow_rig.gate;
		wait.accesses = &access;
		wait.access_count = 1;
		OK(plait_flow_submit(flow, &wait, NULL, NULL) == PLAIT_OK);
		task = call_task("late", return_it, NULL, &access, 1);
		OK(plait_flow_cancel(flow, NULL) == PLAIT_OK);
		OK(plait_signal_raise(flow_rig.gate, 1, NULL) == PLAIT_OK);
		IS_INT(wait_task(task), PLAIT_E_CANCELLED);
		IS_INT(plait_data_read(data, NULL, &word, &flow_rig.error),
		       PLAIT_E_CANCELLED);
		task = call_task("new", return_it, NULL, NULL, 0);
		IS_INT(wait_task(task), PLAIT_OK);
		plait_data_release(data);
		close_flow();
	}
}

static void *create_inbox(void *out)
{
	IS_INT(plait_inbox_create(flow_rig.context, out, NULL), PLAIT_OK);
	return NULL;
}

/* An inbox that no wait of the calling thread serves before it adopts it. */
static plait_inbox *inbox_of_another_thread(void)
{
	plait_inbox *inbox = NULL;
	pthread_t thread;

	OK(pthread_create(&thread, NULL, create_inbox, &inbox) == 0);
	OK(pthread_join(thread, NULL) == 0);
	return inbox;
}

/* Cancelled tasks whose signal and owner never come. */
static void cancelled_waits(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc wait = { .size = sizeof(wait),
					 .kind = PLAIT_TASK_WAIT,
					 .sequence = 1 };
		plait_task_desc call = { .size = sizeof(call),
					 .kind = PLAIT_TASK_CALL,
					 .function = fail_with_five };
		plait_task waiting = 0, calling = 0, behind;
		plait_access access;
		plait_data *data;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		data = new_data(0, 0, 0, 0, 8, "u");
		access = access_of(data, PLAIT_ACCESS_READ_WRITE, NULL);
		call.inbox = inbox_of_another_thread();
		wait.signal = flow_rig.gate;
		wait.accesses = &access;
		wait.access_count = 1;
		OK(plait_flow_submit(flow, &wait, &waiting, NULL) == PLAIT_OK);
		OK(plait_flow_submit(flow, &call, &calling, NULL) == PLAIT_OK);
		behind = call_task("behind", return_it, NULL, &access, 1);
		/* In some settings they have begun by then. */
		IS_INT(wait_task(call_task("free", return_it, NULL, NULL, 0)),
		       PLAIT_OK);
		OK(plait_flow_cancel(flow, NULL) == PLAIT_OK);
		IS_INT(wait_task(waiting), PLAIT_E_CANCELLED);
		HAS_STR(flow_rig.error.text, "cancelled");
		IS_INT(wait_task(behind), PLAIT_E_CANCELLED);
		IS_INT(wait_task(calling), PLAIT_E_CANCELLED);
		HAS_STR(flow_rig.error.text, "cancelled");
		/* The flow goes on, also when the signal comes. */
		access.mode = PLAIT_ACCESS_WRITE;
		behind = call_task("new", return_it, NULL, &access, 1);
		IS_INT(wait_task(behind), PLAIT_OK);
		OK(plait_signal_raise(flow_rig.gate, 1, NULL) == PLAIT_OK);
		OK(plait_inbox_adopt(call.inbox, NULL) == PLAIT_OK);
		IS_INT(plait_inbox_pump(call.inbox, 0, NULL, NULL), PLAIT_OK);
		IS_INT(wait_task(call_task("last", return_it, NULL, NULL, 0)),
		       PLAIT_OK);
		plait_inbox_release(call.inbox);
		plait_data_release(data);
		close_flow();
	}
}

/* ---- events ---- */

/* A call without a function is answered by the owner of the inbox. */
static void answers(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc ask = { .size = sizeof(ask), .label = "ask",
					.kind = PLAIT_TASK_CALL };
		plait_event event = { .size = sizeof(event) };
		plait_task tasks[2];

		if (!open_flow(&flow_settings[s], 16))
			continue;
		IS_INT(plait_inbox_create(flow_rig.context, &ask.inbox,
					  &flow_rig.error), PLAIT_OK);
		for (uint64_t i = 0; i < 2; i++) {
			IS_INT(plait_flow_submit(flow, &ask, &tasks[i],
						 &flow_rig.error), PLAIT_OK);
			IS_INT(plait_flow_wait(flow, tasks[i], PLAIT_FOREVER,
					       &flow_rig.error),
			       PLAIT_EVENT_READY);
			IS_INT(plait_inbox_next(ask.inbox, &event,
						&flow_rig.error), PLAIT_OK);
			IS_INT(event.kind, PLAIT_EVENT_CALL);
			OK(event.function == NULL);
			IS_INT(plait_inbox_answer(ask.inbox, event.id, i * 7,
						  "was wrong",
						  &flow_rig.error), PLAIT_OK);
		}
		IS_INT(wait_task(tasks[0]), PLAIT_OK);
		IS_INT(wait_task(tasks[1]), PLAIT_E_FAILED);
		IS_INT(flow_rig.error.origin, 7);
		HAS_STR(flow_rig.error.text, "\"ask\"");
		plait_inbox_release(ask.inbox);
		close_flow();
	}
}

/* ---- plans ---- */

static int32_t triple(void *user_data)
{
	*(uint64_t *)user_data *= 3;
	return 0;
}

/* A plan that triples a number, then fails with `result`. */
static plait_plan *new_plan(uint64_t *number, intptr_t result)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node first = 0;

	IS_INT(plait_graph_create(flow_rig.context, &graph, &flow_rig.error),
	       PLAIT_OK);
	IS_INT(plait_graph_call(graph, triple, number, 0, &first,
				&flow_rig.error), PLAIT_OK);
	IS_INT(plait_graph_call(graph, return_it, (void *)result, first, NULL,
				&flow_rig.error), PLAIT_OK);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &flow_rig.error),
	       PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

/* Runs of plans are tasks among others, also after the plan was released. */
static void plans(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc run = { .size = sizeof(run), .label = "plan",
					.kind = PLAIT_TASK_PLAN,
					.access_count = 1 };
		uint64_t number = 1, expected = 1;
		plait_access access;
		plait_data *token;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		token = new_data(0, 0, 0, 0, 0, "order");
		access = access_of(token, PLAIT_ACCESS_READ_WRITE, NULL);
		run.accesses = &access;
		run.plan = new_plan(&number, 0);
		for (int i = 0; i < 30; i++) {
			IS_INT(plait_flow_submit(flow, &run, NULL,
						 &flow_rig.error), PLAIT_OK);
			call_task("count", append, &number, &access, 1);
			expected = expected * 3 + 1;
		}
		plait_plan_release(run.plan);
		OK_THAT(wait_task(0) == PLAIT_OK, "%s", flow_rig.error.text);
		IS_UINT(number, expected);
		plait_data_release(token);
		close_flow();
		IS_UINT(plait_live_count(PLAIT_OBJECT_PLAN), 0);
	}
}

/* Runs of one plan need no access to come one after another. */
static void unordered_plans(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc run = { .size = sizeof(run),
					.kind = PLAIT_TASK_PLAN };
		uint64_t number = 1, expected = 1;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		run.plan = new_plan(&number, 0);
		for (int i = 0; i < 40; i++) {
			IS_INT(plait_flow_submit(flow, &run, NULL,
						 &flow_rig.error), PLAIT_OK);
			expected *= 3;
		}
		IS_INT(wait_task(0), PLAIT_OK);
		IS_UINT(number, expected);
		plait_plan_release(run.plan);
		close_flow();
	}
}

/* A wait names the command that a plan is at. */
static void described_plans(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc run = { .size = sizeof(run), .label = "plan",
					.kind = PLAIT_TASK_PLAN };
		plait_graph *graph = NULL;
		plait_plan *plan = NULL;
		plait_status status;
		uint64_t since = 0;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		IS_INT(plait_graph_create(flow_rig.context, &graph,
					  &flow_rig.error), PLAIT_OK);
		IS_INT(plait_graph_wait(graph, flow_rig.gate, 5, 0, NULL,
					&flow_rig.error), PLAIT_OK);
		IS_INT(plait_graph_freeze(graph, NULL, &plan,
					  &flow_rig.error), PLAIT_OK);
		plait_graph_release(graph);
		run.plan = plan;
		IS_INT(plait_flow_submit(flow, &run, NULL, &flow_rig.error),
		       PLAIT_OK);
		/* The task begins on another thread, or in a wait. */
		do
			status = plait_flow_wait(flow, 0, 1000000,
						 &flow_rig.error);
		while (status == PLAIT_E_TIMEOUT && !tap_late(&since) &&
		       strstr(flow_rig.error.text, "waits for") == NULL);
		IS_INT(status, PLAIT_E_TIMEOUT);
		HAS_STR(flow_rig.error.text, "is not done: ");
		HAS_STR(flow_rig.error.text, "waits for");
		OK(plait_signal_raise(flow_rig.gate, 5, NULL) == PLAIT_OK);
		IS_INT(wait_task(0), PLAIT_OK);
		plait_plan_release(plan);
		close_flow();
	}
}

static void failing_plans(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc run = { .size = sizeof(run), .label = "plan",
					.kind = PLAIT_TASK_PLAN,
					.access_count = 1 };
		uint64_t number = 1;
		plait_access access;
		plait_data *token;
		plait_task task = 0, behind;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		token = new_data(0, 0, 0, 0, 0, "order");
		access = access_of(token, PLAIT_ACCESS_READ_WRITE, NULL);
		run.accesses = &access;
		IS_INT(plait_flow_submit(flow, &run, NULL, &flow_rig.error),
		       PLAIT_E_HANDLE);
		run.plan = new_plan(&number, 4);
		run.run = PLAIT_BINDINGS(PLAIT_BIND_VALUE(9, number));
		IS_INT(plait_flow_submit(flow, &run, &task, &flow_rig.error),
		       PLAIT_OK);
		behind = call_task("behind", append, &number, &access, 1);
		/* Found when the plan is run. */
		IS_INT(wait_task(task), PLAIT_E_INVALID);
		HAS_STR(flow_rig.error.text, "\"plan\" failed: ");
		IS_INT(wait_task(behind), PLAIT_E_INVALID);
		access.mode = PLAIT_ACCESS_WRITE;
		run.run = NULL;
		IS_INT(plait_flow_submit(flow, &run, &task, &flow_rig.error),
		       PLAIT_OK);
		access.mode = PLAIT_ACCESS_READ;
		behind = call_task("behind", append, &number, &access, 1);
		IS_INT(wait_task(task), PLAIT_E_FAILED);
		IS_INT(flow_rig.error.origin, 4);
		IS_INT(wait_task(behind), PLAIT_E_FAILED);
		IS_UINT(number, 3);
		/* The plan can be run again. */
		IS_INT(plait_plan_call(run.plan, NULL, NULL, &flow_rig.error),
		       PLAIT_E_FAILED);
		plait_plan_release(run.plan);
		plait_data_release(token);
		close_flow();
	}
}

static const struct tap_scenario all[] = {
	{ "signals", signals },
	{ "inboxes", inboxes },
	{ "cancelled", cancelled },
	{ "cancelled waits", cancelled_waits },
	{ "answers", answers },
	{ "plans", plans },
	{ "unordered plans", unordered_plans },
	{ "described plans", described_plans },
	{ "failing plans", failing_plans },
};

TAP_MAIN(all)
