/* SPDX-License-Identifier: MIT */
/*
 * Cost of tasks of a flow: submission alone, and with their execution: chains
 * and independent tasks, boxes in one and two dimensions, readers and a writer; a
 * repetition, and its plan called.
 * Tasks are empty functions and launches.  Minimum and median of many rounds.
 *
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/flow [ROW [ROUNDS [TASKS]]]
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/flow --gate A
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/flow --gate B
 *
 * With --gate A the rows have to keep their limits, and be three times as fast as
 * those of StarPU, which bench/flow_starpu runs in turn; `make bench-flow` builds
 * and runs both, or leaves out StarPU without libstarpu-dev.  --gate B is for flows
 * on devices (flow_gate.c).
 *
 * ROW measures that row only: for counting instructions.  FLOW_WORKERS=0 has no
 * workers, so that the waiting thread runs all tasks; FLOW_FIXED=1 has a flow with
 * PLAIT_FLOW_FIXED.
 */
#include "flow_gate.h"

#include "plait/plait.h"
#include "sys/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 101, TILES = 16, LINE = 64, READERS = 100 };

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_flow *flow;
static plait_kernel *kernel;
static plait_data *datum, *line, *other, *plane, *next_plane;
static int tasks = 2048; /* of a round */

static void must(plait_status status)
{
	if (status >= PLAIT_OK)
		return;
	fprintf(stderr, "flow: %s\n", error.text);
	exit(1);
}

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

/* ---- rows: each submits `count` tasks ---- */

static void call(const plait_access *accesses, uint64_t count)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = nothing, .accesses = accesses,
		.access_count = count,
	};

	must(plait_flow_submit(flow, &desc, NULL, &error));
}

static void independent(int count)
{
	while (count-- > 0)
		call(NULL, 0);
}

static void chain(int count)
{
	const plait_access access = { .size = sizeof(access),
				      .mode = PLAIT_ACCESS_READ_WRITE,
				      .data = datum };

	while (count-- > 0)
		call(&access, 1);
}

static void launch_chain(int count)
{
	double a = 1;

	while (count-- > 0)
		must(plait_flow_launch(flow, kernel, NULL,
				       PLAIT_ARGUMENTS(PLAIT_VALUE(a),
						       PLAIT_DATA(datum)),
				       NULL, &error));
}

/* One box each, of one datum: one access. */
static void boxes(int count)
{
	for (int i = 0; i < count; i++) {
		uint64_t at = (uint64_t)i % LINE * 4;
		const plait_box box = { { at, 0, 0 }, { at + 4, 1, 1 } };
		const plait_access access = { .size = sizeof(access),
					      .mode = PLAIT_ACCESS_READ_WRITE,
					      .data = line, .box = &box };

		call(&access, 1);
	}
}

/* A stencil on a line: two accesses. */
static void stencil(int count)
{
	for (int i = 0; i < count; i++) {
		bool odd = i / LINE % 2;
		uint64_t at = (uint64_t)i % LINE * 4;
		const plait_box near = { { at == 0 ? 0 : at - 1, 0, 0 },
					 { at + 4 == 4 * LINE ? 4 * LINE :
								at + 5,
					   1, 1 } };
		const plait_box own = { { at, 0, 0 }, { at + 4, 1, 1 } };
		const plait_access accesses[] = {
			{ .size = sizeof(*accesses), .mode = PLAIT_ACCESS_READ,
			  .data = odd ? other : line, .box = &near },
			{ .size = sizeof(*accesses), .mode = PLAIT_ACCESS_WRITE,
			  .data = odd ? line : other, .box = &own },
		};

		call(accesses, 2);
	}
}

static uint64_t less(uint64_t at)
{
	return at == 0 ? 0 : at - 1;
}

static uint64_t more(uint64_t at)
{
	return at == 8 * TILES ? at : at + 1;
}

/* A stencil on a plane: tiles of 8 x 8, and the halo around each. */
static void halo(int count)
{
	for (int i = 0; i < count; i++) {
		bool odd = i / (TILES * TILES) % 2;
		uint64_t x = (uint64_t)i % TILES * 8;
		uint64_t y = (uint64_t)i / TILES % TILES * 8;
		const plait_box near = { { less(x), less(y), 0 },
					 { more(x + 8), more(y + 8), 1 } };
		const plait_box own = { { x, y, 0 }, { x + 8, y + 8, 1 } };
		const plait_access accesses[] = {
			{ .size = sizeof(*accesses), .mode = PLAIT_ACCESS_READ,
			  .data = odd ? next_plane : plane, .box = &near },
			{ .size = sizeof(*accesses), .mode = PLAIT_ACCESS_WRITE,
			  .data = odd ? plane : next_plane, .box = &own },
		};

		call(accesses, 2);
	}
}

/* A hundred readers, then a writer. */
static void readers(int count)
{
	for (int i = 0; i < count; i++) {
		const plait_access access = { .size = sizeof(access),
					      .mode = i % (READERS + 1) ==
						      READERS ?
						      PLAIT_ACCESS_WRITE :
						      PLAIT_ACCESS_READ,
					      .data = datum };

		call(&access, 1);
	}
}

/* ---- repetitions ---- */

static int32_t add_to_box(void *user_data)
{
	double *at = user_data;

	for (int i = 0; i < 160; i++)
		at[i % 4] += i;
	return 0;
}

/* Functions that add to the elements of their box, for some 50 ns. */
static void add_boxes(int count)
{
	plait_data_info info = { .size = sizeof(info) };

	must(plait_data_query(line, &info, &error));
	for (int i = 0; i < count; i++) {
		uint64_t at = (uint64_t)i % LINE * 4;
		const plait_box box = { { at, 0, 0 }, { at + 4, 1, 1 } };
		const plait_access access = { .size = sizeof(access),
					      .mode = PLAIT_ACCESS_READ_WRITE,
					      .data = line, .box = &box };
		const plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.function = add_to_box,
			.user_data = (double *)info.pointer + at,
			.accesses = &access, .access_count = 1,
		};

		must(plait_flow_submit(flow, &desc, NULL, &error));
	}
}

/* These tasks as one task: the first time they are captured. */
static void repeated(int count)
{
	plait_task task;

	must(plait_flow_repeat(flow, (uint64_t)count, &task, &error));
	if (task != 0)
		return;
	add_boxes(count);
	must(plait_flow_repeat(flow, 0, NULL, &error));
}

/* Plans of as many tasks. */
static struct called {
	int count;
	plait_plan *plan;
} called_plans[8];

static plait_plan *freeze(int count)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .mode = PLAIT_MODE_AUTO };
	plait_graph *graph;
	plait_plan *plan;

	must(plait_graph_create(context, &graph, &error));
	must(plait_flow_capture(flow, graph, &error));
	add_boxes(count);
	must(plait_flow_capture(flow, NULL, &error));
	must(plait_graph_freeze(graph, &desc, &plan, &error));
	plait_graph_release(graph);
	return plan;
}

/* The plan of the same tasks, called. */
static void called(int count)
{
	struct called *at = called_plans;

	while (at->plan != NULL && at->count != count)
		at++;
	if (at->plan == NULL)
		*at = (struct called){ count, freeze(count) };
	must(plait_plan_call(at->plan, NULL, NULL, &error));
}

/* ---- measurement ---- */

struct row {
	const char *name;
	void (*submit)(int count);
};

static const struct row rows[] = {
	{ "independent", independent },
	{ "chain", chain },
	{ "launch", launch_chain },
	{ "boxes", boxes },
	{ "stencil", stencil },
	{ "halo", halo },
	{ "readers", readers },
	{ "add", add_boxes },
	{ "repeated", repeated },
	{ "called", called },
};

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

struct times {
	double submit, submit_median, whole, whole_median;
};

static struct times measure(const struct row *row, int rounds)
{
	static double submit[ROUNDS], whole[ROUNDS];

	for (int r = 0; r < rounds; r++) {
		uint64_t begin = plait__clock_now_ns(), middle, end;

		row->submit(tasks);
		middle = plait__clock_now_ns();
		must(plait_flow_wait(flow, 0, PLAIT_FOREVER, &error));
		end = plait__clock_now_ns();
		submit[r % ROUNDS] = (double)(middle - begin) / tasks;
		whole[r % ROUNDS] = (double)(end - begin) / tasks;
	}
	rounds = rounds < ROUNDS ? rounds : ROUNDS;
	qsort(submit, (size_t)rounds, sizeof(*submit), compare);
	qsort(whole, (size_t)rounds, sizeof(*whole), compare);
	return (struct times){ submit[0], submit[rounds / 2], whole[0],
			       whole[rounds / 2] };
}

static void print(const struct row *row, int rounds)
{
	struct times times = measure(row, rounds);

	printf("%-12s %8.1f %8.1f %8.1f %8.1f\n", row->name, times.submit,
	       times.submit_median, times.whole, times.whole_median);
}

/* ---- the gate ---- */

/* Indices of `rows`. */
enum {
	INDEPENDENT, CHAIN, LAUNCH, BOXES, STENCIL, HALO, READERS_ROW, ADD,
	REPEATED, CALLED, ROWS
};

/* Rounds of a row before the next one, so that all see the same machine; how often; and
 * in how many of these turns the other program runs. */
enum { TURN_ROUNDS = 4, TURNS = 100, PEER_TURNS = 5 };

static struct times best[ROWS], peer[ROWS];
static int failures;

/* Run the row in the other program, if there is one that has it. */
static void measure_peer(const char *self, int row)
{
	const char *slash = strrchr(self, '/');
	const char *libtool = strstr(self, "/.libs/");
	char command[512];
	struct times times;
	FILE *pipe;
	bool good;

	if (libtool != NULL)
		slash = libtool;
	snprintf(command, sizeof(command),
		 "%.*s/flow_starpu %s 20 1 2>/dev/null",
		 slash != NULL ? (int)(slash - self) : 1,
		 slash != NULL ? self : ".", rows[row].name);
	pipe = popen(command, "r");
	good = pipe != NULL &&
	       fscanf(pipe, "%lf %lf", &times.submit, &times.whole) == 2;
	if (pipe != NULL)
		(void)pclose(pipe);
	if (!good)
		return;
	if (peer[row].whole == 0 || times.submit < peer[row].submit)
		peer[row].submit = times.submit;
	if (peer[row].whole == 0 || times.whole < peer[row].whole)
		peer[row].whole = times.whole;
}

static void limit(const char *what, double value, double most)
{
	printf("%-4s %-44s %8.2f, at most %.1f\n", value <= most ? "ok" : "NOT",
	       what, value, most);
	failures += value > most;
}

static void keep_least(struct times *least, struct times now)
{
	if (least->whole == 0 || now.submit < least->submit)
		least->submit = now.submit;
	if (least->whole == 0 || now.whole < least->whole)
		least->whole = now.whole;
}

static void take_turns(const char *self)
{
	for (int i = 0; i < TURNS; i++)
		for (int row = 0; row < ROWS; row++) {
			keep_least(&best[row],
				   measure(&rows[row], TURN_ROUNDS));
			if (i < PEER_TURNS && row <= READERS_ROW)
				measure_peer(self, row);
		}
}

static double median_of(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), compare);
	return values[count / 2];
}

/* The time of a repetition of so many tasks, as a multiple of its plan's; *plan_us is
 * that one.  Both are medians of turns: least times of thousands of runs, of which some
 * are parallel, are luck.  A turn measures both in the same ms. */
static double measure_repetition(int count, double *plan_us)
{
	static double ratios[TURNS], plans[TURNS];
	int before = tasks;

	tasks = count;
	for (int i = 0; i < TURNS; i++) {
		ratios[i] = measure(&rows[REPEATED], 5 * TURN_ROUNDS)
				    .whole_median;
		plans[i] = measure(&rows[CALLED], 5 * TURN_ROUNDS).whole_median;
		ratios[i] /= plans[i];
	}
	tasks = before;
	*plan_us = median_of(plans, TURNS) * count / 1000;
	return median_of(ratios, TURNS);
}

static int gate(const char *self)
{
	static const int repetitions[] = { 50, 100, 200, 400 };
	plait_flow_info info = { .size = sizeof(info) };
	char what[64];

	take_turns(self);
	must(plait_flow_query(flow, &info, &error));
	limit("independent task, run", best[INDEPENDENT].whole, 250);
	limit("chain, submitted", best[CHAIN].submit, 150);
	limit("chain, run", best[CHAIN].whole, 300);
	limit("box of a line, beside its task",
	      best[BOXES].submit - best[INDEPENDENT].submit, 60);
	limit("tile with halo, beside its task",
	      best[HALO].submit - best[INDEPENDENT].submit, 400);
	limit("reader of many, or their writer", best[READERS_ROW].submit,
	      500);
	limit("bytes of a task in flight",
	      (double)info.flow_bytes / info.window, 200);
	limit("repetition of 2048 tasks, of 1.0 of its plan",
	      best[REPEATED].whole / best[CALLED].whole, 1.1);
	for (size_t i = 0; i < sizeof(repetitions) / sizeof(int); i++) {
		double plan_us, ratio;

		ratio = measure_repetition(repetitions[i], &plan_us);
		snprintf(what, sizeof(what), "repetition of %d, of 1.0 of %.1f us",
			 repetitions[i], plan_us);
		limit(what, ratio, 1.1);
	}
	for (int i = 0; i <= READERS_ROW; i++) {
		if (peer[i].whole == 0)
			continue;
		snprintf(what, sizeof(what), "%s, of 1.0 of StarPU's %.0f ns",
			 rows[i].name, peer[i].whole);
		limit(what, best[i].whole / peer[i].whole, 1 / 3.0);
	}
	if (peer[CHAIN].whole == 0)
		printf("skipped: StarPU's rows; there is no bench/flow_starpu, "
		       "which needs libstarpu-dev\n");
	return failures > 0;
}

/* ---- */

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

static void set_up(void)
{
	const char *workers = getenv("FLOW_WORKERS");
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host" };
	plait_flow_desc wanted = { .size = sizeof(wanted) };
	const plait_kernel_desc empty = {
		.size = sizeof(empty), .function = no_work,
		.signature = "empty(a: f64, x: pointer f64)",
	};

	if (workers != NULL && atoi(workers) == 0)
		desc.flags = PLAIT_CONTEXT_NO_WORKERS;
	else if (workers != NULL)
		desc.workers = (uint32_t)atoi(workers);
	must(plait_context_open(&desc, &context, &error));
	if (getenv("FLOW_FIXED") != NULL)
		wanted.flags = PLAIT_FLOW_FIXED;
	must(plait_flow_create(context, &wanted, &flow, &error));
	must(plait_kernel_create(context, &empty, &kernel, &error));
	datum = make(0, 0, 0);
	line = make(1, 4 * LINE, 0);
	other = make(1, 4 * LINE, 0);
	plane = make(2, 8 * TILES, 8 * TILES);
	next_plane = make(2, 8 * TILES, 8 * TILES);
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS, failed = 0;

	if (argc > 2 && strcmp(argv[1], "--gate") == 0 &&
	    strcmp(argv[2], "B") == 0)
		return flow_gate_devices(argv[0]) > 0;
	if (argc > 3)
		tasks = atoi(argv[3]);
	set_up();
	if (argc > 1 && strcmp(argv[1], "--gate") == 0) {
		failed = gate(argv[0]);
	} else {
		printf("ns a task    %8s %8s %8s %8s\n", "submit", "median",
		       "and run", "median");
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			if (argc < 2 || strcmp(argv[1], rows[i].name) == 0)
				print(&rows[i], rounds);
	}
	for (struct called *at = called_plans; at->plan != NULL; at++)
		plait_plan_release(at->plan);
	plait_flow_release(flow);
	return failed;
}
