/* SPDX-License-Identifier: MIT */
/*
 * Translation of table indices from one store to another while nodes are
 * copied: strings, devices, objects, payloads, arguments, accesses.  Private to
 * subgraph.c.
 */
#ifndef PLAIT_SRC_GRAPH_BUILD_SUBGRAPH_TABLES_H
#define PLAIT_SRC_GRAPH_BUILD_SUBGRAPH_TABLES_H

#include "graph/build/graph.h"

typedef struct plait__subgraph_tables {
	plait__node_draft *draft;	/* for errors; its graph receives the
					 * nodes */
	plait__store *from;
	plait__store *to;
	/* By index in `from`: the index in `to` plus 1, or 0 while there is
	 * none.  Other entries of `to` are found by value. */
	plait__vector regions;
	plait__vector rotations;
} plait__subgraph_tables;

void plait__subgraph_tables_init(plait__subgraph_tables *tables,
				 plait__node_draft *draft, plait__store *from);
void plait__subgraph_tables_fini(plait__subgraph_tables *tables);

/* Record that region `old` was copied to `new`; its rotations follow on use. */
plait_status plait__subgraph_add_region(plait__subgraph_tables *tables,
					uint32_t old, uint32_t new);

/* Translate the node's strings, devices and accesses. */
plait_status plait__subgraph_map_node(plait__subgraph_tables *tables,
				      plait__input_node *node);

/* Copy a payload with its arguments; PLAIT__NONE stays. */
plait_status plait__subgraph_map_payload(plait__subgraph_tables *tables,
					 uint32_t *payload);

/* Translate a device. */
plait_status plait__subgraph_map_device(plait__subgraph_tables *tables,
					uint32_t *device);

#endif
