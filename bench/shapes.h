/* SPDX-License-Identifier: MIT */
/*
 * Graph shapes for bench/replay, as plain arrays that each contestant converts to
 * its own graph.  Node numbers are a topological order.
 */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include <stdint.h>

/* Argument of a body: its duration and its number. */
struct node {
	uint32_t turns;
	uint32_t id;
};

typedef int32_t (*node_body)(void *node);

struct graph {
	uint32_t count;
	uint32_t edges;
	/* Number of nodes on the longest path. */
	uint32_t depth;
	/* Predecessors of node i: before[before_at[i]] to before_at[i + 1]. */
	uint32_t *before_at;
	uint32_t *before;
	/* Successors, likewise. */
	uint32_t *after_at;
	uint32_t *after;
	struct node *nodes;
	/* Duration of a node, or the shorter of the two durations; 0: empty
	 * body. */
	uint32_t grain_ns;
	/* Body of all nodes, called with the struct node. */
	node_body body;
};

/* Most predecessors of a node in any shape. */
enum { SHAPE_BEFORE_MOST = 8 };

/* Names of the shapes; null-terminated. */
extern const char *const shape_names[];

/* Make a graph of about `count` nodes; return -1 for an unknown name or without
 * memory. */
int graph_make(struct graph *graph, const char *shape, uint32_t count);
void graph_fini(struct graph *graph);

#endif
