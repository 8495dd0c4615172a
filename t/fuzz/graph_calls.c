/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of the public builder: bytes as calls with good, stale, foreign
 * and forged handles and nodes, and arbitrary descriptors.  Nothing crashes, a
 * plan that was made is right, and in the end nothing is left.
 */
#include "blank.h"
#include "fuzz.h"

#include "plait/plait.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	GRAPHS = 6, PLANS = 4, NODES = 16, BUFFERS = 3, KERNELS = 3,
	MOST_CALLS = 200,
	/* Each may double the graph, or make as many bodies. */
	MOST_COPIES = 4, MOST_LARGE = 1,
	/* The budget of one input, in bytes of plans made or written, and the
	 * least cost of a plan: no input takes long. */
	PLAN_BYTES = 1 << 24, PLAN_LEAST_BYTES = 1 << 18,
};

/* The bytes, and the objects that they name by number. */
struct world {
	const uint8_t *data;
	size_t size;
	plait_graph *graphs[GRAPHS];
	plait_plan *plans[PLANS];
	plait_node nodes[GRAPHS][NODES];	/* the newest of each graph */
	unsigned node_counts[GRAPHS];
	unsigned at;	/* which graph was named last */
	unsigned copies;
	unsigned large;
	uint64_t spent;		/* of PLAN_BYTES */
	/* The test owns one reference as long as the bit is set. */
	unsigned own_graphs;
	unsigned own_plans;
};

static plait_context *context;
static plait_device *device;
static plait_buffer *buffers[BUFFERS];
static plait_kernel *kernels[KERNELS];
static plait_signal *signal_;

static int32_t run_kernel(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)arguments, (void)launch, (void)user_data;
	return 0;
}

static int32_t run_host(void *user_data)
{
	(void)user_data;
	return 0;
}

/* ---- objects that all inputs share ---- */

static const char *const signatures[KERNELS] = {
	"k()",
	"axpy(a: f32, x: in pointer f32, y: inout pointer f32)",
	"one(n: u64, p: out pointer)",
};

static void prepare(void)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host" };
	plait_error error = { .size = sizeof(error) };

	FUZZ_NEED(plait_context_open(&desc, &context, &error) == PLAIT_OK,
		  error.text);
	FUZZ_NEED(plait_context_device(context, 0, &device, &error) ==
		  PLAIT_OK, error.text);
	for (unsigned i = 0; i < BUFFERS; i++) {
		plait_buffer_desc buffer = { .size = sizeof(buffer),
					     .bytes = 4096, .label = "b" };

		FUZZ_NEED(plait_buffer_create(device, &buffer, &buffers[i],
					      &error) == PLAIT_OK,
			  error.text);
	}
	for (unsigned i = 0; i < KERNELS; i++) {
		plait_kernel_desc kernel = { .size = sizeof(kernel),
					     .signature = signatures[i],
					     .function = run_kernel };

		FUZZ_NEED(plait_kernel_create(context, &kernel, &kernels[i],
					      &error) == PLAIT_OK,
			  error.text);
	}
	FUZZ_NEED(plait_signal_create(device, NULL, &signal_, &error) ==
		  PLAIT_OK, error.text);
}

/* Kept, so that a leak report at exit is not about this. */
static void tear_down(void)
{
	plait_signal_release(signal_);
	for (unsigned i = 0; i < KERNELS; i++)
		plait_kernel_release(kernels[i]);
	for (unsigned i = 0; i < BUFFERS; i++)
		plait_buffer_release(buffers[i]);
	plait_context_release(context);
}

/* ---- reading the bytes ---- */

static unsigned take(struct world *world, unsigned below)
{
	if (world->size == 0)
		return 0;
	world->size--;
	return *world->data++ % below;
}

static uint64_t take_number(struct world *world)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 3, 4, 8, 1024, 4096, 4097, UINT32_MAX,
		(uint64_t)UINT32_MAX + 1, UINT64_C(1) << 53, INT64_MAX,
		UINT64_MAX - 1, UINT64_MAX,
	};

	return numbers[take(world, sizeof(numbers) / sizeof(numbers[0]))];
}

/* Mostly the object itself, else a handle of another kind. */
static void *take_handle(struct world *world, void *good)
{
	switch (take(world, 24)) {
	case 0:
		return NULL;
	case 1:
		return (void *)((uintptr_t)good + take_number(world));
	case 2:
		return buffers[0];
	case 3:
		return context;
	case 4:
		return (void *)(uintptr_t)take_number(world);
	default:
		return good;
	}
}

static plait_graph *take_graph(struct world *world)
{
	world->at = take(world, GRAPHS);
	return take_handle(world, world->graphs[world->at]);
}

static plait_plan *take_plan(struct world *world)
{
	return take_handle(world, world->plans[take(world, PLANS)]);
}

static plait_buffer *take_buffer(struct world *world)
{
	return take_handle(world, buffers[take(world, BUFFERS)]);
}

/* Mostly a node of the graph that was named last; else another graph's or
 * none. */
static plait_node take_node(struct world *world)
{
	unsigned which = take(world, 64);
	unsigned graph = world->at;

	if (which == 63)
		return take_number(world) + world->nodes[graph][0];
	if (which == 62)
		graph = take(world, GRAPHS);
	if (world->node_counts[graph] > 0 &&
	    world->node_counts[graph] < NODES)
		which %= world->node_counts[graph];
	return world->nodes[graph][which % NODES];
}

static void keep_node(struct world *world, unsigned graph, plait_node node)
{
	world->nodes[graph][world->node_counts[graph]++ % NODES] = node;
}

static const char *take_name(struct world *world)
{
	static const char *const names[] = { NULL, "", "a", "b", "p", "q",
					     "\xff\xfe", "<\"&\\" };

	return names[take(world, 8)];
}

/* ---- calls ---- */

static void keep_graph(struct world *world, plait_graph *graph)
{
	unsigned at = take(world, GRAPHS);

	if (world->own_graphs >> at & 1)
		plait_graph_release(world->graphs[at]);
	world->graphs[at] = graph;
	world->node_counts[at] = 0;
	world->own_graphs |= 1u << at;
}

static void call_create(struct world *world, plait_error *error)
{
	plait_graph *graph;

	if (plait_graph_create(context, &graph, error) == PLAIT_OK)
		keep_graph(world, graph);
}

/* The handle that stays in its place is stale, unless another reference keeps
 * the object. */
static void call_release(struct world *world)
{
	unsigned at = take(world, GRAPHS);

	if (!(world->own_graphs >> at & 1))
		return;
	world->own_graphs &= ~(1u << at);
	plait_graph_release(world->graphs[at]);
}

static void fill_argument(struct world *world, plait_argument *argument)
{
	static const uint64_t value[2] = { 1, 2 };

	*argument = (plait_argument){
		.size = sizeof(*argument), .kind = take(world, 7),
		.value = take(world, 8) ? value : NULL,
		.bytes = 1u << take(world, 5),
	};
	if (argument->kind == PLAIT_ARGUMENT_BUFFER) {
		argument->buffer = take_buffer(world);
		argument->offset_bytes = take_number(world);
	} else if (argument->kind == PLAIT_ARGUMENT_PARAMETER) {
		argument->name = take_name(world);
	} else if (argument->kind == PLAIT_ARGUMENT_ROTATION) {
		argument->rotation = take(world, 3);
		argument->ahead = take(world, 4);
	}
}

/* Arguments that fit kernel `which`, which random ones rarely do. */
static uint64_t fit_arguments(struct world *world, unsigned which,
			      plait_argument *arguments)
{
	static const uint64_t value = 7;
	uint64_t count = which == 0 ? 0 : which == 1 ? 3 : 2;

	for (uint64_t i = 0; i < count; i++)
		arguments[i] = (plait_argument){
			.size = sizeof(arguments[i]),
			.kind = PLAIT_ARGUMENT_BUFFER,
			.buffer = buffers[take(world, BUFFERS)],
		};
	if (count > 0) {
		arguments[0].kind = PLAIT_ARGUMENT_VALUE;
		arguments[0].buffer = NULL;
		arguments[0].value = &value;
		arguments[0].bytes = which == 1 ? 4 : 8;
	}
	if (count > 0 && take(world, 4) == 0)
		fill_argument(world, &arguments[take(world, (unsigned)count)]);
	return count;
}

static void fill_memory(struct world *world, plait_node_desc *desc)
{
	desc->target = take_buffer(world);
	desc->source = take_buffer(world);
	desc->bytes = take(world, 4) ? 16 : take_number(world);
	desc->target_offset = take(world, 4) * 64;
	desc->source_offset = take(world, 4) * 64;
	if (take(world, 16) == 0)
		desc->target_offset = take_number(world);
	desc->pattern_bytes = 1u << take(world, 5);
}

static void fill_region(struct world *world, plait_node_desc *desc)
{
	desc->predicate = take_buffer(world);
	desc->predicate_offset = take(world, 4) * 4;
	desc->times = take(world, 8) ? take(world, 4) : take_number(world);
	desc->branch_count = desc->count_step = take(world, 4);
	desc->count_parameter = take(world, 8) ? NULL : take_name(world);
	if (take(world, 16) == 0 && world->large++ < MOST_LARGE)
		desc->branch_count = take_number(world);
	if (take(world, 4) == 0)
		desc->function = run_host;
}

static void fill_node(struct world *world, plait_node_desc *desc,
		      plait_launch *launch, plait_argument *arguments)
{
	static plait_device *both[2];
	static const plait_series some[3] = { { sizeof(*some), 0, 3, -1, 2 } };
	unsigned which = take(world, KERNELS);

	desc->kind = take(world, 14);
	desc->label = take_name(world);
	if (take(world, 8) == 0)
		desc->flags = 1u << take(world, 7);
	if (desc->kind == PLAIT_NODE_CALL || take(world, 4) == 0)
		desc->flags |= PLAIT_CALL_ANY_THREAD;
	desc->cost = take(world, 32) ? take(world, 100) : take_number(world);
	if (take(world, 8) == 0)
		desc->scratch_bytes = take_number(world);
	if (take(world, 16) == 0) {
		both[0] = both[1] = device;
		desc->devices = both;
		desc->device_count = take(world, 3);
	}
	desc->function = desc->kind == PLAIT_NODE_CALL ? run_host : NULL;
	desc->kernel = take_handle(world, kernels[which]);
	launch->dimensions = take(world, 5);
	launch->items[0] = take_number(world);
	desc->launch = take(world, 2) ? launch : NULL;
	desc->launch_parameter = take(world, 8) ? NULL : take_name(world);
	if (desc->kind == PLAIT_NODE_LAUNCH) {
		desc->series = (desc->series_count = take(world, 4)) ? some : NULL;
		desc->arguments = arguments;
		desc->argument_count = fit_arguments(world, which, arguments);
	}
	desc->signal = take_handle(world, signal_);
	desc->sequence = take(world, 8) ? 0 : take_number(world);
	fill_memory(world, desc);
	if (desc->kind >= PLAIT_NODE_WHILE)
		fill_region(world, desc);
}

static void call_add(struct world *world, plait_error *error)
{
	plait_node_desc desc = { .size = sizeof(desc) };
	plait_launch launch = { .size = sizeof(launch) };
	plait_argument arguments[3];
	plait_node after[4], node = 77;
	plait_graph *graph = take_graph(world);
	unsigned count = take(world, 5), at = world->at;

	fill_node(world, &desc, &launch, arguments);
	if (take(world, 16) != 0)
		blank_others(&desc);
	if (desc.kind == PLAIT_NODE_SUBGRAPH) {
		desc.subgraph = take_graph(world);
		if (world->copies++ >= MOST_COPIES)
			return;
	}
	if (take(world, 32) == 0)
		desc.size = (uint32_t)take_number(world) % 300;
	world->at = at;
	for (unsigned i = 0; i < count; i++)
		after[i] = take_node(world);
	if (plait_graph_add(graph, &desc, after, count, &node, error) ==
	    PLAIT_OK)
		keep_node(world, at, node);
	else
		FUZZ_NEED(node == 0, error->text);
}

static void call_edge(struct world *world, plait_error *error)
{
	plait_graph *graph = take_graph(world);
	plait_node before = take_node(world), after = take_node(world);

	(void)plait_graph_add_edge(graph, before, after, error);
}

static void call_body(struct world *world, plait_error *error)
{
	plait_graph *graph = take_graph(world), *body;
	plait_node node = take_node(world);

	if (plait_graph_body(graph, node, take(world, 4), &body, error) ==
	    PLAIT_OK)
		keep_graph(world, body);
	else
		FUZZ_NEED(body == NULL, error->text);
}

static void call_rotate(struct world *world, plait_error *error)
{
	plait_buffer *turns[9];
	plait_graph *graph = take_graph(world);
	unsigned count = take(world, 10);
	uint64_t out;

	for (unsigned i = 0; i < count; i++)
		turns[i] = take_buffer(world);
	(void)plait_graph_add_rotation(graph, turns, count, take(world, 3), &out,
				 error);
}

/* Returns whether a plan may still be made or written; its cost is
 * subtracted. */
static bool may_spend(struct world *world, uint64_t bytes)
{
	if (world->spent >= PLAN_BYTES)
		return false;
	world->spent += bytes;
	return true;
}

/* A plan that cannot be proved is allowed only when the graph is at fault. */
static void check_plan(struct world *world, plait_plan *plan)
{
	plait_error error = { .size = sizeof(error) };
	plait_plan_info info = { .size = sizeof(info) };
	plait_status status = plait_plan_check(plan, &error);

	FUZZ_NEED(status == PLAIT_OK ||
		  (status == PLAIT_E_INVALID &&
		   strstr(error.text, "both use ") != NULL), error.text);
	FUZZ_NEED(plait_plan_query(plan, &info, &error) == PLAIT_OK,
		  error.text);
	(void)may_spend(world, info.bytes);
}

static void keep_plan(struct world *world, plait_plan *plan)
{
	unsigned at = take(world, PLANS);

	if (world->own_plans >> at & 1)
		plait_plan_release(world->plans[at]);
	world->plans[at] = plan;
	world->own_plans |= 1u << at;
}

static void call_freeze(struct world *world, plait_error *error)
{
	plait_freeze_desc desc = {
		.size = sizeof(desc), .policy = take(world, 3),
		.mode = take(world, 4), .lanes = take(world, 6),
		.flags = take(world, 3), .instances = take(world, 3),
		.hop_cost = take(world, 2),
	};
	plait_node sources[2], sinks[2];
	plait_graph *graph = take_graph(world);
	plait_plan *plan;

	desc.source_count = take(world, 16) < 3 ? 2 : 0;
	desc.sink_count = take(world, 16) < 3 ? 1 : 0;
	for (unsigned i = 0; i < 2; i++) {
		sources[i] = take_node(world);
		sinks[i] = take_node(world);
	}
	desc.sources = desc.source_count > 0 ? sources : NULL;
	desc.sinks = desc.sink_count > 0 ? sinks : NULL;
	if (take(world, 8) == 0)
		desc.whole = take_plan(world);
	if (!may_spend(world, PLAN_LEAST_BYTES))
		return;
	if (plait_graph_freeze(graph, &desc, &plan, error) != PLAIT_OK) {
		FUZZ_NEED(plan == NULL, error->text);
		return;
	}
	check_plan(world, plan);
	keep_plan(world, plan);
}

static bool binds(plait_plan *plan, const char *name, uint32_t flags)
{
	const plait_function_desc function = { .size = sizeof(function), .function = run_host,
					       .flags = PLAIT_CALL_ANY_THREAD | flags };

	return plait_plan_bind_function(plan, name, &function, NULL) == PLAIT_OK;
}

/* Each listed name can be bound; a fitting object is bound. */
static void bind_all(plait_plan *plan)
{
	plait_plan_info info = { .size = sizeof(info) };
	plait_plan_binding one = { .size = sizeof(one) };
	plait_error error = { .size = sizeof(error) };

	FUZZ_NEED(plait_plan_query(plan, &info, &error) == PLAIT_OK, error.text);
	for (uint32_t i = 0; i < info.bindings; i++) {
		FUZZ_NEED(plait_plan_query_binding(plan, i, &one, &error) ==
			  PLAIT_OK, error.text);
		if (one.kind == PLAIT_BINDING_BUFFER)
			(void)plait_plan_bind_buffer(plan, one.name,
						     buffers[i % BUFFERS], &error);
		if (one.kind == PLAIT_BINDING_SIGNAL)
			FUZZ_NEED(plait_plan_bind_signal(plan, one.name, signal_, &error) ==
				  PLAIT_OK, error.text);
		if (one.kind == PLAIT_BINDING_FUNCTION)
			FUZZ_NEED(binds(plan, one.name, 0) ||
				  binds(plan, one.name, PLAIT_CALL_COROUTINE), one.name);
		if (one.kind == PLAIT_BINDING_DEVICE)
			FUZZ_NEED(plait_plan_bind_device(plan, one.name, device, &error) ==
				  PLAIT_OK, error.text);
	}
}

/* Written, and read back if it is right. */
static void call_write(struct world *world, plait_error *error)
{
	plait_plan *plan = take_plan(world), *again;
	int32_t format = (int32_t)take(world, 5);
	plait_simulation simulation = { .size = sizeof(simulation) };
	plait_lane_use lanes[4] = { { .size = sizeof(lanes[0]) } };
	uint64_t bytes = 0;
	char *text;

	if (!may_spend(world, PLAN_LEAST_BYTES))
		return;
	(void)plait_plan_simulate(plan, NULL, &simulation, lanes, 4, error);
	if (plait_plan_write(plan, format, NULL, 0, &bytes, error) !=
	    PLAIT_OK || !may_spend(world, bytes))
		return;
	text = malloc(bytes > 0 ? bytes : 1);
	FUZZ_NEED(text != NULL, "no memory");
	FUZZ_NEED(plait_plan_write(plan, format, text, bytes, NULL, error) ==
		  PLAIT_OK, error->text);
	if (format == PLAIT_FORMAT_BINARY &&
	    plait_plan_check(plan, NULL) == PLAIT_OK) {
		FUZZ_NEED(plait_plan_read(context, text, bytes, &again,
					  error) == PLAIT_OK, error->text);
		(void)plait_plan_bind_kernel(again, kernels[1], error);
		(void)plait_plan_bind_buffer(again, "b", buffers[0], error);
		bind_all(again);
		keep_plan(world, again);
	}
	free(text);
}

static void call(struct world *world)
{
	plait_error error = { .size = sizeof(error) };
	uint64_t nodes, edges;

	switch (take(world, 16)) {
	case 0:
		call_create(world, &error);
		break;
	case 1:
		call_release(world);
		break;
	case 2:
		(void)plait_graph_size(take_graph(world), &nodes, &edges,
				       &error);
		break;
	case 3:
		call_rotate(world, &error);
		break;
	case 4:
	case 5:
		call_body(world, &error);
		break;
	case 6:
		call_write(world, &error);
		break;
	case 7:
		call_freeze(world, &error);
		break;
	case 8:
	case 9:
		call_edge(world, &error);
		break;
	default:
		call_add(world, &error);
	}
}

static void finish(struct world *world)
{
	for (unsigned i = 0; i < GRAPHS; i++)
		if (world->own_graphs >> i & 1)
			plait_graph_release(world->graphs[i]);
	for (unsigned i = 0; i < PLANS; i++)
		if (world->own_plans >> i & 1)
			plait_plan_release(world->plans[i]);
	FUZZ_NEED(plait_live_count(PLAIT_OBJECT_GRAPH) == 0, "a graph is left");
	FUZZ_NEED(plait_live_count(PLAIT_OBJECT_PLAN) == 0, "a plan is left");
	FUZZ_NEED(plait_live_count(PLAIT_OBJECT_BUFFER) == BUFFERS, "buffers");
	FUZZ_NEED(plait_live_count(PLAIT_OBJECT_KERNEL) == KERNELS, "kernels");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world world = { .data = data, .size = size };

	if (context == NULL) {
		prepare();
		atexit(tear_down);
	}
	for (unsigned i = 0; i < MOST_CALLS && world.size > 0; i++)
		call(&world);
	finish(&world);
	return 0;
}
