/* SPDX-License-Identifier: MIT */
/*
 * Graphs of tasks of 1 and 10 us on two threads: submitted to a flow one by one and
 * by arrays, likewise to flows that find repeats, and one by one four times before each
 * wait, beside the frozen plan of the same graph in its faster mode, and beside a
 * hand-written scheduler (flow_floor.h), in turn.  Tiled Cholesky, a wavefront, layers of
 * a stencil.  Least time of many rounds.  First, the submission alone, which bounds
 * a flow that one thread fills: while the tasks are submitted, the other thread has
 * at most one each s ns.
 *
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/flow_grain [ROUNDS [submit|repeats]]
 */
#include "flow_floor.h"
#include "grain.h"

#include "plait/plait.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 60,
	SIDE = 24,
	TILES = 12,
	LAYERS = 40,
	WIDTH = 16,
	BATCH = 16, /* tasks of an array */
	TIMES = 4
};

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
/* A flow without repeats, and those that find them: between waits after each graph, one by
 * one and by arrays, and after several. */
enum { PLAIN, REPEATS, BOTH, SEVERAL, FLOWS };
static plait_flow *flow, *flows[FLOWS];
/* Tasks.  Not beside what the tasks read, nor in the line that comes with it. */
static _Alignas(128) uint64_t submitted;
/* Of each flow; then those in use. */
static plait_data *all_tiles[FLOWS], *lines[FLOWS], *others[FLOWS];
static plait_data *tiles, *line, *other;
static _Alignas(128) struct node node; /* the work of each task */

static void must(plait_status status)
{
	if (status >= PLAIT_OK)
		return;
	fprintf(stderr, "flow_grain: %s\n", error.text);
	exit(1);
}

/* ---- tasks ---- */

/* Tasks that are submitted together; 1: by plait_flow_submit. */
static uint64_t together = 1;
/* Tasks of the next array, which are written where they stay. */
static plait_task_desc batch[BATCH];
static plait_access batch_accesses[BATCH][3];
static uint64_t batched;

static void flush(void)
{
	must(plait_flow_submit_many(flow, batch, batched, NULL, &error));
	batched = 0;
}

/* Submit a task with the first `count` accesses of the next one. */
static void call(uint64_t count)
{
	plait_task_desc *desc = &batch[batched];

	*desc = (plait_task_desc){
		.size = sizeof(*desc), .kind = PLAIT_TASK_CALL,
		.function = grain_work, .user_data = &node,
		.accesses = batch_accesses[batched], .access_count = count,
	};
	submitted++;
	if (together == 1)
		must(plait_flow_submit(flow, desc, NULL, &error));
	else if (++batched == together)
		flush();
}

/* Boxes of tiles, and of parts of a line by begin and length. */
static plait_box boxes[SIDE][SIDE], parts[WIDTH][4];

static void make_boxes(void)
{
	for (uint64_t y = 0; y < SIDE; y++)
		for (uint64_t x = 0; x < SIDE; x++)
			boxes[y][x] = (plait_box){ { x, y, 0 },
						   { x + 1, y + 1, 1 } };
	for (uint64_t low = 0; low < WIDTH; low++)
		for (uint64_t length = 1; length <= 3; length++)
			parts[low][length] = (plait_box){
				{ low, 0, 0 }, { low + length, 1, 1 } };
}

/* Set access i of the next task. */
static void access(uint64_t i, plait_data *data, uint32_t mode,
		   const plait_box *box)
{
	batch_accesses[batched][i] = (plait_access){
		.size = sizeof(plait_access), .mode = mode, .data = data,
		.box = box };
}

static void reads(uint64_t i, uint64_t x, uint64_t y)
{
	access(i, tiles, PLAIT_ACCESS_READ, &boxes[y][x]);
}

static void changes(uint64_t x, uint64_t y)
{
	access(0, tiles, PLAIT_ACCESS_READ_WRITE, &boxes[y][x]);
}

/* Column k of the factor is done: update tile (j, i) of the rest. */
static void update(uint64_t i, uint64_t j, uint64_t k)
{
	changes(j, i);
	reads(1, k, i);
	reads(2, k, j);
	call(i == j ? 2 : 3);
}

static void submit_cholesky(void)
{
	for (uint64_t k = 0; k < TILES; k++) {
		changes(k, k);
		call(1);
		for (uint64_t i = k + 1; i < TILES; i++) {
			changes(k, i);
			reads(1, k, k);
			call(2);
		}
		for (uint64_t i = k + 1; i < TILES; i++)
			for (uint64_t j = k + 1; j <= i; j++)
				update(i, j, k);
	}
}

static void submit_wavefront(void)
{
	for (uint64_t y = 0; y < SIDE; y++)
		for (uint64_t x = 0; x < SIDE; x++) {
			changes(x, y);
			reads(1, x > 0 ? x - 1 : x, y);
			reads(2, x, y > 0 ? y - 1 : y);
			call(3);
		}
}

static void submit_layers(void)
{
	for (uint64_t i = 0; i < (uint64_t)LAYERS * WIDTH; i++) {
		bool odd = i / WIDTH % 2 != 0;
		uint64_t at = i % WIDTH, low = at > 0 ? at - 1 : 0;
		uint64_t high = at + 1 < WIDTH ? at + 2 : WIDTH;

		access(0, odd ? line : other, PLAIT_ACCESS_WRITE,
		       &parts[at][1]);
		access(1, odd ? other : line, PLAIT_ACCESS_READ,
		       &parts[low][high - low]);
		call(2);
	}
}

/* ---- measurement ---- */

static void submit_shape(void (*submit)(void), uint64_t at_once)
{
	together = at_once;
	submit();
	if (batched > 0)
		flush();
}

/* Submit to one of the flows from here on. */
static void use_flow(int which)
{
	flow = flows[which];
	tiles = all_tiles[which];
	line = lines[which];
	other = others[which];
}

static plait_plan *freeze(void (*submit)(void), plait_mode mode)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .mode = mode, .lanes = 2 };
	plait_graph *graph;
	plait_plan *plan;

	must(plait_graph_create(context, &graph, &error));
	must(plait_flow_capture(flow, graph, &error));
	submit_shape(submit, 1);
	must(plait_flow_capture(flow, NULL, &error));
	must(plait_graph_freeze(graph, &desc, &plan, &error));
	plait_graph_release(graph);
	return plan;
}

static double run_flow(void (*submit)(void), uint64_t at_once)
{
	uint64_t begin = now_ns();

	submit_shape(submit, at_once);
	must(plait_flow_wait(flow, 0, PLAIT_FOREVER, &error));
	return (double)(now_ns() - begin);
}

/* Time of a graph in a flow, with as many before a wait. */
static double run_times(int which, void (*submit)(void), uint64_t at_once,
			int times)
{
	uint64_t begin = now_ns();

	use_flow(which);
	for (int i = 0; i < times; i++)
		submit_shape(submit, at_once);
	must(plait_flow_wait(flow, 0, PLAIT_FOREVER, &error));
	use_flow(PLAIN);
	return (double)(now_ns() - begin) / times;
}

static double run_plan(plait_plan *plan)
{
	uint64_t begin = now_ns();

	must(plait_plan_call(plan, NULL, NULL, &error));
	return (double)(now_ns() - begin);
}

static void keep_least(double *least, double now)
{
	if (*least == 0 || now < *least)
		*least = now;
}

static double run_floor(int shape)
{
	uint64_t begin = now_ns();

	floor_run(shape, grain_work, &node);
	return (double)(now_ns() - begin);
}

static void compare(const char *name, void (*submit)(void), int floor_shape,
		    int rounds)
{
	plait_plan *strict = freeze(submit, PLAIT_MODE_STRICT);
	plait_plan *helped = freeze(submit, PLAIT_MODE_HELPED);
	double by_flow = 0, by_arrays = 0, by_plan = 0, by_floor = 0;
	double by_repeats = 0, by_both = 0, by_several = 0;

	for (int i = 0; i < rounds; i++) {
		keep_least(&by_flow, run_flow(submit, 1));
		keep_least(&by_arrays, run_flow(submit, BATCH));
		keep_least(&by_repeats, run_times(REPEATS, submit, 1, 1));
		keep_least(&by_both, run_times(BOTH, submit, BATCH, 1));
		keep_least(&by_several, run_times(SEVERAL, submit, 1, TIMES));
		keep_least(&by_plan, run_plan(strict));
		keep_least(&by_plan, run_plan(helped));
		keep_least(&by_floor, run_floor(floor_shape));
	}
	plait_plan_release(strict);
	plait_plan_release(helped);
	printf("%-10s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f "
	       "%6.2f %6.2f %6.2f %6.2f %6.2f %6.2f\n", name, by_flow / 1000,
	       by_arrays / 1000, by_repeats / 1000, by_both / 1000,
	       by_several / 1000, by_floor / 1000, by_plan / 1000,
	       by_flow / by_plan, by_arrays / by_plan, by_repeats / by_plan,
	       by_both / by_plan, by_several / by_plan, by_floor / by_plan);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), compare_doubles);
	return values[count / 2];
}

/* Part of the tasks of a flow that were repeated, since the last call. */
static double part_repeated(int which)
{
	static uint64_t newest[FLOWS], repeated[FLOWS];
	plait_flow_info info = { .size = sizeof(info) };
	double part;

	must(plait_flow_query(flows[which], &info, &error));
	part = (double)(info.repeated - repeated[which]) /
	       (double)(info.newest - newest[which]);
	newest[which] = info.newest;
	repeated[which] = info.repeated;
	return part;
}

/* Medians of graphs with and without the search for repeats, one by one, by arrays, and
 * several before each wait, beside the plan; behind as many rounds in which repeats are
 * found and judged. */
static void compare_repeats(const char *name, void (*submit)(void), int rounds)
{
	enum { KINDS = 7 };
	plait_plan *plan = freeze(submit, PLAIT_MODE_HELPED);
	double *values[KINDS], medians[KINDS];

	for (int k = 0; k < KINDS; k++)
		values[k] = malloc((size_t)rounds * sizeof(**values));
	for (int i = 0; i < 2 * rounds; i++) {
		int at = i % rounds;

		values[0][at] = run_times(PLAIN, submit, 1, 1);
		values[1][at] = run_times(REPEATS, submit, 1, 1);
		values[2][at] = run_times(PLAIN, submit, BATCH, 1);
		values[3][at] = run_times(BOTH, submit, BATCH, 1);
		values[4][at] = run_times(PLAIN, submit, 1, TIMES);
		values[5][at] = run_times(SEVERAL, submit, 1, TIMES);
		values[6][at] = run_plan(plan);
	}
	for (int k = 0; k < KINDS; k++) {
		medians[k] = median(values[k], rounds) / 1000;
		free(values[k]);
	}
	plait_plan_release(plan);
	printf("%-10s %9.1f", name, medians[KINDS - 1]);
	for (int k = 0; k < KINDS - 1; k++)
		printf(" %6.2f", medians[k] / medians[KINDS - 1]);
	printf("   %5.2f %5.2f %5.2f\n", part_repeated(REPEATS),
	       part_repeated(BOTH), part_repeated(SEVERAL));
}

static plait_data *make(uint32_t dimensions, uint64_t x, uint64_t y)
{
	const plait_data_desc desc = { .size = sizeof(desc),
				       .dimensions = dimensions,
				       .element_bytes = 8,
				       .extent = { x, y } };
	plait_data *data;

	must(plait_data_create(flow, &desc, &data, &error));
	return data;
}

static void make_all(int which)
{
	const plait_flow_desc desc = {
		.size = sizeof(desc),
		.flags = which != PLAIN ? PLAIT_FLOW_REPEATS : 0,
	};

	must(plait_flow_create(context, &desc, &flows[which], &error));
	use_flow(which);
	all_tiles[which] = make(2, SIDE, SIDE);
	lines[which] = make(1, WIDTH, 0);
	others[which] = make(1, WIDTH, 0);
}

/* `workers` is 0 or 1. */
static void open_flows(uint32_t workers)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host", .workers = workers,
		.flags = workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
	};

	must(plait_context_open(&desc, &context, &error));
	for (int i = 0; i < FLOWS; i++)
		make_all(i);
	use_flow(PLAIN);
}

static void close_flows(void)
{
	for (int i = 0; i < FLOWS; i++)
		plait_flow_release(flows[i]);
}

/* ---- rows ---- */

static const struct shape {
	const char *name;
	void (*submit)(void);
	int floor_shape;
} shapes[] = {
	{ "cholesky", submit_cholesky, FLOOR_CHOLESKY },
	{ "wavefront", submit_wavefront, FLOOR_WAVEFRONT },
	{ "layers", submit_layers, FLOOR_LAYERS },
};

enum { SHAPES = sizeof(shapes) / sizeof(*shapes) };

/* Least time of the submission of a task by hand. */
static double floor_submission_least(const struct shape *shape, int rounds)
{
	double least = 0;

	for (int i = 0; i < rounds; i++)
		keep_least(&least, floor_submission_ns(shape->floor_shape,
						       grain_work, &node));
	return least;
}

/* Least time of the submission of a task, while no thread runs any. */
static double submission_ns(const struct shape *shape, int which,
			    uint64_t at_once, int rounds)
{
	double least = 0;

	use_flow(which);
	for (int i = 0; i < rounds; i++) {
		uint64_t begin = now_ns();

		submitted = 0;
		submit_shape(shape->submit, at_once);
		keep_least(&least, (double)(now_ns() - begin) /
					   (double)submitted);
		must(plait_flow_wait(flow, 0, PLAIT_FOREVER, &error));
	}
	return least;
}

static void measure_submissions(int rounds)
{
	open_flows(0);
	node.turns = 0;
	for (int i = 0; i < SHAPES; i++)
		printf("%-10s %9.1f ns a submission, %.1f by arrays of %d, "
		       "of a repeat %.1f, %.1f, by hand %.1f\n", shapes[i].name,
		       submission_ns(&shapes[i], PLAIN, 1, rounds),
		       submission_ns(&shapes[i], PLAIN, BATCH, rounds), BATCH,
		       submission_ns(&shapes[i], REPEATS, 1, rounds),
		       submission_ns(&shapes[i], BOTH, BATCH, rounds),
		       floor_submission_least(&shapes[i], rounds));
	close_flows();
}

static void measure_repeats(int rounds)
{
	static const int grains[] = { 1, 10 };

	open_flows(1);
	for (int i = 0; i < 2; i++) {
		node.turns = (uint32_t)(grain_calibrate() * grains[i]);
		printf("tasks of %d us   plan us  of it: one by one, by arrays, %d "
		       "at once, each without and with repeats; repeated\n",
		       grains[i], TIMES);
		for (int k = 0; k < SHAPES; k++)
			compare_repeats(shapes[k].name, shapes[k].submit,
					i == 0 ? rounds : rounds / 3);
		fflush(stdout);
	}
	close_flows();
}

int main(int argc, char **argv)
{
	static const int grains[] = { 1, 10 };
	int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;

	make_boxes();
	if (argc > 2 && strcmp(argv[2], "repeats") == 0) {
		measure_repeats(rounds);
		return 0;
	}
	measure_submissions(rounds);
	if (argc > 2)
		return 0;
	open_flows(1);
	if (!floor_open()) {
		fprintf(stderr, "flow_grain: no second thread\n");
		return 1;
	}
	for (int i = 0; i < 2; i++) {
		node.turns = (uint32_t)(grain_calibrate() * grains[i]);
		printf("tasks of %d us    flow us    arrays   repeats      both   "
		       "several   by hand   plan us\n", grains[i]);
		for (int k = 0; k < SHAPES; k++)
			compare(shapes[k].name, shapes[k].submit,
				shapes[k].floor_shape, rounds);
	}
	floor_close();
	close_flows();
	return 0;
}
