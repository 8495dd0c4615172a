/* SPDX-License-Identifier: MIT */
/*
 * Cost of building and freezing a graph through the public API: nanoseconds per
 * node, beside a lower bound, appending as many bytes to a growing array; then
 * milliseconds to freeze, beside the planner's part of it.  CPU time, minimum and
 * median:
 *
 *	bench/graph [repeats [rows whose name has this [build or freeze]]]
 *
 * PLAIT_PLUGIN_PATH must name the folder of plait_host.so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plait/plait.h"

#include "../t/lib/shapes.h"
#include "graph/build/graph.h"
#include "graph/store/planner_view.h"

enum { BUFFERS = 64, LABEL_BYTES = 16, MOST_REPEATS = 101 };

struct row {
	const char *name;
	void (*make)(struct shape *shape);
};

/* The kind of each node. */
enum { EMPTY, LABELED, FEW, LAUNCH, NULL_LAUNCH, NAMED, TURNS, NEW, KINDS };
static const char *const kind_names[KINDS] = {
	"join", "join, label", "launch, 2 args", "launch, 4 args",
	"no geometry", "label and file", "8 geometries", "all geometries",
};
/* Bytes of a node, its label and its launch data. */
static const uint32_t kind_bytes[KINDS] = { 56, 68, 184, 232, 232, 244, 232,
					    304 };
enum { FEW_ARGUMENTS = 2, ARGUMENTS = 4 };

struct rig {
	plait_context *context;
	plait_kernel *few, *kernel;
	plait_buffer *buffers[BUFFERS];
	char (*labels)[LABEL_BYTES];
	uint32_t *first;	/* first predecessor of each node */
	uint32_t *preds;
	plait_node *nodes;
	struct shape shape;
};

static void chain_10k(struct shape *s) { shape_chain(s, 10000); }
static void chain_100k(struct shape *s) { shape_chain(s, 100000); }
static void tree_98k(struct shape *s) { shape_tree(s, 15); }
static void star_16k(struct shape *s) { shape_star(s, 16000); }
static void layers_10k(struct shape *s) { shape_layers(s, 10000, 8, 2, 1); }
static void layers_1m(struct shape *s) { shape_layers(s, 1000000, 1000, 3, 1); }

static const struct row rows[] = {
	{ "chain 10,000", chain_10k },
	{ "chain 100,000", chain_100k },
	{ "tree 98,302", tree_98k },
	{ "star 16,000", star_16k },
	{ "8-wide layers 10,000", layers_10k },
	{ "layers 1000 x 1000, 3 edges", layers_1m },
};

static plait_error error = { .size = sizeof(error) };

static void check(plait_status status)
{
	if (status == PLAIT_OK)
		return;
	(void)fprintf(stderr, "%s\n", error.text);
	abort();
}

static void *take(size_t count, size_t each)
{
	void *block = calloc(count + 1, each);

	if (block == NULL)
		abort();
	return block;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* Sort: the minimum is first, the median in the middle. */
static void sort(double *times, int count)
{
	qsort(times, (size_t)count, sizeof(*times), by_value);
}

static int32_t nothing(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static void open_rig(struct rig *rig)
{
	plait_context_desc context = { .size = sizeof(context),
				       .flags = PLAIT_CONTEXT_NO_WORKERS,
				       .backends = "host" };
	plait_kernel_desc kernel = {
		.size = sizeof(kernel), .function = nothing,
		.signature = "add(n: u64, x: in pointer f32, "
			     "y: in pointer f32, z: out pointer f32)" };
	plait_kernel_desc few = {
		.size = sizeof(few), .function = nothing,
		.signature = "scale(x: in pointer f32, y: out pointer f32)" };
	plait_buffer_desc buffer = { .size = sizeof(buffer), .bytes = 256 };
	plait_device *device;

	check(plait_context_open(&context, &rig->context, &error));
	check(plait_context_device(rig->context, 0, &device, &error));
	check(plait_kernel_create(rig->context, &few, &rig->few, &error));
	check(plait_kernel_create(rig->context, &kernel, &rig->kernel, &error));
	for (int i = 0; i < BUFFERS; i++)
		check(plait_buffer_create(device, &buffer, &rig->buffers[i],
					  &error));
}

static void close_rig(struct rig *rig)
{
	for (int i = 0; i < BUFFERS; i++)
		plait_buffer_release(rig->buffers[i]);
	plait_kernel_release(rig->few);
	plait_kernel_release(rig->kernel);
	plait_context_release(rig->context);
}

/* ---- the shape as lists for plait_graph_add ---- */

/* Turn the counts in first[node] into the ends of the lists. */
static void sum_up(uint32_t *first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		first[i + 1] += first[i];
}

/* Compute the place of each node in a topological order. */
static void sort_shape(const struct shape *shape, uint32_t *place)
{
	uint32_t count = shape->input.node_count;
	uint32_t edges = shape->input.edge_count;
	uint32_t *left = take(count, sizeof(*left));
	uint32_t *first = take(count, sizeof(*first));
	uint32_t *after = take(edges, sizeof(*after));
	uint32_t *queue = take(count, sizeof(*queue));
	uint32_t end = 0;

	for (uint32_t i = 0; i < edges; i++) {
		left[shape->edges[i].after]++;
		first[shape->edges[i].before]++;
	}
	sum_up(first, count);
	for (uint32_t i = edges; i-- > 0;)
		after[--first[shape->edges[i].before]] =
			shape->edges[i].after;
	first[count] = edges;
	for (uint32_t i = 0; i < count; i++)
		if (left[i] == 0)
			queue[end++] = i;
	for (uint32_t i = 0; i < end; i++) {
		place[queue[i]] = i;
		for (uint32_t k = first[queue[i]]; k < first[queue[i] + 1];
		     k++)
			if (--left[after[k]] == 0)
				queue[end++] = after[k];
	}
	free(left);
	free(first);
	free(after);
	free(queue);
}

static void make_row(struct rig *rig, const struct row *row)
{
	uint32_t count, edges, *place;

	row->make(&rig->shape);
	count = rig->shape.input.node_count;
	edges = rig->shape.input.edge_count;
	place = take(count, sizeof(*place));
	sort_shape(&rig->shape, place);
	rig->labels = take(count, sizeof(*rig->labels));
	rig->first = take(count, sizeof(*rig->first));
	rig->preds = take(edges, sizeof(*rig->preds));
	rig->nodes = take(count, sizeof(*rig->nodes));
	for (uint32_t i = 0; i < count; i++)
		(void)snprintf(rig->labels[i], LABEL_BYTES, "node %u", i);
	for (uint32_t i = 0; i < edges; i++)
		rig->first[place[rig->shape.edges[i].after]]++;
	sum_up(rig->first, count);
	for (uint32_t i = edges; i-- > 0;)
		rig->preds[--rig->first[place[rig->shape.edges[i].after]]] =
			place[rig->shape.edges[i].before];
	rig->first[count] = edges;
	free(place);
}

static void free_row(struct rig *rig)
{
	free(rig->labels);
	free(rig->first);
	free(rig->preds);
	free(rig->nodes);
	shape_fini(&rig->shape);
}

/* ---- building ---- */

static void fill_arguments(const struct rig *rig, uint32_t i, uint32_t first,
			   plait_argument arguments[ARGUMENTS])
{
	for (uint32_t k = first; k < ARGUMENTS; k++)
		arguments[k].buffer = rig->buffers[(i * 7 + k * 11) % BUFFERS];
}

/* Fill all but the predecessors of node i. */
static void fill_desc(const struct rig *rig, int kind, uint32_t i,
		      plait_node_desc *desc, plait_launch *launch,
		      plait_argument arguments[ARGUMENTS])
{
	if (kind >= FEW)
		fill_arguments(rig, i, kind == FEW ? ARGUMENTS - FEW_ARGUMENTS :
			       1, arguments);
	if (kind == TURNS)
		launch->items[0] = 64 + i % 8;
	if (kind == NEW)
		launch->items[0] = 64 + i;
	if (kind == LABELED || kind == NAMED) {
		desc->label = rig->labels[i];
		desc->file = __FILE__;
		desc->line = i;
	}
}

static plait_graph *build(struct rig *rig, int kind)
{
	uint32_t count = rig->shape.input.node_count;
	uint64_t value = 42;
	plait_argument arguments[ARGUMENTS] = {
		{ .size = sizeof(*arguments), .value = &value, .bytes = 8 },
		{ .kind = PLAIT_ARGUMENT_BUFFER },
		{ .kind = PLAIT_ARGUMENT_BUFFER },
		{ .kind = PLAIT_ARGUMENT_BUFFER },
	};
	plait_launch launch = { .size = sizeof(launch), .items = { 64 } };
	plait_node_desc desc = { .size = sizeof(desc) };
	plait_node after[1024], *many = after;
	uint32_t skipped = kind == FEW ? ARGUMENTS - FEW_ARGUMENTS : 0;
	plait_graph *graph;

	/* The size of the first argument applies to all. */
	arguments[skipped].size = sizeof(*arguments);
	if (kind >= FEW)
		desc = (plait_node_desc){
			.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
			.kernel = kind == FEW ? rig->few : rig->kernel,
			.launch = kind == NULL_LAUNCH ? NULL : &launch,
			.arguments = arguments + skipped,
			.argument_count = ARGUMENTS - skipped };
	check(plait_graph_create(rig->context, &graph, &error));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = rig->first[i];
		uint32_t preds = rig->first[i + 1] - first;

		if (preds > 1024)
			many = take(preds, sizeof(*many));
		for (uint32_t k = 0; k < preds; k++)
			many[k] = rig->nodes[rig->preds[first + k]];
		fill_desc(rig, kind, i, &desc, &launch, arguments);
		check(plait_graph_add(graph, &desc, many, preds,
				      &rig->nodes[i], &error));
		if (many != after)
			free(many);
		many = after;
	}
	return graph;
}

/* Lower bound: append as many bytes by hand. */
static void append(uint64_t count, uint32_t bytes)
{
	char *items = NULL, one[512] = { 0 };
	uint64_t capacity = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (i == capacity) {
			capacity = capacity == 0 ? 8 : capacity * 2;
			items = realloc(items, capacity * bytes);
			if (items == NULL)
				abort();
		}
		one[0] = (char)i;
		memcpy(items + i * bytes, one, bytes);
		__asm__ volatile("" : : "r"(items) : "memory");
	}
	free(items);
}

/* Release the graph between repeats, so that its memory is reused. */
static void bench_build(struct rig *rig, const struct row *row, int kind,
			int repeats)
{
	double build_ns[MOST_REPEATS], floor_ns[MOST_REPEATS], start;
	uint32_t count = rig->shape.input.node_count;
	uint32_t bytes = kind_bytes[kind] +
			 8 * rig->shape.input.edge_count / count;

	for (int i = 0; i < repeats; i++) {
		plait_graph *graph;

		start = now_ns();
		graph = build(rig, kind);
		build_ns[i] = (now_ns() - start) / count;
		plait_graph_release(graph);
		start = now_ns();
		append(count, bytes);
		floor_ns[i] = (now_ns() - start) / count;
	}
	sort(build_ns, repeats);
	sort(floor_ns, repeats);
	printf("%-28s %-15s %7.1f %7.1f %7.1f %7.1f\n", row->name,
	       kind_names[kind], build_ns[0], build_ns[repeats / 2],
	       floor_ns[0], floor_ns[repeats / 2]);
	fflush(stdout);
}

/* ---- freezing ---- */

static double plan_alone(const plait__graph *graph, uint32_t policy)
{
	plait__input_options options = { .policy = policy, .lanes = 8 };
	plait__plan *plan;
	plait__input input;
	double start;

	if (policy == PLAIT_POLICY_WIDEST)
		options.lanes = 0;
	check(plait__planner_view_init(graph->store, &input, &error));
	start = now_ns();
	check(plait__planner_run(&input, &options, NULL, NULL, &plan, &error));
	start = now_ns() - start;
	plait__plan_release(plan);
	plait__planner_view_fini(graph->store, &input);
	return start / 1e6;
}

static double freeze(plait_graph *graph, uint32_t policy,
		     plait_plan_info *info)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .policy = policy,
				   .lanes = 8 };
	plait_plan *plan;
	double start = now_ns();

	if (policy == PLAIT_POLICY_WIDEST)
		desc.lanes = 0;
	check(plait_graph_freeze(graph, &desc, &plan, &error));
	start = now_ns() - start;
	check(plait_plan_query(plan, info, &error));
	plait_plan_release(plan);
	return start / 1e6;
}

static void bench_freeze(struct rig *rig, const struct row *row, int kind,
			 uint32_t policy, int repeats)
{
	double whole_ms[MOST_REPEATS], plan_ms[MOST_REPEATS];
	plait_plan_info info = { .size = sizeof(info) };
	plait_graph *graph = build(rig, kind);
	plait__graph *entered;

	check(plait__graph_enter(graph, &entered, &error));
	for (int i = 0; i < repeats; i++) {
		whole_ms[i] = freeze(graph, policy, &info);
		plan_ms[i] = plan_alone(entered, policy);
	}
	plait__object_leave(&entered->object);
	plait_graph_release(graph);
	sort(whole_ms, repeats);
	sort(plan_ms, repeats);
	printf("%-28s %-15s %-8s %8.2f %8.2f %8.2f %8.2f %7.0f %7.0f\n",
	       row->name, kind_names[kind],
	       policy == PLAIT_POLICY_WIDEST ? "widest" : "bounded",
	       whole_ms[0], whole_ms[repeats / 2], plan_ms[0],
	       plan_ms[repeats / 2],
	       (double)info.peak_bytes / (double)info.nodes,
	       (double)info.bytes / (double)info.nodes);
	fflush(stdout);
}

static void bench_building(struct rig *rig, const char *only, int repeats)
{
	printf("%-28s %-15s %7s %7s %7s %7s\n", "building: graph", "nodes",
	       "ns/node", "median", "by hand", "median");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strstr(rows[i].name, only) == NULL)
			continue;
		make_row(rig, &rows[i]);
		for (int kind = 0; kind < KINDS; kind++)
			bench_build(rig, &rows[i], kind, repeats);
		free_row(rig);
	}
}

static void bench_freezing(struct rig *rig, const char *only, int repeats)
{
	printf("%-28s %-15s %-8s %8s %8s %8s %8s %7s %7s\n",
	       "freezing: graph", "nodes", "policy", "ms", "median",
	       "planner", "median", "B/node", "plan");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strstr(rows[i].name, only) == NULL)
			continue;
		make_row(rig, &rows[i]);
		for (int kind = EMPTY; kind <= LAUNCH; kind += LAUNCH - EMPTY)
			for (uint32_t policy = PLAIT_POLICY_BOUNDED;
			     policy <= PLAIT_POLICY_WIDEST; policy++)
				bench_freeze(rig, &rows[i], kind, policy,
					     repeats);
		free_row(rig);
	}
}

int main(int argc, char **argv)
{
	int repeats = argc > 1 ? atoi(argv[1]) : 5;
	const char *only = argc > 2 ? argv[2] : "";
	const char *part = argc > 3 ? argv[3] : "";
	struct rig rig;

	if (repeats < 1 || repeats > MOST_REPEATS)
		return 1;
	open_rig(&rig);
	if (strcmp(part, "freeze") != 0)
		bench_building(&rig, only, repeats);
	if (strcmp(part, "build") != 0)
		bench_freezing(&rig, only, repeats);
	close_rig(&rig);
	return 0;
}
