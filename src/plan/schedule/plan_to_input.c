/* SPDX-License-Identifier: MIT */
/* Planner input rebuilt from a plan; see plan_to_input.h. */
#include "plan/schedule/plan_to_input.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ---- memory ---- */

static bool alloc_array(const plait__plan_to_input *rebuilt, void *out,
			uint64_t count, uint64_t each)
{
	void *block = plait__alloc_array(rebuilt->allocator, count + 1, each);

	memcpy(out, &block, sizeof(block));
	return block != NULL;
}

static bool take_all(plait__plan_to_input *rebuilt)
{
	const plait__plan *plan = rebuilt->plan;

	return alloc_array(rebuilt, &rebuilt->nodes, plan->node_count,
			   sizeof(*rebuilt->nodes)) &&
	       alloc_array(rebuilt, &rebuilt->edges, plan->preds_count,
			   sizeof(*rebuilt->edges)) &&
	       alloc_array(rebuilt, &rebuilt->devices, plan->devices_count,
			   sizeof(*rebuilt->devices)) &&
	       alloc_array(rebuilt, &rebuilt->device_sets, plan->command_count,
			   sizeof(*rebuilt->device_sets)) &&
	       alloc_array(rebuilt, &rebuilt->scopes, plan->bodies_count,
			   sizeof(*rebuilt->scopes)) &&
	       alloc_array(rebuilt, &rebuilt->regions, plan->regions_count,
			   sizeof(*rebuilt->regions));
}

static void free_arrays(const plait__plan_to_input *rebuilt, void *block,
			uint64_t count, uint64_t each)
{
	plait__free(rebuilt->allocator, block, (count + 1) * each);
}

void plait__plan_to_input_fini(plait__plan_to_input *rebuilt)
{
	const plait__plan *plan = rebuilt->plan;

	free_arrays(rebuilt, rebuilt->nodes, plan->node_count,
		    sizeof(*rebuilt->nodes));
	free_arrays(rebuilt, rebuilt->edges, plan->preds_count,
		    sizeof(*rebuilt->edges));
	free_arrays(rebuilt, rebuilt->devices, plan->devices_count,
		    sizeof(*rebuilt->devices));
	free_arrays(rebuilt, rebuilt->device_sets, plan->command_count,
		    sizeof(*rebuilt->device_sets));
	free_arrays(rebuilt, rebuilt->scopes, plan->bodies_count,
		    sizeof(*rebuilt->scopes));
	free_arrays(rebuilt, rebuilt->regions, plan->regions_count,
		    sizeof(*rebuilt->regions));
}

/* ---- nodes ---- */

/* A node that the plan leaves out is one that was removed. */
static void fill_absent(plait__input_node *node)
{
	*node = (plait__input_node){
		.kind = PLAIT__CMD_JOIN, .device_count = 1,
		.link = PLAIT__NONE, .label = PLAIT__NONE,
		.file = PLAIT__NONE, .is_removed = 1
	};
}

static void fill_node(plait__plan_to_input *rebuilt, uint32_t number)
{
	const plait__plan *plan = rebuilt->plan;
	const plait__plan_node *from = &plan->nodes[number];
	const plait__plan_command *command = &plan->commands[from->command];
	plait__input_node *node = &rebuilt->nodes[number];

	if (from->command == PLAIT__NONE) {
		fill_absent(node);
		return;
	}
	node->kind = command->kind;
	node->device_count = 1;
	node->device = plan->lanes[command->lane].device;
	node->link = command->link;
	node->priority = command->priority;
	node->cost = plait__plan_own_cost(plan, from->command);
	node->label = from->label;
	node->file = from->file;
	node->line = from->line;
	node->access_first = from->access_first;
	node->access_count = from[1].access_first - from->access_first;
	if (command->kind == PLAIT__CMD_LAUNCH &&
	    command->link < plan->payloads_count &&
	    plan->payloads[command->link].kernel != PLAIT__NONE)
		node->affinity = plan->payloads[command->link].kernel + 1;
}

/* Returns true for a stub: never the main command of a node. */
static bool is_stub(const plait__plan_command *command)
{
	return command->kind == PLAIT__CMD_BARRIER_STUB ||
	       command->kind == PLAIT__CMD_ENTER;
}

/* Add a device for a further command of a node, unless it is a lane of a
 * region, which adds no device. */
static void add_device(plait__plan_to_input *rebuilt, uint32_t command)
{
	const plait__plan *plan = rebuilt->plan;
	const plait__plan_command *at = &plan->commands[command];
	plait__input_node *node = &rebuilt->nodes[at->node];

	if (at->kind == PLAIT__CMD_ENTER ||
	    plan->nodes[at->node].command == command)
		return;
	node->meaning = at->kind == PLAIT__CMD_BARRIER_STUB ?
				PLAIT__MEANING_BARRIER :
			PLAIT__MEANING_GROUP;
	node->device_count++;
}

/* Fill the sets of devices, the main one first: count, then fill. */
static void fill_sets(plait__plan_to_input *rebuilt)
{
	const plait__plan *plan = rebuilt->plan;
	uint32_t next = 0;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		plait__input_node *node = &rebuilt->nodes[i];
		uint32_t count = node->device_count;

		if (count == 1)
			continue;
		rebuilt->device_sets[next] = node->device;
		node->device = next;
		/* Recounted while the set is filled. */
		node->device_count = 1;
		next += count;
	}
	rebuilt->input.device_set_count = next;
	for (uint32_t i = 0; i < plan->command_count; i++) {
		plait__input_node *node =
			&rebuilt->nodes[plan->commands[i].node];

		if (node->meaning != PLAIT__MEANING_FIRST &&
		    plan->nodes[plan->commands[i].node].command != i)
			rebuilt->device_sets[node->device +
					     node->device_count++] =
				plan->lanes[plan->commands[i].lane].device;
	}
}

static void fill_nodes(plait__plan_to_input *rebuilt)
{
	const plait__plan *plan = rebuilt->plan;

	for (uint32_t i = 0; i < plan->node_count; i++)
		fill_node(rebuilt, i);
	for (uint32_t i = 0; i < plan->command_count; i++)
		add_device(rebuilt, i);
	fill_sets(rebuilt);
	for (uint32_t i = 0; i < plan->scratch_count; i++)
		rebuilt->nodes[plan->commands[plan->scratch[i].command].node]
			.scratch_bytes = plan->scratch[i].bytes;
}

static void fill_edges(plait__plan_to_input *rebuilt)
{
	const plait__plan *plan = rebuilt->plan;

	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *at = &plan->commands[i];

		for (uint32_t p = at[0].pred_first; p < at[1].pred_first;
		     p++) {
			uint32_t before = plan->commands[plan->preds[p]].node;

			if (before != at->node)
				rebuilt->edges[rebuilt->input.edge_count++] =
					(plait__input_edge){ before,
							     at->node };
		}
	}
}

/* ---- scopes, regions, devices ---- */

static void fill_scopes(plait__plan_to_input *rebuilt)
{
	const plait__plan *plan = rebuilt->plan;
	uint32_t body = 0;

	for (uint32_t i = 0; i < plan->bodies_count; i++)
		rebuilt->scopes[i].region = plan->bodies[i].region;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		plait__input_scope *scope;

		/* Nodes of a body that the plan leaves out: the nodes of a
		 * scope are contiguous, so those before them take them. */
		if (plan->nodes[i].body != PLAIT__NONE)
			body = plan->nodes[i].body;
		scope = &rebuilt->scopes[body];
		if (scope->node_count++ == 0)
			scope->node_first = i;
	}
	for (uint32_t i = 0; i < plan->regions_count; i++) {
		const plait__plan_region *from = &plan->regions[i];

		rebuilt->regions[i] = (plait__input_region){
			.kind = from->kind,
			.node = plan->commands[from->command].node,
			.scope_first = from->body_first,
			.scope_count = from->body_count,
			.predicate = from->predicate, .times = from->times,
		};
	}
}

static void fill_devices(plait__plan_to_input *rebuilt)
{
	const plait__plan *plan = rebuilt->plan;

	for (uint32_t i = 0; i < plan->devices_count; i++)
		rebuilt->devices[i] = (plait__input_device){
			.name = plan->devices[i].name,
			.rank = plan->devices[i].rank,
			.flags = plan->devices[i].flags,
			.lane_limit = plan->devices[i].lane_limit,
		};
}

#define SAME_TABLE(type, table)						\
	rebuilt->input.tables.table = rebuilt->plan->table;		\
	rebuilt->input.tables.table##_count = rebuilt->plan->table##_count;
static void fill_input(plait__plan_to_input *rebuilt)
{
	plait__input *input = &rebuilt->input;

	input->nodes = rebuilt->nodes;
	input->edges = rebuilt->edges;
	input->devices = rebuilt->devices;
	input->device_sets = rebuilt->device_sets;
	input->scopes = rebuilt->scopes;
	input->regions = rebuilt->regions;
	input->node_count = rebuilt->plan->node_count;
	input->device_count = rebuilt->plan->devices_count;
	input->scope_count = rebuilt->plan->bodies_count;
	input->region_count = rebuilt->plan->regions_count;
	PLAIT__PLAN_TABLES(SAME_TABLE)
}
#undef SAME_TABLE

/* Returns true if no node's command is a stub. */
static bool has_main_commands(const plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++) {
		uint32_t command = plan->nodes[i].command;

		if (command != PLAIT__NONE &&
		    (command >= plan->command_count ||
		     is_stub(&plan->commands[command])))
			return false;
	}
	return true;
}

plait_status plait__plan_to_input_init(plait__plan_to_input *rebuilt,
				       const plait__plan *plan,
				       const plait_allocator *allocator,
				       plait_error *error)
{
	*rebuilt = (plait__plan_to_input){
		.plan = plan, .allocator = allocator
	};
	if (!has_main_commands(plan))
		return plait__fail(error, PLAIT_E_INVALID,
				   "a node of the plan has no command but "
				   "stubs");
	if (!take_all(rebuilt))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to plan %u nodes anew",
				   plan->node_count);
	fill_nodes(rebuilt);
	fill_edges(rebuilt);
	fill_scopes(rebuilt);
	fill_devices(rebuilt);
	fill_input(rebuilt);
	return PLAIT_OK;
}
