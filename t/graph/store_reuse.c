/* SPDX-License-Identifier: MIT */
/*
 * Reuse of a released graph by the next one of its context: memory, and nothing
 * else.  Counted by an allocator.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 20000, LARGE_BYTES = 70 << 20 };

struct memory {
	uint64_t live_bytes;
	uint64_t calls;
};

static struct memory memory;
static plait_context *context;
static plait_error error = { .size = sizeof(error) };

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	struct memory *counted = user_data;
	void *block = NULL;

	__atomic_add_fetch(&counted->calls, 1, __ATOMIC_RELAXED);
	if (new_bytes == 0) {
		free(pointer);
	} else {
		block = realloc(pointer, new_bytes);
		if (block == NULL)
			return NULL;
	}
	__atomic_add_fetch(&counted->live_bytes, new_bytes - old_bytes,
			   __ATOMIC_RELAXED);
	return block;
}

static int32_t never(void *user_data)
{
	(void)user_data;
	abort();
}

static plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	return graph;
}

static plait_node add(plait_graph *graph, const plait_node_desc *given,
		      const plait_node *after)
{
	plait_node_desc desc = *given;
	plait_node node = 0;

	desc.size = sizeof(desc);
	if (plait_graph_add(graph, &desc, after, after != NULL, &node,
			    &error) != PLAIT_OK)
		OK_THAT(false, "add: %s", error.text);
	return node;
}

/* A chain, and a loop with a body at its end. */
static plait_graph *build(uint32_t nodes, plait_node *out_last)
{
	plait_graph *graph = new_graph(), *body;
	plait_node_desc plain = { .label = "link", .file = "chain.c" };
	plait_node_desc loop = { .kind = PLAIT_NODE_DO,
				 .flags = PLAIT_CALL_ANY_THREAD,
				 .function = never };
	plait_node last = 0;

	for (uint32_t i = 0; i < nodes; i++)
		last = add(graph, &plain, i > 0 ? &last : NULL);
	last = add(graph, &loop, &last);
	IS_INT(plait_graph_body(graph, last, 0, &body, &error), PLAIT_OK);
	(void)add(body, &plain, NULL);
	plait_graph_release(body);
	*out_last = last;
	return graph;
}

/* The plan of a graph as bytes. */
static void *save(plait_graph *graph, uint64_t *out_bytes)
{
	plait_plan *plan = NULL;
	void *bytes;

	*out_bytes = 0;
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, NULL, 0, out_bytes,
				&error), PLAIT_OK);
	bytes = malloc(*out_bytes + 1);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes, *out_bytes,
				out_bytes, &error), PLAIT_OK);
	plait_plan_release(plan);
	return bytes;
}

/* The second one asks for next to nothing, and its plan is the same. */
static void used_again(void)
{
	plait_node old, last;
	uint64_t calls, first_bytes, second_bytes;
	plait_graph *graph = build(NODES, &old);
	void *first = save(graph, &first_bytes), *second;

	plait_graph_release(graph);
	calls = memory.calls;
	graph = build(NODES, &last);
	OK(memory.calls - calls < 16);
	second = save(graph, &second_bytes);
	if (IS_INT(second_bytes, first_bytes))
		OK(memcmp(first, second, first_bytes) == 0);
	/* A number of the one before is foreign. */
	IS_INT(plait_graph_add_edge(graph, old, last, &error), PLAIT_E_INVALID);
	plait_graph_release(graph);
	free(first);
	free(second);
}

/* A graph that exists at the same time has memory of its own. */
static void side_by_side(void)
{
	plait_node last;
	plait_graph *graphs[3];
	uint64_t nodes;

	plait_graph_release(build(NODES, &last));
	for (int i = 0; i < 3; i++)
		graphs[i] = build(NODES / 2 + (uint32_t)i, &last);
	for (int i = 0; i < 3; i++) {
		IS_INT(plait_graph_size(graphs[i], &nodes, NULL, &error),
		       PLAIT_OK);
		IS_INT(nodes, NODES / 2 + i + 1);
		plait_graph_release(graphs[i]);
	}
}

/* The memory that a graph of this many nodes, and a label of so many bytes,
 * leaves. */
static uint64_t left_by(uint32_t nodes, uint64_t label_bytes)
{
	uint64_t before = memory.live_bytes;
	char *label = malloc(label_bytes + 1);
	plait_node last;
	plait_graph *graph = build(nodes, &last);

	memset(label, 'x', label_bytes);
	label[label_bytes] = '\0';
	(void)add(graph, &(plait_node_desc){ .label = label }, NULL);
	OK(memory.live_bytes > before);
	plait_graph_release(graph);
	free(label);
	return memory.live_bytes - before;
}

static void only_so_much(void)
{
	IS_INT(left_by(10, 10), 0);
	IS_INT(left_by(10, LARGE_BYTES), 0);
	OK(left_by(NODES, 10) > 0);
}

static void run_with_context(void (*scenario)(void))
{
	plait_allocator allocator = { .size = sizeof(allocator),
				      .resize = resize,
				      .user_data = &memory };
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host",
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .allocator = &allocator };

	memory = (struct memory){ 0 };
	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK)) {
		NOTE("%s", error.text);
		return;
	}
	scenario();
	plait_context_release(context);
	IS_INT(memory.live_bytes, 0);
}

#define WITH(name) static void with_##name(void) { run_with_context(name); }
WITH(used_again)
WITH(side_by_side)
WITH(only_so_much)

static const struct tap_scenario scenarios[] = {
	{ "used again", with_used_again },
	{ "side by side", with_side_by_side },
	{ "only so much", with_only_so_much },
};
TAP_MAIN(scenarios)
