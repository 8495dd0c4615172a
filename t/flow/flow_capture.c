/* SPDX-License-Identifier: MIT */
/* Captured flows: nodes of each kind, edges, pieces, life, bad input. */
#include "flows.h"

#include "plait/repeat.h"

enum { SIDE = 4, CELLS = SIDE * SIDE };

static plait_graph *graph;
static plait_plan *plan;

/* ---- a capture ---- */

static bool begin_capture(void)
{
	return OK_THAT(plait_graph_create(flow_rig.context, &graph,
					  &flow_rig.error) == PLAIT_OK &&
			       plait_flow_capture(flow, graph,
						  &flow_rig.error) == PLAIT_OK,
		       "capture: %s", flow_rig.error.text);
}

static void end_capture(void)
{
	OK_THAT(plait_flow_capture(flow, NULL, &flow_rig.error) == PLAIT_OK,
		"end: %s", flow_rig.error.text);
	OK_THAT(plait_graph_freeze(graph, NULL, &plan, &flow_rig.error) ==
		PLAIT_OK, "freeze: %s", flow_rig.error.text);
	plait_graph_release(graph);
}

static void run_plan(const plait_run_desc *desc)
{
	OK_THAT(plait_plan_call(plan, NULL, desc, &flow_rig.error) == PLAIT_OK,
		"run: %s", flow_rig.error.text);
}

static plait_task submit(const plait_task_desc *desc)
{
	plait_task task = 0;

	OK_THAT(plait_flow_submit(flow, desc, &task, &flow_rig.error) ==
		PLAIT_OK, "submit: %s", flow_rig.error.text);
	return task;
}

static uint64_t edges_of(plait_graph *of)
{
	uint64_t nodes = 0, edges = 0;

	IS_INT(plait_graph_size(of, &nodes, &edges, NULL), PLAIT_OK);
	return edges;
}

static uint64_t nodes_of(plait_graph *of)
{
	uint64_t nodes = 0;

	IS_INT(plait_graph_size(of, &nodes, NULL, NULL), PLAIT_OK);
	return nodes;
}

/* ---- kinds ---- */

static const plait_box corner = { { 1, 1, 0 }, { 3, 3, 1 } };
static const plait_box other_corner = { { 2, 0, 0 }, { 4, 2, 1 } };
static const plait_box slab = { { 1, 2, 0 }, { 4, 3, 4 } };

static void fill(plait_data *data, const plait_box *box, uint64_t pattern)
{
	submit(&(plait_task_desc){ .size = sizeof(plait_task_desc),
				   .kind = PLAIT_TASK_FILL, .target = data,
				   .target_box = box, .pattern = pattern });
}

static void copy(plait_data *to, const plait_box *to_box, plait_data *from,
		 const plait_box *from_box)
{
	submit(&(plait_task_desc){ .size = sizeof(plait_task_desc),
				   .kind = PLAIT_TASK_COPY, .target = to,
				   .target_box = to_box, .source = from,
				   .source_box = from_box });
}

static void transfer(bool writes, plait_data *data, const plait_box *box,
		     void *host)
{
	plait_task_desc desc = { .size = sizeof(desc), .host = host,
				 .kind = writes ? PLAIT_TASK_WRITE :
						  PLAIT_TASK_READ };

	*(writes ? &desc.target : &desc.source) = data;
	*(writes ? &desc.target_box : &desc.source_box) = box;
	submit(&desc);
}

static int32_t double_all(void *user_data)
{
	uint32_t *at = user_data;

	for (int i = 0; i < CELLS; i++)
		at[i] *= 2;
	return 0;
}

static uint32_t host_in[4], host_out[12];

/* Tasks of each kind, of boxes with gaps. */
static void submit_kinds(plait_data *plane, plait_data *cube)
{
	plait_data_info info = { .size = sizeof(info) };
	plait_access access = access_of(plane, PLAIT_ACCESS_READ_WRITE, NULL);

	IS_INT(plait_data_query(plane, &info, NULL), PLAIT_OK);
	fill(plane, NULL, 1);
	fill(plane, &corner, 3);
	fill(cube, NULL, 9);
	fill(cube, &slab, 4);
	transfer(true, plane, &other_corner, host_in);
	call_task("double", double_all, info.pointer, &access, 1);
	copy(plane, &(plait_box){ { 0, 2, 0 }, { 2, 4, 1 } }, plane,
	     &other_corner);
	transfer(false, cube, &slab, host_out);
}

static void check_kinds(const uint32_t *plane)
{
	static const uint32_t expected[CELLS] = { 2, 2, 10, 12, 2, 6, 14, 16,
						  10, 12, 6, 2, 14, 16, 2, 2 };

	for (int i = 0; i < CELLS; i++)
		IS_UINT(plane[i], expected[i]);
	for (int i = 0; i < 12; i++)
		IS_UINT(host_out[i], 4);
}

static void bind(plait_binding *binding, const char *name, void *memory,
		 uint64_t bytes)
{
	*binding = (plait_binding){ .size = sizeof(*binding),
				    .value = memory, .bytes = bytes };
	IS_INT(plait_plan_find_parameter(plan, name, &binding->parameter,
					 NULL), PLAIT_OK);
}

static void kinds(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_binding bindings[2];
		const plait_run_desc run = { sizeof(run), 0, bindings, 2 };
		plait_data *plane, *cube;
		uint32_t seen[CELLS] = { 0 };

		if (!open_flow(&flow_settings[s], 64))
			continue;
		plane = new_data(2, SIDE, SIDE, 0, 4, "plane");
		cube = new_data(3, SIDE, SIDE, SIDE, 4, "cube");
		for (uint32_t i = 0; i < 4; i++)
			host_in[i] = 5 + i;
		memset(host_out, 0, sizeof(host_out));
		if (!begin_capture())
			return;
		submit_kinds(plane, cube);
		/* 1, 1 + 2 + 1, 1, 1 + 4 + 1, 1, 1, 1, 1. */
		IS_UINT(nodes_of(graph), 16);
		end_capture();
		IS_INT(wait_task(0), PLAIT_OK);
		IS_INT(plait_data_read(plane, NULL, seen, NULL), PLAIT_OK);
		IS_UINT(seen[0], 0);
		bind(&bindings[0], "host0", host_in, sizeof(host_in));
		bind(&bindings[1], "host1", host_out, sizeof(host_out));
		for (int i = 0; i < 3; i++) {
			memset(host_out, 0, sizeof(host_out));
			run_plan(&run);
			IS_INT(plait_data_read(plane, NULL, seen, NULL),
			       PLAIT_OK);
			check_kinds(seen);
		}
		plait_plan_release(plan);
		plait_data_release(plane);
		plait_data_release(cube);
		close_flow();
	}
}

/* ---- edges ---- */

static void on_box(plait_data *data, uint64_t low, uint64_t high, uint32_t mode,
		   plait_task_flags flags)
{
	const plait_box box = { { low, 0, 0 }, { high, 1, 1 } };
	const plait_access access = access_of(data, mode, &box);

	submit(&(plait_task_desc){ .size = sizeof(plait_task_desc),
				   .kind = PLAIT_TASK_CALL, .flags = flags,
				   .function = return_it, .accesses = &access,
				   .access_count = 1 });
}

static void edges(void)
{
	plait_data *line;

	if (!open_flow(&flow_settings[2], 16))
		return;
	line = new_data(1, 100, 0, 0, 4, "line");
	if (!begin_capture())
		return;
	/* More readers than a front has room for, and than the window. */
	for (int i = 0; i < 40; i++)
		on_box(line, 0, 50, PLAIT_ACCESS_READ, 0);
	on_box(line, 50, 100, PLAIT_ACCESS_WRITE, 0);
	IS_UINT(edges_of(graph), 0);
	on_box(line, 49, 50, PLAIT_ACCESS_WRITE, 0);
	IS_UINT(edges_of(graph), 40);
	on_box(line, 0, 100, PLAIT_ACCESS_READ_WRITE, 0);
	IS_UINT(edges_of(graph), 40 + 40 + 2);
	on_box(line, 0, 1, PLAIT_ACCESS_READ, PLAIT_TASK_BARRIER);
	IS_UINT(edges_of(graph), 40 + 40 + 2 + 1);
	end_capture();
	plait_plan_release(plan);
	plait_data_release(line);
	close_flow();
}

/* ---- launches ---- */

static int32_t add_index(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	uint32_t *at = *(uint32_t *const *)arguments[0];
	const plait_box *chunk = arguments[1];
	uint32_t by = *(const uint32_t *)arguments[2];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		at[chunk->low[0] + i] += by * (uint32_t)(chunk->low[0] + i);
	return 0;
}

static plait_kernel *new_add_index(void)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = add_index,
		.signature = "add_index(at: pointer u32, c: struct chunk 48, "
			     "by: u32)",
	};
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(flow_rig.context, &desc, &kernel,
				   &flow_rig.error), PLAIT_OK);
	return kernel;
}

/* `by` times the index is added to the cells of data. */
static void launch_pieces(plait_kernel *kernel, plait_data *data, uint64_t cells,
			  uint32_t by)
{
	static const plait_mapper own = { .size = sizeof(own),
					  .kind = PLAIT_MAPPER_ONE_TO_ONE };
	const plait_access access = { .size = sizeof(access), .data = data,
				      .mapper = &own };
	const plait_argument arguments[] = { PLAIT_ACCESS(&access),
					     PLAIT_CHUNK(), PLAIT_VALUE(by) };

	submit(&(plait_task_desc){ .size = sizeof(plait_task_desc),
				   .kernel = kernel, .launch =
				   PLAIT_ITEMS(cells), .arguments = arguments,
				   .argument_count = 3, .split = 1,
				   .pieces = 3 });
}

/* Pieces of a part of data, in wrapped memory whose handle is gone. */
static void pieces(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint32_t memory[40] = { 0 };
		const plait_wrap_desc wrap = { .size = sizeof(wrap),
					       .pointer = memory,
					       .bytes = sizeof(memory) };
		plait_data_desc desc = { .size = sizeof(desc),
					 .dimensions = 1, .element_bytes = 4,
					 .extent = { 36 },
					 .buffer_offset = 16 };
		const plait_box box = { { 6, 0, 0 }, { 36, 1, 1 } };
		plait_data *data = NULL, *part = NULL;
		plait_kernel *kernel;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		IS_INT(plait_buffer_wrap(flow_rig.device, &wrap, &desc.buffer,
					 &flow_rig.error), PLAIT_OK);
		IS_INT(plait_data_create(flow, &desc, &data, &flow_rig.error),
		       PLAIT_OK);
		plait_buffer_release(desc.buffer);
		IS_INT(plait_data_part(data, &box, &part, NULL), PLAIT_OK);
		kernel = new_add_index();
		if (!begin_capture())
			return;
		launch_pieces(kernel, part, 30, 2);
		launch_pieces(kernel, part, 30, 1);
		IS_UINT(nodes_of(graph), 8);
		IS_UINT(edges_of(graph), 3 + 3 + 3);
		end_capture();
		plait_kernel_release(kernel);
		plait_data_release(part);
		plait_data_release(data);
		run_plan(NULL);
		run_plan(NULL);
		for (uint32_t i = 0; i < 40; i++)
			IS_UINT(memory[i], i < 10 ? 0 : 6 * (i - 10));
		plait_plan_release(plan);
		close_flow();
	}
}

/* ---- signals ---- */

static void signals(void)
{
	const plait_task_desc emit = { .size = sizeof(emit),
				       .kind = PLAIT_TASK_EMIT };
	uint64_t reached = 0;

	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		plait_task_desc desc = emit;

		if (!open_flow(&flow_settings[s], 64) || !begin_capture())
			continue;
		desc.signal = flow_rig.signal;
		submit(&desc);
		submit(&desc);
		desc.kind = PLAIT_TASK_WAIT;
		submit(&desc);
		IS_UINT(edges_of(graph), 2);
		desc.kind = PLAIT_TASK_EMIT;
		desc.signal = flow_rig.gate;
		IS_INT(plait_flow_submit(flow, &desc, NULL, NULL),
		       PLAIT_E_INVALID);
		end_capture();
		run_plan(NULL);
		run_plan(NULL);
		IS_INT(plait_signal_query(flow_rig.signal, &reached, NULL,
					  NULL), PLAIT_OK);
		IS_UINT(reached, 4);
		plait_plan_release(plan);
		close_flow();
	}
}

/* ---- plans ---- */

struct adding {
	uint32_t *at;
	int32_t result;
};

static int32_t add_to_cell(void *user_data)
{
	struct adding *adding = user_data;

	++*adding->at;
	return adding->result;
}

static void submit_plan(plait_plan *inner, const plait_access *access)
{
	submit(&(plait_task_desc){ .size = sizeof(plait_task_desc),
				   .kind = PLAIT_TASK_PLAN, .plan = inner,
				   .accesses = access,
				   .access_count = access != NULL });
}

/* Runs of a plan as nodes: behind each other, too; the graph keeps the plan. */
static void plans(void)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++) {
		uint32_t cell[1] = { 0 };
		struct adding adding = { cell, 0 };
		const plait_wrap_desc wrap = { .size = sizeof(wrap),
					       .pointer = cell,
					       .bytes = sizeof(cell) };
		plait_data_desc desc = { .size = sizeof(desc),
					 .element_bytes = 4 };
		plait_data *data = NULL;
		plait_plan *inner;
		plait_access access;

		if (!open_flow(&flow_settings[s], 64))
			continue;
		IS_INT(plait_buffer_wrap(flow_rig.device, &wrap, &desc.buffer,
					 NULL), PLAIT_OK);
		IS_INT(plait_data_create(flow, &desc, &data, NULL), PLAIT_OK);
		plait_buffer_release(desc.buffer);
		access = access_of(data, PLAIT_ACCESS_READ_WRITE, NULL);
		if (!begin_capture())
			return;
		call_task("add", add_to_cell, &adding, &access, 1);
		end_capture();
		inner = plan;
		if (!begin_capture())
			return;
		fill(data, NULL, 5);
		submit_plan(inner, &access);
		submit_plan(inner, &access);
		submit_plan(inner, NULL);
		IS_UINT(nodes_of(graph), 4);
		/* Of two runs one edge by the data, and one by the plan. */
		IS_UINT(edges_of(graph), 4);
		end_capture();
		plait_plan_release(inner);
		plait_data_release(data);
		plait_flow_release(flow);
		flow = NULL;
		for (int i = 0; i < 3; i++) {
			run_plan(NULL);
			IS_UINT(cell[0], 8);
		}
		adding.result = 9;
		IS_INT(plait_plan_call(plan, NULL, NULL, &flow_rig.error),
		       PLAIT_E_FAILED);
		IS_INT(flow_rig.error.origin, 9);
		IS_UINT(cell[0], 6);
		plait_plan_release(plan);
		close_flow();
	}
}

/* ---- life ---- */

static int32_t count_runs(void *user_data)
{
	++*(uint32_t *)user_data;
	return 0;
}

/* A plan runs when the flow and its data are gone; a body is captured. */
static void life(void)
{
	static uint32_t runs[2];
	plait_graph *body = NULL, *loop = NULL;
	plait_data *data;
	plait_access access;

	if (!open_flow(&flow_settings[3], 64))
		return;
	runs[0] = runs[1] = 0;
	data = new_data(0, 0, 0, 0, 4, "cell");
	IS_INT(plait_graph_create(flow_rig.context, &loop, NULL), PLAIT_OK);
	IS_INT(plait_graph_repeat(loop, 5, 0, &body, NULL, NULL), PLAIT_OK);
	IS_INT(plait_flow_capture(flow, body, &flow_rig.error), PLAIT_OK);
	access = access_of(data, PLAIT_ACCESS_READ_WRITE, NULL);
	call_task("count", count_runs, &runs[0], &access, 1);
	call_task("count", count_runs, &runs[1], &access, 1);
	IS_UINT(edges_of(body), 1);
	/* The release ends the capture. */
	plait_data_release(data);
	plait_flow_release(flow);
	flow = NULL;
	IS_INT(plait_graph_freeze(loop, NULL, &plan, &flow_rig.error),
	       PLAIT_OK);
	plait_graph_release(body);
	plait_graph_release(loop);
	run_plan(NULL);
	IS_UINT(runs[0], 5);
	IS_UINT(runs[1], 5);
	plait_plan_release(plan);
	close_flow();
}

/* A launch holds the memory. */
static void memory(void)
{
	plait_data *data;
	plait_kernel *kernel;

	if (!open_flow(&flow_settings[3], 64))
		return;
	data = new_data(1, 30, 0, 0, 4, "line");
	kernel = new_add_index();
	if (!begin_capture())
		return;
	launch_pieces(kernel, data, 30, 1);
	end_capture();
	plait_data_release(data);
	plait_kernel_release(kernel);
	plait_flow_release(flow);
	flow = NULL;
	run_plan(NULL);
	plait_plan_release(plan);
	close_flow();
}

/* ---- bad input ---- */

static void is_state(plait_status status, const char *text)
{
	IS_INT(status, PLAIT_E_STATE);
	HAS_STR(flow_rig.error.text, text);
}

static void refused(void)
{
	plait_task_desc run = { .size = sizeof(run), .kind = PLAIT_TASK_PLAN };
	uint32_t cell = 0, runs = 0;
	const plait_task_desc call = { .size = sizeof(call),
				       .kind = PLAIT_TASK_CALL,
				       .function = count_runs,
				       .user_data = &runs };
	plait_task captured = 0;
	plait_inbox *inbox = NULL;
	plait_data *data;
	void *mapped;

	if (!open_flow(&flow_settings[3], 64))
		return;
	data = new_data(0, 0, 0, 0, 4, "cell");
	IS_INT(plait_flow_capture(NULL, NULL, NULL), PLAIT_E_HANDLE);
	is_state(plait_flow_capture(flow, NULL, &flow_rig.error),
		 "not captured");
	if (!begin_capture())
		return;
	is_state(plait_flow_capture(flow, graph, &flow_rig.error),
		 "captured already");
	is_state(plait_data_read(data, NULL, &cell, &flow_rig.error),
		 "read: the flow is captured");
	is_state(plait_data_write(data, NULL, &cell, &flow_rig.error),
		 "write: the flow is captured");
	is_state(plait_data_map(data, NULL, PLAIT_MAP_READ, &mapped,
				&flow_rig.error), "map: the flow is captured");
	IS_INT(plait_flow_submit(flow, &run, NULL, NULL), PLAIT_E_HANDLE);
	fill(data, NULL, 7);
	IS_INT(plait_flow_submit(flow, &call, &captured, NULL), PLAIT_OK);
	end_capture();
	IS_INT(wait_task(captured), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "a captured task is that of its node: wait "
		"for the run of its plan");
	IS_INT(plait_inbox_create(flow_rig.context, &inbox, NULL),
	       PLAIT_OK);
	IS_INT(plait_flow_notify(flow, captured, inbox, NULL, NULL,
				 &flow_rig.error), PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "wait for the run of its plan");
	plait_inbox_release(inbox);
	run_plan(NULL);
	IS_INT(plait_data_read(data, NULL, &cell, NULL), PLAIT_OK);
	IS_UINT(cell, 7);
	IS_INT(plait_flow_capture(flow, (plait_graph *)(void *)data,
				  &flow_rig.error), PLAIT_E_HANDLE);
	plait_plan_release(plan);
	plait_data_release(data);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "kinds", kinds },	{ "edges", edges },   { "pieces", pieces },
	{ "signals", signals }, { "plans", plans },   { "life", life },     { "memory", memory },
	{ "refused", refused },
};

TAP_MAIN(all)
