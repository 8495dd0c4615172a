/* SPDX-License-Identifier: MIT */
/* Validation of the planner's input: indices, scopes, device sets. */
#include "plan/schedule/phases.h"

#include "base/error.h"


static plait_status bad_node(plait__planner_state *planner, uint32_t node,
			     const char *what, uint32_t number)
{
	char text[PLAIT__NODE_TEXT_BYTES];

	return plait__planner_fail_at(planner, node, "%s: %s %u",
				    plait__input_node_text(planner->input, node,
							   text),
				      what, number);
}

static plait_status check_device_set(plait__planner_state *planner, uint32_t id)
{
	const plait__input *input = planner->input;
	const plait__input_node *node = &input->nodes[id];
	uint32_t i, j;

	if (node->device > input->device_set_count ||
	    node->device_count > input->device_set_count - node->device)
		return bad_node(planner, id,
				"its device set is out of range at",
				node->device);
	for (i = 0; i < node->device_count; i++) {
		const uint32_t *set = input->device_sets + node->device;

		if (set[i] >= input->device_count)
			return bad_node(planner, id, "there is no device",
					set[i]);
		for (j = 0; j < i; j++)
			if (set[i] == set[j])
				return bad_node(planner, id,
						"it names twice device", set[i]);
	}
	return PLAIT_OK;
}

static plait_status check_link(plait__planner_state *planner, uint32_t id)
{
	const plait__input *input = planner->input;
	const plait__input_node *node = &input->nodes[id];

	if (node->kind != PLAIT__CMD_REGION) {
		if (node->link != PLAIT__NONE &&
		    node->link >= input->tables.payloads_count)
			return bad_node(planner, id, "there is no payload",
					node->link);
		return PLAIT_OK;
	}
	if (node->link >= input->region_count)
		return bad_node(planner, id, "there is no region", node->link);
	if (input->regions[node->link].node != id)
		return bad_node(planner, id, "it is not the node of region",
				node->link);
	if (node->device_count > 1)
		return bad_node(planner, id, "a region sits on one device, not",
				node->device_count);
	return PLAIT_OK;
}

static plait_status check_node(plait__planner_state *planner, uint32_t id)
{
	const plait__input *input = planner->input;
	const plait__input_node *node = &input->nodes[id];

	if (node->kind >= PLAIT__CMD_ENTER)
		return bad_node(planner, id, "cannot be planned: kind",
				node->kind);
	if (node->meaning > PLAIT__MEANING_GROUP)
		return bad_node(planner, id, "unknown meaning", node->meaning);
	if (node->device_count == 0)
		return bad_node(planner, id, "it needs a device, has", 0);
	if (node->device_count == 1 && node->device >= input->device_count)
		return bad_node(planner, id, "there is no device",
				node->device);
	if (node->device_count > 1 && check_device_set(planner, id) != PLAIT_OK)
		return PLAIT_E_INVALID;
	if (node->access_first > input->tables.accesses_count ||
	    node->access_count > input->tables.accesses_count -
	    node->access_first)
		return bad_node(planner, id, "its accesses are out of range at",
				node->access_first);
	return check_link(planner, id);
}

/* Fast path for a node on one device: all tests of check_node, without a
 * call. */
static inline bool is_plain(const plait__input *input,
			    const plait__input_node *node)
{
	return node->kind < PLAIT__CMD_REGION &&
	       node->meaning <= PLAIT__MEANING_GROUP &&
	       node->device_count == 1 &&
	       node->device < input->device_count &&
	       node->access_first <= input->tables.accesses_count &&
	       node->access_count <= input->tables.accesses_count -
				     node->access_first &&
	       (node->link == PLAIT__NONE ||
		node->link < input->tables.payloads_count);
}

static plait_status check_nodes(plait__planner_state *planner)
{
	const plait__input *input = planner->input;
	uint32_t i;

	for (i = 0; i < input->node_count; i++) {
		const plait__input_node *node = &input->nodes[i];

		planner->has_affinity |= node->affinity != 0;
		planner->has_removed |= node->is_removed != 0;
		planner->has_priority |= node->priority != 0;
		planner->has_scratch |= node->scratch_bytes > 0;
		if (is_plain(input, node))
			continue;
		planner->has_several |= node->device_count > 1 &&
				      node->meaning != PLAIT__MEANING_FIRST;
		if (check_node(planner, i) != PLAIT_OK)
			return PLAIT_E_INVALID;
	}
	return PLAIT_OK;
}

static plait_status check_region(plait__planner_state *planner, uint32_t id)
{
	const plait__input *input = planner->input;
	const plait__input_region *region = &input->regions[id];
	uint32_t s;

	if (region->node >= input->node_count ||
	    input->nodes[region->node].kind != PLAIT__CMD_REGION ||
	    input->nodes[region->node].link != id)
		return plait__fail(planner->error, PLAIT_E_INVALID,
				   "region %u: node %u is not its node", id,
				   region->node);
	if (region->kind > PLAIT__REGION_REPEAT)
		return bad_node(planner, region->node, "unknown kind of region",
				region->kind);
	if (region->kind == PLAIT__REGION_CASE && region->scope_count == 0)
		return bad_node(planner, region->node,
				"a case needs a branch, has", 0);
	if (region->kind != PLAIT__REGION_CASE && region->scope_count != 1)
		return bad_node(planner, region->node,
				"a loop has one body, not",
				region->scope_count);
	if (region->scope_first >= planner->scope_count ||
	    region->scope_count > planner->scope_count - region->scope_first)
		return bad_node(planner, region->node, "there is no body",
				region->scope_first);
	for (s = 0; s < region->scope_count; s++)
		if (planner->input_scopes[region->scope_first + s].region != id)
			return bad_node(planner, region->node,
					"belongs to another region: body",
					region->scope_first + s);
	if (region->predicate != PLAIT__NONE &&
	    region->predicate >= input->tables.payloads_count)
		return bad_node(planner, region->node, "there is no payload",
				region->predicate);
	return PLAIT_OK;
}

static plait_status bad_scope(plait__planner_state *planner, uint32_t scope,
			      const char *what)
{
	return plait__fail(planner->error, PLAIT_E_INVALID, "body %u: %s",
			   scope, what);
}

/* Enter the scope of each of its nodes; every node lies in exactly one. */
static plait_status map_scope(plait__planner_state *planner, uint32_t s)
{
	const plait__input_scope *scope = &planner->input_scopes[s];
	uint32_t i;

	if (scope->node_first > planner->input->node_count ||
	    scope->node_count > planner->input->node_count - scope->node_first)
		return bad_scope(planner, s, "its nodes are out of range");
	for (i = 0; i < scope->node_count; i++) {
		if (planner->scope_of[scope->node_first + i] != PLAIT__NONE)
			return bad_scope(planner, s,
					 "its nodes are in another body too");
		planner->scope_of[scope->node_first + i] = s;
	}
	return PLAIT_OK;
}

/* map_scope has entered all nodes. */
static plait_status check_scope(plait__planner_state *planner, uint32_t s)
{
	const plait__input *input = planner->input;
	uint32_t region = planner->input_scopes[s].region;
	uint32_t node;

	if (s == 0 && region != PLAIT__NONE)
		return bad_scope(planner, s, "the first one has no region");
	if (s == 0)
		return PLAIT_OK;
	if (region >= input->region_count)
		return bad_scope(planner, s, "it has no region");
	if (s < input->regions[region].scope_first ||
	    s - input->regions[region].scope_first >=
	    input->regions[region].scope_count)
		return bad_scope(planner, s, "its region does not contain it");
	node = input->regions[region].node;
	if (node >= input->node_count || planner->scope_of[node] >= s)
		return bad_scope(planner, s,
				 "it must come after the one of its region");
	return PLAIT_OK;
}

static plait_status check_scopes(plait__planner_state *planner)
{
	const plait__input *input = planner->input;
	plait_status status = PLAIT_OK;
	uint32_t i;

	planner->scope_of = plait__workspace_alloc_none(&planner->work,
							input->node_count,
							sizeof(uint32_t));
	if (planner->scope_of == NULL)
		return plait__planner_no_memory(planner);
	for (i = 0; i < planner->scope_count && status == PLAIT_OK; i++)
		status = map_scope(planner, i);
	for (i = 0; i < planner->scope_count && status == PLAIT_OK; i++)
		status = check_scope(planner, i);
	for (i = 0; i < input->region_count && status == PLAIT_OK; i++)
		status = check_region(planner, i);
	for (i = 0; i < input->node_count && status == PLAIT_OK; i++)
		if (planner->scope_of[i] == PLAIT__NONE)
			status = bad_node(planner, i, "it is in no body of the",
					  planner->scope_count);
	return status;
}

static plait_status check_edge(plait__planner_state *planner, uint32_t index)
{
	const plait__input *input = planner->input;
	const plait__input_edge *edge = &input->edges[index];
	char from[PLAIT__NODE_TEXT_BYTES], to[PLAIT__NODE_TEXT_BYTES];

	if (edge->before >= input->node_count ||
	    edge->after >= input->node_count)
		return plait__fail(planner->error, PLAIT_E_INVALID,
				   "edge %u: from node %u to node %u, but there are %u nodes",
				   index, edge->before, edge->after,
				   input->node_count);
	if (planner->scope_of == NULL || planner->scope_of[edge->before] ==
	    planner->scope_of[edge->after])
		return PLAIT_OK;
	return plait__fail(planner->error, PLAIT_E_INVALID,
			   "edge from %s to %s crosses the border of a body",
			   plait__input_node_text(input, edge->before, from),
			   plait__input_node_text(input, edge->after, to));
}

static plait_status check_edges(plait__planner_state *planner)
{
	const plait__input *input = planner->input;
	uint32_t i;

	for (i = 0; i < input->edge_count; i++) {
		if (planner->scope_of == NULL &&
		    input->edges[i].before < input->node_count &&
		    input->edges[i].after < input->node_count)
			continue;
		if (check_edge(planner, i) != PLAIT_OK)
			return PLAIT_E_INVALID;
	}
	return PLAIT_OK;
}

/* Either all holds are needs, or none. */
static plait_status check_holds(const plait__planner_state *planner)
{
	const plait__input_tables *tables = &planner->input->tables;

	for (uint32_t i = 0; i < tables->resources_count; i++)
		if (tables->resources[i].units == 0 ||
		    tables->resources[i].units > PLAIT__RESOURCE_UNITS ||
		    tables->resources[i].name >= tables->strings_count ||
		    i >= PLAIT__RESOURCES)
			return plait__fail(planner->error, PLAIT_E_INVALID,
					   "resource %u: it has no name, no "
					   "or too many units, or too many "
					   "before it", i);
	for (uint32_t i = 0; i < tables->holds_count; i++) {
		const plait__plan_hold *hold = &tables->holds[i];
		uint32_t units = hold->resource >= tables->resources_count ?
				 0 : tables->resources[hold->resource].units;
		bool is_need = hold->first == PLAIT__NONE;

		if (hold->node >= planner->input->node_count ||
		    hold->count == 0 || hold->count > units ||
		    is_need != (tables->holds[0].first == PLAIT__NONE) ||
		    (!is_need && hold->first > units - hold->count))
			return plait__fail(planner->error, PLAIT_E_INVALID,
					   "hold %u: its node, resource or "
					   "units are out of range", i);
	}
	return PLAIT_OK;
}

static plait_status check_options(plait__planner_state *planner)
{
	const plait__input *input = planner->input;
	const plait__input_options *options = planner->options;
	uint32_t i;

	if (input->device_count == 0)
		return plait__fail(planner->error, PLAIT_E_INVALID,
				   "there is no device to plan for");
	if (options->policy > PLAIT__POLICY_WIDEST)
		return plait__fail(planner->error, PLAIT_E_INVALID,
				   "unknown policy %u", options->policy);
	if (options->mode > PLAIT__MODE_HELPED)
		return plait__fail(planner->error, PLAIT_E_INVALID,
				   "unknown mode %u", options->mode);
	if (input->node_count >= UINT32_MAX / 4 ||
	    input->edge_count >= UINT32_MAX / 2)
		return plait__fail(planner->error, PLAIT_E_UNSUPPORTED,
				   "%u nodes and %u edges are too many",
				   input->node_count, input->edge_count);
	if (input->tables.strings_count > 0 &&
	    input->tables.strings[input->tables.strings_count - 1] != '\0')
		return plait__fail(planner->error, PLAIT_E_INVALID,
				   "the strings do not end with a NUL");
	for (i = 0; i < input->tables.accesses_count; i++)
		if (input->tables.accesses[i].mode > PLAIT__ACCESS_ATOMIC ||
		    (input->tables.accesses[i].box != PLAIT__NONE &&
		     input->tables.accesses[i].box >=
		     input->tables.boxes_count))
			return plait__fail(planner->error, PLAIT_E_INVALID,
					   "access %u: its mode or box does not exist",
					   i);
	return PLAIT_OK;
}

/* Returns the lane limit of a partial plan: that of the whole plan, or its
 * number of lanes. */
static uint32_t limit_of_whole(const plait__plan *whole, uint32_t device,
			       uint32_t limit)
{
	if (device < whole->devices_count &&
	    whole->devices[device].lane_limit > 0)
		return whole->devices[device].lane_limit;
	return limit > 0 && limit < whole->lanes_count ? whole->lanes_count :
	       limit;
}

/* Resolve the lane limit of each device, with the defaults filled in. */
static plait_status fill_limits(plait__planner_state *planner)
{
	const plait__input *input = planner->input;
	uint32_t i;

	planner->limits = plait__workspace_alloc(&planner->work,
						 input->device_count,
						 sizeof(uint32_t));
	if (planner->limits == NULL)
		return plait__planner_no_memory(planner);
	for (i = 0; i < input->device_count; i++) {
		uint32_t limit = input->devices[i].lane_limit;

		if (limit == 0 || (planner->options->lanes > 0 &&
				   planner->options->lanes < limit))
			limit = planner->options->lanes;
		if (limit == 0 &&
		    planner->options->policy == PLAIT__POLICY_BOUNDED)
			limit = 1;
		if (planner->options->whole != NULL)
			limit = limit_of_whole(planner->options->whole, i,
					       limit);
		planner->limits[i] = limit;
	}
	return PLAIT_OK;
}

plait_status plait__validate_input(plait__planner_state *planner)
{
	const plait__input *input = planner->input;
	plait_status status = check_options(planner);

	if (status == PLAIT_OK)
		status = fill_limits(planner);
	if (status == PLAIT_OK &&
	    (planner->scope_count > 1 || input->region_count > 0 ||
	     input->scope_count > 0))
		status = check_scopes(planner);
	planner->has_several = input->region_count > 0;
	if (status == PLAIT_OK)
		status = check_nodes(planner);
	if (status == PLAIT_OK)
		status = check_holds(planner);
	if (status == PLAIT_OK)
		status = check_edges(planner);
	return status;
}
