/* SPDX-License-Identifier: MIT */
/* Fixture of the checks of loops and branches: plan builder and comparison. */
#ifndef CONFORM_REGION_H
#define CONFORM_REGION_H

#include "conform.h"

#include <stdlib.h>
#include <string.h>

enum { DECIDED = NEED_SEGMENT | NEED_REGION | NEED_NOTIFY | NEED_KERNELS };

enum { WORDS = 16, BYTES = WORDS * 4, ROUNDS = 24 };

/* A plan under construction. */
struct loop {
	struct conform *c;
	plait_queue *queue;
	plait_kernel *put; /* x = (a x + b) / d */
	plait_graph *graph;
	plait_buffer *n, *x, *y, *z;
};

static inline void begin(struct loop *l, struct conform *c)
{
	static const char text[] =
		"KERNEL(put) { EACH(i, n) x[i] = (a * x[i] + b) / d; }\n";

	*l = (struct loop){ .c = c };
	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	l->put = conform_kernel(c, "put(a: u32, b: u32, d: u32, "
				"x: inout pointer u32, n: u64)", text, NULL);
	l->queue = conform_queue(c);
	NEED(plait_graph_create(c->context, &l->graph, ERR));
	l->n = conform_buffer(c, BYTES);
	l->x = conform_buffer(c, BYTES);
	l->y = conform_buffer(c, BYTES);
	l->z = conform_buffer(c, BYTES);
}

static inline plait_node add(struct loop *l, plait_graph *graph, plait_node_desc desc,
		      const plait_node *after)
{
	struct conform *c = l->c;
	plait_node node = 0;

	desc.size = sizeof(desc);
	NEED(plait_graph_add(graph, &desc, after, after != NULL, &node, ERR));
	return node;
}

static inline plait_node add_put(struct loop *l, plait_graph *graph, plait_buffer *x,
			  uint32_t a, uint32_t b, const plait_node *after)
{
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				      .items = { WORDS, 0, 0 } };
	const uint64_t words = WORDS;
	const uint32_t d = a == 0 ? 2 : 1, times = a == 0 ? 1 : a;
	const plait_argument arguments[] = {
		conform_value(&times, 4), conform_value(&b, 4),
		conform_value(&d, 4), conform_memory(x, 0),
		conform_value(&words, 8),
	};

	return add(l, graph, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = l->put,
		.launch = &launch, .arguments = arguments,
		.argument_count = CONFORM_COUNT(arguments), .label = "put" },
		after);
}

static inline plait_node add_copy(struct loop *l, plait_graph *graph,
			   plait_buffer *to, plait_buffer *from,
			   const plait_node *after)
{
	return add(l, graph, (plait_node_desc){
		.kind = PLAIT_NODE_COPY, .target = to, .source = from,
		.bytes = BYTES, .label = "copy" }, after);
}

/* Add a loop or branch with its first body. */
static inline plait_node add_region(struct loop *l, plait_graph *graph, uint32_t kind,
			     plait_buffer *word, uint64_t branches,
			     const plait_node *after, plait_graph **out)
{
	struct conform *c = l->c;
	plait_node node = add(l, graph, (plait_node_desc){
		.kind = kind, .predicate = word, .branch_count = branches,
		.label = "region" }, after);

	NEED(plait_graph_body(graph, node, 0, out, ERR));
	return node;
}

static inline plait_plan *freeze(struct loop *l, uint32_t lanes)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_FREEZE_QUEUES |
						  PLAIT_FREEZE_CHECK,
					 .lanes = lanes, .instances = 1 };
	struct conform *c = l->c;
	plait_plan *plan = NULL;

	NEED(plait_graph_freeze(l->graph, &desc, &plan, ERR));
	plait_graph_release(l->graph);
	return plan;
}

static inline void put(struct loop *l, plait_buffer *buffer, uint32_t value)
{
	struct conform *c = l->c;

	NEED(plait_queue_fill(l->queue, buffer, 0, BYTES, value, 4, ERR));
	NEED(plait_queue_finish(l->queue, PLAIT_FOREVER, ERR));
}

static inline uint32_t get(struct loop *l, plait_buffer *buffer)
{
	struct conform *c = l->c;
	uint32_t words[WORDS] = { 0 };

	NEED(plait_queue_read(l->queue, buffer, 0, words, BYTES, ERR));
	NEED(plait_queue_finish(l->queue, PLAIT_FOREVER, ERR));
	for (uint32_t i = 1; i < WORDS; i++)
		HOLDS_THAT(words[i] == words[0], "word %u is %u, word 0 %u",
			   i, words[i], words[0]);
	return words[0];
}

static inline void look(struct loop *l, const char *what, uint32_t n,
		 plait_buffer *buffer, uint32_t want)
{
	struct conform *c = l->c;
	uint32_t got = get(l, buffer);

	HOLDS_THAT(got == want, "%s, word %u: %u, not %u", what, n, got, want);
}

/* Run a check with the device deciding, then with the host. */
static inline void both(struct conform *c, void (*check)(struct conform *c))
{
	check(c);
	(void)setenv("PLAIT_REGIONS", "0", 1);
	check(c);
	(void)unsetenv("PLAIT_REGIONS");
}

static inline int32_t set_flag(void *user_data)
{
	atomic_store((atomic_bool *)user_data, true);
	return 0;
}

/* Spin longer in each round. */
static inline void pass_time(uint32_t round)
{
	uint64_t end = conform_now_ns() + round * 50000ull;

	while (conform_now_ns() < end)
		continue;
}

#endif
