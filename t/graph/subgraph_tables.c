/* SPDX-License-Identifier: MIT */
/* Tables that a copy of a graph takes along into one that has entries already:
 * parameters, launch sizes, signals, sets of devices.  Copies run. */
#include "plait/plait.h"

#include "lib/tap.h"

#include <string.h>


static plait_context *context;
static plait_device *devices[2];
static plait_queue *queue;
static plait_signal *signals[2], *gate;
static plait_buffer *word;
static plait_kernel *adds, *scales;
static plait_error error;

static int32_t add(void *const *arguments, const plait_launch *launch,
		   void *user_data)
{
	(void)user_data;
	**(uint64_t **)arguments[1] += *(const uint64_t *)arguments[0] *
				       launch->items[0];
	return 0;
}

static int32_t scale(void *const *arguments, const plait_launch *launch,
		     void *user_data)
{
	(void)launch;
	(void)user_data;
	**(uint64_t **)arguments[1] *=
		(uint64_t)*(const double *)arguments[0];
	return 0;
}

static void fine(plait_status status, const char *what)
{
	OK_THAT(status == PLAIT_OK, "%s: %s", what, error.text);
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	fine(plait_graph_create(context, &graph, &error), "graph");
	return graph;
}

static plait_node add_node(plait_graph *graph, plait_node_desc desc,
			   plait_node after)
{
	plait_node node = 0;

	desc.size = sizeof(desc);
	fine(plait_graph_add(graph, &desc, &after, after != 0, &node, &error),
	     "node");
	return node;
}

static plait_node add_signal(plait_graph *graph, uint32_t kind,
			     plait_signal *signal, plait_node after)
{
	return add_node(graph, (plait_node_desc){
		.kind = kind, .signal = signal,
		.sequence = kind == PLAIT_NODE_WAIT }, after);
}

/* Parameters of a run: the amount, and the index of the word. */
static plait_node add_launch(plait_graph *graph, plait_kernel *kernel,
			     const char *amount, plait_node after)
{
	const plait_argument arguments[2] = {
		{ .size = sizeof(arguments[0]),
		  .kind = PLAIT_ARGUMENT_PARAMETER, .name = amount },
		{ .kind = PLAIT_ARGUMENT_PARAMETER, .name = "word" },
	};

	return add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		.launch_parameter = "size", .device = devices[0],
		.arguments = arguments, .argument_count = 2 }, after);
}

static plait_node add_barrier(plait_graph *graph, plait_device *first,
			      plait_device *second, plait_node after)
{
	plait_device *const both[2] = { first, second };

	return add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_JOIN, .flags = PLAIT_NODE_ON_ALL_BARRIER,
		.devices = both, .device_count = 2 }, after);
}

static plait_status import(plait_graph *graph, plait_graph *part,
			   plait_node *node)
{
	const plait_node_desc desc = { .size = sizeof(desc),
				       .kind = PLAIT_NODE_SUBGRAPH,
				       .subgraph = part };
	const plait_node after = *node;

	return plait_graph_add(graph, &desc, &after, after != 0, node, &error);
}

/* gate, word += amount * size, both devices, signal 0 */
static plait_graph *make_part(void)
{
	plait_graph *part = new_graph();
	plait_node node = add_signal(part, PLAIT_NODE_WAIT, gate, 0);

	node = add_launch(part, adds, "amount", node);
	node = add_barrier(part, devices[0], devices[1], node);
	(void)add_signal(part, PLAIT_NODE_EMIT, signals[0], node);
	return part;
}

/* So that no entry has the number there that it had in the part. */
static plait_graph *make_other(const char *amount, plait_node *last)
{
	plait_graph *graph = new_graph();
	plait_node node = add_signal(graph, PLAIT_NODE_EMIT, signals[1], 0);

	node = add_barrier(graph, devices[1], devices[0], node);
	*last = add_launch(graph, scales, amount, node);
	return graph;
}

static uint32_t find(plait_plan *plan, const char *name)
{
	uint32_t number = 0;

	fine(plait_plan_find_parameter(plan, name, &number, &error), name);
	return number;
}

static uint64_t run(plait_plan *plan, double factor, uint64_t amount,
		    uint64_t size)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { size, 0, 0 } };
	const plait_binding bindings[4] = {
		{ .size = sizeof(bindings[0]), .parameter = find(plan, "word"),
		  .buffer = word },
		{ .parameter = find(plan, "factor"), .value = &factor,
		  .bytes = sizeof(factor) },
		{ .parameter = find(plan, "amount"), .value = &amount,
		  .bytes = sizeof(amount) },
		{ .parameter = find(plan, "size"), .value = &launch },
	};
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = 4 };
	uint64_t got = 0;

	fine(plait_plan_run(plan, queue, &desc, NULL, &error), "run");
	fine(plait_queue_read(queue, word, 0, &got, sizeof(got), &error),
	     "read");
	fine(plait_queue_finish(queue, PLAIT_FOREVER, &error), "finish");
	return got;
}

static uint64_t reached(plait_signal *signal)
{
	uint64_t sequence = 0;

	fine(plait_signal_query(signal, &sequence, NULL, &error), "signal");
	return sequence;
}

static void check_runs(plait_graph *graph, uint32_t flags)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 2,
					 .flags = flags | PLAIT_FREEZE_CHECK };
	const uint64_t before = reached(signals[0]);
	plait_plan *plan = NULL;

	fine(plait_graph_freeze(graph, &desc, &plan, &error), "freeze");
	fine(plait_queue_fill(queue, word, 0, 8, 5, 8, &error), "fill");
	IS_UINT(run(plan, 3, 10, 4), 5 * 3 + 2 * 10 * 4);
	IS_UINT(run(plan, 2, 7, 1), 95 * 2 + 2 * 7 * 1);
	IS_UINT(reached(signals[0]) - before, 4);
	plait_plan_release(plan);
}

static void copies_run(void)
{
	plait_node node = 0;
	plait_graph *part = make_part(), *graph = make_other("factor", &node);

	fine(import(graph, part, &node), "first copy");
	fine(import(graph, part, &node), "second copy");
	plait_graph_release(part);
	fine(plait_signal_raise(gate, 1, &error), "raise");
	check_runs(graph, 0);
	check_runs(graph, PLAIT_FREEZE_QUEUES);
	IS_UINT(reached(signals[1]), 4);
	plait_graph_release(graph);
}

static void add_choice(plait_graph *graph, plait_device *first,
		       plait_device *second)
{
	plait_device *const both[2] = { first, second };

	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_MARK, .label = "mark", .devices = both,
		.device_count = 2 }, 0);
}

static uint64_t count_marks(plait_plan *plan, uint32_t device)
{
	plait_plan_info plan_info = { .size = sizeof(plan_info) };
	plait_command_info info = { .size = sizeof(info) };
	uint64_t count = 0;

	fine(plait_plan_query(plan, &plan_info, &error), "query");
	for (uint64_t i = 0; i < plan_info.commands; i++) {
		fine(plait_plan_query_command(plan, i, &info, &error), "command");
		count += strcmp(info.label, "mark") == 0 &&
			 info.device == device;
	}
	return count;
}

/* The first device of each is another one, and so it stays. */
static void order_of_devices(void)
{
	const plait_freeze_desc desc = { .size = sizeof(desc) };
	plait_graph *part = new_graph(), *graph = new_graph();
	plait_plan *plan = NULL;
	plait_node node = 0;

	add_choice(part, devices[1], devices[0]);
	add_choice(graph, devices[0], devices[1]);
	fine(import(graph, part, &node), "copy");
	fine(plait_graph_freeze(graph, &desc, &plan, &error), "freeze");
	IS_UINT(count_marks(plan, 0), 1);
	IS_UINT(count_marks(plan, 1), 1);
	plait_plan_release(plan);
	plait_graph_release(part);
	plait_graph_release(graph);
}

/* A name has one type; a copy that fails leaves the graph as it was. */
static void one_name_two_types(void)
{
	uint64_t nodes[2], edges[2];
	plait_node node = 0, kept;
	plait_graph *part = make_part(), *graph = make_other("amount", &node);

	kept = node;
	fine(plait_graph_size(graph, &nodes[0], &edges[0], &error), "size");
	IS_INT(import(graph, part, &node), PLAIT_E_INVALID);
	HAS_STR(error.text, "parameter \"amount\" of the subgraph has another "
		"type here");
	fine(plait_graph_size(graph, &nodes[1], &edges[1], &error), "size");
	IS_UINT(nodes[1], nodes[0]);
	IS_UINT(edges[1], edges[0]);
	(void)add_signal(graph, PLAIT_NODE_EMIT, signals[0], kept);
	plait_graph_release(part);
	plait_graph_release(graph);
}

static bool open_all(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "chaos" };
	const plait_signal_desc of_gate = { .size = sizeof(of_gate),
					    .flags = PLAIT_SIGNAL_GATE };
	const plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 8 };
	plait_kernel_desc code = {
		.size = sizeof(code), .function = add,
		.signature = "add(amount: u64, word: inout pointer u64)",
	};

	error = (plait_error){ .size = sizeof(error) };
	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK))
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		fine(plait_context_device(context, i, &devices[i], &error),
		     "device");
		fine(plait_signal_create(devices[0], NULL, &signals[i],
					 &error), "signal");
	}
	fine(plait_signal_create(devices[0], &of_gate, &gate, &error), "gate");
	fine(plait_queue_create(devices[0], NULL, &queue, &error), "queue");
	fine(plait_buffer_create(devices[0], &bytes, &word, &error), "word");
	fine(plait_kernel_create(context, &code, &adds, &error), "adds");
	code.function = scale;
	code.signature = "scale(factor: f64, word: inout pointer u64)";
	fine(plait_kernel_create(context, &code, &scales, &error), "scales");
	return true;
}

static void close_all(void)
{
	plait_kernel_release(scales);
	plait_kernel_release(adds);
	plait_buffer_release(word);
	plait_queue_release(queue);
	plait_signal_release(gate);
	plait_signal_release(signals[1]);
	plait_signal_release(signals[0]);
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_GRAPH), 0);
}

#define WITH(name) \
	static void with_##name(void) \
	{ \
		if (open_all()) { \
			name(); \
			close_all(); \
		} \
	}
WITH(copies_run)
WITH(order_of_devices)
WITH(one_name_two_types)

static const struct tap_scenario scenarios[] = {
	{ "copies run", with_copies_run },
	{ "order of devices", with_order_of_devices },
	{ "one name, two types", with_one_name_two_types },
};
TAP_MAIN(scenarios)
