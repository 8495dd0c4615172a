/* SPDX-License-Identifier: MIT */
/*
 * PLAIT_FREEZE_PROGRAM_ORDER: random programs of fills, copies, functions and
 * loops, added without one edge, give on many lanes what they give in order.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <string.h>

enum { BYTES = 64, STEPS = 60, BUFFERS = 2 };

static plait_context *context;
static plait_device *device;
static plait_buffer *buffers[BUFFERS];
static plait_error error;
static unsigned char memory[BUFFERS][BYTES];	/* of the plan */
static unsigned char model[BUFFERS][BYTES];	/* in order */
static uint64_t sums[2];	/* what functions saw: plan, model */
static uint32_t rounds;

static uint32_t below(uint64_t *random, uint32_t bound)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return (uint32_t)((*random * 0x2545f4914f6cdd1du) >> 33) % bound;
}

static uint64_t digest(unsigned char (*bytes)[BYTES], uint64_t sum)
{
	for (uint32_t i = 0; i < BUFFERS; i++)
		for (uint32_t k = 0; k < BYTES; k++)
			sum = sum * 31 + bytes[i][k];
	return sum;
}

static int32_t look(void *user_data)
{
	(void)user_data;
	sums[0] = digest(memory, sums[0]);
	return 0;
}

/* The predicate of a loop: true once. */
static int32_t again(void *user_data)
{
	(void)user_data;
	return rounds++ % 2 == 0;
}

static void add_fill(plait_graph *graph, uint64_t *random)
{
	uint32_t buffer = below(random, BUFFERS);
	uint32_t from = below(random, BYTES);
	uint32_t count = below(random, (BYTES - from < 24 ? BYTES - from :
					      24) + 1);
	uint32_t value = below(random, 256);

	IS_INT(plait_graph_fill(graph, buffers[buffer], from, count, value, 1,
				0, NULL, &error), PLAIT_OK);
	memset(model[buffer] + from, (int)value, count);
}

static void add_copy(plait_graph *graph, uint64_t *random)
{
	uint32_t buffer = below(random, BUFFERS);
	uint32_t count = below(random, 24) + 1;
	uint32_t from = below(random, BYTES - count + 1);
	uint32_t to = below(random, BYTES - count + 1);

	IS_INT(plait_graph_copy(graph, buffers[1 - buffer], to,
				buffers[buffer], from, count, 0, NULL, &error),
	       PLAIT_OK);
	memcpy(model[1 - buffer] + to, model[buffer] + from, count);
}

static void add_call(plait_graph *graph)
{
	IS_INT(plait_graph_call(graph, look, NULL, 0, NULL, &error),
	       PLAIT_OK);
	sums[1] = digest(model, sums[1]);
}

/* A loop that runs its body once: fills and copies. */
static void add_loop(plait_graph *graph, uint64_t *random)
{
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_WHILE, .function = again,
				 .flags = PLAIT_CALL_ANY_THREAD };
	plait_node node = 0;
	plait_graph *body = NULL;

	IS_INT(plait_graph_add(graph, &desc, NULL, 0, &node, &error),
	       PLAIT_OK);
	IS_INT(plait_graph_body(graph, node, 0, &body, &error), PLAIT_OK);
	for (uint32_t i = 0; i < 4; i++) {
		add_fill(body, random);
		add_copy(body, random);
	}
	plait_graph_release(body);
}

static plait_graph *make_program(uint64_t *random)
{
	plait_graph *graph = NULL;

	memset(memory, 0, sizeof(memory));
	memset(model, 0, sizeof(model));
	sums[0] = sums[1] = 0;
	rounds = 0;
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	for (uint32_t i = 0; i < STEPS; i++)
		switch (below(random, 16)) {
		case 0:
			add_call(graph);
			break;
		case 1:
			add_loop(graph, random);
			break;
		case 2: case 3: case 4: case 5: case 6: case 7:
			add_copy(graph, random);
			break;
		default:
			add_fill(graph, random);
		}
	return graph;
}

static bool runs_in_order(uint64_t seed)
{
	uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
	plait_freeze_desc desc = {
		.size = sizeof(desc), .policy = PLAIT_POLICY_WIDEST,
		.flags = PLAIT_FREEZE_PROGRAM_ORDER | PLAIT_FREEZE_CHECK |
			 (seed % 3 == 0 ? PLAIT_FREEZE_QUEUES : 0),
		.mode = seed % 2 == 0 ? PLAIT_MODE_HELPED : PLAIT_MODE_STRICT
	};
	plait_graph *graph;
	plait_plan *plan = NULL;
	uint64_t edges = 1;

	graph = make_program(&random);
	if (!IS_INT(plait_graph_freeze(graph, &desc, &plan, &error), PLAIT_OK))
		NOTE("%s", error.text);
	IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK);
	/* The graph has no more edges than before. */
	IS_INT(plait_graph_size(graph, NULL, &edges, &error), PLAIT_OK);
	IS_UINT(edges, 0);
	plait_plan_release(plan);
	plait_graph_release(graph);
	return OK_THAT(memcmp(memory, model, sizeof(model)) == 0 &&
		       sums[0] == sums[1], "seed=%llu: as in order",
		       (unsigned long long)seed);
}

static void programs(void)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host",
				    .workers = 3 };
	uint64_t seed = tap_seed();
	uint32_t count = tap_soak() ? 1000 : 40;

	error = (plait_error){ .size = sizeof(error) };
	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	for (uint32_t i = 0; i < BUFFERS; i++) {
		plait_wrap_desc wrap = { .size = sizeof(wrap),
					 .pointer = memory[i],
					 .bytes = BYTES };

		wrap.flags = PLAIT_CALL_ANY_THREAD;
		IS_INT(plait_buffer_wrap(device, &wrap, &buffers[i], &error),
		       PLAIT_OK);
	}
	for (uint32_t i = 0; i < count; i++)
		if (!runs_in_order(seed + i))
			break;
	for (uint32_t i = 0; i < BUFFERS; i++)
		plait_buffer_release(buffers[i]);
	plait_context_release(context);
}

static const struct tap_scenario scenarios[] = {
	{ "programs", programs },
};
TAP_MAIN(scenarios)
