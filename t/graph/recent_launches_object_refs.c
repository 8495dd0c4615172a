/* SPDX-License-Identifier: MIT */
/*
 * Caches of a graph that make the next node cheaper: known handles, the last
 * launch, labels and files.  They must never be wrong: not after a handle was
 * released, nor after a node was rejected, nor for equal-looking input.
 */
#include "plait/plait.h"

#include "graph/build/graph.h"
#include "object/kernel/kernel.h"
#include "lib/tap.h"

#include <stdio.h>
#include <string.h>

static plait_context *context;
static plait_device *device;
static plait_kernel *kernel;
static plait_kernel *reader;
static plait_graph *graph;
static plait_error error = { .size = sizeof(error) };

static int32_t nothing(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static void set_up(void)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host" };
	plait_kernel_desc code = { .size = sizeof(code), .function = nothing,
				   .signature = "set(y: out pointer f32, "
						"n: u64)" };

	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	IS_INT(plait_kernel_create(context, &code, &kernel, &error),
	       PLAIT_OK);
	code.signature = "get(y: in pointer f32, n: u64)";
	IS_INT(plait_kernel_create(context, &code, &reader, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
}

static void tear_down(void)
{
	plait_graph_release(graph);
	plait_kernel_release(kernel);
	plait_kernel_release(reader);
	plait_context_release(context);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_KERNEL), 0);
	IS_INT(plait_live_count(PLAIT_OBJECT_GRAPH), 0);
}

static plait_buffer *new_buffer(const char *label)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 64,
				   .label = label };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(device, &desc, &buffer, &error), PLAIT_OK);
	return buffer;
}

/* The predecessor of the next launch, and then the launch itself; or null. */
static plait_node *chain;

/* A launch that writes a buffer; `bytes` of its second argument: 8 is right. */
static plait_status set(plait_kernel *code, void *buffer, uint64_t bytes,
			uint64_t items)
{
	uint64_t n = 1;
	plait_argument arguments[2] = {
		{ .size = sizeof(arguments[0]),
		  .kind = PLAIT_ARGUMENT_BUFFER, .buffer = buffer },
		{ .value = &n, .bytes = bytes },
	};
	plait_launch launch = { .size = sizeof(launch), .items = { items } };
	plait_node_desc desc = { .size = sizeof(desc), .kernel = code,
				 .kind = PLAIT_NODE_LAUNCH, .launch = &launch,
				 .arguments = arguments,
				 .argument_count = 2, .label = "set" };

	return plait_graph_add(graph, &desc, chain,
			       chain != NULL && *chain != 0, chain, &error);
}

/* Freezing proves that nothing conflicts. */
static plait_status prove(void)
{
	plait_freeze_desc desc = { .size = sizeof(desc),
				   .flags = PLAIT_FREEZE_CHECK, .lanes = 4 };
	plait_plan *plan;
	plait_status status = plait_graph_freeze(graph, &desc, &plan, &error);

	plait_plan_release(plan);
	return status;
}

static void let_go(void)
{
	plait_buffer *x, *y;

	set_up();
	x = new_buffer("x");
	IS_INT(set(kernel, x, 8, 1), PLAIT_OK);
	plait_buffer_release(x);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 1);
	IS_INT(set(kernel, x, 8, 1), PLAIT_E_HANDLE);
	HAS_STR(error.text, "released before");
	/* Another handle is another buffer, also with a similar number. */
	y = new_buffer("y");
	OK(y != x);
	IS_INT(set(kernel, y, 8, 1), PLAIT_OK);
	IS_INT(prove(), PLAIT_OK);
	plait_buffer_release(y);
	plait_kernel_release(kernel);
	IS_INT(set(kernel, y, 8, 1), PLAIT_E_HANDLE);
	HAS_STR(error.text, "kernel handle");
	kernel = NULL;
	tear_down();
}

static void wrong_type(void)
{
	plait_buffer *x;
	plait_node_desc join = { .size = sizeof(join) };

	set_up();
	x = new_buffer("x");
	IS_INT(set(kernel, x, 8, 1), PLAIT_OK);
	IS_INT(set(kernel, kernel, 8, 1), PLAIT_E_HANDLE);
	HAS_STR(error.text, "not a buffer");
	IS_INT(set((plait_kernel *)x, x, 8, 1), PLAIT_E_HANDLE);
	HAS_STR(error.text, "not a kernel");
	join.device = device;
	IS_INT(plait_graph_add(graph, &join, NULL, 0, NULL, &error),
	       PLAIT_OK);
	IS_INT(set(kernel, device, 8, 1), PLAIT_E_HANDLE);
	join.device = (plait_device *)x;
	IS_INT(plait_graph_add(graph, &join, NULL, 0, NULL, &error),
	       PLAIT_E_HANDLE);
	plait_buffer_release(x);
	tear_down();
}

/* Objects of a rejected node are dropped: no reference, no cached handle. */
static void refused(void)
{
	plait_buffer *x, *y;

	set_up();
	x = new_buffer("x");
	IS_INT(set(kernel, x, 4, 7), PLAIT_E_INVALID);
	plait_buffer_release(x);
	IS_INT(plait_live_count(PLAIT_OBJECT_BUFFER), 0);
	y = new_buffer("y");
	IS_INT(set(kernel, x, 8, 7), PLAIT_E_HANDLE);
	IS_INT(set(kernel, y, 4, 7), PLAIT_E_INVALID);
	IS_INT(set(kernel, y, 8, 7), PLAIT_OK);
	IS_INT(set(kernel, y, 4, 8), PLAIT_E_INVALID);
	IS_INT(prove(), PLAIT_OK);
	/* Both nodes are in the same place of the graph, so they conflict. */
	IS_INT(set(kernel, y, 8, 7), PLAIT_OK);
	IS_INT(prove(), PLAIT_E_INVALID);
	plait_buffer_release(y);
	tear_down();
}

static plait_buffer *new_view(plait_buffer *of, uint64_t offset)
{
	plait_buffer *view = NULL;

	IS_INT(plait_buffer_view(of, offset, 32, &view, &error), PLAIT_OK);
	return view;
}

/* A view's handle stands for its part, each time. */
static void views(void)
{
	plait_node one = 0, other = 0;
	plait_buffer *x, *low, *high;

	set_up();
	x = new_buffer("x");
	low = new_view(x, 0);
	high = new_view(x, 32);
	for (int i = 0; i < 3; i++) {
		chain = &one;
		IS_INT(set(kernel, low, 8, 1), PLAIT_OK);
		chain = &other;
		IS_INT(set(kernel, high, 8, 1), PLAIT_OK);
		IS_INT(prove(), PLAIT_OK);
	}
	chain = NULL;
	IS_INT(set(kernel, high, 8, 1), PLAIT_OK);
	IS_INT(prove(), PLAIT_E_INVALID);
	plait_graph_release(graph);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	IS_INT(set(kernel, high, 8, 1), PLAIT_OK);
	IS_INT(set(kernel, x, 8, 1), PLAIT_OK);
	IS_INT(prove(), PLAIT_E_INVALID);
	plait_buffer_release(low);
	plait_buffer_release(high);
	plait_buffer_release(x);
	tear_down();
}

/* A buffer that was only read so far is not taken as written because it is
 * known. */
static void read_only(void)
{
	float memory[16] = { 0 };
	plait_wrap_desc desc = { .size = sizeof(desc), .pointer = memory,
				 .bytes = sizeof(memory), .label = "x",
				 .flags = PLAIT_WRAP_READ_ONLY };
	plait_buffer *x;

	set_up();
	IS_INT(plait_buffer_wrap(device, &desc, &x, &error), PLAIT_OK);
	IS_INT(set(reader, x, 8, 1), PLAIT_OK);
	IS_INT(set(reader, x, 8, 1), PLAIT_OK);
	IS_INT(set(kernel, x, 8, 1), PLAIT_E_INVALID);
	HAS_STR(error.text, "read-only");
	IS_INT(prove(), PLAIT_OK);
	plait_buffer_release(x);
	tear_down();
}

/* ---- inside ---- */

static plait__graph *inside(void)
{
	plait__graph *entered;

	IS_INT(plait__graph_enter(graph, &entered, &error), PLAIT_OK);
	plait__graph_leave(entered);
	return entered;
}

static const plait__plan_geometry *geometry_of(uint32_t payload)
{
	const plait__store *store = inside()->store;
	const plait__plan_payload *found =
		plait__vector_at(&store->payloads, payload);

	return plait__vector_at(&store->geometries, found->geometry);
}

static void launches(void)
{
	static const uint64_t items[] = { 7, 7, 8, 7, 8, 8, 9 };
	plait_buffer *x;

	set_up();
	x = new_buffer("x");
	for (size_t i = 0; i < TAP_COUNT(items); i++) {
		IS_INT(set(kernel, x, 4, items[i]), PLAIT_E_INVALID);
		IS_INT(set(kernel, x, 8, items[i]), PLAIT_OK);
	}
	for (uint32_t i = 0; i < TAP_COUNT(items); i++)
		IS_UINT(geometry_of(i)->items[0], items[i]);
	IS_UINT(inside()->store->geometries.count, 3);
	plait_buffer_release(x);
	tear_down();
}

/* An equal launch is another one for a kernel that has groups of its own. */
static void groups(void)
{
	plait__module module = { .division = PLAIT__MODULE_GROUPS,
				 .group = { 4, 1, 1 } };
	plait__kernel *grouped;
	plait_buffer *x;

	set_up();
	x = new_buffer("x");
	IS_INT(plait__kernel_enter(reader, &grouped, &error), PLAIT_OK);
	grouped->module = &module;
	for (int i = 0; i < 2; i++) {
		IS_INT(set(kernel, x, 8, 64), PLAIT_OK);
		IS_INT(set(reader, x, 8, 64), PLAIT_OK);
	}
	grouped->module = NULL;
	plait__object_leave(&grouped->object);
	for (uint32_t i = 0; i < 4; i++)
		IS_UINT(geometry_of(i)->group[0], i % 2 == 0 ? 0 : 4);
	plait_buffer_release(x);
	tear_down();
}

static const char *text_at(uint32_t string)
{
	return plait__vector_at(&inside()->store->strings, string);
}

/* More labels than are remembered; a file name that changes where it is. */
static void names(void)
{
	enum { COUNT = 2000 };
	char label[16], file[16];
	plait_node_desc desc = { .size = sizeof(desc), .label = label,
				 .file = file };
	const plait__input_node *nodes;
	uint32_t wrong = 0, bytes;

	set_up();
	for (int i = 0; i < COUNT; i++) {
		(void)snprintf(label, sizeof(label), "node %d", i % 1500);
		(void)snprintf(file, sizeof(file), "%d.c", i / 100);
		wrong += plait_graph_add(graph, &desc, NULL, 0, NULL,
					 &error) != PLAIT_OK;
	}
	nodes = plait__store_scope_at(inside()->store, 0)->nodes.items;
	for (int i = 0; i < COUNT; i++) {
		(void)snprintf(label, sizeof(label), "node %d", i % 1500);
		(void)snprintf(file, sizeof(file), "%d.c", i / 100);
		wrong += strcmp(text_at(nodes[i].label), label) != 0 ||
			 strcmp(text_at(nodes[i].file), file) != 0;
	}
	IS_UINT(wrong, 0);
	/* A label that is used again is stored once. */
	bytes = inside()->store->strings.count;
	for (int i = 0; i < 10; i++)
		IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &error),
		       PLAIT_OK);
	IS_UINT(inside()->store->strings.count, bytes);
	tear_down();
}

static const struct tap_scenario scenarios[] = {
	{ "a handle that was let go", let_go },
	{ "a handle of another type", wrong_type },
	{ "a node that was refused", refused },
	{ "views", views },
	{ "memory that is only read", read_only },
	{ "launches", launches },
	{ "groups", groups },
	{ "names", names },
};
TAP_MAIN(scenarios)
