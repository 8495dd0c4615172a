/* SPDX-License-Identifier: MIT */
/*
 * Copying what nodes name from one store to another: strings, devices,
 * objects, payloads, arguments, accesses.  Used by subgraph.c alone.
 */
#ifndef PLAIT_SRC_GRAPH_BUILD_SUBGRAPH_TABLES_H
#define PLAIT_SRC_GRAPH_BUILD_SUBGRAPH_TABLES_H

#include "graph/build/graph.h"

typedef struct plait__subgraph_tables {
	plait__node_draft *draft;	/* for errors, and whose root holds objects */
	plait__store *from;
	plait__store *to;
	/* Regions and rotations of `from`: their place in `to` plus 1, or 0
	 * while they have none. */
	plait__vector regions;
	plait__vector rotations;
} plait__subgraph_tables;

void plait__subgraph_tables_init(plait__subgraph_tables *tables, plait__node_draft *draft,
				 plait__store *from);
void plait__subgraph_tables_fini(plait__subgraph_tables *tables);

/* Region `old` has been copied to `new`; its rotations come when they are
 * used. */
plait_status plait__subgraph_add_region(plait__subgraph_tables *tables, uint32_t old,
					uint32_t new);

/* The node's names, devices and accesses. */
plait_status plait__subgraph_map_node(plait__subgraph_tables *tables, plait__input_node *node);

/* A payload with its arguments; none stays none. */
plait_status plait__subgraph_map_payload(plait__subgraph_tables *tables, uint32_t *payload);

/* A device of the one store, as a device of the other. */
plait_status plait__subgraph_map_device(plait__subgraph_tables *tables, uint32_t *device);

#endif
