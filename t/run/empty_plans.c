/* SPDX-License-Identifier: MIT */
/*
 * Plans with nothing to do: graphs without nodes, subgraphs and bodies without
 * nodes, marks alone, copies and fills of no bytes; every call that takes a
 * plan, on the host and on queues, in each mode.
 */
#include "lib/queued.h"

enum { SEEDS = 6, ITERATIONS = 3 };

static uint32_t iterations;
static plait_buffer *words;

static int32_t thrice(void *user_data)
{
	(void)user_data;
	return iterations++ % (ITERATIONS + 1) < ITERATIONS;
}

static int32_t second(void *user_data)
{
	(void)user_data;
	return 1;
}

static void empty_graph(plait_graph *graph)
{
	(void)graph;
}

static void empty_subgraph(plait_graph *graph)
{
	plait_graph *inner = new_graph();

	OK_THAT(plait_graph_subgraph(graph, inner, 0, NULL, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	plait_graph_release(inner);
}

static void add_region(plait_graph *graph, uint32_t kind,
		       plait_host_function function, uint64_t branches)
{
	plait_node_desc desc = {
		.kind = kind, .label = "region", .function = function,
		.flags = PLAIT_CALL_ANY_THREAD, .branch_count = branches,
	};

	if (function == NULL) {
		desc.flags = 0;
		desc.predicate = words;
	}
	(void)add_node(graph, desc, NULL, 0);
}

static void empty_loop(plait_graph *graph)
{
	add_region(graph, PLAIT_NODE_WHILE, thrice, 0);
}

static void empty_do(plait_graph *graph)
{
	add_region(graph, PLAIT_NODE_DO, NULL, 0);
}

static void empty_loop_of_word(plait_graph *graph)
{
	add_region(graph, PLAIT_NODE_WHILE, NULL, 0);
}

static void empty_branches(plait_graph *graph)
{
	add_region(graph, PLAIT_NODE_CASE, second, 3);
	add_region(graph, PLAIT_NODE_CASE, NULL, 2);
}

static void empty_within(plait_graph *graph)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_WHILE, .label = "outer",
		.function = thrice, .flags = PLAIT_CALL_ANY_THREAD,
	};
	plait_graph *body = body_of(graph, add_node(graph, desc, NULL, 0), 0);

	add_region(body, PLAIT_NODE_CASE, second, 2);
	add_region(body, PLAIT_NODE_DO, NULL, 0);
	plait_graph_release(body);
}

static void marks(plait_graph *graph)
{
	plait_node node = 0;

	for (int i = 0; i < 3; i++)
		OK(plait_graph_mark(graph, "mark", node, &node, &rig.error) ==
		   PLAIT_OK);
}

static void no_bytes(plait_graph *graph)
{
	OK_THAT(plait_graph_copy(graph, words, 0, words, 16, 0, 0, NULL,
				 &rig.error) == PLAIT_OK, "%s", rig.error.text);
	OK_THAT(plait_graph_fill(graph, words, 0, 0, 7, 4, 0, NULL,
				 &rig.error) == PLAIT_OK, "%s", rig.error.text);
}

static void (*const shapes[])(plait_graph *graph) = {
	empty_graph, empty_subgraph, empty_loop, empty_do, empty_loop_of_word,
	empty_branches, empty_within, marks, no_bytes,
};

/* ---- calls that take a plan ---- */

static void check_views(plait_plan *plan)
{
	plait_simulation times = { .size = sizeof(times) };
	plait_plan_info info = { .size = sizeof(info) };
	plait_lane_use uses[8];
	plait_critical_command critical[8];
	uint64_t bytes;

	OK_THAT(plait_plan_query(plan, &info, &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	for (uint32_t i = 0; i < 8; i++) {
		uses[i].size = sizeof(uses[i]);
		critical[i].size = sizeof(critical[i]);
	}
	OK_THAT(plait_plan_check(plan, &rig.error) == PLAIT_OK, "check: %s",
		rig.error.text);
	OK_THAT(plait_plan_simulate(plan, NULL, &times, uses, info.lanes,
				    &rig.error) == PLAIT_OK, "simulate: %s",
		rig.error.text);
	OK_THAT(plait_plan_critical_path(plan, NULL, critical,
					 times.critical_count,
					 &rig.error) == PLAIT_OK,
		"critical path: %s", rig.error.text);
	for (uint32_t i = 0; i < 3; i++)
		OK_THAT(plait_plan_write(plan, i, NULL, 0, &bytes,
					 &rig.error) == PLAIT_OK && bytes > 0,
			"format %u: %s", i, rig.error.text);
}

static void check_records(plait_plan *plan)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_RECORD };
	plait_tune_info info = { .size = sizeof(info) };
	plait_plan *tuned = NULL;
	plait_run *run = NULL;
	uint64_t bytes, count, dropped;
	plait_status status;

	OK_THAT(plait_plan_record(plan, 16, &rig.error) == PLAIT_OK,
		"record: %s", rig.error.text);
	OK_THAT(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
		PLAIT_OK, "recorded run: %s", rig.error.text);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	OK_THAT(plait_run_records(run, NULL, 0, &count, &dropped,
				  &rig.error) == PLAIT_OK, "records: %s",
		rig.error.text);
	for (uint32_t i = 0; i < 2; i++)
		OK_THAT(plait_run_write(run, i, NULL, 0, &bytes,
					&rig.error) == PLAIT_OK, "trace: %s",
			rig.error.text);
	plait_run_release(run);
	/* Without a command that was measured it says so. */
	status = plait_plan_tune(plan, NULL, &tuned, &info, &rig.error);
	OK_THAT(status == PLAIT_OK || status == PLAIT_E_STATE, "tune: %s",
		rig.error.text);
	plait_plan_release(tuned);
}

static void check_runs(plait_plan *plan)
{
	plait_run *run = NULL;

	for (int i = 0; i < 3; i++) {
		iterations = 0;
		OK_THAT(call_with(plan, 0) == PLAIT_OK, "call: %s",
			rig.error.text);
		iterations = 0;
		OK_THAT(run_with(plan, 0) == PLAIT_OK, "run: %s",
			rig.error.text);
		iterations = 0;
		OK_THAT(plait_plan_run(plan, rig.queue, NULL, &run,
				       &rig.error) == PLAIT_OK, "run: %s",
			rig.error.text);
		OK_THAT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					   &rig.error) == PLAIT_OK,
			"finish: %s", rig.error.text);
		IS_INT(plait_run_poll(run, &rig.error), PLAIT_OK);
		plait_run_release(run);
	}
}

static plait_plan *freeze_shape(uint32_t shape, const plait_freeze_desc *desc)
{
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;

	shapes[shape](graph);
	OK_THAT(plait_graph_freeze(graph, desc, &plan, &rig.error) == PLAIT_OK,
		"shape %u: %s", shape, rig.error.text);
	plait_graph_release(graph);
	return plan;
}

static void check_shape(uint32_t shape, const plait_freeze_desc *desc)
{
	plait_plan *plan = freeze_shape(shape, desc);

	if (plan == NULL)
		return;
	iterations = 0;
	check_views(plan);
	OK_THAT(plait_plan_prepare(plan, &rig.error) == PLAIT_OK,
		"shape %u: prepare: %s", shape, rig.error.text);
	check_runs(plan);
	iterations = 0;
	check_records(plan);
	plait_plan_release(plan);
	plan = freeze_shape(shape, desc);
	OK_THAT(plait_plan_rehearse(plan, 1, &rig.error) == PLAIT_OK,
		"shape %u: rehearse: %s", shape, rig.error.text);
	check_runs(plan);
	plait_plan_release(plan);
}

static void check_place(const struct place *place)
{
	plait_freeze_desc desc = { .size = sizeof(desc),
				   .lanes = place->lanes };

	words = words_on(rig.device);
	write_words(words, 0);
	for (uint32_t i = 0; i < TAP_COUNT(shapes); i++)
		for (uint32_t way = 0; way < 8; way++) {
			desc.flags = way % 2 ? PLAIT_FREEZE_QUEUES : 0;
			desc.flags |= way / 2 % 2 ? PLAIT_FREEZE_CHECK : 0;
			desc.mode = way / 4 % 2 ? PLAIT_MODE_HELPED :
						  PLAIT_MODE_STRICT;
			desc.policy = (i + way) % 3 ? PLAIT_POLICY_BOUNDED :
						      PLAIT_POLICY_WIDEST;
			check_shape(i, &desc);
		}
	plait_buffer_release(words);
}

static void plans(void)
{
	each_place(SEEDS, check_place);
}

/* Nothing is written, and nothing needs memory. */
static void write_and_read(void)
{
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL, *read = NULL;
	char bytes[4096];
	uint64_t count = 0;

	OK(plait_graph_freeze(graph, NULL, &plan, &rig.error) == PLAIT_OK);
	plait_graph_release(graph);
	OK_THAT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes, sizeof(bytes),
				 &count, &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	plait_plan_release(plan);
	OK_THAT(plait_plan_read(rig.context, bytes, count, &read,
				&rig.error) == PLAIT_OK, "read: %s",
		rig.error.text);
	if (read != NULL)
		check_runs(read);
	plait_plan_release(read);
}

/* ---- commands ---- */

static void check_commands(const struct place *place)
{
	const plait_rows rows = { .size = sizeof(rows), .rows = 4,
				  .target_row = 16, .source_row = 16 };
	const plait_buffer_desc none = { .size = sizeof(none), .label = "0" };
	plait_queue *queue = rig.queue;
	plait_error *error = &rig.error;
	plait_buffer *empty = NULL;
	uint64_t sequence = 7;
	char byte = 1;

	(void)place;
	words = words_on(rig.device);
	write_words(words, 9);
	OK_THAT(plait_buffer_create(rig.device, &none, &empty, error) ==
		PLAIT_OK, "%s", error->text);
	OK_THAT(plait_queue_finish(queue, PLAIT_FOREVER, error) == PLAIT_OK,
		"%s", error->text);
	OK_THAT(plait_queue_submit(queue, NULL, 0, &sequence, error) ==
		PLAIT_OK, "submit: %s", error->text);
	OK_THAT(plait_queue_copy(queue, words, 0, words, 8, 0, error) ==
		PLAIT_OK, "copy: %s", error->text);
	OK_THAT(plait_queue_copy(queue, empty, 0, empty, 0, 0, error) ==
		PLAIT_OK, "copy: %s", error->text);
	OK_THAT(plait_queue_copy_rows(queue, words, 0, words, 4, 0, &rows,
				      error) == PLAIT_OK, "rows: %s",
		error->text);
	OK_THAT(plait_queue_fill(queue, words, 64, 0, 5, 4, error) == PLAIT_OK,
		"fill: %s", error->text);
	OK_THAT(plait_queue_read(queue, words, 0, &byte, 0, error) == PLAIT_OK,
		"read: %s", error->text);
	OK_THAT(plait_queue_write(queue, empty, 0, &byte, 0, error) ==
		PLAIT_OK, "write: %s", error->text);
	OK_THAT(plait_queue_finish(queue, PLAIT_FOREVER, error) == PLAIT_OK,
		"finish: %s", error->text);
	IS_UINT(read_words(words), 9);
	IS_INT(byte, 1);
	OK_THAT(plait_signal_wait_points(NULL, 0, PLAIT_WAIT_ALL, 0, NULL,
					 error) == PLAIT_OK, "no points: %s",
		error->text);
	write_and_read();
	plait_buffer_release(empty);
	plait_buffer_release(words);
}

static void commands(void)
{
	each_place(SEEDS, check_commands);
}

static const struct tap_scenario all[] = {
	{ "plans", plans },
	{ "commands", commands },
};
TAP_MAIN(all)
