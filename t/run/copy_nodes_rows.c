/* SPDX-License-Identifier: MIT */
/*
 * Copies of rows as nodes: the same bytes as a loop of memcpy, however the plan
 * runs, also as a part of another graph and in another process; and rejections,
 * when a node is added and when a plan is proved.
 */
#include "lib/runs.h"

enum { ROOM = 600, GRAPHS = 12, NODES = 5 };

/* One copy, as a user describes it, and the positions of its bytes. */
struct rows {
	plait_rows rows;
	uint64_t bytes, target, source;
};

static uint64_t seed;

static uint64_t below(uint64_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % limit;
}

/* Rows that have room on both sides; often without gaps, or with pitch 0. */
static struct rows any_rows(void)
{
	struct rows made = { .bytes = 1 + below(9) };
	uint64_t rows = 1 + below(4), slices = 1 + below(3);
	uint64_t gaps = below(3), target = made.bytes, source = made.bytes;

	target += gaps == 0 ? 0 : below(6);
	source += gaps == 0 ? 0 : below(6);
	made.rows = (plait_rows){
		.size = sizeof(made.rows), .rows = rows, .slices = slices,
		.target_row = target, .source_row = source,
		.target_slice = target * (rows + below(2)),
		.source_slice = source * (rows + below(2))
	};
	if (gaps == 0)
		made.rows.target_slice = made.rows.target_row = 0;
	made.target = below(200);
	made.source = below(200);
	return made;
}

static void copy_by_hand(unsigned char *target, const unsigned char *source,
			 const struct rows *given)
{
	plait_rows rows = given->rows;

	if (rows.target_row == 0)
		rows.target_row = given->bytes;
	if (rows.target_slice == 0)
		rows.target_slice = rows.target_row * rows.rows;
	for (uint64_t i = 0; i < rows.slices; i++)
		for (uint64_t k = 0; k < rows.rows; k++)
			memcpy(target + given->target + i * rows.target_slice +
				       k * rows.target_row,
			       source + given->source + i * rows.source_slice +
				       k * rows.source_row, given->bytes);
}

static plait_node_desc node_of(const struct rows *given, plait_buffer *target,
			       plait_buffer *source)
{
	return (plait_node_desc){
		.size = sizeof(plait_node_desc), .kind = PLAIT_NODE_COPY,
		.label = "rows", .target = target, .source = source,
		.target_offset = given->target,
		.source_offset = given->source, .bytes = given->bytes,
		.rows = &given->rows
	};
}

/* ---- memory ---- */

static void put(plait_buffer *buffer, const unsigned char *bytes)
{
	IS_INT(plait_queue_write(rig.queue, buffer, 0, bytes, ROOM,
				 &rig.error), PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
}

static bool has(plait_buffer *buffer, const unsigned char *want)
{
	static unsigned char bytes[ROOM];

	IS_INT(plait_queue_read(rig.queue, buffer, 0, bytes, ROOM,
				&rig.error), PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_OK);
	return memcmp(bytes, want, ROOM) == 0;
}

static void fill(unsigned char *bytes)
{
	for (uint32_t i = 0; i < ROOM; i++)
		bytes[i] = (unsigned char)below(256);
}

/* ---- compared with memcpy ---- */

struct scene {
	unsigned char first[2][ROOM], want[2][ROOM];
	plait_buffer *buffers[2];
	plait_graph *graph;
};

/* There and back, one after the other. */
static void add_copies(struct scene *scene)
{
	plait_node last = 0;

	memcpy(scene->want, scene->first, sizeof(scene->want));
	for (uint32_t i = 0; i < NODES; i++) {
		const struct rows rows = any_rows();
		uint32_t to = (uint32_t)below(2);

		last = add_node(scene->graph,
				node_of(&rows, scene->buffers[to],
					scene->buffers[!to]),
				&last, i > 0);
		copy_by_hand(scene->want[to], scene->want[!to], &rows);
	}
}

static void open_scene(struct scene *scene)
{
	for (uint32_t i = 0; i < 2; i++) {
		fill(scene->first[i]);
		scene->buffers[i] = make_buffer(&rig, ROOM, i ? "b" : "a");
	}
	scene->graph = new_graph();
	add_copies(scene);
}

static void close_scene(struct scene *scene)
{
	plait_graph_release(scene->graph);
	plait_buffer_release(scene->buffers[0]);
	plait_buffer_release(scene->buffers[1]);
}

static void run_plan(const struct scene *scene, plait_plan *plan)
{
	for (size_t f = 0; f < TAP_COUNT(run_flags); f++) {
		put(scene->buffers[0], scene->first[0]);
		put(scene->buffers[1], scene->first[1]);
		if (!IS_INT(f == 0 ? run_with(plan, run_flags[f]) :
				     call_with(plan, run_flags[f]), PLAIT_OK))
			NOTE("%s", rig.error.text);
		OK(has(scene->buffers[0], scene->want[0]));
		OK(has(scene->buffers[1], scene->want[1]));
	}
	plait_plan_release(plan);
}

/* As a part of another graph, behind a node without relation to it. */
static plait_plan *freeze_part(const struct scene *scene)
{
	plait_graph *graph = new_graph();
	plait_node join = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_JOIN }, NULL, 0);
	plait_plan *plan;

	add_node(graph, (plait_node_desc){ .kind = PLAIT_NODE_SUBGRAPH,
					   .subgraph = scene->graph },
		 &join, 1);
	plan = freeze(graph, 2, 1);
	plait_graph_release(graph);
	return plan;
}

/* As another process loads it. */
static plait_plan *read_back(const struct scene *scene)
{
	static char bytes[1 << 16];
	plait_plan *plan = freeze(scene->graph, 1, 1), *again = NULL;
	uint64_t count = 0;

	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes,
				sizeof(bytes), &count, &rig.error), PLAIT_OK);
	plait_plan_release(plan);
	IS_INT(plait_plan_read(rig.context, bytes, count, &again, &rig.error),
	       PLAIT_OK);
	for (uint32_t i = 0; i < 2; i++)
		IS_INT(plait_plan_bind_buffer(again, i ? "b" : "a",
					      scene->buffers[i], &rig.error),
		       PLAIT_OK);
	return again;
}

static void like_memcpy(void)
{
	seed = tap_seed();
	for (uint32_t w = 0; w < WORKERS; w++) {
		if (!open_host(worker_counts[w]))
			return;
		for (uint32_t i = 0; i < GRAPHS; i++) {
			struct scene scene;

			open_scene(&scene);
			run_plan(&scene, freeze(scene.graph, 2, 1));
			run_plan(&scene, freeze_part(&scene));
			run_plan(&scene, read_back(&scene));
			close_scene(&scene);
		}
		close_rig(&rig);
	}
}

/* ---- rejections ---- */

static plait_buffer *buffer;

static void refuse(struct rows rows, const char *why)
{
	plait_graph *graph = new_graph();
	plait_node_desc desc = node_of(&rows, buffer, buffer);
	plait_node node = 7;

	IS_INT(plait_graph_add(graph, &desc, NULL, 0, &node, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "node \"rows\": ");
	HAS_STR(rig.error.text, why);
	IS_UINT(node, 0);
	plait_graph_release(graph);
}

#define ROWS(...) ((plait_rows){ sizeof(plait_rows), 0, __VA_ARGS__ })

static void wrong_rows(void)
{
	refuse((struct rows){ ROWS(2, 1, 7, 0, 8, 0), 8, 0, 100 },
	       "rows: the target has rows of 8 bytes");
	refuse((struct rows){ ROWS(2, 2, 8, 12, 8, 0), 8, 0, 100 },
	       "rows: from one slice of the target to the next 12");
	refuse((struct rows){ ROWS(UINT64_MAX / 8, 1, 16, 0, 8, 0), 8, 0, 100 },
	       "ends beyond all memory");
	refuse((struct rows){ ROWS(3, 1, 8, 0, 300, 0), 8, 0, 0 },
	       "608 bytes, but the source has 600");
	refuse((struct rows){ ROWS(3, 1, 290, 0, 8, 0), 8, 100, 0 },
	       "588 bytes, but the target has 500");
	refuse((struct rows){ ROWS(3, 1, 16, 0, 16, 0), 8, 4, 0 },
	       "source and target overlap");
}

/* All between the first byte and the last counts as used. */
static void proved(uint64_t offset, plait_status want)
{
	const struct rows one = { ROWS(2, 1, 16, 0, 8, 0), 8, 0, 300 };
	const struct rows other = { ROWS(2, 1, 16, 0, 8, 0), 8, offset, 400 };
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 2 };
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;

	add_node(graph, node_of(&one, buffer, buffer), NULL, 0);
	add_node(graph, node_of(&other, buffer, buffer), NULL, 0);
	IS_INT(plait_graph_freeze(graph, &desc, &plan, &rig.error), PLAIT_OK);
	IS_INT(plait_plan_check(plan, &rig.error), want);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

/* Next to a node that writes all of the buffer, with no edge between them. */
static void beside_all(plait_node_desc desc, plait_status want)
{
	const plait_freeze_desc two = { .size = sizeof(two), .lanes = 2 };
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;

	add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_FILL, .label = "all", .target = buffer,
		.bytes = ROOM, .pattern_bytes = 1 }, NULL, 0);
	add_node(graph, desc, NULL, 0);
	IS_INT(plait_graph_freeze(graph, &two, &plan, &rig.error), PLAIT_OK);
	if (!IS_INT(plait_plan_check(plan, &rig.error), want))
		NOTE("%s", rig.error.text);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

/* A copy of no bytes touches none, wherever they would be. */
static void nothing_used(void)
{
	static const uint64_t offsets[] = { 0, 300, ROOM };
	const plait_rows rows = ROWS(3, 2, 16, 0, 8, 0);

	for (size_t i = 0; i < TAP_COUNT(offsets); i++) {
		plait_node_desc desc = {
			.kind = PLAIT_NODE_COPY, .target = buffer,
			.source = buffer, .target_offset = offsets[i],
			.source_offset = offsets[i]
		};

		beside_all(desc, PLAIT_OK);
		desc.rows = &rows;
		beside_all(desc, PLAIT_OK);
		desc = (plait_node_desc){
			.kind = PLAIT_NODE_FILL, .target = buffer,
			.target_offset = offsets[i], .pattern_bytes = 1
		};
		beside_all(desc, PLAIT_OK);
		desc.bytes = 1;
		if (offsets[i] < ROOM)
			beside_all(desc, PLAIT_E_INVALID);
	}
}

/* A view of a part is the same memory, unless nothing of it is used. */
static void nothing_shared(void)
{
	plait_node_desc desc = { .kind = PLAIT_NODE_FILL, .pattern_bytes = 1 };
	plait_buffer *part = NULL;

	IS_INT(plait_buffer_view(buffer, 100, 200, &part, &rig.error),
	       PLAIT_OK);
	desc.target = part;
	beside_all(desc, PLAIT_OK);
	desc.bytes = 1;
	beside_all(desc, PLAIT_E_INVALID);
	plait_buffer_release(part);
}

/* The cost of a copy by its bytes is that of all rows. */
static void simulated(void)
{
	const struct rows rows = { ROWS(3, 2, 16, 48, 8, 0), 8, 0, 300 };
	const plait_system_desc system = { .size = sizeof(system),
					   .copy_beta = 1024 };
	plait_simulation out = { .size = sizeof(out) };
	plait_graph *graph = new_graph();
	plait_node_desc desc = node_of(&rows, buffer, buffer);
	plait_plan *plan;

	desc.flags = PLAIT_NODE_FREE;
	add_node(graph, desc, NULL, 0);
	plan = freeze(graph, 1, 1);
	IS_INT(plait_plan_simulate(plan, &system, &out, NULL, 0, &rig.error),
	       PLAIT_OK);
	IS_UINT(out.makespan, 3 * 2 * 8);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void refused(void)
{
	if (!open_host(0))
		return;
	buffer = make_buffer(&rig, ROOM, "buffer");
	wrong_rows();
	proved(8, PLAIT_E_INVALID);
	proved(24, PLAIT_OK);
	nothing_used();
	nothing_shared();
	simulated();
	plait_buffer_release(buffer);
	close_rig(&rig);
}

static const struct tap_scenario scenarios[] = {
	{ "like memcpy", like_memcpy },
	{ "refused", refused },
};

TAP_MAIN(scenarios)
