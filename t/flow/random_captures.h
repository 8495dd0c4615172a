/* SPDX-License-Identifier: MIT */
/*
 * Random captured graphs of flows with devices: called several times, while the host
 * and tasks of the flow change data in between, against the sequential interpreter,
 * bit by bit.
 */
#ifndef T_RANDOM_CAPTURES_H
#define T_RANDOM_CAPTURES_H

#include "random_programs.h"

#include "plait/repeat.h"

enum { GRAPH_TASKS = 14, CALLS = 5, BETWEEN = 6, NAME_BYTES = 32 };

static struct work nodes[GRAPH_TASKS];
static plait_plan *plan;
static plait_binding bindings[GRAPH_TASKS];
static const plait_run_desc whole_run = { sizeof(whole_run), 0, bindings, 0 };
static plait_run_desc run_desc;

/* ---- the graph ---- */

/* The memory of the i-th READ or WRITE is the parameter "host<i>". */
static void bind_hosts(void)
{
	char name[NAME_BYTES];

	run_desc = whole_run;
	for (int i = 0; i < GRAPH_TASKS; i++) {
		uint64_t at = run_desc.binding_count;

		if (nodes[i].kind != PLAIT_TASK_READ &&
		    nodes[i].kind != PLAIT_TASK_WRITE)
			continue;
		snprintf(name, sizeof(name), "host%llu",
			 (unsigned long long)at);
		bindings[at] = (plait_binding){ .size = sizeof(bindings[at]),
						.value = nodes[i].host,
						.bytes = 8 * ELEMENTS };
		IS_INT(plait_plan_find_parameter(plan, name,
						 &bindings[at].parameter,
						 NULL), PLAIT_OK);
		run_desc.binding_count++;
	}
}

static bool capture(void)
{
	const plait_freeze_desc freeze = {
		.size = sizeof(freeze), .lanes = 1 + (uint32_t)below(3),
		.mode = (uint32_t)below(3),
	};
	plait_graph *graph = NULL;
	bool done;

	OK(plait_graph_create(flow_rig.context, &graph, NULL) == PLAIT_OK);
	done = OK_THAT(plait_flow_capture(flow, graph, &flow_rig.error) ==
		       PLAIT_OK, "capture: %s", flow_rig.error.text);
	in_repetition = true;
	for (int i = 0; done && i < GRAPH_TASKS; i++)
		add_task(&nodes[i]);
	in_repetition = false;
	done = done && OK_THAT(plait_flow_capture(flow, NULL,
						  &flow_rig.error) ==
			       PLAIT_OK, "end: %s", flow_rig.error.text);
	done = done && OK_THAT(plait_graph_freeze(graph, &freeze, &plan,
						  &flow_rig.error) == PLAIT_OK,
			       "freeze: %s", flow_rig.error.text);
	plait_graph_release(graph);
	if (done)
		bind_hosts();
	return done;
}

static bool fails(void)
{
	int32_t result = 0;

	for (int i = 0; i < GRAPH_TASKS; i++)
		result |= nodes[i].result;
	return result != 0;
}

/* ---- calls ---- */

static plait_box whole_of(const struct array *array)
{
	plait_box box = unit;

	for (int d = 0; d < 3; d++)
		box.high[d] = array->extent[d];
	return box;
}

static void overwrite(struct array *array)
{
	const plait_box box = whole_of(array);
	static uint64_t host[ELEMENTS];

	for (uint64_t i = 0; i < count_of(&box); i++)
		host[i] = array->model[i] = next_random();
	set_poison(array, &box, false);
	OK(plait_data_write(array->data, NULL, host, NULL) == PLAIT_OK);
}

static void cure(void)
{
	for (int i = 0; i < DATA; i++) {
		const plait_box box = whole_of(&arrays[i]);

		if (has_poison(&arrays[i], &box))
			overwrite(&arrays[i]);
	}
}

/* Run the interpreter, and check what the nodes have read. */
static void interpret_graph(void)
{
	for (int i = 0; i < GRAPH_TASKS; i++) {
		interpret(&nodes[i]);
		nodes[i].spoiled = false;
	}
}

static void check_graph(void)
{
	for (int i = 0; i < GRAPH_TASKS; i++)
		check_host(&nodes[i]);
}

/* As a task: the flow brings all values to the program's memory before it. */
static void run_task(void)
{
	plait_access accesses[DATA];
	plait_task_desc desc = { .size = sizeof(desc), .kind = PLAIT_TASK_PLAN,
				 .plan = plan, .run = &run_desc,
				 .accesses = accesses, .access_count = DATA };
	plait_task task = 0;
	plait_status status;

	for (int i = 0; i < DATA; i++)
		accesses[i] = access_of(arrays[i].data,
					PLAIT_ACCESS_READ_WRITE, NULL);
	OK_THAT(plait_flow_submit(flow, &desc, &task, &flow_rig.error) ==
		PLAIT_OK, "submit: %s", flow_rig.error.text);
	if (!fails())
		interpret_graph();
	for (int i = 0; fails() && i < DATA; i++) {
		const plait_box box = whole_of(&arrays[i]);

		set_poison(&arrays[i], &box, true);
	}
	/* The next tasks may be behind it. */
	if (!fails() && one_in(2))
		return;
	status = wait_task(task);
	OK_THAT(status == (fails() ? PLAIT_E_FAILED : PLAIT_OK), "run: %d %s",
		status, flow_rig.error.text);
	if (!fails())
		check_graph();
	else
		cure();
}

/* A call without the flow: mappings bring all values to the program's memory. */
static void call_mapped(void)
{
	void *mapped[DATA];
	plait_status status;

	for (int i = 0; i < DATA; i++)
		OK_THAT(plait_data_map(arrays[i].data, NULL, PLAIT_MAP_READ |
				       PLAIT_MAP_WRITE, &mapped[i],
				       &flow_rig.error) == PLAIT_OK, "map: %s",
			flow_rig.error.text);
	status = plait_plan_call(plan, NULL, &run_desc, &flow_rig.error);
	OK_THAT(status == (fails() ? PLAIT_E_FAILED : PLAIT_OK), "call: %d %s",
		status, flow_rig.error.text);
	if (fails()) {
		for (int i = 0; i < DATA; i++)
			memcpy(arrays[i].real, arrays[i].model,
			       sizeof(arrays[i].real));
	} else {
		interpret_graph();
		check_graph();
	}
	for (int i = 0; i < DATA; i++)
		OK(plait_data_unmap(arrays[i].data, mapped[i], NULL) ==
		   PLAIT_OK);
}

/* Tasks of the flow and host accesses; older ones may be in flight. */
static void run_between(struct work *between)
{
	for (int t = 0; t < BETWEEN; t++) {
		switch (below(6)) {
		case 0: read_now(); break;
		case 1: one_in(2) ? write_now() : map_now(); break;
		default: add_task(&between[t]); break;
		}
	}
}

/* The flow and its data are gone: the graph has what it needs. */
static void call_last(void)
{
	uint64_t wrong = 0;
	plait_status status;

	status = plait_plan_call(plan, NULL, &run_desc, &flow_rig.error);
	OK_THAT(status == (fails() ? PLAIT_E_FAILED : PLAIT_OK), "last: %d %s",
		status, flow_rig.error.text);
	if (fails())
		return;
	interpret_graph();
	check_graph();
	for (int i = 0; i < DATA; i++)
		for (int k = 0; k < ELEMENTS; k++)
			wrong += arrays[i].real[k] != arrays[i].model[k];
	IS_UINT(wrong, 0);
}

/* Let the program's memory have all values. */
static void bring_home(void)
{
	for (int i = 0; i < DATA; i++) {
		void *mapped = NULL;

		OK(plait_data_map(arrays[i].data, NULL, PLAIT_MAP_READ,
				  &mapped, NULL) == PLAIT_OK);
		OK(plait_data_unmap(arrays[i].data, mapped, NULL) == PLAIT_OK);
	}
}

_Static_assert((CALLS + 1) * BETWEEN <= TASKS, "works are enough");

static void run_graph(const struct flow_setting *setting)
{
	program_window = 1024;
	if (!open_flow(setting, program_window))
		return;
	for (int i = 0; i < DATA; i++)
		make_array(&arrays[i], (uint32_t)below(4));
	run_between(works);
	if (capture()) {
		for (int c = 0; c < CALLS && tap_failed() == 0; c++) {
			run_between(&works[(c + 1) * BETWEEN]);
			cure();
			one_in(2) ? run_task() : call_mapped();
		}
		cure();
		bring_home();
	}
	for (int i = 0; i < DATA; i++)
		release_array(&arrays[i]);
	release_kernels();
	release_sums();
	plait_flow_release(flow);
	flow = NULL;
	if (plan != NULL && tap_failed() == 0)
		call_last();
	plait_plan_release(plan);
	plan = NULL;
	close_flow();
}

static void run_some_graphs(uint64_t rounds)
{
	uint64_t seed = tap_seed();

	for (uint64_t r = 0; r < rounds && tap_failed() == 0; r++) {
		state = (seed + r) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		NOTE("seed=%llu", (unsigned long long)(seed + r));
		run_graph(&flow_settings[r % FLOW_SETTINGS]);
	}
}

/* `few`: rounds without an argument. */
static inline void run_graphs(uint64_t few)
{
	const char *asked = tap_argument("rounds");

	run_some_graphs(asked != NULL ? strtoull(asked, NULL, 10) :
			tap_soak() ? 100 * few : few);
}

#endif
