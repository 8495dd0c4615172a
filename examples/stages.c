/* SPDX-License-Identifier: MIT */
/*
 * Three stages as coroutines, with bounded queues between them: the first makes
 * blocks, the second smooths each on the device, the third adds them up.  A
 * stage that finds its queue full or empty is suspended.
 */
#include "coroutine.h"

#include <stdio.h>

enum { BLOCKS = 20, LENGTH = 64, DEPTH = 4 };

/* A bounded queue of blocks.  The gates count what was put in and taken out, so
 * both sides await numbers, and there is no lock. */
struct bounded {
	plait_signal *filled, *emptied;
	uint32_t blocks[DEPTH][LENGTH];
};

static struct bounded raw, smoothed;
static uint64_t sum;
static plait_plan *plan;
static plait_queue *queue;
static uint32_t in, out;	/* parameters of the plan */

static void open_bounded(struct bounded *bounded)
{
	bounded->filled = new_gate();
	bounded->emptied = new_gate();
}

/* Await room for block number i, counted from 0. */
static uint32_t *await_room(struct bounded *bounded, uint64_t i)
{
	if (i >= DEPTH && plait_await_signal(bounded->emptied, i - DEPTH + 1,
					     PLAIT_FOREVER, NULL))
		return NULL;
	return bounded->blocks[i % DEPTH];
}

static uint32_t *await_block(struct bounded *bounded, uint64_t i)
{
	if (plait_await_signal(bounded->filled, i + 1, PLAIT_FOREVER, NULL))
		return NULL;
	return bounded->blocks[i % DEPTH];
}

/* ---- the stages; an await fails only if the run is stopped ---- */

static int32_t make(void *user_data)
{
	(void)user_data;
	for (uint32_t i = 0; i < BLOCKS; i++) {
		uint32_t *block = await_room(&raw, i);

		if (block == NULL)
			return 1;
		for (uint32_t j = 0; j < LENGTH; j++)
			block[j] = (37 * i + 11 * j) % 101;
		if (plait_signal_raise(raw.filled, i + 1, NULL))
			return 2;
	}
	return 0;
}

static int32_t smooth(void *user_data)
{
	const uint64_t bytes = LENGTH * sizeof(uint32_t);

	(void)user_data;
	for (uint64_t i = 0; i < BLOCKS; i++) {
		uint32_t *from = await_block(&raw, i);
		uint32_t *to = await_room(&smoothed, i);

		if (from == NULL || to == NULL ||
		    plait_await_plan(plan, queue,
				     PLAIT_BINDINGS(
					     PLAIT_BIND_HOST(in, from, bytes),
					     PLAIT_BIND_HOST(out, to, bytes)),
				     PLAIT_FOREVER, NULL) ||
		    plait_signal_raise(raw.emptied, i + 1, NULL) ||
		    plait_signal_raise(smoothed.filled, i + 1, NULL))
			return 1;
	}
	return 0;
}

static int32_t add_up(void *user_data)
{
	(void)user_data;
	for (uint64_t i = 0; i < BLOCKS; i++) {
		const uint32_t *block = await_block(&smoothed, i);

		if (block == NULL)
			return 1;
		for (uint32_t j = 0; j < LENGTH; j++)
			sum += block[j] * (i + 1);
		if (plait_signal_raise(smoothed.emptied, i + 1, NULL))
			return 2;
	}
	return 0;
}

/* Memory of the program to the device, the kernel, and back. */
static void make_plan(void)
{
	const uint64_t bytes = LENGTH * sizeof(uint32_t);
	uint32_t length = LENGTH;
	plait_buffer *x = new_temporary(bytes), *y = new_temporary(bytes);
	const plait_node_desc write = {
		.size = sizeof(write), .kind = PLAIT_NODE_WRITE, .target = x,
		.host_parameter = "in", .bytes = bytes,
	};
	const plait_node_desc read = {
		.size = sizeof(read), .kind = PLAIT_NODE_READ, .source = y,
		.host_parameter = "out", .bytes = bytes,
	};
	plait_graph *graph = new_graph();
	plait_node last;

	must(plait_graph_add(graph, &write, NULL, 0, &last, &error));
	must(plait_graph_launch(graph, read_kernel("coroutines", "smooth"),
				PLAIT_ITEMS(LENGTH),
				PLAIT_ARGUMENTS(PLAIT_BUFFER(x), PLAIT_BUFFER(y),
						PLAIT_VALUE(length)),
				last, &last, &error));
	must(plait_graph_add(graph, &read, &last, 1, NULL, &error));
	plan = freeze_for(graph, 1);
	must(plait_plan_find_parameter(plan, "in", &in, &error));
	must(plait_plan_find_parameter(plan, "out", &out, &error));
}

int main(void)
{
	plait_graph *graph;

	open_system();
	make_plan();
	queue = new_queue();
	open_bounded(&raw);
	open_bounded(&smoothed);
	graph = new_graph();
	add_coroutine(graph, make, NULL);
	add_coroutine(graph, smooth, NULL);
	add_coroutine(graph, add_up, NULL);
	run_coroutines(graph);
	printf("%d blocks through 3 stages, sum %llu\n", BLOCKS,
	       (unsigned long long)sum);
	close_coroutines();
	close_system();
	return 0;
}
