/* SPDX-License-Identifier: MIT */
/*
 * Launches of a flow over parts of an OpenCL device, beside the frozen plan of the
 * same launches and copies, in turn: independent ones, a chain, and steps of a stencil
 * whose pieces read each other's element.  Also in turn: the same by a flow with
 * PLAIT_FLOW_REPEATS, behind rounds in which it finds and judges them, and what part of its
 * launches came in runs; and, but for the stencil, a program that submits the launches one
 * at a time by OpenCL calls, with an event for each (halves_hand.h): the floor of a flow.
 * Least time and median of many rounds, and the median ratio to the plan within a round.
 *
 *	PLAIT_PLUGIN_PATH=$PWD/plugins/.libs bench/flow_halves [ROUNDS [US [PARTS [ROW]]]]
 *
 * A launch lasts US microseconds, 10 by default, 0: an empty loop; the device has
 * PARTS parts, 2 by default, 1: all of it.  Fails with 77 without a device.
 */
#include "plait/plait.h"
#include "sys/clock.h"

#include "halves_hand.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 101, MOST_ROUNDS = 2001, MOST = 2, LAUNCHES = 512 };
/* Rounds before those that are noted: of both flows, and before that of repeats alone. */
enum { WARM = 2, FOUND = 72 };
enum { PLAIN, REPEATS, FLOWS };

static const char text[] =
	"static u32 spin(u32 s, u32 turns) {\n"
	"for (u32 i = 0; i < turns; i++) s = s * 1664525u + (s >> 16) + 1u;\n"
	"return s; }\n"
	"KERNEL(work) { EACH(i, 1) x[i] = spin(x[i], turns); }\n";
static const char step_text[] =
	"static u32 spin(u32 s, u32 turns) {\n"
	"for (u32 i = 0; i < turns; i++) s = s * 1664525u + (s >> 16) + 1u;\n"
	"return s; }\n"
	"KERNEL(step) { CHUNK1(x)\n"
	"AT1(v, x) = spin(AT1(u, 0) + AT1(u, 1), turns); }\n";

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_device *devices[MOST];
static uint32_t parts = 2;
static struct side {
	plait_flow *flow;
	plait_data *data[LAUNCHES], *sides[2];
} all[FLOWS], *now = &all[PLAIN];
static plait_kernel *work, *stencil;
static uint32_t turns; /* of a launch */

static void must(plait_status status)
{
	if (status >= PLAIT_OK)
		return;
	fprintf(stderr, "flow_halves: %s\n", error.text);
	exit(status == PLAIT_E_UNAVAILABLE ? 77 : 1);
}

/* ---- through the flow ---- */

static void launch_flow(plait_data *on)
{
	must(plait_flow_launch(now->flow, work, NULL,
			       PLAIT_ARGUMENTS(PLAIT_DATA(on),
					       PLAIT_VALUE(turns)),
			       NULL, &error));
}

static void flow_independent(void)
{
	for (int i = 0; i < LAUNCHES; i++)
		launch_flow(now->data[i]);
}

static void flow_chain(void)
{
	for (int i = 0; i < LAUNCHES; i++)
		launch_flow(now->data[0]);
}

static void flow_stencil(void)
{
	const plait_mapper own = { .size = sizeof(own),
				   .kind = PLAIT_MAPPER_ONE_TO_ONE };
	plait_access to = { .size = sizeof(to), .mapper = &own };
	plait_argument arguments[] = { PLAIT_DATA(NULL), PLAIT_ACCESS(&to),
				       PLAIT_VALUE(turns) };
	const plait_task_desc desc = { .size = sizeof(desc), .kernel = stencil,
				       .launch = PLAIT_ITEMS(2),
				       .arguments = arguments,
				       .argument_count = 3, .split = 1,
				       .pieces = 2 };

	for (int i = 0; i < LAUNCHES / 2; i++) {
		arguments[0] = (plait_argument)PLAIT_DATA(now->sides[i % 2]);
		to.data = now->sides[1 - i % 2];
		must(plait_flow_submit(now->flow, &desc, NULL, &error));
	}
}

/* ---- by hand ---- */

static plait_buffer *buffer(plait_device *device)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 8 };
	plait_buffer *made;

	must(plait_buffer_create(device, &desc, &made, &error));
	return made;
}

static plait_node launch_node(plait_graph *graph, plait_kernel *kernel,
			      plait_device *device, const plait_argument *of,
			      uint64_t count, const plait_node *behind,
			      uint64_t behind_count)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.launch = PLAIT_ITEMS(1), .kernel = kernel, .device = device,
		.arguments = of, .argument_count = count, .cost = 10000,
	};
	plait_node node;

	must(plait_graph_add(graph, &desc, behind, behind_count, &node,
			     &error));
	return node;
}

static void plan_independent(plait_graph *graph)
{
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		plait_device *device = devices[i % parts];
		plait_buffer *x = buffer(device);
		const plait_argument arguments[] = { PLAIT_BUFFER(x),
						     PLAIT_VALUE(turns) };

		launch_node(graph, work, device, arguments, 2, NULL, 0);
		plait_buffer_release(x);
	}
}

static void plan_chain(plait_graph *graph)
{
	plait_buffer *x = buffer(devices[0]);
	const plait_argument arguments[] = { PLAIT_BUFFER(x),
					     PLAIT_VALUE(turns) };
	plait_node node = 0;

	for (int i = 0; i < LAUNCHES; i++)
		node = launch_node(graph, work, devices[0], arguments, 2, &node,
				   i > 0);
	plait_buffer_release(x);
}

/* The launches of a step, behind `begun`; then the copies of their elements, on the
 * queue of the side that has them. */
static void add_step(plait_graph *graph, plait_buffer *x[2][MOST], int step,
		     plait_node *begun)
{
	const int64_t at = 0;
	plait_node launches[MOST];
	plait_node_desc copy = { .size = sizeof(copy), .bytes = 4,
				 .kind = PLAIT_NODE_COPY };

	for (uint32_t p = 0; p < 2; p++) {
		const uint32_t on = p % parts;
		const plait_box chunk = { { p, 0, 0 }, { p + 1, 1, 1 } };
		const plait_argument arguments[] = {
			PLAIT_BUFFER(x[step % 2][on]), PLAIT_VALUE(at),
			PLAIT_BUFFER(x[1 - step % 2][on]), PLAIT_VALUE(at),
			PLAIT_VALUE(turns), PLAIT_VALUE(chunk),
		};

		launches[p] = launch_node(graph, stencil, devices[on],
					  arguments, 6, begun,
					  step > 0 ? 2 : 0);
	}
	for (uint32_t p = 0; p < 2; p++) {
		begun[p] = launches[p];
		if (parts == 1)
			continue;
		copy.source = x[1 - step % 2][p];
		copy.target = x[1 - step % 2][1 - p];
		copy.target_offset = copy.source_offset = 4 * p;
		copy.device = devices[p];
		must(plait_graph_add(graph, &copy, launches, 2, &begun[p],
				     &error));
	}
}

static void plan_stencil(plait_graph *graph)
{
	plait_buffer *x[2][MOST] = { { NULL } };
	plait_node begun[2];

	for (uint32_t i = 0; i < 2 * parts; i++)
		x[i / parts][i % parts] = buffer(devices[i % parts]);
	for (int i = 0; i < LAUNCHES / 2; i++)
		add_step(graph, x, i, begun);
	for (uint32_t i = 0; i < 2 * parts; i++)
		plait_buffer_release(x[i / parts][i % parts]);
}

static plait_plan *freeze(void (*build)(plait_graph *graph))
{
	plait_graph *graph;
	plait_plan *plan;

	must(plait_graph_create(context, &graph, &error));
	build(graph);
	must(plait_graph_freeze(graph, NULL, &plan, &error));
	must(plait_plan_prepare(plan, &error));
	plait_graph_release(graph);
	return plan;
}

/* ---- measurement ---- */

static const struct row {
	const char *name;
	void (*submit)(void);
	void (*build)(plait_graph *graph);
	void (*by_hand)(uint32_t count); /* or null */
} rows[] = {
	{ "independent", flow_independent, plan_independent,
	  halves_hand_independent },
	{ "chain", flow_chain, plan_chain, halves_hand_chain },
	{ "stencil", flow_stencil, plan_stencil, NULL },
};

static double run_flow(int which, void (*submit)(void))
{
	const uint64_t begin = plait__clock_now_ns();

	now = &all[which];
	submit();
	must(plait_flow_wait(now->flow, 0, PLAIT_FOREVER, &error));
	return (double)(plait__clock_now_ns() - begin);
}

static double run_plan(plait_plan *plan)
{
	const uint64_t begin = plait__clock_now_ns();

	must(plait_plan_call(plan, NULL, NULL, &error));
	return (double)(plait__clock_now_ns() - begin);
}

static double run_by_hand(void (*launch)(uint32_t count))
{
	const uint64_t begin = plait__clock_now_ns();

	launch(LAUNCHES);
	return (double)(plait__clock_now_ns() - begin);
}

static int ascending(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* Two flows, by hand, the plan. */
enum { WAYS = FLOWS + 2 };

/* Times of the rounds of one way, and their ratios to those of the plan. */
struct series {
	double ns[MOST_ROUNDS], ratios[MOST_ROUNDS];
};

static void note(struct series *series, int round, double ns, double plan_ns)
{
	series->ns[round] = ns;
	series->ratios[round] = ns / plan_ns;
}

static void sort(struct series *series, int count)
{
	qsort(series->ns, (size_t)count, sizeof(double), ascending);
	qsort(series->ratios, (size_t)count, sizeof(double), ascending);
}

static void print_times(const struct series *way, int rounds)
{
	printf(" %8.0f %8.0f", way->ns[0], way->ns[rounds / 2]);
}

static void print_ratios(const struct series *way, const struct series *plan,
			 int rounds)
{
	printf(" %6.3f %6.3f", way->ns[0] / plan->ns[0],
	       way->ratios[rounds / 2]);
}

/* Part of the launches of the flow with repeats that came in runs, since the last call. */
static double part_repeated(void)
{
	static uint64_t newest, repeated;
	plait_flow_info info = { .size = sizeof(info) };
	double part;

	must(plait_flow_query(all[REPEATS].flow, &info, &error));
	part = (double)(info.repeated - repeated) /
	       (double)(info.newest - newest);
	newest = info.newest;
	repeated = info.repeated;
	return part;
}

/* One round of each way, in turn. */
static void run_round(const struct row *row, plait_plan *plan,
		      struct series *by, int at)
{
	const double plan_ns = run_plan(plan) / LAUNCHES;

	note(&by[WAYS - 1], at, plan_ns, plan_ns);
	for (int which = 0; which < FLOWS; which++)
		note(&by[which], at, run_flow(which, row->submit) / LAUNCHES,
		     plan_ns);
	if (row->by_hand != NULL)
		note(&by[FLOWS], at, run_by_hand(row->by_hand) / LAUNCHES,
		     plan_ns);
}

static void compare(const struct row *row, int rounds)
{
	static struct series by[WAYS];
	const struct series *by_plan = &by[WAYS - 1];
	plait_plan *plan = freeze(row->build);

	for (int i = 0; i < FOUND; i++)
		(void)run_flow(REPEATS, row->submit);
	for (int i = -WARM; i < rounds; i++)
		run_round(row, plan, by, i < 0 ? 0 : i);
	plait_plan_release(plan);
	for (int i = 0; i < WAYS; i++)
		sort(&by[i], rounds);
	printf("%-12s", row->name);
	print_times(&by[PLAIN], rounds);
	print_times(by_plan, rounds);
	print_ratios(&by[PLAIN], by_plan, rounds);
	print_times(&by[REPEATS], rounds);
	print_ratios(&by[REPEATS], by_plan, rounds);
	printf(" %4.2f", part_repeated());
	if (row->by_hand != NULL) {
		print_times(&by[FLOWS], rounds);
		print_ratios(&by[FLOWS], by_plan, rounds);
	}
	printf("\n");
	fflush(stdout);
}

/* Least time of a launch with so many turns, in a chain. */
static double time_launch(uint32_t count)
{
	plait_plan *plan;
	double least = 0;

	turns = count;
	plan = freeze(plan_chain);
	for (int i = 0; i < 21; i++) {
		const double ns = run_plan(plan) / LAUNCHES;

		least = i == 0 || ns < least ? ns : least;
	}
	plait_plan_release(plan);
	return least;
}

static void calibrate(double us)
{
	const double slow = time_launch(30000), fast = time_launch(10000);

	turns = (uint32_t)(us * 1000 * 20000 / (slow - fast));
	printf("%u turns, %.4f ns each\n", turns, (slow - fast) / 20000);
}

/* ---- */

static plait_kernel *kernel_of(const char *signature, const char *code)
{
	const plait_source source = { .size = sizeof(source), .code = code };
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = signature,
					 .sources = &source,
					 .source_count = 1 };
	plait_kernel *made;

	must(plait_kernel_create(context, &desc, &made, &error));
	return made;
}

static plait_data *make(uint64_t elements)
{
	const plait_data_desc desc = { .size = sizeof(desc),
				       .dimensions = 1, .element_bytes = 4,
				       .extent = { elements } };
	static const uint32_t zeros[2];
	plait_data *made;

	must(plait_data_create(now->flow, &desc, &made, &error));
	must(plait_data_write(made, NULL, zeros, &error));
	return made;
}

static void make_side(int which)
{
	const plait_flow_desc desc = {
		.size = sizeof(desc), .devices = devices,
		.device_count = parts,
		.flags = which == REPEATS ? PLAIT_FLOW_REPEATS : 0,
	};

	now = &all[which];
	must(plait_flow_create(context, &desc, &now->flow, &error));
	for (int i = 0; i < LAUNCHES; i++)
		now->data[i] = make(1);
	now->sides[0] = make(2);
	now->sides[1] = make(2);
}

static void release_side(struct side *side)
{
	for (int i = 0; i < LAUNCHES; i++)
		plait_data_release(side->data[i]);
	plait_data_release(side->sides[0]);
	plait_data_release(side->sides[1]);
	plait_flow_release(side->flow);
}

static void set_up(void)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host,opencl",
		.options = parts == 2 ? "opencl:split=2" : NULL,
	};

	must(plait_context_open(&desc, &context, &error));
	for (uint32_t i = 0; i < parts; i++)
		must(plait_context_device(context, 1 + i, &devices[i],
					  &error));
	work = kernel_of("work(x: inout pointer u32, turns: u32)", text);
	stencil = kernel_of("step(u: in array1 u32, v: out array1 u32, "
			    "turns: u32, c: chunk)", step_text);
	for (int i = 0; i < FLOWS; i++)
		make_side(i);
}

static void open_hand(void)
{
	uint64_t shared, natives[MOST];

	must(plait_device_native(devices[0], PLAIT_NATIVE_CL_CONTEXT, &shared,
				 &error));
	for (uint32_t i = 0; i < parts; i++)
		must(plait_device_native(devices[i], PLAIT_NATIVE_CL_DEVICE,
					 &natives[i], &error));
	halves_hand_open(shared, natives, parts, turns);
}

static void tear_down(void)
{
	halves_hand_close();
	for (int i = 0; i < FLOWS; i++)
		release_side(&all[i]);
	plait_kernel_release(work);
	plait_kernel_release(stencil);
	plait_context_release(context);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
	const double us = argc > 2 ? atof(argv[2]) : 10;

	parts = argc > 3 ? (uint32_t)atoi(argv[3]) : parts;
	if (rounds < 1 || rounds > MOST_ROUNDS || parts < 1 || parts > MOST) {
		fprintf(stderr, "flow_halves: 1 to %d rounds, 1 or 2 parts\n",
			MOST_ROUNDS);
		return 1;
	}
	set_up();
	calibrate(us);
	open_hand();
	printf("ns a launch  %8s %8s %8s %8s %6s %6s %8s %8s %6s %6s %4s "
	       "%8s %8s %6s %6s\n", "flow", "median", "plan", "median",
	       "ratio", "median", "repeats", "median", "ratio", "median",
	       "runs", "by hand", "median", "ratio", "median");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (argc < 5 || strcmp(argv[4], rows[i].name) == 0)
			compare(&rows[i], rounds);
	tear_down();
	return 0;
}
