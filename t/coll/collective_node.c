/* SPDX-License-Identifier: MIT */
/*
 * A collective as a node of a graph: kernels before it write what the ranks
 * reduce, kernels after it read the result, and one beside it runs at the same
 * time.
 */
#include "lib/tap.h"
#include "plait/plait.h"

enum { RANKS = 4, COUNT = 20011, LANES = 4 };

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_kernel *twice;

#define MUST(call) \
	OK_THAT((call) == PLAIT_OK, "%s", error.text)

static plait_graph *make_collective(plait_buffer **buffers)
{
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_COLL_ALLREDUCE,
		.flags = PLAIT_COLL_IN_PLACE, .ranks = RANKS,
	};
	const plait_collective_desc collective = {
		.size = sizeof(collective), .element = PLAIT_ELEMENT_INT,
		.element_bits = 32, .count = COUNT, .outputs = buffers,
	};
	plait_schedule *schedule = NULL;
	plait_graph *graph = NULL;
	plait_coll *coll = NULL;

	MUST(plait_coll_known(context, "ring", &desc, &coll, &error));
	MUST(plait_coll_compile(coll, NULL, &schedule, &error));
	MUST(plait_schedule_graph(schedule, &collective, &graph, &error));
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return graph;
}

static plait_plan *freeze(plait_graph *graph, plait_plan_info *out)
{
	const plait_freeze_desc how = { .size = sizeof(how), .lanes = LANES,
					.flags = PLAIT_FREEZE_CHECK };
	plait_plan *plan = NULL;

	*out = (plait_plan_info){ .size = sizeof(*out) };
	MUST(plait_graph_freeze(graph, &how, &plan, &error));
	MUST(plait_plan_query(plan, out, &error));
	return plan;
}

/* Double a buffer, after a node; returns the node. */
static plait_node add_twice(plait_graph *graph, plait_buffer *buffer,
			    uint64_t cost, plait_node after)
{
	const uint64_t count = COUNT;
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { COUNT } };
	const plait_argument arguments[] = { PLAIT_BUFFER(buffer),
					     PLAIT_VALUE(count) };
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = twice, .launch = &launch, .arguments = arguments,
		.argument_count = 2, .cost = cost,
	};
	plait_node node = 0;

	MUST(plait_graph_add(graph, &desc, &after, after != 0, &node, &error));
	return node;
}

/* Kernels on the memory of all ranks before and after the collective, and one
 * beside it on the last buffer that costs as much as all of the collective. */
static plait_graph *surround(plait_graph *collective, plait_buffer **buffers,
			     uint64_t cost)
{
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_SUBGRAPH,
				 .subgraph = collective };
	plait_node before[RANKS], all = 0;
	plait_graph *graph = NULL;

	MUST(plait_graph_create(context, &graph, &error));
	for (uint32_t r = 0; r < RANKS; r++)
		before[r] = add_twice(graph, buffers[r], 1, 0);
	MUST(plait_graph_add(graph, &desc, before, RANKS, &all, &error));
	for (uint32_t r = 0; r < RANKS; r++)
		add_twice(graph, buffers[r], 1, all);
	add_twice(graph, buffers[RANKS], cost, 0);
	return graph;
}

static void open_all(int32_t memory[RANKS + 1][COUNT], plait_buffer **buffers)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host" };
	const plait_source source = {
		.size = sizeof(source),
		.code = "KERNEL(twice) { EACH(i, n) x[i] *= 2; }",
	};
	const plait_kernel_desc kernel = {
		.size = sizeof(kernel), .sources = &source, .source_count = 1,
		.signature = "twice(x: inout pointer i32, n: u64)",
	};
	plait_device *device = NULL;

	MUST(plait_context_open(&desc, &context, &error));
	MUST(plait_context_device(context, 0, &device, &error));
	MUST(plait_kernel_create(context, &kernel, &twice, &error));
	for (uint32_t r = 0; r <= RANKS; r++) {
		const plait_wrap_desc wrap = {
			.size = sizeof(wrap), .flags = PLAIT_CALL_ANY_THREAD,
			.pointer = memory[r], .bytes = sizeof(memory[r]),
		};

		MUST(plait_buffer_wrap(device, &wrap, &buffers[r], &error));
		for (int32_t i = 0; i < COUNT; i++)
			memory[r][i] = i + (int32_t)r;
	}
}

/* Returns the number of elements up to the first wrong one. */
static int32_t check(int32_t memory[RANKS + 1][COUNT])
{
	for (int32_t i = 0; i < COUNT; i++) {
		for (uint32_t r = 0; r < RANKS; r++)
			if (memory[r][i] != 2 * (2 * (4 * i + 6)))
				return i;
		if (memory[RANKS][i] != 2 * (i + RANKS))
			return i;
	}
	return COUNT;
}

static void overlaps(void)
{
	static int32_t memory[RANKS + 1][COUNT];
	plait_buffer *buffers[RANKS + 1];
	plait_graph *collective, *graph;
	plait_plan_info alone, whole;
	plait_plan *plan;

	open_all(memory, buffers);
	collective = make_collective(buffers);
	plait_plan_release(freeze(collective, &alone));
	graph = surround(collective, buffers, alone.makespan);
	plan = freeze(graph, &whole);
	OK_THAT(whole.nodes >= alone.nodes + 2 * RANKS + 1,
		"%llu nodes around %llu", (unsigned long long)whole.nodes,
		(unsigned long long)alone.nodes);
	OK_THAT(whole.makespan >= alone.makespan &&
		whole.makespan < 2 * alone.makespan,
		"a kernel of %llu beside the collective: %llu in all",
		(unsigned long long)alone.makespan,
		(unsigned long long)whole.makespan);
	MUST(plait_plan_call(plan, NULL, NULL, &error));
	IS_INT(check(memory), COUNT);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_graph_release(collective);
	plait_kernel_release(twice);
	for (uint32_t r = 0; r <= RANKS; r++)
		plait_buffer_release(buffers[r]);
	IS_INT(plait_context_close(context, TAP_PATIENCE_NS, &error), PLAIT_OK);
}

/* A graph without an edge from a kernel to the collective is refused, by name. */
static void needs_edges(void)
{
	static int32_t memory[RANKS + 1][COUNT];
	const plait_freeze_desc how = { .size = sizeof(how),
					.flags = PLAIT_FREEZE_CHECK };
	plait_buffer *buffers[RANKS + 1];
	plait_graph *collective;
	plait_plan *plan = NULL;

	open_all(memory, buffers);
	collective = make_collective(buffers);
	add_twice(collective, buffers[2], 1, 0);
	IS_INT(plait_graph_freeze(collective, &how, &plan, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "r2");
	plait_graph_release(collective);
	plait_kernel_release(twice);
	for (uint32_t r = 0; r <= RANKS; r++)
		plait_buffer_release(buffers[r]);
	IS_INT(plait_context_close(context, TAP_PATIENCE_NS, &error), PLAIT_OK);
}

static const struct tap_scenario all[] = {
	{ "overlaps", overlaps },
	{ "needs edges", needs_edges },
};
TAP_MAIN(all)
