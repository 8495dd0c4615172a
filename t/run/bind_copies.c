/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills of buffers that each run binds: the bytes that they leave,
 * also as a part of another graph, in a loop, and in another process; the
 * proofs about them; and rejections, by the graph and by the run.
 */
#include "lib/runs.h"

enum { ROOM = 96, ROUNDS = 8 };

/* From `from` a piece into the middle of `mine`, rows of that to `to`; then a
 * fill of the first bytes of `to`. */
struct scene {
	plait_graph *graph;
	plait_buffer *mine;
};

static const plait_rows rows = { .size = sizeof(rows), .rows = 3,
				 .target_row = 8, .source_row = 4 };

static void open_scene(struct scene *scene)
{
	plait_node last;

	scene->mine = make_buffer(&rig, ROOM, "mine");
	scene->graph = new_graph();
	last = add_node(scene->graph, (plait_node_desc){
		.kind = PLAIT_NODE_COPY, .label = "in",
		.target = scene->mine, .target_offset = 16,
		.source_parameter = "from", .source_offset = 8,
		.bytes = 16 }, NULL, 0);
	last = add_node(scene->graph, (plait_node_desc){
		.kind = PLAIT_NODE_COPY, .label = "out",
		.target_parameter = "to", .target_offset = 24,
		.source = scene->mine, .source_offset = 16,
		.bytes = 4, .rows = &rows }, &last, 1);
	(void)add_node(scene->graph, (plait_node_desc){
		.kind = PLAIT_NODE_FILL, .label = "set",
		.target_parameter = "to", .bytes = 8, .pattern_bytes = 4,
		.pattern = 0x04030201 }, &last, 1);
}

static void close_scene(struct scene *scene)
{
	plait_graph_release(scene->graph);
	plait_buffer_release(scene->mine);
}

/* ---- each run ---- */

/* The memory that buffers are made in, one after the other; null: the
 * plan's. */
static plait_device *elsewhere;
static plait_queue *queue_there;

static plait_buffer *make(bool there, const unsigned char *bytes)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = ROOM };
	plait_queue *queue = there ? queue_there : rig.queue;
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(there ? elsewhere : rig.device, &desc,
				   &buffer, &rig.error), PLAIT_OK);
	IS_INT(plait_queue_write(queue, buffer, 0, bytes, ROOM, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
	return buffer;
}

static bool has(bool there, plait_buffer *buffer, const unsigned char *want)
{
	static unsigned char bytes[ROOM];
	plait_queue *queue = there ? queue_there : rig.queue;

	IS_INT(plait_queue_read(queue, buffer, 0, bytes, ROOM, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_queue_finish(queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
	return memcmp(bytes, want, ROOM) == 0;
}

static plait_status run(plait_plan *plan, uint32_t round,
			const plait_binding bindings[2])
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = 2 };
	plait_status status;

	if (round % 2 != 0)
		return plait_plan_call(plan, rig.queue, &desc, &rig.error);
	status = plait_plan_run(plan, rig.queue, &desc, NULL, &rig.error);
	return status != PLAIT_OK ? status :
	       plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error);
}

/* Another place of other buffers each time. */
static void one_round(plait_plan *plan, uint32_t round)
{
	const bool far[2] = { elsewhere != NULL && round % 4 > 1,
			      elsewhere != NULL && round % 3 == 1 };
	plait_binding bindings[2] = {
		{ .size = sizeof(plait_binding), .offset_bytes = round },
		{ .size = sizeof(plait_binding), .offset_bytes = 2 * round },
	};
	unsigned char sent[ROOM], want[ROOM];

	for (uint32_t i = 0; i < ROOM; i++) {
		sent[i] = (unsigned char)(i + 16 * round);
		want[i] = 0xee;
	}
	bindings[0].buffer = make(far[0], sent);
	bindings[1].buffer = make(far[1], want);
	for (uint32_t i = 0; i < 12; i++)
		want[2 * round + 24 + i / 4 * 8 + i % 4] =
			sent[round + 8 + i];
	for (uint32_t i = 0; i < 8; i++)
		want[2 * round + i] = (unsigned char)(1 + i % 4);
	IS_INT(plait_plan_find_parameter(plan, "from", &bindings[0].parameter,
				    &rig.error), PLAIT_OK);
	IS_INT(plait_plan_find_parameter(plan, "to", &bindings[1].parameter,
				    &rig.error), PLAIT_OK);
	if (!IS_INT(run(plan, round, bindings), PLAIT_OK))
		NOTE("%s", rig.error.text);
	OK_THAT(has(far[1], bindings[1].buffer, want), "round %u", round);
	OK(has(far[0], bindings[0].buffer, sent));
	plait_buffer_release(bindings[0].buffer);
	plait_buffer_release(bindings[1].buffer);
}

static void rounds(plait_plan *plan)
{
	for (uint32_t round = 0; round < ROUNDS; round++)
		one_round(plan, round);
	plait_plan_release(plan);
}

/* Twice, in each run. */
static int32_t again(void *user_data)
{
	uint32_t *turns = user_data;

	return (int32_t)(++*turns % 2);
}

/* In a loop that runs twice, behind a node without relation to it. */
static plait_plan *freeze_part(const struct scene *scene, uint32_t *turns)
{
	plait_graph *graph = new_graph();
	plait_node join = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_JOIN }, NULL, 0);
	plait_node loop = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_DO, .function = again,
		.flags = PLAIT_CALL_ANY_THREAD, .user_data = turns },
		&join, 1);
	plait_graph *body = body_of(graph, loop, 0);
	plait_plan *plan;

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
		uint32_t turns = 0;

		if (!open_host(worker_counts[w]))
			continue;
		open_scene(&scene);
		rounds(freeze(scene.graph, 2, 2));
		rounds(freeze_part(&scene, &turns));
		rounds(read_back(&scene));
		close_scene(&scene);
		close_rig(&rig);
	}
}

/* Options belong to the driver where one is tested. */
#ifndef ON_DRIVER
/* Only where the device cannot call it; a fill has to do there. */
static void of_unknown_memory(void)
{
	static const unsigned char bytes[ROOM] = { 1 };
	plait_binding given = { .size = sizeof(given) };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &given,
				      .binding_count = 1 };
	plait_graph *graph;
	plait_plan *plan;

	rig = (struct rig){ .backend = "chaos,host", .workers = 1,
			    .options = "chaos:host_calls=0" };
	if (!open_rig(&rig))
		return;
	IS_INT(plait_context_find_device(rig.context, "host", &elsewhere,
					 &rig.error), PLAIT_OK);
	IS_INT(plait_queue_create(elsewhere, NULL, &queue_there, &rig.error),
	       PLAIT_OK);
	graph = new_graph();
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_FILL, .label = "set", .bytes = 8,
		.device = rig.device, .target_parameter = "to",
		.pattern_bytes = 1 }, NULL, 0);
	plan = freeze(graph, 1, 1);
	for (uint32_t i = 0; i < 4; i++) {
		given.buffer = make(i % 2 == 0, bytes);
		IS_INT(plait_plan_call(plan, NULL, &desc, &rig.error),
		       i % 2 == 0 ? PLAIT_E_UNSUPPORTED : PLAIT_OK);
		if (i % 2 == 0)
			HAS_STR(rig.error.text, "\"set\" could not be bound: "
				"what the run brought is another backend's");
		plait_buffer_release(given.buffer);
	}
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_queue_release(queue_there);
	elsewhere = NULL;
	close_rig(&rig);
}

#endif

/* Memory that the plan's device does not know is copied by the host. */
static void of_another_backend(void)
{
	struct scene scene;

	rig = (struct rig){ .backend = "chaos,host", .workers = 1 };
	if (!open_rig(&rig))
		return;
	IS_INT(plait_context_find_device(rig.context, "host", &elsewhere,
					 &rig.error), PLAIT_OK);
	IS_INT(plait_queue_create(elsewhere, NULL, &queue_there, &rig.error),
	       PLAIT_OK);
	open_scene(&scene);
	rounds(freeze(scene.graph, 2, 2));
	close_scene(&scene);
	plait_queue_release(queue_there);
	elsewhere = NULL;
	close_rig(&rig);
}

/* ---- rejections ---- */

static void refuse_run(plait_plan *plan, const plait_binding bindings[2],
		       const char *part)
{
	for (uint32_t round = 0; round < 2; round++) {
		IS_INT(run(plan, round, bindings), PLAIT_E_INVALID);
		HAS_STR(rig.error.text, part);
	}
}

static plait_node_desc copy_of(const char *to, const char *from)
{
	return (plait_node_desc){
		.kind = PLAIT_NODE_COPY, .label = "copy", .bytes = 16,
		.target_parameter = to, .source_parameter = from
	};
}

static void wrong_runs(void)
{
	plait_buffer *buffer = make_buffer(&rig, ROOM, "buffer");
	plait_graph *graph = new_graph();
	plait_binding given[2] = {
		{ .size = sizeof(*given), .buffer = buffer },
		{ .size = sizeof(*given), .buffer = buffer,
		  .offset_bytes = 32 }
	};
	plait_plan *plan;

	(void)add_node(graph, copy_of("to", "from"), NULL, 0);
	plan = freeze(graph, 1, 1);
	IS_INT(plait_plan_find_parameter(plan, "to", &given[0].parameter, NULL),
	       PLAIT_OK);
	IS_INT(plait_plan_find_parameter(plan, "from", &given[1].parameter, NULL),
	       PLAIT_OK);
	IS_INT(run(plan, 0, given), PLAIT_OK);
	IS_INT(run(plan, 1, given), PLAIT_OK);
	given[1].offset_bytes = 15;
	refuse_run(plan, given, "\"copy\": source and target overlap");
	given[1].offset_bytes = ROOM - 15;
	refuse_run(plan, given, "parameter \"from\": node 0 \"copy\" uses 16 "
		   "bytes, and there are 15");
	given[1].offset_bytes = 0;
	given[0].offset_bytes = ROOM;
	refuse_run(plan, given, "parameter \"to\": node 0 \"copy\" uses 16 "
		   "bytes, and there are 0");
	given[0].offset_bytes = 80;
	IS_INT(run(plan, 1, given), PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_buffer_release(buffer);
}

static void refuse_node(plait_node_desc desc, const char *part)
{
	plait_graph *graph = new_graph();
	plait_node node = 7;

	desc.size = sizeof(desc);
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, &node, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, part);
	IS_UINT(node, 0);
	plait_graph_release(graph);
}

static void wrong_nodes(void)
{
	plait_buffer *buffer = make_buffer(&rig, ROOM, "buffer");
	plait_node_desc desc = copy_of("x", "x");

	refuse_node(desc, "source and target overlap");
	desc.source_offset = UINT64_MAX - 8;
	refuse_node(desc, "parameter \"x\" ends beyond all memory");
	desc = copy_of("", "x");
	refuse_node(desc, "target_parameter is empty");
	desc = copy_of("x", "y");
	desc.source = buffer;
	refuse_node(desc, "source_parameter is in place of a buffer; both");
	desc.kind = PLAIT_NODE_FILL;
	refuse_node(desc, "source");
	plait_buffer_release(buffer);
}

/* Parts of a bound buffer are told apart. */
static void proved(uint64_t offset, plait_status want)
{
	const plait_freeze_desc two = { .size = sizeof(two), .lanes = 2 };
	plait_node_desc desc = copy_of("to", "from");
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;

	add_node(graph, desc, NULL, 0);
	desc.target_offset = offset;
	add_node(graph, desc, NULL, 0);
	IS_INT(plait_graph_freeze(graph, &two, &plan, &rig.error), PLAIT_OK);
	IS_INT(plait_plan_check(plan, &rig.error), want);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void wrong_ones_are_refused(void)
{
	if (!open_host(0))
		return;
	wrong_runs();
	wrong_nodes();
	proved(16, PLAIT_OK);
	proved(15, PLAIT_E_INVALID);
	close_rig(&rig);
}

static const struct tap_scenario scenarios[] = {
	{ "each run brings its own", each_run_brings_its_own },
	{ "of another backend", of_another_backend },
#ifndef ON_DRIVER
	{ "unknown memory", of_unknown_memory },
#endif
	{ "wrong ones are refused", wrong_ones_are_refused },
};

TAP_MAIN(scenarios)
