/* SPDX-License-Identifier: MIT */
/*
 * The public builder: graphs and their bodies as objects, over one store.
 *
 * A body is an object of its own that holds the graph it is part of; the graph
 * (the root) has the store and holds everything that nodes name.
 */
#ifndef PLAIT_SRC_GRAPH_BUILD_GRAPH_H
#define PLAIT_SRC_GRAPH_BUILD_GRAPH_H

#include "plait/graph.h"

#include "graph/store/store.h"
#include "object/context/context.h"

typedef struct plait__graph plait__graph;

struct plait__graph {
	plait__object object;
	plait__graph *root;	/* itself, or the one that a body holds */
	plait__store *store;	/* the root's */
	uint32_t scope;
	uint64_t tag;		/* of its nodes' numbers, in their high bits */
};

/* A node that is being added; see add_node.c. */
typedef struct plait__node_draft {
	plait__graph *graph;
	const plait_node_desc *desc;
	plait__input_node node;
	plait__plan_payload payload;
	/* Where it runs if neither hint nor buffer says so. */
	uint32_t first_buffer_device;
	/* Messages begin with this, where no node is added. */
	const char *instead;
	plait_error *error;
} plait__node_draft;

plait_status plait__graph_enter(plait_graph *handle, plait__graph **out,
				plait_error *error);

/* A root graph around a new store. */
plait_status plait__graph_make(plait__context *context, plait__graph **out,
			       plait_error *error);

/* Number of a node, and back: none when it is not one of this graph. */
plait_node plait__graph_node(const plait__graph *graph, uint32_t index);
uint32_t plait__graph_index(const plait__graph *graph, plait_node node);

/* Give back the holds on objects that came since the mark, and cut. */
void plait__graph_cut(plait__graph *graph, const plait__store_mark *mark);

#endif
