/* SPDX-License-Identifier: MIT */
/*
 * READ and WRITE nodes: memory of the program that each run brings; also as a
 * part of another graph, in a loop, and in another process; the proofs about
 * them; and rejections, by the graph and by the run.
 */
#include "lib/runs.h"

enum { ROOM = 96, ROUNDS = 8 };

/* From `in` a piece into the middle of `mine`, rows of that to `out`. */
struct scene {
	plait_graph *graph;
	plait_buffer *mine;
};

static const plait_rows rows = { .size = sizeof(rows), .rows = 3,
				 .target_row = 8, .source_row = 4 };

static plait_node_desc write_node(plait_buffer *target)
{
	return (plait_node_desc){
		.kind = PLAIT_NODE_WRITE, .label = "in", .target = target,
		.target_offset = 16, .host_parameter = "in", .host_offset = 8,
		.bytes = 16 };
}

static plait_node_desc read_node(plait_buffer *source)
{
	return (plait_node_desc){
		.kind = PLAIT_NODE_READ, .label = "out", .source = source,
		.source_offset = 16, .host_parameter = "out",
		.host_offset = 24, .bytes = 4, .rows = &rows };
}

static void open_scene(struct scene *scene)
{
	plait_node last;

	scene->mine = make_buffer(&rig, ROOM, "mine");
	scene->graph = new_graph();
	last = add_node(scene->graph, write_node(scene->mine), NULL, 0);
	(void)add_node(scene->graph, read_node(scene->mine), &last, 1);
}

static void close_scene(struct scene *scene)
{
	plait_graph_release(scene->graph);
	plait_buffer_release(scene->mine);
}

/* ---- each run ---- */

static plait_status run(plait_plan *plan, uint32_t round,
			const plait_binding *bindings, uint64_t count)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = count };
	plait_status status;

	if (round % 2 != 0)
		return plait_plan_call(plan, rig.queue, &desc, &rig.error);
	status = plait_plan_run(plan, rig.queue, &desc, NULL, &rig.error);
	return status != PLAIT_OK ? status :
	       plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error);
}

static uint32_t number_of(plait_plan *plan, const char *name)
{
	uint32_t number = 0;

	IS_INT(plait_plan_find_parameter(plan, name, &number, &rig.error),
	       PLAIT_OK);
	return number;
}

/* Other memory each time, at any address. */
static void one_round(plait_plan *plan, uint32_t round)
{
	unsigned char *sent = malloc(2 * ROOM), *got = malloc(2 * ROOM);
	const plait_binding bindings[2] = {
		PLAIT_BIND_HOST(number_of(plan, "in"), sent + round, 24),
		PLAIT_BIND_HOST(number_of(plan, "out"), got + 2 * round, 44),
	};
	unsigned char want[2 * ROOM];

	for (uint32_t i = 0; i < 2 * ROOM; i++) {
		sent[i] = (unsigned char)(i + 16 * round);
		want[i] = got[i] = 0xee;
	}
	for (uint32_t i = 0; i < 12; i++)
		want[2 * round + 24 + i / 4 * 8 + i % 4] =
			sent[round + 8 + i];
	if (!IS_INT(run(plan, round, bindings, 2), PLAIT_OK))
		NOTE("%s", rig.error.text);
	OK_THAT(memcmp(got, want, sizeof(want)) == 0, "round %u", round);
	free(sent);
	free(got);
}

static void rounds(plait_plan *plan)
{
	for (uint32_t round = 0; round < ROUNDS; round++)
		one_round(plan, round);
	plait_plan_release(plan);
}

/* In a loop that runs twice, behind a node without relation to it. */
static plait_plan *freeze_part(const struct scene *scene)
{
	plait_graph *graph = new_graph(), *body = NULL;
	plait_node join = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_JOIN }, NULL, 0);
	plait_plan *plan;

	IS_INT(plait_graph_repeat(graph, 2, join, &body, NULL, &rig.error),
	       PLAIT_OK);
	add_node(body, (plait_node_desc){ .kind = PLAIT_NODE_SUBGRAPH,
					  .subgraph = scene->graph },
		 NULL, 0);
	plan = freeze(graph, 2, 1);
	plait_graph_release(body);
	plait_graph_release(graph);
	return plan;
}

/* As another process loads it. */
static plait_plan *read_back(const struct scene *scene)
{
	static char bytes[1 << 16];
	plait_plan *plan = freeze(scene->graph, 2, 2), *again = NULL;
	uint64_t count = 0;

	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes,
				sizeof(bytes), &count, &rig.error), PLAIT_OK);
	plait_plan_release(plan);
	IS_INT(plait_plan_read(rig.context, bytes, count, &again, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_plan_bind_buffer(again, "mine", scene->mine, &rig.error),
	       PLAIT_OK);
	return again;
}

static void each_run_brings_its_own(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		struct scene scene;

		if (!open_host(worker_counts[w]))
			continue;
		open_scene(&scene);
		rounds(freeze(scene.graph, 2, 2));
		rounds(freeze_part(&scene));
		rounds(read_back(&scene));
		close_scene(&scene);
		close_rig(&rig);
	}
}

/* The host copies memory that the plan's device does not know. */
static void of_another_backend(void)
{
	struct scene scene;
	plait_node_desc desc;
	plait_device *there;
	plait_node last;

	rig = (struct rig){ .backend = "chaos,host", .workers = 1 };
	if (!open_rig(&rig))
		return;
	IS_INT(plait_context_find_device(rig.context, "host", &there,
					 &rig.error), PLAIT_OK);
	scene.mine = make_buffer(&rig, ROOM, "mine");
	scene.graph = new_graph();
	desc = write_node(scene.mine);
	desc.device = there;
	last = add_node(scene.graph, desc, NULL, 0);
	desc = read_node(scene.mine);
	desc.device = there;
	(void)add_node(scene.graph, desc, &last, 1);
	rounds(freeze(scene.graph, 2, 2));
	close_scene(&scene);
	close_rig(&rig);
}

/* ---- runs in flight ---- */

/* The run is behind another one of its plan, which is parked. */
static bool is_deferred(plait_run *run)
{
	plait_error error = { .size = sizeof(error) };

	for (int i = 0; i < 20; i++)
		(void)plait_run_wait(run, 100000, &error);
	return strstr(error.text, "follows another run of the plan") != NULL;
}

static plait_run *start(plait_plan *plan, plait_queue *queue, void *out)
{
	const plait_binding binding = PLAIT_BIND_HOST(0, out, 16);
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };
	plait_run *run = NULL;

	IS_INT(plait_plan_run(plan, queue, &desc, &run, &rig.error), PLAIT_OK);
	return run;
}

/* Reads to one memory take turns, others overlap. */
static void take_turns(void)
{
	static unsigned char memory[64];
	static void *const places[3] = { memory, memory + 15, memory + 31 };
	plait_queue *queues[3] = { NULL };
	plait_run *runs[3];
	plait_graph *graph;
	plait_buffer *from;
	plait_node gate;
	plait_plan *plan;

	if (!open_host(2))
		return;
	from = make_buffer(&rig, 16, "from");
	graph = new_graph();
	gate = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_WAIT, .signal = rig.gate, .sequence = 1 },
		NULL, 0);
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_READ, .source = from, .bytes = 16,
		.host_parameter = "out" }, &gate, 1);
	plan = freeze(graph, 1, 3);
	for (int i = 0; i < 3; i++) {
		IS_INT(plait_queue_create(rig.device, NULL, &queues[i],
					  &rig.error), PLAIT_OK);
		runs[i] = start(plan, queues[i], places[i]);
		OK(is_deferred(runs[i]) == (i == 1));
	}
	IS_INT(plait_signal_raise(rig.gate, 1, &rig.error), PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		IS_INT(plait_run_wait(runs[i], PLAIT_FOREVER, &rig.error),
		       PLAIT_OK);
		plait_run_release(runs[i]);
		plait_queue_release(queues[i]);
	}
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_buffer_release(from);
	close_rig(&rig);
}

/* ---- descriptions ---- */

static void what_they_are(void)
{
	plait_parameter_info info = { .size = sizeof(info) };
	plait_command_info command = { .size = sizeof(command) };
	struct scene scene;
	plait_plan *plan;

	if (!open_host(0))
		return;
	open_scene(&scene);
	plan = freeze(scene.graph, 1, 1);
	IS_INT(plait_plan_query_parameter(plan, number_of(plan, "out"), &info,
					  &rig.error), PLAIT_OK);
	IS_UINT(info.kind, PLAIT_PARAMETER_HOST);
	IS_STR(info.type, "out");
	IS_INT(plait_plan_query_parameter(plan, number_of(plan, "in"), &info,
					  &rig.error), PLAIT_OK);
	IS_UINT(info.kind, PLAIT_PARAMETER_HOST);
	IS_STR(info.type, "in");
	IS_INT(plait_plan_query_command(plan, 0, &command, &rig.error),
	       PLAIT_OK);
	IS_UINT(command.kind, PLAIT_NODE_WRITE);
	IS_INT(plait_plan_query_command(plan, 1, &command, &rig.error),
	       PLAIT_OK);
	IS_UINT(command.kind, PLAIT_NODE_READ);
	plait_plan_release(plan);
	close_scene(&scene);
	close_rig(&rig);
}

/* A build without libffi has no functions. */
static void as_a_function(void)
{
	static unsigned char sent[ROOM], got[ROOM];
	const plait_callable_desc desc = {
		.size = sizeof(desc),
		.signature = "move(out: pointer, in: pointer): i32" };
	plait_any_function function = NULL;
	plait_callable *callable = NULL;
	struct scene scene;
	plait_plan *plan;

	if (!open_host(1))
		return;
	open_scene(&scene);
	plan = freeze(scene.graph, 1, 1);
	memset(sent, 7, sizeof(sent));
	if (plait_callable_create(plan, &desc, &callable, &rig.error) ==
		    PLAIT_OK &&
	    OK(plait_callable_function(callable, &function, &rig.error) ==
	       PLAIT_OK)) {
		IS_INT(((int32_t (*)(void *, const void *))function)(got, sent),
		       0);
		IS_UINT(got[24] + got[32] + got[43], 21);
		IS_UINT(got[23] + got[28] + got[44], 0);
	}
	plait_callable_release(callable);
	plait_plan_release(plan);
	close_scene(&scene);
	close_rig(&rig);
}

/* ---- rejections ---- */

static void refuse_run(plait_plan *plan, const plait_binding *bindings,
		       const char *part)
{
	for (uint32_t round = 0; round < 2; round++) {
		IS_INT(run(plan, round, bindings, 2), PLAIT_E_INVALID);
		HAS_STR(rig.error.text, part);
	}
}

static void wrong_runs(struct scene *scene)
{
	static unsigned char memory[ROOM];
	plait_plan *plan = freeze(scene->graph, 1, 1);
	const plait_binding good[2] = {
		PLAIT_BIND_HOST(number_of(plan, "in"), memory, 24),
		PLAIT_BIND_HOST(number_of(plan, "out"), memory + 24, 44),
	};
	plait_binding bad[2] = { good[0], good[1] };

	IS_INT(run(plan, 0, good, 2), PLAIT_OK);
	bad[0].bytes = 23;
	refuse_run(plan, bad, "parameter \"in\": node 0 \"in\" uses 16 bytes, "
		   "and there are 15");
	bad[0].bytes = 7;
	refuse_run(plan, bad, "uses 16 bytes, and there are 0");
	bad[0] = good[0];
	bad[1].bytes = 43;
	refuse_run(plan, bad, "parameter \"out\": node 1 \"out\" uses 20 "
		   "bytes, and there are 19");
	bad[1].bytes = UINT64_MAX;
	refuse_run(plan, bad, "parameter \"out\": bytes is beyond all memory");
	bad[1] = good[1];
	bad[1].value = NULL;
	refuse_run(plan, bad, "parameter \"out\": value is null");
	bad[1].buffer = scene->mine;
	refuse_run(plan, bad, "parameter \"out\": a buffer is given, but its "
		   "nodes take memory of the program");
	IS_INT(run(plan, 1, good, 2), PLAIT_OK);
	plait_plan_release(plan);
}

#ifndef ON_DRIVER
/* A buffer whose bytes are the program's memory itself. */
static void wrapped(void)
{
	static unsigned char memory[ROOM];
	const plait_wrap_desc desc = { .size = sizeof(desc),
				       .pointer = memory, .bytes = ROOM };
	plait_graph *graph = new_graph();
	plait_buffer *buffer = NULL;
	plait_binding binding;
	plait_plan *plan;

	IS_INT(plait_buffer_wrap(rig.device, &desc, &buffer, &rig.error),
	       PLAIT_OK);
	add_node(graph, write_node(buffer), NULL, 0);
	plan = freeze(graph, 1, 1);
	binding = (plait_binding)PLAIT_BIND_HOST(0, memory + 24, 24);
	IS_INT(run(plan, 0, &binding, 1), PLAIT_OK);
	binding.value = memory + 23;
	IS_INT(run(plan, 0, &binding, 1), PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "\"in\": source and target overlap");
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_buffer_release(buffer);
}
#endif

static void refuse_node(plait_graph *graph, plait_node_desc desc,
			const char *part)
{
	plait_node node = 7;

	desc.size = sizeof(desc);
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, &node, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, part);
	IS_UINT(node, 0);
}

static void wrong_nodes(const struct scene *scene)
{
	plait_node_desc desc = write_node(scene->mine);

	desc.host_parameter = NULL;
	refuse_node(scene->graph, desc, "host_parameter is null");
	desc.host_parameter = "";
	refuse_node(scene->graph, desc, "host_parameter is empty");
	desc.host_parameter = "x";
	desc.host_offset = UINT64_MAX - 8;
	refuse_node(scene->graph, desc,
		    "parameter \"x\" ends beyond all memory");
	desc = write_node(scene->mine);
	desc.source = scene->mine;
	refuse_node(scene->graph, desc,
		    "source is set, which a write does not have");
	desc = read_node(scene->mine);
	desc.target_parameter = "to";
	refuse_node(scene->graph, desc,
		    "target_parameter is set, which a read does not have");
	desc = read_node(scene->mine);
	desc.kind = PLAIT_NODE_COPY;
	refuse_node(scene->graph, desc,
		    "host_parameter is set, which a copy does not have");
	desc = read_node(NULL);
	desc.source_parameter = "out";
	desc.host_parameter = "new";
	refuse_node(scene->graph, desc,
		    "parameter \"out\" is of another kind elsewhere");
	desc.source_parameter = "from";
	desc.host_parameter = "from";
	refuse_node(scene->graph, desc, "parameter \"from\" is of ");
	desc = write_node(scene->mine);
	desc.bytes = ROOM;
	refuse_node(scene->graph, desc, "96 bytes, but the target has 80");
}

/* Parts of the program's memory are told apart. */
static void proved(const struct scene *scene, uint64_t offset,
		   plait_status want)
{
	const plait_freeze_desc two = { .size = sizeof(two), .lanes = 2 };
	plait_node_desc desc = read_node(scene->mine);
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;

	desc.rows = NULL;
	add_node(graph, desc, NULL, 0);
	desc.host_offset += offset;
	add_node(graph, desc, NULL, 0);
	IS_INT(plait_graph_freeze(graph, &two, &plan, &rig.error), PLAIT_OK);
	IS_INT(plait_plan_check(plan, &rig.error), want);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void wrong_ones_are_refused(void)
{
	struct scene scene;

	if (!open_host(0))
		return;
	open_scene(&scene);
	wrong_runs(&scene);
	wrong_nodes(&scene);
	proved(&scene, 4, PLAIT_OK);
	proved(&scene, 3, PLAIT_E_INVALID);
	close_scene(&scene);
#ifndef ON_DRIVER
	wrapped();
#endif
	close_rig(&rig);
}

static const struct tap_scenario scenarios[] = {
	{ "each run brings its own", each_run_brings_its_own },
	{ "of another backend", of_another_backend },
	{ "runs take turns", take_turns },
	{ "what they are", what_they_are },
	{ "as a function", as_a_function },
	{ "wrong ones are refused", wrong_ones_are_refused },
};

TAP_MAIN(scenarios)
