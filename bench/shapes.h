/* SPDX-License-Identifier: MIT */
/*
 * The shapes of graphs that bench/replay runs: plain arrays which every peer
 * turns into whatever it calls a graph.  Nodes are numbered in an order in
 * which they may run one after the other.
 */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include <stdint.h>

/* What a body is given: how long it works, and who it is. */
struct node {
	uint32_t turns;
	uint32_t id;
};

typedef int32_t (*node_body)(void *node);

struct graph {
	uint32_t count;
	uint32_t edges;
	/* Nodes on the longest path. */
	uint32_t depth;
	/* Those before node i: before[before_at[i]] to before_at[i + 1]. */
	uint32_t *before_at;
	uint32_t *before;
	/* And those after it. */
	uint32_t *after_at;
	uint32_t *after;
	struct node *nodes;
	/* What a node works, or the shorter of the two times that nodes work;
	 * 0: nothing. */
	uint32_t grain_ns;
	/* What each node calls with its own struct node. */
	node_body body;
};

/* No node of any shape comes after more than this many. */
enum { SHAPE_BEFORE_MOST = 8 };

/* The names of the shapes, ended by a null. */
extern const char *const shape_names[];

/* About `count` nodes; 0 for success, -1 for an unknown name or no memory. */
int graph_make(struct graph *graph, const char *shape, uint32_t count);
void graph_fini(struct graph *graph);

#endif
