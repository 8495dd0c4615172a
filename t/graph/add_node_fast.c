/* SPDX-License-Identifier: MIT */
/*
 * The fast path of plait_graph_add, compared with the general one, which
 * descriptors of another size take: equal errors, equal plans.  And the memory
 * of launches while they are planned.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plait_context *context;
static plait_device *device;
static plait_error error = { .size = sizeof(error) };

static int32_t nothing(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static plait_buffer *new_buffer(uint64_t bytes, const char *label)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes,
				   .label = label };
	plait_buffer *buffer = NULL;

	IS_INT(plait_buffer_create(device, &desc, &buffer, &error), PLAIT_OK);
	return buffer;
}

static plait_kernel *new_kernel(const char *signature)
{
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .signature = signature,
				   .function = nothing };
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(context, &desc, &kernel, &error),
	       PLAIT_OK);
	return kernel;
}

enum { BUFFERS = 5, KERNELS = 3, NODES = 800 };

/* Longer than the known descriptor, and zero there: the general path. */
struct longer {
	plait_node_desc desc;
	uint64_t more;
};

struct longer_launch {
	plait_launch launch;
	uint64_t more;
};

struct ways {
	plait_graph *graph[2];		/* the fast path, the general one */
	plait_node nodes[2][NODES];
	uint32_t count;
	plait_kernel *kernels[KERNELS];
	plait_buffer *buffers[BUFFERS];
	plait_buffer *stale;
	uint32_t random;
};

static uint32_t draw(struct ways *ways, uint32_t below)
{
	ways->random ^= ways->random << 13;
	ways->random ^= ways->random >> 17;
	ways->random ^= ways->random << 5;
	return ways->random % below;
}

/* Breaks one descriptor in twenty, each in another way. */
static void spoil(struct ways *ways, plait_node_desc *desc,
		  plait_argument arguments[2])
{
	switch (draw(ways, 180)) {
	case 0: arguments[1].buffer = ways->stale; break;
	case 1: arguments[1].buffer = NULL; break;
	case 2: arguments[0].bytes = 8; break;
	case 3: desc->argument_count = 1; break;
	case 4: desc->cost = UINT64_MAX; break;
	case 5: desc->bytes = 1; break;
	case 6: desc->flags = 1u << 30; break;
	case 7: desc->kernel = (plait_kernel *)ways->stale; break;
	case 8: arguments[1].offset_bytes = 2; break;
	default: break;
	}
}

/* Few geometries that come again, some that mean the same with other fields,
 * many that come once, and some that are wrong. */
static void draw_launch(struct ways *ways, plait_launch *launch)
{
	launch->dimensions = draw(ways, 3);
	launch->items[0] = draw(ways, 3);
	if (draw(ways, 4) == 0)
		launch->items[0] = 1000 + draw(ways, 1000);
	if (draw(ways, 20) == 0)
		launch->group[0] = draw(ways, 9);
	if (draw(ways, 6) == 0)
		launch->items[1] = draw(ways, 4);
	if (draw(ways, 60) == 0)
		launch->dimensions = 4;
	if (draw(ways, 60) == 0)
		launch->size = draw(ways, 2) == 0 ? 1 : 40;
	if (draw(ways, 60) == 0)
		launch->items[0] = launch->group[0] = UINT64_MAX;
}

static void draw_node(struct ways *ways, plait_node_desc *desc,
		      plait_argument arguments[2], plait_launch *launch,
		      float *value, char label[16])
{
	uint32_t kind = draw(ways, 4);

	*value = (float)draw(ways, 3);
	(void)snprintf(label, 16, "n%u", draw(ways, 50));
	draw_launch(ways, launch);
	arguments[0] = (plait_argument){ .size = sizeof(*arguments),
					 .value = value, .bytes = 4 };
	arguments[1] = (plait_argument){
		.kind = PLAIT_ARGUMENT_BUFFER,
		.buffer = ways->buffers[draw(ways, BUFFERS)] };
	desc->kind = kind == 0 ? PLAIT_NODE_JOIN : PLAIT_NODE_LAUNCH;
	desc->cost = draw(ways, 3);
	desc->label = draw(ways, 2) == 0 ? label : NULL;
	desc->file = draw(ways, 3) == 0 ? "ways.c" : NULL;
	desc->line = draw(ways, 3);
	if (kind == 0)
		return;
	desc->scratch_bytes = draw(ways, 9) == 0 ? 64 : 0;
	desc->kernel = ways->kernels[draw(ways, KERNELS)];
	desc->launch = draw(ways, 9) == 0 ? NULL : launch;
	desc->arguments = arguments;
	desc->argument_count = 2;
	spoil(ways, desc, arguments);
}

static void add_both_ways(struct ways *ways)
{
	plait_launch launch = { .size = sizeof(launch) };
	plait_argument arguments[2];
	plait_node_desc desc = { .size = sizeof(desc) };
	plait_node after[2][40];
	plait_error errors[2] = { { .size = sizeof(error) },
				  { .size = sizeof(error) } };
	uint32_t count = draw(ways, 30) == 0 ? 40 : draw(ways, 4);
	plait_status status[2];
	float value;
	char label[16];

	draw_node(ways, &desc, arguments, &launch, &value, label);
	if (ways->count == 0)
		count = 0;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t before = draw(ways, ways->count);

		after[0][k] = ways->nodes[0][before];
		after[1][k] = ways->nodes[1][before];
	}
	if (count > 0 && draw(ways, 50) == 0)
		after[0][count - 1] = after[1][count - 1] = 1;
	for (int way = 0; way < 2; way++) {
		struct longer longer = { .desc = desc };
		struct longer_launch more = { .launch = launch };

		longer.desc.size = way == 0 ? sizeof(desc) : sizeof(longer);
		if (way == 1 && launch.size == sizeof(launch))
			more.launch.size = sizeof(more);
		if (desc.launch != NULL)
			longer.desc.launch = &more.launch;
		status[way] = plait_graph_add(
			ways->graph[way], &longer.desc, after[way], count,
			&ways->nodes[way][ways->count], &errors[way]);
	}
	IS_INT(status[0], status[1]);
	IS_STR(errors[0].text, errors[1].text);
	ways->count += status[0] == PLAIT_OK;
}

static uint64_t bytes_of(plait_graph *graph, uint32_t policy, char **out)
{
	plait_freeze_desc desc = { .size = sizeof(desc), .policy = policy };
	plait_plan *plan = NULL;
	uint64_t bytes = 0;

	*out = NULL;
	if (!IS_INT(plait_graph_freeze(graph, &desc, &plan, &error), PLAIT_OK))
		return 0;
	plait_plan_write(plan, PLAIT_FORMAT_BINARY, NULL, 0, &bytes, &error);
	*out = malloc(bytes);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, *out, bytes, &bytes,
				&error), PLAIT_OK);
	plait_plan_release(plan);
	return bytes;
}

static void both_ways_are_the_same(void)
{
	struct ways ways = { .random = 20260101 };
	char *bytes[2];
	uint64_t counts[2];

	ways.kernels[0] = new_kernel("add(a: f32, y: inout pointer f32)");
	ways.kernels[1] = new_kernel("sub(a: f32, y: out pointer f32)");
	ways.kernels[2] = new_kernel("read(a: f32, y: in pointer f32)");
	for (int i = 0; i < BUFFERS; i++)
		ways.buffers[i] = new_buffer(256, i == 0 ? NULL : "b");
	ways.stale = new_buffer(256, "stale");
	plait_buffer_release(ways.stale);
	for (int way = 0; way < 2; way++)
		IS_INT(plait_graph_create(context, &ways.graph[way], &error),
		       PLAIT_OK);
	for (int i = 0; i < NODES; i++)
		add_both_ways(&ways);
	OK(ways.count > NODES / 2 && ways.count < NODES - 10);
	for (uint32_t policy = 0; policy < 2; policy++) {
		for (int way = 0; way < 2; way++)
			counts[way] = bytes_of(ways.graph[way], policy,
					       &bytes[way]);
		OK(counts[0] == counts[1] &&
		   memcmp(bytes[0], bytes[1], counts[0]) == 0);
		free(bytes[0]);
		free(bytes[1]);
	}
	for (int i = 0; i < BUFFERS; i++)
		plait_buffer_release(ways.buffers[i]);
	for (int i = 0; i < 2; i++)
		plait_graph_release(ways.graph[i]);
	for (int i = 0; i < KERNELS; i++)
		plait_kernel_release(ways.kernels[i]);
}

/* A chain of launches with a value and three buffers, planned in no more than
 * 300 bytes a node at any time. */
static void launches_stay_small(void)
{
	enum { LINKS = 2000, BYTES_PER_NODE = 300 };
	uint64_t value = 1;
	plait_argument arguments[4] = {
		{ .size = sizeof(*arguments), .value = &value, .bytes = 8 } };
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_LAUNCH,
				 .arguments = arguments,
				 .argument_count = 4 };
	plait_freeze_desc freeze = { .size = sizeof(freeze), .lanes = 8 };
	plait_plan_info info = { .size = sizeof(info) };
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node last = 0;

	desc.kernel = new_kernel("add(n: u64, x: in pointer f32, "
				 "y: in pointer f32, z: out pointer f32)");
	for (int i = 1; i < 4; i++) {
		arguments[i].kind = PLAIT_ARGUMENT_BUFFER;
		arguments[i].buffer = new_buffer(64, "small");
	}
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	for (int i = 0; i < LINKS; i++)
		if (plait_graph_add(graph, &desc, &last, i > 0, &last,
				    &error) != PLAIT_OK)
			OK_THAT(false, "link %d: %s", i, error.text);
	for (freeze.policy = 0; freeze.policy < 2; freeze.policy++) {
		IS_INT(plait_graph_freeze(graph, &freeze, &plan, &error),
		       PLAIT_OK);
		IS_INT(plait_plan_query(plan, &info, &error), PLAIT_OK);
		OK_THAT(info.nodes == LINKS && info.peak_bytes <=
			(uint64_t)BYTES_PER_NODE * LINKS, "%llu bytes a node",
			(unsigned long long)info.peak_bytes / LINKS);
		plait_plan_release(plan);
	}
	plait_graph_release(graph);
	plait_kernel_release(desc.kernel);
	for (int i = 1; i < 4; i++)
		plait_buffer_release(arguments[i].buffer);
}

/* ---- launches with a different geometry each ---- */

static uint64_t items_seen, groups_seen;

static int32_t add_items(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	(void)arguments;
	(void)user_data;
	items_seen += launch->items[0];
	groups_seen += launch->group[0];
	return 0;
}

/* Equal geometries are searched until that does not pay; then duplicates may be
 * stored. */
static void geometries(void)
{
	enum { GEOMETRIES = 2000, AGAIN = 500 };
	plait_kernel_desc kernel = { .size = sizeof(kernel),
				     .signature = "add(n: u32)",
				     .function = add_items };
	uint32_t value = 0;
	plait_argument argument = { .size = sizeof(argument), .value = &value,
				    .bytes = 4 };
	plait_launch launch = { .size = sizeof(launch), .dimensions = 1 };
	plait_node_desc desc = { .size = sizeof(desc), .launch = &launch,
				 .kind = PLAIT_NODE_LAUNCH,
				 .arguments = &argument, .argument_count = 1 };
	uint64_t items = 0, groups = 0;
	plait_plan *plan = NULL;
	plait_graph *graph;
	plait_node last = 0;

	IS_INT(plait_kernel_create(context, &kernel, &desc.kernel, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	for (uint64_t i = 0; i < GEOMETRIES + AGAIN; i++) {
		launch.items[0] = 1 + i % GEOMETRIES * 3;
		launch.group[0] = 1 + i % 5;
		items += launch.items[0];
		groups += launch.group[0];
		if (plait_graph_add(graph, &desc, &last, i > 0, &last,
				    &error) != PLAIT_OK)
			OK_THAT(false, "launch %llu: %s",
				(unsigned long long)i, error.text);
	}
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK);
	IS_UINT(items_seen, items);
	IS_UINT(groups_seen, groups);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_kernel_release(desc.kernel);
}

static void on_the_host(void)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host" };

	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK)) {
		NOTE("%s", error.text);
		return;
	}
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	both_ways_are_the_same();
	launches_stay_small();
	geometries();
	plait_context_release(context);
}

static const struct tap_scenario scenarios[] = {
	{ "both ways are the same", on_the_host },
};
TAP_MAIN(scenarios)
