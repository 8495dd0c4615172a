/* SPDX-License-Identifier: MIT */
/*
 * Series and counts of graphs: what is refused; copies of subgraphs, whose
 * series follow the copied loop; plans that were written and read; parameters
 * that are a count and an argument; program order; rehearsals.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <string.h>

static plait_context *context;
static plait_kernel *kernel;
static plait_buffer *buffer;
static plait_error error;
static uint32_t *sum;

/* sum = 10 sum + n, for each item */
static int32_t add_digit(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	uint32_t *at = *(uint32_t **)arguments[0];
	uint32_t n = *(uint32_t *)arguments[1];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		*at = 10 * *at + n;
	return 0;
}

static bool open_all(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host" };
	const plait_kernel_desc made = {
		.size = sizeof(made), .function = add_digit,
		.signature = "add_digit(sum: inout pointer u32, n: u32)",
	};
	const plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 4,
					  .label = "sum" };
	plait_device *device = NULL;
	void *mapped = NULL;

	error = (plait_error){ .size = sizeof(error) };
	return IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK) &&
	       IS_INT(plait_context_device(context, 0, &device, &error),
		      PLAIT_OK) &&
	       IS_INT(plait_kernel_create(context, &made, &kernel, &error),
		      PLAIT_OK) &&
	       IS_INT(plait_buffer_create(device, &bytes, &buffer, &error),
		      PLAIT_OK) &&
	       IS_INT(plait_buffer_map(buffer, 0, 4, PLAIT_MAP_READ |
				       PLAIT_MAP_WRITE, &mapped, &error),
		      PLAIT_OK) &&
	       OK((sum = mapped) != NULL);
}

static void close_all(void)
{
	(void)plait_buffer_unmap(buffer, sum, NULL);
	plait_buffer_release(buffer);
	plait_kernel_release(kernel);
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_GRAPH), 0);
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

/* A launch with a number, or null: the iteration; and items, or null. */
static plait_status try_launch(plait_graph *graph, const plait_series *number,
			       const plait_series *items, plait_node after)
{
	const plait_argument arguments[] = { PLAIT_BUFFER(buffer),
					     PLAIT_ITERATION(number) };
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = kernel, .arguments = arguments, .argument_count = 2,
		.series = items, .series_count = items != NULL,
		.label = "digit",
	};

	error.text[0] = '\0';
	return plait_graph_add(graph, &desc, &after, after != 0, NULL, &error);
}

static plait_graph *add_repeat(plait_graph *graph, plait_node_desc desc,
			       plait_node *node)
{
	plait_graph *body = NULL;

	desc.size = sizeof(desc);
	desc.kind = PLAIT_NODE_REPEAT;
	IS_INT(plait_graph_add(graph, &desc, node, *node != 0, node, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_body(graph, *node, 0, &body, &error), PLAIT_OK);
	return body;
}

static plait_plan *freeze(plait_graph *graph, uint32_t flags)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_FREEZE_CHECK | flags };
	plait_plan *plan = NULL;

	OK_THAT(plait_graph_freeze(graph, &desc, &plan, &error) == PLAIT_OK,
		"freeze: %s", error.text);
	plait_graph_release(graph);
	return plan;
}

static void check_sum(plait_plan *plan, const plait_run_desc *desc,
		      uint32_t expected)
{
	*sum = 0;
	OK_THAT(plait_plan_call(plan, NULL, desc, &error) == PLAIT_OK,
		"call: %s", error.text);
	IS_UINT(*sum, expected);
}

/* ---- refused ---- */

static void check_refused(plait_graph *graph, plait_series series,
			  const char *part)
{
	series.size = sizeof(series);
	IS_INT(try_launch(graph, &series, NULL, 0), PLAIT_E_INVALID);
	HAS_STR(error.text, part);
	HAS_STR(error.text, "argument 1 \"n\"");
	IS_INT(try_launch(graph, NULL, &series, 0), PLAIT_E_INVALID);
}

static void refuses(void)
{
	plait_graph *graph, *loop = NULL, *repeat;
	plait_series small = { .size = 8, .scale = 1 };
	plait_node node = 0;
	uint64_t nodes = 1;

	if (!open_all())
		return;
	graph = new_graph();
	IS_INT(plait_graph_while(graph, buffer, 0, 1, 0, &loop, &node, &error),
	       PLAIT_OK);
	repeat = add_repeat(graph, (plait_node_desc){ .times = 2 }, &node);
	check_refused(loop, (plait_series){ .flags = 1 }, "have no count");
	check_refused(repeat, (plait_series){ .flags = 2 }, "not known");
	check_refused(repeat, (plait_series){ .limit = -1 }, "below 0");
	IS_INT(try_launch(repeat, &small, NULL, 0), PLAIT_E_INVALID);
	HAS_STR(error.text, "size");
	/* Nothing was added. */
	IS_INT(plait_graph_size(repeat, &nodes, NULL, &error), PLAIT_OK);
	IS_UINT(nodes, 0);
	small = (plait_series){ .size = sizeof(small), .scale = 1 };
	IS_INT(try_launch(graph, NULL, &small, 0), PLAIT_E_INVALID);
	IS_INT(plait_graph_repeat(graph, 1, 0, NULL, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "out_body");
	plait_graph_release(repeat);
	plait_graph_release(loop);
	plait_graph_release(graph);
	close_all();
}

/* ---- copies ---- */

/* repeat n { digit n - i, for as many items as are left of the block } */
static plait_node add_digits(plait_graph *graph, uint64_t times,
			     plait_node node)
{
	const plait_series down = { sizeof(down), PLAIT_SERIES_FROM_COUNT, 0,
				    -1, 0 };
	const plait_series items = { sizeof(items), 0, 2, -1, 0 };
	plait_graph *body = add_repeat(graph, (plait_node_desc){
					       .times = times }, &node);

	IS_INT(try_launch(body, &down, &items, 0), PLAIT_OK);
	plait_graph_release(body);
	return node;
}

/* 3 3 2, as items are 2, 1 and 0; in a graph itself, and twice in another. */
static void copies(void)
{
	plait_graph *part, *graph, *body;
	plait_node node = 0;
	plait_plan *plan;

	if (!open_all())
		return;
	part = new_graph();
	node = add_digits(part, 3, 0);
	IS_INT(plait_graph_subgraph(part, part, node, &node, &error),
	       PLAIT_OK);
	graph = new_graph();
	node = 0;
	body = add_repeat(graph, (plait_node_desc){ .times = 1 }, &node);
	IS_INT(plait_graph_subgraph(body, part, 0, NULL, &error), PLAIT_OK);
	plait_graph_release(body);
	plait_graph_release(part);
	plan = freeze(graph, 0);
	check_sum(plan, NULL, 332332);
	plait_plan_release(plan);
	close_all();
}

/* ---- files ---- */

static plait_plan *copy_plan(plait_plan *plan)
{
	static unsigned char bytes[1 << 16];
	uint64_t count = 0;
	plait_plan *read = NULL;

	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes,
				sizeof(bytes), &count, &error), PLAIT_OK);
	OK_THAT(plait_plan_read(context, bytes, count, &read, &error) ==
		PLAIT_OK, "read: %s", error.text);
	plait_plan_release(plan);
	IS_INT(plait_plan_bind_kernel(read, kernel, &error), PLAIT_OK);
	IS_INT(plait_plan_bind_buffer(read, "sum", buffer, &error), PLAIT_OK);
	return read;
}

static void has_json(plait_plan *plan, const char *part)
{
	static char text[1 << 14];
	uint64_t count = 0;

	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_JSON, text, sizeof(text),
				&count, &error), PLAIT_OK);
	HAS_STR(text, part);
}

/* The region's command has the kind of its node. */
static void is_queried(plait_plan *plan)
{
	plait_command_info info = { .size = sizeof(info) };
	uint32_t found = 0;

	for (uint64_t i = 0; plait_plan_query_command(plan, i, &info,
						      &error) == PLAIT_OK; i++)
		found += info.kind == PLAIT_NODE_REPEAT;
	IS_UINT(found, 1);
}

static void files(void)
{
	plait_graph *graph;
	plait_plan *plan;

	if (!open_all())
		return;
	graph = new_graph();
	(void)add_digits(graph, 3, 0);
	plan = copy_plan(freeze(graph, 0));
	has_json(plan, "\"kind\": \"repeat\", \"home\": 0, \"times\": 3");
	is_queried(plan);
	check_sum(plan, NULL, 332);
	plait_plan_release(plan);
	close_all();
}

/* ---- parameters ---- */

/* A count that is an argument elsewhere has the type of that. */
static void parameters(void)
{
	const plait_argument told[] = { PLAIT_BUFFER(buffer),
					PLAIT_PARAMETER("n") };
	const plait_series block = { sizeof(block), PLAIT_SERIES_FROM_COUNT, 0,
				     -3, 3 };
	const uint32_t counts[] = { 0, 1, 3, 7 };
	const uint32_t sums[] = { 0, 11, 33, 7331 };
	plait_binding binding = { .size = sizeof(binding), .bytes = 4 };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };
	plait_argument arguments[2];
	plait_graph *graph, *body;
	plait_node node = 0;
	plait_plan *plan;

	if (!open_all())
		return;
	memcpy(arguments, told, sizeof(arguments));
	arguments[0].buffer = buffer;
	graph = new_graph();
	IS_INT(plait_graph_launch(graph, kernel, NULL, arguments, 2, 0, &node,
				  &error), PLAIT_OK);
	body = add_repeat(graph, (plait_node_desc){ .count_parameter = "n",
						    .count_step = 3 }, &node);
	IS_INT(try_launch(body, &block, NULL, 0), PLAIT_OK);
	plait_graph_release(body);
	plan = copy_plan(freeze(graph, PLAIT_FREEZE_PROGRAM_ORDER));
	for (size_t i = 0; i < TAP_COUNT(counts); i++) {
		binding.value = &counts[i];
		check_sum(plan, &desc, sums[i]);
	}
	plait_plan_release(plan);
	close_all();
}

static const struct tap_scenario scenarios[] = {
	{ "refuses", refuses },
	{ "copies", copies },
	{ "files", files },
	{ "parameters", parameters },
};
TAP_MAIN(scenarios)
