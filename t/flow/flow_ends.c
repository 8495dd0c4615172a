/* SPDX-License-Identifier: MIT */
/* Flows with tasks in flight: a forked child, the exit of the process, and the end
 * of the context. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "flows.h"

static int32_t count_task(void *user_data)
{
	++*(uint64_t *)user_data;
	return 0;
}

/* A task that waits for the gate's first point, and one behind it. */
static plait_task submit_stuck(plait_data *data, uint64_t *count)
{
	const plait_access access = access_of(data, PLAIT_ACCESS_READ_WRITE,
					      NULL);
	const plait_task_desc wait = {
		.size = sizeof(wait), .kind = PLAIT_TASK_WAIT,
		.signal = flow_rig.gate, .sequence = 1,
		.accesses = &access, .access_count = 1,
	};

	OK_THAT(plait_flow_submit(flow, &wait, NULL, &flow_rig.error) ==
		PLAIT_OK, "wait: %s", flow_rig.error.text);
	return call_task("behind", count_task, count, &access, 1);
}

/* ---- fork ---- */

/* Calls that succeed, or fail otherwise, in a child of the flow's process. */
static int wrong_in_child(plait_data *data, plait_task task)
{
	static const plait_box box = { { 0, 0, 0 }, { 1, 1, 1 } };
	const plait_flow_desc flow_desc = { .size = sizeof(flow_desc) };
	const plait_data_desc data_desc = { .size = sizeof(data_desc) };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = return_it,
	};
	plait_flow_info flow_info = { .size = sizeof(flow_info) };
	plait_data_info data_info = { .size = sizeof(data_info) };
	plait_data *other;
	plait_flow *new_flow;
	uint64_t word = 0;
	void *pointer;
	int wrong = 0;

	wrong += plait_flow_create(flow_rig.context, &flow_desc, &new_flow,
				   NULL) != PLAIT_E_FORKED;
	wrong += plait_flow_submit(flow, &desc, NULL, NULL) != PLAIT_E_FORKED;
	wrong += plait_flow_wait(flow, task, 0, NULL) != PLAIT_E_FORKED;
	wrong += plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL) !=
		 PLAIT_E_FORKED;
	wrong += plait_flow_cancel(flow, NULL) != PLAIT_E_FORKED;
	wrong += plait_flow_query(flow, &flow_info, NULL) != PLAIT_E_FORKED;
	wrong += plait_data_create(flow, &data_desc, &other, NULL) !=
		 PLAIT_E_FORKED;
	wrong += plait_data_part(data, &box, &other, NULL) != PLAIT_E_FORKED;
	wrong += plait_data_query(data, &data_info, NULL) != PLAIT_E_FORKED;
	wrong += plait_data_map(data, NULL, PLAIT_MAP_READ, &pointer, NULL) !=
		 PLAIT_E_FORKED;
	wrong += plait_data_unmap(data, &word, NULL) != PLAIT_E_FORKED;
	wrong += plait_data_read(data, NULL, &word, NULL) != PLAIT_E_FORKED;
	wrong += plait_data_write(data, NULL, &word, NULL) != PLAIT_E_FORKED;
	plait_flow_retain(flow);
	plait_data_release(data);
	plait_flow_release(flow);
	plait_context_release(flow_rig.context);
	return wrong;
}

/* The child can do nothing with the flow, and the parent goes on. */
static void forks(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint64_t count = 0;
		plait_data *data;
		plait_task task;
		int status = -1;
		pid_t child;

		if (!open_flow(&flow_settings[s], 16))
			continue;
		data = new_data(0, 0, 0, 0, 8, "u");
		task = submit_stuck(data, &count);
		fflush(NULL);
		child = fork();
		if (child == 0)
			_exit(wrong_in_child(data, task));
		OK(waitpid(child, &status, 0) == child);
		IS_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
		OK(plait_signal_raise(flow_rig.gate, 1, NULL) == PLAIT_OK);
		IS_INT(wait_task(task), PLAIT_OK);
		IS_UINT(count, 1);
		plait_data_release(data);
		close_flow();
	}
}

/* ---- exit ---- */

/* Set, to the index of a setting, in a process that is to exit. */
#define EXITS "PLAIT_TEST_FLOW_EXITS"

/* Exit while a task waits for a signal that nothing emits. */
static void exit_in_flight(const struct flow_setting *setting)
{
	static uint64_t count;
	plait_data *data;

	if (!open_flow(setting, 16))
		_exit(1);
	data = new_data(0, 0, 0, 0, 8, "u");
	(void)submit_stuck(data, &count);
	fflush(NULL);
	exit(count == 0 ? 77 : 1);
}

/* A process ends with its own status, whatever its flow waits for. */
static void exits(void)
{
	const char *which = getenv(EXITS);

	if (which != NULL)
		exit_in_flight(&flow_settings[atoi(which)]);
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		char index[8];
		int status = -1;
		pid_t child;

		snprintf(index, sizeof(index), "%zu", s);
		fflush(NULL);
		child = fork();
		if (child == 0) {
			setenv(EXITS, index, 1);
			if (freopen("/dev/null", "w", stdout) != NULL)
				execl("/proc/self/exe", "flow_ends.t", "exits",
				      (char *)NULL);
			_exit(2);
		}
		OK(waitpid(child, &status, 0) == child);
		IS_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 77);
	}
}

/* ---- end of the context ---- */

/* A run of a plan behind the tasks before; its handle is released at once. */
static void submit_plan(plait_access *access)
{
	const plait_node_desc node = { .size = sizeof(node),
				       .kind = PLAIT_NODE_CALL,
				       .flags = PLAIT_CALL_ANY_THREAD,
				       .function = return_it };
	plait_task_desc desc = { .size = sizeof(desc), .kind = PLAIT_TASK_PLAN,
				 .accesses = access, .access_count = 1 };
	plait_graph *graph = NULL;

	OK(plait_graph_create(flow_rig.context, &graph, NULL) == PLAIT_OK);
	OK(plait_graph_add(graph, &node, NULL, 0, NULL, NULL) == PLAIT_OK);
	OK(plait_graph_freeze(graph, NULL, &desc.plan, NULL) == PLAIT_OK);
	plait_graph_release(graph);
	OK(plait_flow_submit(flow, &desc, NULL, NULL) == PLAIT_OK);
	plait_plan_release(desc.plan);
}

/* The data of a task that its inbox's owner never runs has memory of the
 * caller's, which the flow keeps until the inbox is closed. */
static void leave_unrun(const struct flow_setting *setting, bool inbox_first)
{
	const plait_buffer_desc buffer_desc = { .size = sizeof(buffer_desc),
						.bytes = 64 };
	plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
				 .element_bytes = 8, .extent = { 8, 1, 1 } };
	plait_task_desc call = { .size = sizeof(call),
				 .kind = PLAIT_TASK_CALL,
				 .function = return_it, .access_count = 1 };
	plait_inbox *inbox = NULL;
	plait_data *data = NULL;
	plait_access access;

	if (!open_flow(setting, 0))
		return;
	OK(plait_inbox_create(flow_rig.context, &inbox, NULL) == PLAIT_OK);
	OK(plait_buffer_create(flow_rig.device, &buffer_desc, &desc.buffer,
			       NULL) == PLAIT_OK);
	OK(plait_data_create(flow, &desc, &data, NULL) == PLAIT_OK);
	access = access_of(data, PLAIT_ACCESS_READ_WRITE, NULL);
	call.accesses = &access;
	call.inbox = inbox;
	OK(plait_flow_submit(flow, &call, NULL, NULL) == PLAIT_OK);
	submit_plan(&access);
	if (inbox_first)
		plait_inbox_release(inbox);
	plait_data_release(data);
	plait_buffer_release(desc.buffer);
	if (!inbox_first)
		plait_inbox_release(inbox);
	close_flow();
}

static void unrun(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		leave_unrun(&flow_settings[s], true);
		leave_unrun(&flow_settings[s], false);
	}
}

static const struct tap_scenario all[] = {
	{ "forks", forks },
	{ "exits", exits },
	{ "unrun", unrun },
};

TAP_MAIN(all)
