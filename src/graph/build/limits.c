/* SPDX-License-Identifier: MIT */
/* Priorities of nodes, and resources that limit how many nodes run at once. */
#include "graph/build/graph.h"

#include "graph/store/resources.h"
#include "base/error.h"

enum { MOST_URGENT = 1000 };

static plait_status check_node(const plait__graph *graph, plait_node node,
			       const char *what, uint32_t *out,
			       plait_error *error)
{
	*out = plait__graph_index(graph, node);
	return *out != PLAIT__NONE ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_INVALID,
			   "%s: 0x%llx is not a node of this graph", what,
			   (unsigned long long)node);
}

static plait_status check_name(const char *name, const char *what,
			       plait_error *error)
{
	return name != NULL && *name != '\0' ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_INVALID, "%s: name is %s", what,
			   name == NULL ? "null" : "empty");
}

static plait_status enter(plait_graph *graph, const char *what,
			  plait__graph **out, plait_error *error)
{
	plait_status status = plait__graph_enter(graph, out, error);

	if (status != PLAIT_OK)
		plait__error_prefix(error, "%s: ", what);
	return status;
}

plait_status plait_graph_set_priority(plait_graph *graph, plait_node node,
				      int32_t priority, plait_error *error)
{
	plait__graph *entered;
	plait__input_node *changed;
	uint32_t index;
	plait_status status;

	if (priority < -MOST_URGENT || priority > MOST_URGENT)
		return plait__fail(error, PLAIT_E_INVALID,
				   "priority: %d; expected -%d to %d",
				   (int)priority, MOST_URGENT, MOST_URGENT);
	status = enter(graph, "priority", &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = check_node(entered, node, "priority", &index, error);
	if (status == PLAIT_OK) {
		changed = plait__vector_at(&plait__store_scope_at(
			entered->store, entered->scope)->nodes, index);
		changed->priority = (int16_t)priority;
	}
	plait__graph_leave(entered);
	return status;
}

plait_status plait_graph_add_resource(plait_graph *graph, const char *name,
				      uint64_t units, plait_error *error)
{
	plait__graph *entered;
	uint32_t ignored;
	plait_status status = check_name(name, "resource", error);

	if (status == PLAIT_OK)
		status = enter(graph, "resource", &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = plait__resources_add(entered->store, name, units, &ignored,
				      error);
	plait__graph_leave(entered);
	return status;
}

static plait_status find_resource(const plait__store *store, const char *name,
				  uint64_t units, uint32_t *out,
				  plait_error *error)
{
	const plait__plan_resource *resource;

	*out = plait__resources_find(store, name);
	if (*out == PLAIT__NONE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "need: the graph has no resource '%s'", name);
	resource = plait__vector_at(&store->resources, *out);
	if (units == 0 || units > resource->units)
		return plait__fail(error, PLAIT_E_INVALID,
				   "need: %llu units of resource '%s', which "
				   "has %u", (unsigned long long)units, name,
				   resource->units);
	return PLAIT_OK;
}

plait_status plait_graph_add_need(plait_graph *graph, plait_node node,
				  const char *name, uint64_t units,
				  plait_error *error)
{
	plait__graph *entered;
	plait__store_need need = { .units = (uint32_t)units };
	plait_status status = check_name(name, "need", error);

	if (status == PLAIT_OK)
		status = enter(graph, "need", &entered, error);
	if (status != PLAIT_OK)
		return status;
	need.scope = entered->scope;
	status = check_node(entered, node, "need", &need.node, error);
	if (status == PLAIT_OK)
		status = find_resource(entered->store, name, units,
				       &need.resource, error);
	if (status == PLAIT_OK &&
	    plait__resources_add_need(entered->store, &need) != 0)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for the need of a node");
	plait__graph_leave(entered);
	return status;
}
