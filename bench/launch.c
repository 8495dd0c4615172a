/* SPDX-License-Identifier: MIT */
/*
 * Duration of one launch of portable source, from a warm cache: beside a direct
 * call of the same code, and with idle workers.  Wall time; minimum and median of
 * interleaved rounds:
 *
 *	bench/launch [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "plait/plait.h"

#include "base/alloc.h"
#include "kernel/signature.h"
#include "source/build.h"

enum { MOST_ROUNDS = 1001, SIDES = 3, SMALL = 64, LARGE = 1 << 15 };

/* 64 forces on each of n bodies. */
static const char text[] =
	"KERNEL(forces) { EACH(i, n) { f32 sum = 0;\n"
	"for (u32 j = 0; j < 64; j++) { f32 d = x[j] - x[i];\n"
	"sum += d / sqrt(d * d + a); } y[i] = sum; } }";
static const char signature[] =
	"forces(a: f32, x: in pointer f32, y: out pointer f32, n: u64)";

static plait_error error = { .size = sizeof(error) };

static void must(plait_status status)
{
	if (status == PLAIT_OK)
		return;
	fprintf(stderr, "%s\n", error.text);
	exit(1);
}

/* A plan of one launch, in its own context; the first side is the direct call. */
struct side {
	const char *name;
	uint32_t workers;
	plait_context *context;
	plait_plan *plan;
	double took[MOST_ROUNDS];
};

static struct side sides[SIDES] = {
	{ .name = "called directly" },
	{ .name = "launched" },
	{ .name = "a worker helps", .workers = 1 },
};

static plait_buffer *buffer_of(plait_device *device, uint64_t count)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = count * sizeof(float) };
	plait_buffer *buffer;
	void *bytes;

	must(plait_buffer_create(device, &desc, &buffer, &error));
	must(plait_buffer_map(buffer, 0, desc.bytes, PLAIT_MAP_WRITE, &bytes,
			      &error));
	for (uint64_t i = 0; i < count; i++)
		((float *)bytes)[i] = (float)i / (float)count;
	must(plait_buffer_unmap(buffer, bytes, &error));
	return buffer;
}

static plait_kernel *kernel_of(const struct side *side)
{
	const plait_source source = { .size = sizeof(source), .code = text };
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = signature,
					 .sources = &source,
					 .source_count = 1 };
	plait_kernel *kernel;

	must(plait_kernel_create(side->context, &desc, &kernel, &error));
	return kernel;
}

static void make_plan(struct side *side, uint64_t count)
{
	const float a = 0.5f;
	plait_device *device;
	plait_graph *graph;
	plait_argument arguments[4] = {
		{ .size = sizeof(plait_argument), .value = &a,
		  .bytes = sizeof(a) },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_BUFFER },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_BUFFER },
		{ .size = sizeof(plait_argument), .value = &count,
		  .bytes = sizeof(count) },
	};
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { count, 1, 1 } };
	plait_node_desc node = { .size = sizeof(node),
				 .kind = PLAIT_NODE_LAUNCH, .launch = &launch,
				 .arguments = arguments,
				 .argument_count = 4 };

	must(plait_context_device(side->context, 0, &device, &error));
	must(plait_graph_create(side->context, &graph, &error));
	node.kernel = kernel_of(side);
	arguments[1].buffer = buffer_of(device, count);
	arguments[2].buffer = buffer_of(device, count);
	must(plait_graph_add(graph, &node, NULL, 0, NULL, &error));
	must(plait_graph_freeze(graph, NULL, &side->plan, &error));
	must(plait_plan_prepare(side->plan, &error));
	plait_buffer_release(arguments[1].buffer);
	plait_buffer_release(arguments[2].buffer);
	plait_kernel_release(node.kernel);
	plait_graph_release(graph);
}

static void open_side(struct side *side, uint64_t count)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host",
		.flags = side->workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
		.workers = side->workers,
	};

	must(plait_context_open(&desc, &side->context, &error));
	make_plan(side, count);
}

/* ---- the direct call ---- */

static plait__module *module;
static plait__signature *parsed;
static float x[LARGE], y[LARGE];

static void build_module(void)
{
	const plait_source source = { .size = sizeof(source), .code = text };
	plait_source read;
	plait__text words;

	plait__text_init(&words, plait__alloc_default());
	must(plait__signature_parse(signature, plait__alloc_default(), &parsed,
				    &error));
	must(plait__compose_read_source(&source, parsed->name, &read, &error));
	must(plait__build_from_source(&read, parsed, plait__alloc_default(), NULL,
				      &words, &module, &error));
	plait__text_fini(&words);
	for (int i = 0; i < LARGE; i++)
		x[i] = (float)i / LARGE;
}

static void call_module(uint64_t count)
{
	float a = 0.5f, *px = x, *py = y;
	void *arguments[] = { &a, &px, &py, &count };
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				      .items = { count, 1, 1 } };

	(void)plait__module_whole(arguments, &launch, module);
}

/* ---- times ---- */

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double time_of(const struct side *side, uint64_t count, int times)
{
	double start = now_ns();

	for (int i = 0; side->plan == NULL && i < times; i++)
		call_module(count);
	for (int i = 0; side->plan != NULL && i < times; i++)
		must(plait_plan_call(side->plan, NULL, NULL, &error));
	return (now_ns() - start) / times;
}

static int ascending(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static void compare(uint64_t count, int rounds)
{
	const int times = (int)(LARGE / count);

	for (int k = 1; k < SIDES; k++)
		open_side(&sides[k], count);
	for (int i = 0; i < rounds; i++)
		for (int k = 0; k < SIDES; k++)
			sides[k].took[i] = time_of(&sides[k], count,
						   times);
	for (int k = 0; k < SIDES; k++)
		qsort(sides[k].took, (size_t)rounds, sizeof(double), ascending);
	for (int k = 0; k < SIDES; k++) {
		const double *took = sides[k].took;
		const double *direct = sides[0].took;

		printf("%8llu %-16s %12.0f %12.0f %8.2f %8.2f\n",
		       (unsigned long long)count, sides[k].name, took[0],
		       took[rounds / 2], direct[0] / took[0],
		       direct[rounds / 2] / took[rounds / 2]);
	}
	for (int k = 1; k < SIDES; k++) {
		plait_plan_release(sides[k].plan);
		plait_context_release(sides[k].context);
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 101;

	if (rounds < 1 || rounds > MOST_ROUNDS)
		return 1;
	build_module();
	printf("%8s %-16s %12s %12s %8s %8s\n%8s %-16s %12s %12s %8s %8s\n",
	       "items", "", "ns", "ns", "speed", "speed", "", "", "min",
	       "median", "min", "median");
	compare(SMALL, rounds);
	compare(LARGE, rounds);
	plait__module_destroy(module);
	plait__signature_destroy(plait__alloc_default(), parsed);
	return 0;
}
