/* SPDX-License-Identifier: MIT */
/* Nodes and edges taken away from a graph.  Objects that a removed node named
 * stay held by the root until it goes. */
#include "graph/build/graph.h"

#include "graph/store/removal.h"
#include "base/error.h"

static plait_status check_nodes(const plait__graph *graph,
				const plait_node *nodes, uint64_t count,
				plait_error *error)
{
	if (nodes == NULL && count > 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "remove: nodes is null");
	for (uint64_t i = 0; i < count; i++)
		if (plait__graph_index(graph, nodes[i]) == PLAIT__NONE)
			return plait__fail(error, PLAIT_E_INVALID,
					   "remove: nodes[%llu]: 0x%llx is "
					   "not a node of this graph",
					   (unsigned long long)i,
					   (unsigned long long)nodes[i]);
	return PLAIT_OK;
}

/* Public numbers stop counting as nodes one by one, hence the subtraction. */
static void remove_nodes(const plait__graph *graph, const plait_node *nodes,
			 uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		plait__removal_mark(graph->store, graph->scope,
				    (uint32_t)(nodes[i] - graph->tag));
	plait__removal_settle(graph->store, graph->scope);
}

plait_status plait_graph_remove(plait_graph *graph, const plait_node *nodes,
				uint64_t count, plait_error *error)
{
	plait__graph *entered;
	plait_status status = plait__graph_enter(graph, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = check_nodes(entered, nodes, count, error);
	if (status == PLAIT_OK && count > 0)
		remove_nodes(entered, nodes, count);
	plait__graph_leave(entered);
	return status;
}

static plait_status remove_edge(const plait__graph *graph, plait_node before,
				plait_node after, plait_error *error)
{
	uint32_t from = plait__graph_index(graph, before);
	uint32_t to = plait__graph_index(graph, after);
	char one[PLAIT__NODE_TEXT_BYTES], other[PLAIT__NODE_TEXT_BYTES];

	if (from == PLAIT__NONE || to == PLAIT__NONE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "remove edge: `%s`, 0x%llx, is not a node "
				   "of this graph",
				   from == PLAIT__NONE ? "before" : "after",
				   (unsigned long long)(from == PLAIT__NONE ?
							before : after));
	if (plait__removal_edge(graph->store, graph->scope, from, to) > 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "remove edge: no edge leads from %s to %s; order "
			   "may come from other edges",
			   plait__graph_node_text(graph, from, one),
			   plait__graph_node_text(graph, to, other));
}

plait_status plait_graph_remove_edge(plait_graph *graph, plait_node before,
				     plait_node after, plait_error *error)
{
	plait__graph *entered;
	plait_status status = plait__graph_enter(graph, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = remove_edge(entered, before, after, error);
	plait__graph_leave(entered);
	return status;
}
