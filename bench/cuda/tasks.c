/* SPDX-License-Identifier: MIT */
/*
 * Layers of kernels of 1, 10 and 100 us on one CUDA device, interleaved in one
 * process: by hand with streams and events, as frozen plans, and as flows.
 * A step is a kernel that joins four arrays, and four that each change one.
 *
 *	bench-cuda-tasks [rounds=N] [quick=1] [driver=FILE] [nvrtc=FILE]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand.h"
#include "mine.h"
#include "texts.h"

enum { STEPS_MOST = 40, MOST = 401 };

struct sizes sizes = { .chain = 8, .diamonds = 1, .turns = 10, .times = 10,
		       .submits = 10, .square = 16, .fill = 1, .trips = 1,
		       .staged = 1, .block = 1 };
double device_ns;
uint64_t result;

#define SPIN_TEXT \
	GLOBAL_FUNCTION "spin(const unsigned *a, unsigned *b, unsigned ns)\n" \
	"{\n" \
	"#ifndef STANDIN_DEVICE_H\n" \
	"	long long start = clock64(), turns = ns * 198ll / 100;\n" \
	"	while (clock64() - start < turns)\n" \
	"		;\n" \
	"#endif\n" \
	"	if (threadIdx.x == 0)\n" \
	"		*b = *b * 3 + *a + 1;\n" \
	"}\n"

#define JOIN_TEXT \
	GLOBAL_FUNCTION "join(unsigned *a, const unsigned *b, " \
	"const unsigned *c, const unsigned *d, const unsigned *e, " \
	"unsigned ns)\n" \
	"{\n" \
	"#ifndef STANDIN_DEVICE_H\n" \
	"	long long start = clock64(), turns = ns * 198ll / 100;\n" \
	"	while (clock64() - start < turns)\n" \
	"		;\n" \
	"#endif\n" \
	"	if (threadIdx.x == 0)\n" \
	"		*a = *a * 5 + *b + *c + *d + *e;\n" \
	"}\n"

static uint32_t steps = STEPS_MOST, ns = 1000;

void die(const char *what, const char *why)
{
	fprintf(stderr, "bench-cuda-tasks: %s: %s\n", what, why);
	fflush(stdout);
	exit(1);
}

/* --- by hand --- */

static CUdeviceptr at[5];
static struct shot join_shot, spin_shot[4];

static void hand_make(void)
{
	static void *join_list[] = { &at[0], &at[1], &at[2], &at[3], &at[4],
				     &ns };
	static void *lists[4][3];
	CUfunction spin = hand_function_of("spin", SPIN_TEXT);

	for (int i = 0; i < 5; i++)
		DO(cuMemAlloc(&at[i], 64));
	join_shot = (struct shot){ .function = hand_function_of("join", JOIN_TEXT),
				   .grid = 1, .block = 32,
				   .arguments = join_list };
	for (int i = 0; i < 4; i++) {
		lists[i][0] = &at[0];
		lists[i][1] = &at[1 + i];
		lists[i][2] = &ns;
		spin_shot[i] = (struct shot){ .function = spin, .grid = 1,
					      .block = 32,
					      .arguments = lists[i] };
	}
}

static double submitted_ns; /* from the begin of a run to the last submission */

static void hand_clear(void)
{
	for (int i = 0; i < 5; i++)
		DO(cuMemsetD32Async(at[i], 0, 1, hand.streams[0]));
}

static void hand_end(double begin)
{
	submitted_ns = clock_ns() - begin;
	DO(cuStreamSynchronize(hand.streams[0]));
}

/* All kernels on one stream: no event. */
static void hand_one(void)
{
	double begin = clock_ns();

	hand_clear();
	for (uint32_t s = 0; s < steps; s++) {
		hand_launch(hand.streams[0], &join_shot);
		for (int i = 0; i < 4; i++)
			hand_launch(hand.streams[0], &spin_shot[i]);
	}
	hand_end(begin);
}

static void hand_streams(void)
{
	double begin = clock_ns();

	hand_clear();
	for (uint32_t s = 0; s < steps; s++) {
		hand_launch(hand.streams[0], &join_shot);
		DO(cuEventRecord(hand.events[0], hand.streams[0]));
		for (int i = 1; i < 4; i++)
			DO(cuStreamWaitEvent(hand.streams[i], hand.events[0],
					     0));
		for (int i = 0; i < 4; i++)
			hand_launch(hand.streams[i], &spin_shot[i]);
		for (int i = 1; i < 4; i++) {
			DO(cuEventRecord(hand.events[i], hand.streams[i]));
			DO(cuStreamWaitEvent(hand.streams[0], hand.events[i],
					     0));
		}
	}
	hand_end(begin);
}

static void hand_take(void)
{
	result = hand_read(at[0]);
}

/* --- plait --- */

static plait_kernel *join, *spin;
static plait_buffer *buffers[5];
static plait_plan *plans[2];
static plait_flow *flows[3];
static plait_data *data[3][5];
static int which_flow, which_plan;

#define JOIN_SIGNATURE "join(a: inout pointer u32, b: in pointer u32, " \
	"c: in pointer u32, d: in pointer u32, e: in pointer u32, ns: u32)"
#define SPIN_SIGNATURE "spin(a: in pointer u32, b: inout pointer u32, ns: u32)"

static void open_context(const char *options)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "cuda,host",
					  .options = options };

	mine_must(plait_context_open(&desc, &mine.context, &mine.error));
	mine_must(plait_context_device(mine.context, 0, &mine.device,
				       &mine.error));
	mine_must(plait_queue_create(mine.device, NULL, &mine.queue, &mine.error));
	join = mine_kernel(JOIN_SIGNATURE, JOIN_TEXT);
	spin = mine_kernel(SPIN_SIGNATURE, SPIN_TEXT);
	for (int i = 0; i < 5; i++)
		buffers[i] = mine_buffer(64);
}

static plait_node add(plait_graph *graph, plait_node_desc desc,
		      const plait_node *behind, uint64_t count)
{
	plait_node node;

	desc.size = sizeof(desc);
	desc.device = mine.device;
	desc.cost = ns;
	mine_must(plait_graph_add(graph, &desc, behind, count, &node,
				  &mine.error));
	return node;
}

static plait_plan *make_plan(const char *segments)
{
	static const plait_launch room = { .size = sizeof(room),
					   .items = { 32, 1, 1 },
					   .group = { 32, 1, 1 } };
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 4 };
	const plait_argument joins[] = { IN(buffers[0]), IN(buffers[1]),
		IN(buffers[2]), IN(buffers[3]), IN(buffers[4]), WITH(ns) };
	plait_node front[5];
	uint64_t count = 5;
	plait_graph *graph;
	plait_plan *plan;

	if (segments != NULL)
		setenv("PLAIT_SEGMENTS", segments, 1);
	mine_must(plait_graph_create(mine.context, &graph, &mine.error));
	for (int i = 0; i < 5; i++)
		front[i] = add(graph, (plait_node_desc){
			.kind = PLAIT_NODE_FILL, .target = buffers[i],
			.bytes = 4, .pattern_bytes = 4 }, NULL, 0);
	for (uint32_t s = 0; s < steps; s++) {
		plait_node top = add(graph, (plait_node_desc){
			.kind = PLAIT_NODE_LAUNCH, .kernel = join,
			.launch = &room, .arguments = joins,
			.argument_count = 6 }, front, count);

		for (int i = 0; i < 4; i++) {
			const plait_argument spins[] = { IN(buffers[0]),
				IN(buffers[1 + i]), WITH(ns) };

			front[i] = add(graph, (plait_node_desc){
				.kind = PLAIT_NODE_LAUNCH, .kernel = spin,
				.launch = &room, .arguments = spins,
				.argument_count = 3 }, &top, 1);
		}
		count = 4;
	}
	mine_must(plait_graph_freeze(graph, &desc, &plan, &mine.error));
	mine_must(plait_plan_prepare(plan, &mine.error));
	plait_graph_release(graph);
	unsetenv("PLAIT_SEGMENTS");
	return plan;
}

static void run_plan(void)
{
	plait_run *run;
	double begin = clock_ns();

	mine_must(plait_plan_run(plans[which_plan], mine.queue, NULL, &run, &mine.error));
	submitted_ns = clock_ns() - begin;
	mine_must(plait_run_wait(run, PLAIT_FOREVER, &mine.error));
	plait_run_release(run);
}

static void take_plan(void)
{
	void *mapped;

	mine_must(plait_buffer_map(buffers[0], 0, 4, PLAIT_MAP_READ, &mapped,
				   &mine.error));
	result = *(uint32_t *)mapped;
	mine_must(plait_buffer_unmap(buffers[0], mapped, &mine.error));
}

static void open_flows(void)
{
	static const uint32_t lanes[3] = { 1, 4, 4 };
	static const plait_parent_choice parents[3] = {
		PLAIT_PARENT_BEST, PLAIT_PARENT_BEST, PLAIT_PARENT_DISJOINT };

	for (int f = 0; f < 3; f++) {
		const plait_flow_desc desc = {
			.size = sizeof(desc), .devices = &mine.device,
			.device_count = 1, .device_lanes = lanes[f],
			.parent = parents[f] };
		const plait_data_desc of = { .size = sizeof(of),
					     .dimensions = 1,
					     .element_bytes = 4,
					     .extent = { 16 } };

		mine_must(plait_flow_create(mine.context, &desc, &flows[f],
					    &mine.error));
		for (int i = 0; i < 5; i++)
			mine_must(plait_data_create(flows[f], &of, &data[f][i],
						    &mine.error));
	}
}

static void flow_launch(plait_kernel *kernel, const plait_argument *arguments,
			uint64_t count)
{
	static const plait_launch room = { .size = sizeof(room),
					   .items = { 32, 1, 1 },
					   .group = { 32, 1, 1 } };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = kernel, .launch = &room,
		.arguments = arguments, .argument_count = count, .cost = ns };

	mine_must(plait_flow_submit(flows[which_flow], &desc, NULL,
				    &mine.error));
}

static void run_flow(void)
{
	plait_data *const *of = data[which_flow];
	double begin = clock_ns();
	const plait_argument joins[] = { PLAIT_DATA(of[0]), PLAIT_DATA(of[1]),
		PLAIT_DATA(of[2]), PLAIT_DATA(of[3]), PLAIT_DATA(of[4]),
		PLAIT_VALUE(ns) };

	for (int i = 0; i < 5; i++) {
		const plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_FILL,
			.target = of[i] };

		mine_must(plait_flow_submit(flows[which_flow], &desc, NULL,
					    &mine.error));
	}
	for (uint32_t s = 0; s < steps; s++) {
		flow_launch(join, joins, 6);
		for (int i = 0; i < 4; i++) {
			const plait_argument spins[] = { PLAIT_DATA(of[0]),
				PLAIT_DATA(of[1 + i]), PLAIT_VALUE(ns) };

			flow_launch(spin, spins, 3);
		}
	}
	submitted_ns = clock_ns() - begin;
	mine_must(plait_flow_wait(flows[which_flow], 0, PLAIT_FOREVER,
				  &mine.error));
}

static void take_flow(void)
{
	uint32_t all[16];

	mine_must(plait_data_read(data[which_flow][0], NULL, all,
				  &mine.error));
	result = all[0];
}

/* --- measurement --- */

static struct way {
	const char *name;
	int which;
	void (*run)(void), (*take)(void);
	double whole[MOST], submitted[MOST], ratio[MOST];
} ways[] = {
	{ .name = "by hand, 4 streams", .run = hand_streams, .take = hand_take },
	{ .name = "by hand, 1 stream", .run = hand_one, .take = hand_take },
	{ .name = "plan, segment", .which = 0, .run = run_plan,
	  .take = take_plan },
	{ .name = "plan, 4 queues", .which = 1, .run = run_plan,
	  .take = take_plan },
	{ .name = "flow, 1 lane", .which = 0, .run = run_flow,
	  .take = take_flow },
	{ .name = "flow, 4 lanes", .which = 1, .run = run_flow,
	  .take = take_flow },
	{ .name = "flow, 4 lanes, disjoint", .which = 2, .run = run_flow,
	  .take = take_flow },
};

enum { WAYS = sizeof(ways) / sizeof(*ways) };

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *list, int count)
{
	qsort(list, (size_t)count, sizeof(*list), by_value);
	return list[count / 2];
}

static void one_round(int round)
{
	uint64_t first = 0;

	for (int w = 0; w < WAYS; w++) {
		int slot = round < 0 ? 0 : round;
		double begin;

		which_flow = which_plan = ways[w].which;
		begin = clock_ns();
		ways[w].run();
		ways[w].whole[slot] = clock_ns() - begin;
		ways[w].submitted[slot] = submitted_ns;
		ways[w].ratio[slot] = ways[w].whole[slot] / ways[0].whole[slot];
		ways[w].take();
		if (w == 0)
			first = result;
		if (result != first)
			printf("WRONG RESULT: %s %u, not %u\n", ways[w].name,
			       (unsigned)result, (unsigned)first);
	}
}

static void measure(int rounds)
{
	double tasks = 5.0 * steps;

	for (int i = -3; i < rounds; i++)
		one_round(i);
	printf("-- kernels of %u ns, %u steps of 5, %d rounds; ns a kernel\n"
	       "%-26s %10s %10s %12s %12s %8s\n", ns, steps, rounds, "",
	       "median", "least", "submitted", "sub. least", "ratio");
	for (int w = 0; w < WAYS; w++) {
		double m = median(ways[w].whole, rounds) / tasks;
		double s = median(ways[w].submitted, rounds) / tasks;

		printf("%-26s %10.0f %10.0f %12.0f %12.0f %8.2f\n", ways[w].name,
		       m, ways[w].whole[0] / tasks, s,
		       ways[w].submitted[0] / tasks,
		       median(ways[w].ratio, rounds));
	}
	fflush(stdout);
}

static const char *setting(int argc, char **argv, const char *key)
{
	size_t length = strlen(key);

	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], key, length) == 0 && argv[i][length] == '=')
			return argv[i] + length + 1;
	return NULL;
}

int main(int argc, char **argv)
{
	static const uint32_t durations[] = { 1000, 10000, 100000 };
	const char *rounds = setting(argc, argv, "rounds");
	int some = rounds != NULL ? atoi(rounds) : 41;

	some = some < MOST ? some : MOST - 1;
	if (setting(argc, argv, "quick") != NULL)
		steps = 4;
	hand_begin(setting(argc, argv, "driver"), setting(argc, argv, "nvrtc"));
	hand_open();
	hand_make();
	printf("%s\n", hand_name());
	open_context(getenv("PLAIT_OPTIONS"));
	open_flows();
	for (int d = 0; d < 3; d++) {
		ns = durations[d];
		plans[0] = make_plan(NULL);
		plans[1] = make_plan("0");
		measure(d == 2 ? (some + 1) / 2 : some);
		plait_plan_release(plans[0]);
		plait_plan_release(plans[1]);
	}
	return 0;
}
