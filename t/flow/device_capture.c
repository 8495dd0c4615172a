/* SPDX-License-Identifier: MIT */
/* Captured flows with devices: random graphs, on the simulator or on a driver of
 * OpenCL (FLOW_DRIVER); copies, ends, memory, failures. */
#include "random_captures.h"

enum { FEW = 16 };

#ifdef FLOW_DRIVER
#include "driver_devices.h"

static void run_on(uint32_t devices)
{
	if (use_driver(devices))
		run_some_graphs(FEW);
}

static void whole(void)
{
	run_on(1);
}

static void parts(void)
{
	run_on(2);
	run_on(4);
}

static void mixed(void)
{
	run_on(3);
}

static const struct tap_scenario all[] = {
	{ "the whole device", whole },
	{ "parts", parts },
	{ "two parts and the host", mixed },
};
#else
#include "simulated_systems.h"

static void run_random(void)
{
	run_graphs(FEW);
}

/* ---- copies ---- */

enum { N = 256, TIMES = 4 };

static plait_data *line[2];
static plait_kernel *axpy;
static float *line_memory[2];
static plait_graph *graph;

static bool open_lines(uint32_t devices, const char *options, uint64_t bytes)
{
	plait_data_info info = { .size = sizeof(info) };
	static float ones[N];

	flow_backends = "host,chaos";
	flow_devices = devices;
	flow_options = options;
	flow_memory_bytes = bytes;
	if (!open_flow(&flow_settings[3], 64))
		return false;
	flow_memory_bytes = 0;
	axpy = new_axpy();
	for (int k = 0; k < N; k++)
		ones[k] = 1;
	for (int i = 0; i < 2; i++) {
		line[i] = new_data(1, N, 0, 0, 4, "line");
		OK(plait_data_write(line[i], NULL, ones, NULL) == PLAIT_OK);
		IS_INT(plait_data_query(line[i], &info, NULL), PLAIT_OK);
		line_memory[i] = info.pointer;
	}
	OK(plait_graph_create(flow_rig.context, &graph, NULL) == PLAIT_OK);
	return true;
}

static void release_lines(void)
{
	for (int i = 0; i < 2; i++)
		plait_data_release(line[i]);
	plait_flow_release(flow);
	flow = NULL;
}

static void close_lines(void)
{
	plait_plan_release(plan);
	plait_graph_release(graph);
	plan = NULL;
	plait_kernel_release(axpy);
	close_flow();
}

/* line[y] += a * line[x], of N / `part` elements */
static void add_part_of(uint64_t part, float a, int x, int y)
{
	const plait_box box = { { 0, 0, 0 }, { N / part, 1, 1 } };
	const plait_access from = access_of(line[x], PLAIT_ACCESS_READ, &box);
	const plait_access to = access_of(line[y], PLAIT_ACCESS_READ_WRITE,
					  &box);

	OK_THAT(plait_flow_launch(flow, axpy, PLAIT_ITEMS(N / part),
				  PLAIT_ARGUMENTS(PLAIT_VALUE(a),
						  PLAIT_ACCESS(&from),
						  PLAIT_ACCESS(&to)),
				  NULL, &flow_rig.error) == PLAIT_OK,
		"launch: %s", flow_rig.error.text);
}

static void there_and_back(void)
{
	add_part_of(1, 1, 0, 1);
	add_part_of(1, -0.5f, 1, 0);
}

/* A repetition has the flow's buffers; then the program's memory has the values. */
static void repeat_lines(void)
{
	plait_task task = 1;
	void *mapped = NULL;

	OK(plait_flow_repeat(flow, 1, &task, NULL) == PLAIT_OK && task == 0);
	there_and_back();
	OK(plait_flow_repeat(flow, 0, NULL, NULL) == PLAIT_OK);
	for (int i = 0; i < 2; i++) {
		OK(plait_data_map(line[i], NULL, PLAIT_MAP_READ, &mapped,
				  NULL) == PLAIT_OK);
		OK(plait_data_unmap(line[i], mapped, NULL) == PLAIT_OK);
	}
}

static void end_lines(uint64_t expected)
{
	uint64_t count = 0;

	OK_THAT(plait_flow_capture(flow, NULL, &flow_rig.error) == PLAIT_OK,
		"end: %s", flow_rig.error.text);
	IS_INT(plait_graph_size(graph, &count, NULL, NULL), PLAIT_OK);
	IS_UINT(count, expected);
}

static void freeze_lines(void)
{
	OK_THAT(plait_graph_freeze(graph, NULL, &plan, &flow_rig.error) ==
		PLAIT_OK, "freeze: %s", flow_rig.error.text);
}

static void call_lines(plait_status expected)
{
	OK_THAT(plait_plan_call(plan, NULL, NULL, &flow_rig.error) == expected,
		"call: %s", flow_rig.error.text);
}

/* The graph copies elements from the program's memory once, before the first task that
 * reads them, and to it once, behind the last that writes them; and no others. */
static void ends(void)
{
	float x = 1, y = 1;

	if (!open_lines(1, "chaos:devices=1", 0))
		return;
	OK(plait_flow_capture(flow, graph, NULL) == PLAIT_OK);
	there_and_back();
	there_and_back();
	/* Four launches, two copies there and two back. */
	end_lines(8);
	OK(plait_flow_capture(flow, graph, NULL) == PLAIT_OK);
	add_part_of(2, 0, 0, 1);
	end_lines(8 + 1 + 2 + 1);
	plait_graph_release(graph);
	OK(plait_graph_create(flow_rig.context, &graph, NULL) == PLAIT_OK);
	OK(plait_flow_capture(flow, graph, NULL) == PLAIT_OK);
	there_and_back();
	end_lines(6);
	freeze_lines();
	repeat_lines();
	release_lines();
	for (int t = -1; t < TIMES; t++) {
		if (t >= 0)
			call_lines(PLAIT_OK);
		y += x;
		x -= 0.5f * y;
		OK(line_memory[1][N - 1] == y);
		line_memory[1][N - 1] = y += 1; /* the program writes, too */
	}
	OK(line_memory[0][N - 1] == x);
	close_lines();
}

/* The memory of the graph is that of its plans, and none of the flow's. */
static void own_memory(void)
{
	struct rig *rig = &flow_rig;

	if (!open_lines(2, "chaos:devices=2", 1))
		return;
	OK(plait_flow_capture(flow, graph, NULL) == PLAIT_OK);
	there_and_back();
	end_lines(6);
	REFUSED(plait_flow_launch(flow, axpy, PLAIT_ITEMS(N),
				  PLAIT_ARGUMENTS(PLAIT_VALUE((float){ 1 }),
						  PLAIT_DATA(line[0]),
						  PLAIT_DATA(line[1])),
				  NULL, &flow_rig.error),
		PLAIT_E_NOMEM, "memory_bytes of the flow is 1");
	freeze_lines();
	call_lines(PLAIT_OK);
	OK(line_memory[1][0] == 2 && line_memory[0][0] == 0);
	release_lines();
	close_lines();
}

/* The body of a loop; the release of the flow ends the capture. */
static void body(void)
{
	plait_graph *inner = NULL;

	if (!open_lines(2, "chaos:devices=2,peers=none", 0))
		return;
	OK(plait_graph_repeat(graph, 3, 0, &inner, NULL, NULL) == PLAIT_OK);
	OK(plait_flow_capture(flow, inner, NULL) == PLAIT_OK);
	add_part_of(1, 1, 0, 1);
	add_part_of(2, 1, 0, 1);
	release_lines();
	plait_graph_release(inner);
	freeze_lines();
	call_lines(PLAIT_OK);
	OK(line_memory[1][0] == 7 && line_memory[1][N - 1] == 4);
	close_lines();
}

static int32_t return_flag(void *user_data)
{
	return *(const int32_t *)user_data;
}

/* A failing call; the next one runs with what the program's memory has. */
static void failing(void)
{
	int32_t result = 5;
	plait_access access;

	if (!open_lines(2, "chaos:devices=2", 0))
		return;
	access = access_of(line[1], PLAIT_ACCESS_READ, NULL);
	OK(plait_flow_capture(flow, graph, NULL) == PLAIT_OK);
	add_part_of(1, 1, 0, 1);
	call_task("check", return_flag, &result, &access, 1);
	add_part_of(1, 1, 1, 0);
	/* The function's copy is the last one of data 1. */
	end_lines(6 + 1);
	freeze_lines();
	call_lines(PLAIT_E_FAILED);
	IS_INT(flow_rig.error.origin, 5);
	result = 0;
	for (int k = 0; k < N; k++)
		line_memory[0][k] = line_memory[1][k] = 1;
	call_lines(PLAIT_OK);
	OK(line_memory[1][0] == 2 && line_memory[0][0] == 3);
	release_lines();
	close_lines();
}

static const struct tap_scenario all[] = {
	{ "copies at the ends", ends },
	{ "memory of its own", own_memory },
	{ "body of a loop", body },
	{ "a failing call", failing },
	{ "one device", alone },
	{ "peers", peers },
	{ "devices without links", strangers },
	{ "devices that share a memory", shared },
	{ "the host and devices", mixed },
};
#endif

TAP_MAIN(all)
