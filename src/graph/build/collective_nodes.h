/* SPDX-License-Identifier: MIT */
/*
 * COLLECTIVE nodes: host functions that are a rank's part of a collective, with
 * accesses to the memory that they move.  Added by src/coll/node alone, with a
 * descriptor of its own:
 *
 *	function, user_data	coroutine; user_data is a plait__collective_record,
 *				which the graph and its plans hold; or
 *				user_data_parameter, with one for each run
 *	source, bytes		what is read
 *	target, pattern		what is read and written; `pattern` are its bytes
 */
#ifndef PLAIT_SRC_GRAPH_BUILD_COLLECTIVE_NODES_H
#define PLAIT_SRC_GRAPH_BUILD_COLLECTIVE_NODES_H

#include "graph/build/graph.h"

/* First member of what the function gets.  The nodes of one world have an order in
 * each graph (graph/plan/collective_order.h). */
typedef struct plait__collective_record {
	plait__object object;	/* of a node; without a handle */
	const void *world;
	/* Take the number of the next call, which the rank leaves; any thread,
	 * in notification callbacks, too. */
	uint64_t (*take_number)(const struct plait__collective_record *record);
} plait__collective_record;

/* Hold the record, and push the accesses.  The function of the draft is
 * resolved.  The caller cuts the tables after a failure. */
plait_status plait__collective_nodes_push(plait__node_draft *draft);

/* PLAIT_E_INVALID for a descriptor of the program's that has this kind. */
plait_status plait__collective_nodes_refuse(const plait_node_desc *desc,
					    plait_error *error);

#endif
