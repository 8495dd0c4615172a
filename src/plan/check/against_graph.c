/* SPDX-License-Identifier: MIT */
/* Comparison with the graph: every edge is kept, every node has the commands
 * that it asks for. */
#include "plan/check/phases.h"

#include "plan/check/obligations.h"

#include "base/error.h"

/* Obligations are added grouped by `after`, as obligations.c wants them.  The
 * planner has accepted the input, so its edges name nodes. */
static plait_status add_edges(plait__check *check)
{
	const plait__input *input = check->input;
	uint32_t *first, *from, i, j, k, n = input->node_count, sum = 0;
	plait_status status = PLAIT_OK;

	first = plait__check_alloc(check, n + 1ull, sizeof(uint32_t));
	from = plait__check_alloc(check, input->edge_count, sizeof(uint32_t));
	if (first == NULL || from == NULL)
		return plait__check_no_memory(check);
	for (i = 0; i < input->edge_count; i++)
		first[input->edges[i].after]++;
	for (i = 0; i <= n; i++) {
		sum += first[i];
		first[i] = sum;
	}
	for (i = 0; i < input->edge_count; i++)
		from[--first[input->edges[i].after]] = input->edges[i].before;
	for (i = 0; i < n; i++)
		for (j = check->node_first[i]; j < check->node_first[i + 1];
		     j++)
			for (k = first[i]; k < first[i + 1]; k++) {
				uint32_t u = from[k], m;

				for (m = check->node_first[u];
				     m < check->node_first[u + 1] &&
				     status == PLAIT_OK; m++)
					status = plait__obligations_add(check,
						check->node_commands[m],
						check->node_commands[j],
						PLAIT__OBLIGATION_EDGE);
			}
	return status;
}

static uint32_t device_of(const plait__check *check, uint32_t c)
{
	return check->plan->lanes[check->plan->commands[c].lane].device;
}

static uint32_t node_device(const plait__input *input,
			    const plait__input_node *node, uint32_t k)
{
	return node->device_count == 1 ? node->device :
		input->device_sets[node->device + k];
}

/* A group has one member on each device of the node.  The node is a group that
 * takes part. */
static plait_status check_group(plait__check *check, uint32_t id,
				uint32_t *stamp)
{
	const plait__input_node *node = &check->input->nodes[id];
	uint32_t i, first = check->node_first[id];
	uint32_t count = check->node_first[id + 1] - first, c;

	for (i = 0; i < node->device_count; i++)
		stamp[node_device(check->input, node, i)] = id + 1;
	for (i = 0; i < count; i++) {
		c = check->node_commands[first + i];
		if (stamp[device_of(check, c)] != id + 1)
			return plait__check_fail(check, c,
				"two members are on one device, or one is on a foreign device");
		stamp[device_of(check, c)] = 0;
	}
	if (count != node->device_count)
		return plait__check_fail(check, check->node_commands[first],
					 "a member of the group is missing");
	return PLAIT_OK;
}

/* Any other node has one command, on its first device.  The node takes part. */
static plait_status check_single(plait__check *check, uint32_t id)
{
	const plait__input_node *node = &check->input->nodes[id];
	uint32_t c = check->node_commands[check->node_first[id]];

	if (check->node_first[id + 1] - check->node_first[id] != 1)
		return plait__check_fail(check, c, "it has several commands");
	if (device_of(check, c) != node_device(check->input, node, 0))
		return plait__check_fail(check, c,
					 "it is not on the device of its node");
	if (check->plan->commands[c].kind != node->kind)
		return plait__check_fail(check, c,
					 "its kind is not that of its node");
	return PLAIT_OK;
}

static bool is_group(const plait__input_node *node)
{
	return node->device_count > 1 &&
	       node->meaning == PLAIT__MEANING_GROUP;
}

/* A barrier has one stub on each device but the first.  The plan has the nodes
 * of the input. */
static plait_status check_joins(plait__check *check)
{
	const plait__input *input = check->input;
	const plait__plan *plan = check->plan;
	plait_status status = PLAIT_OK;
	uint32_t *joins = plait__check_alloc(check, plan->node_count,
					     sizeof(uint32_t));
	uint32_t c, i;

	if (joins == NULL)
		return plait__check_no_memory(check);
	for (c = 0; c < plan->command_count && status == PLAIT_OK; c++) {
		const plait__plan_command *command = &plan->commands[c];
		const plait__input_node *node = &input->nodes[command->node];
		bool found = false;

		if (command->kind != PLAIT__CMD_BARRIER_STUB)
			continue;
		for (i = 1; i < node->device_count && !found; i++)
			found = node_device(input, node, i) ==
				device_of(check, c);
		if (!found || node->meaning != PLAIT__MEANING_BARRIER)
			return plait__check_fail(check, c,
						 "a stub is out of place");
		joins[command->node]++;
	}
	for (i = 0; i < plan->node_count && status == PLAIT_OK; i++) {
		uint32_t want = input->nodes[i].device_count > 1 &&
			input->nodes[i].meaning == PLAIT__MEANING_BARRIER ?
			input->nodes[i].device_count - 1u : 0;

		if (plan->nodes[i].command != PLAIT__NONE && joins[i] != want)
			status = plait__check_fail(check,
						   plan->nodes[i].command,
						   "a stub of it is missing");
	}
	return status;
}

plait_status plait__against_graph_check(plait__check *check)
{
	const plait__input *input = check->input;
	const plait__plan *plan = check->plan;
	plait_status status = PLAIT_OK;
	uint32_t i, *stamp;

	if (input == NULL)
		return PLAIT_OK;
	if (input->node_count != plan->node_count ||
	    input->device_count != plan->devices_count)
		return plait__fail(check->error, PLAIT_E_INVALID,
				   "the plan is of another graph: %u nodes, not %u",
				   plan->node_count, input->node_count);
	stamp = plait__check_alloc(check, input->device_count,
				   sizeof(uint32_t));
	if (stamp == NULL)
		return plait__check_no_memory(check);
	for (i = 0; i < input->node_count && status == PLAIT_OK; i++) {
		if (plan->nodes[i].command == PLAIT__NONE)
			continue;
		status = is_group(&input->nodes[i]) ?
			check_group(check, i, stamp) : check_single(check, i);
	}
	if (status == PLAIT_OK)
		status = check_joins(check);
	return status == PLAIT_OK ? add_edges(check) : status;
}
