/* SPDX-License-Identifier: MIT */
/*
 * Plans on OpenCL beside direct calls of the driver, interleaved in one process;
 * and beside StarPU in another process, if given.  Minimum and median of the time
 * of a run, and the median of the CPU time of all threads of this process:
 *
 *	PLAIT_PLUGIN_PATH=plugins/.libs bench/opencl [rounds [which [peer]]]
 *
 * `which` has parts of the names of the sides to run, with + between them; the
 * peer is bench/opencl_starpu.  All sides run on two halves of one device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opencl.h"
#include "plait/plait.h"

enum { MOST_ROUNDS = 2001 };

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_device *devices[2];
static plait_plan *chain, *told, *whole, *loop, *on_one, *on_two;
static plait_plan *repeat, *numbers, *unrolled;
static FILE *to_peer, *from_peer;

static void must(plait_status status)
{
	if (status >= PLAIT_OK)
		return;
	fprintf(stderr, "opencl: %s\n", error.text);
	exit(1);
}

/* --- plans ---------------------------------------------------------------- */

static void open_context(const char *options)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .options = options };

	must(plait_context_open(&desc, &context, &error));
	for (uint32_t i = 0; i < 2; i++)
		must(plait_context_device(context, i, &devices[i], &error));
}

static plait_kernel *kernel(const char *signature, const char *text)
{
	const plait_source source = { .size = sizeof(source), .code = text,
				      .form = PLAIT_SOURCE_OPENCL_C };
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = signature,
					 .sources = &source,
					 .source_count = 1 };
	plait_kernel *made;

	must(plait_kernel_create(context, &desc, &made, &error));
	return made;
}

static plait_buffer *buffer(plait_device *device)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 64 };
	plait_buffer *made;

	must(plait_buffer_create(device, &desc, &made, &error));
	return made;
}

static plait_graph *new_graph(void)
{
	plait_graph *graph;

	must(plait_graph_create(context, &graph, &error));
	return graph;
}

static plait_node add(plait_graph *graph, plait_node_desc desc,
		      const plait_node *behind, uint64_t count)
{
	plait_node node;

	desc.size = sizeof(desc);
	must(plait_graph_add(graph, &desc, behind, count, &node, &error));
	return node;
}

static plait_plan *freeze(plait_graph *graph)
{
	plait_plan *plan;

	must(plait_graph_freeze(graph, NULL, &plan, &error));
	must(plait_plan_prepare(plan, &error));
	plait_graph_release(graph);
	return plan;
}

static const plait_launch one_item = { .size = sizeof(one_item) };

static plait_plan *make_chain(void)
{
	const plait_node_desc launch = {
		.kind = PLAIT_NODE_LAUNCH, .launch = &one_item,
		.kernel = kernel("empty()", EMPTY_TEXT), .device = devices[0],
	};
	plait_graph *graph = new_graph();
	plait_node node = add(graph, launch, NULL, 0);

	for (int i = 1; i < CHAIN; i++)
		node = add(graph, launch, &node, 1);
	plait_kernel_release(launch.kernel);
	return freeze(graph);
}

/* CHAIN iterations of one kernel. */
static plait_plan *make_repeat(const plait_node_desc *launch)
{
	plait_graph *graph = new_graph(), *body;

	must(plait_graph_repeat(graph, CHAIN, 0, &body, NULL, &error));
	(void)add(body, *launch, NULL, 0);
	plait_graph_release(body);
	return freeze(graph);
}

static void make_repeats(void)
{
	plait_buffer *x = buffer(devices[0]);
	uint32_t i = 0;
	plait_argument arguments[] = { PLAIT_BUFFER(x), PLAIT_ITERATION(NULL) };
	plait_node_desc launch = {
		.kind = PLAIT_NODE_LAUNCH, .launch = &one_item,
		.kernel = kernel("empty()", EMPTY_TEXT), .device = devices[0],
	};
	plait_graph *graph = new_graph();
	plait_node node = 0;

	repeat = make_repeat(&launch);
	plait_kernel_release(launch.kernel);
	launch.kernel = kernel("number(x: inout pointer u32, i: u32)",
			       NUMBER_TEXT);
	launch.arguments = arguments;
	launch.argument_count = 2;
	numbers = make_repeat(&launch);
	arguments[1] = (plait_argument)PLAIT_VALUE(i);
	for (; i < CHAIN; i++)
		node = add(graph, launch, &node, i > 0);
	unrolled = freeze(graph);
	plait_kernel_release(launch.kernel);
	plait_buffer_release(x);
}

static void make_loop(void)
{
	plait_buffer *left = buffer(devices[0]);
	const plait_argument argument = { .size = sizeof(argument),
					  .kind = PLAIT_ARGUMENT_BUFFER,
					  .buffer = left };
	const plait_node_desc fill = {
		.kind = PLAIT_NODE_FILL, .target = left, .bytes = 4,
		.pattern = TIMES, .pattern_bytes = 4, .device = devices[0],
	};
	const plait_node_desc again = {
		.kind = PLAIT_NODE_DO, .predicate = left, .device = devices[0],
	};
	const plait_node_desc launch = {
		.kind = PLAIT_NODE_LAUNCH, .launch = &one_item,
		.kernel = kernel("less(left: inout pointer u32)", LESS_TEXT),
		.arguments = &argument, .argument_count = 1,
		.device = devices[0],
	};
	plait_graph *graph = new_graph(), *body;
	plait_node node = add(graph, fill, NULL, 0);

	node = add(graph, again, &node, 1);
	must(plait_graph_body(graph, node, 0, &body, &error));
	(void)add(body, launch, NULL, 0);
	plait_graph_release(body);
	loop = freeze(graph);
	plait_kernel_release(launch.kernel);
	plait_buffer_release(left);
}

static plait_plan *make_diamond(plait_device *other)
{
	static const uint32_t turns = WORK;
	plait_buffer *x[2] = { buffer(devices[0]), buffer(other) };
	plait_argument arguments[2] = {
		{ .size = sizeof(*arguments), .kind = PLAIT_ARGUMENT_BUFFER },
		{ .size = sizeof(*arguments), .value = &turns,
		  .bytes = sizeof(turns) },
	};
	plait_node_desc fill = {
		.kind = PLAIT_NODE_FILL, .bytes = 4, .pattern = 1,
		.pattern_bytes = 4, .device = devices[0],
	};
	plait_node_desc launch = {
		.kind = PLAIT_NODE_LAUNCH, .launch = &one_item,
		.kernel = kernel("work(x: inout pointer u32, turns: u32)",
				 WORK_TEXT),
		.arguments = arguments, .argument_count = 2, .cost = 1000,
	};
	const plait_node_desc copy = {
		.kind = PLAIT_NODE_COPY, .target = x[0], .source = x[1],
		.bytes = 4, .device = devices[0],
	};
	plait_graph *graph = new_graph();
	plait_node begun, sides[2];

	fill.target = x[0];
	begun = add(graph, fill, NULL, 0);
	fill.target = x[1];
	begun = add(graph, fill, &begun, 1);
	for (int i = 0; i < 2; i++) {
		launch.device = i == 0 ? devices[0] : other;
		arguments[0].buffer = x[i];
		sides[i] = add(graph, launch, &begun, 1);
	}
	(void)add(graph, copy, sides, 2);
	plait_kernel_release(launch.kernel);
	plait_buffer_release(x[0]);
	plait_buffer_release(x[1]);
	return freeze(graph);
}

/* --- sides ---------------------------------------------------------------- */

static void call(plait_plan *plan)
{
	must(plait_plan_call(plan, NULL, NULL, &error));
}

static void plait_chain(void) { call(chain); }
static void plait_each(void) { call(told); }
static void plait_whole(void) { call(whole); }
static void plait_loop(void) { call(loop); }
static void plait_repeat(void) { call(repeat); }
static void plait_numbers(void) { call(numbers); }
static void plait_unrolled(void) { call(unrolled); }
static void plait_one(void) { call(on_one); }
static void plait_two(void) { call(on_two); }
static void hand_one(void) { hand_diamond(1); }
static void hand_two(void) { hand_diamond(2); }

static struct side {
	const char *name;
	void (*run)(void); /* null: the peer */
	int times;	   /* divisor of its time */
} sides[] = {
	{ "chain, by hand", hand_chain, CHAIN },
	{ "chain, plait", plait_chain, CHAIN },
	{ "loop, by hand", hand_loop, TIMES },
	{ "loop, plait", plait_loop, TIMES },
	{ "diamond on one, by hand", hand_one, 1 },
	{ "diamond on two, by hand", hand_two, 1 },
	{ "diamond on one, plait", plait_one, 1 },
	{ "diamond on two, plait", plait_two, 1 },
	{ "chain, plait, events=all", plait_each, CHAIN },
	{ "equal, repeat, plait", plait_repeat, CHAIN },
	{ "numbers, by hand", hand_numbers, CHAIN },
	{ "numbers, repeat, plait", plait_numbers, CHAIN },
	{ "numbers, chain, plait", plait_unrolled, CHAIN },
	{ "chain, plait, segments", plait_whole, CHAIN },
	{ "chain, StarPU", NULL, CHAIN },
};

enum { SIDES = sizeof(sides) / sizeof(*sides) };

static double wall[SIDES][MOST_ROUNDS], cpu[SIDES][MOST_ROUNDS];

static double now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Start the peer, which runs once per line that it reads and replies the time. */
static void start_peer(const char *path)
{
	int there[2], back[2];

	if (pipe(there) != 0 || pipe(back) != 0)
		return;
	if (fork() == 0) {
		dup2(there[0], 0);
		dup2(back[1], 1);
		close(there[1]);
		close(back[0]);
		execl(path, path, (char *)NULL);
		_exit(1);
	}
	close(there[0]);
	close(back[1]);
	to_peer = fdopen(there[1], "w");
	from_peer = fdopen(back[0], "r");
}

static int ask_peer(double *out_wall, double *out_cpu)
{
	return to_peer != NULL && from_peer != NULL &&
	       fputs("once\n", to_peer) >= 0 && fflush(to_peer) == 0 &&
	       fscanf(from_peer, "%lf %lf", out_wall, out_cpu) == 2;
}

static void take_turn(int side, int round)
{
	const double began = now_ns(CLOCK_MONOTONIC);
	const double used = now_ns(CLOCK_PROCESS_CPUTIME_ID);

	if (sides[side].run == NULL) {
		if (!ask_peer(&wall[side][round], &cpu[side][round]))
			sides[side].times = 0;
		return;
	}
	sides[side].run();
	wall[side][round] = now_ns(CLOCK_MONOTONIC) - began;
	cpu[side][round] = now_ns(CLOCK_PROCESS_CPUTIME_ID) - used;
}

static int ascending(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static void print(int side, int rounds)
{
	const double times = sides[side].times;

	if (sides[side].times == 0)
		return;
	qsort(wall[side], (size_t)rounds, sizeof(double), ascending);
	qsort(cpu[side], (size_t)rounds, sizeof(double), ascending);
	printf("%-24s %12.0f %12.0f %12.0f %12.0f\n", sides[side].name,
	       wall[side][0] / times, wall[side][rounds / 2] / times,
	       cpu[side][0] / times, cpu[side][rounds / 2] / times);
}

/* Print the quartiles of the ratio of two sides within a round. */
static void relate(const char *name, const double *one, const double *other,
		   int rounds)
{
	double each[MOST_ROUNDS];

	for (int i = 0; i < rounds; i++)
		each[i] = one[i] / other[i];
	qsort(each, (size_t)rounds, sizeof(double), ascending);
	printf("%-40s %8.2f %8.2f %8.2f\n", name, each[rounds / 4],
	       each[rounds / 2], each[rounds - 1 - rounds / 4]);
}

static const struct {
	const char *name;
	int one, other;
} pairs[] = {
	{ "chain: plait / by hand", 1, 0 },
	{ "loop: plait / by hand", 3, 2 },
	{ "diamond: one / two, by hand", 4, 5 },
	{ "diamond: one / two, plait", 6, 7 },
	{ "chain: events=all / last", 8, 1 },
	{ "repeat / chain, plait", 9, 1 },
	{ "repeat: plait / by hand", 9, 0 },
	{ "numbers: repeat / chain, plait", 11, 12 },
	{ "numbers: repeat / by hand", 11, 10 },
	{ "chain: segments / single", 13, 1 },
	{ "chain: segments / by hand", 13, 0 },
	{ "chain: StarPU / plait", 14, 1 },
};

static void relate_all(int rounds)
{
	char name[64];

	printf("%-40s %8s %8s %8s\n", "pairs of one round: quartiles", "",
	       "median", "");
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		int one = pairs[i].one, other = pairs[i].other;

		if (sides[one].times == 0 || sides[other].times == 0)
			continue;
		relate(pairs[i].name, wall[one], wall[other], rounds);
		(void)snprintf(name, sizeof(name), "%s, cpu", pairs[i].name);
		relate(name, cpu[one], cpu[other], rounds);
	}
}

static void print_all(int rounds)
{
	printf("\n%-24s %12s %12s %12s %12s\n", "ns", "least", "median",
	       "cpu, least", "cpu, median");
	for (int i = 0; i < SIDES; i++)
		print(i, rounds);
}

/* Returns true if one of the parts is in the name. */
static int is_chosen(const char *name, const char *which)
{
	char part[64];
	size_t length;

	for (;; which += length + 1) {
		length = strcspn(which, "+");
		(void)snprintf(part, sizeof(part), "%.*s", (int)length, which);
		if (strstr(name, part) != NULL)
			return 1;
		if (which[length] == '\0')
			return 0;
	}
}

/* Select the sides to run. */
static void choose(const char *which, const char *peer)
{
	for (int i = 0; i < SIDES; i++)
		if (!is_chosen(sides[i].name, which))
			sides[i].times = 0;
	if (sides[SIDES - 1].times > 0 && peer != NULL)
		start_peer(peer);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 101;

	if (rounds < 1 || rounds > MOST_ROUNDS)
		return 1;
	choose(argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : NULL);
	hand_open();
	open_context("opencl:split=2,events=all");
	told = make_chain();
	plait_context_release(context); /* the plan holds a reference */
	open_context("opencl:split=2,segments=yes");
	whole = make_chain();
	plait_context_release(context);
	open_context("opencl:split=2,segments=no");
	chain = make_chain();
	make_loop();
	make_repeats();
	on_one = make_diamond(devices[0]);
	on_two = make_diamond(devices[1]);
	for (int i = -2; i < rounds; i++)
		for (int k = 0; k < SIDES; k++)
			if (sides[k].times > 0)
				take_turn(k, i < 0 ? 0 : i);
	relate_all(rounds);
	print_all(rounds);
	plait_plan_release(chain);
	plait_plan_release(told);
	plait_plan_release(whole);
	plait_plan_release(loop);
	plait_plan_release(repeat);
	plait_plan_release(numbers);
	plait_plan_release(unrolled);
	plait_plan_release(on_one);
	plait_plan_release(on_two);
	plait_context_release(context);
	hand_close();
	return 0;
}
