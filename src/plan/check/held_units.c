/* SPDX-License-Identifier: MIT */
/*
 * Limits: the commands that hold one unit of a resource must be ordered.
 * Commands come in the order made by accesses.c.  A node that holds a unit that
 * its own loop holds is refused, since both run at once.
 */
#include "plan/check/phases.h"

#include "plan/check/obligations.h"

/* The last holder of a unit.  `before` is the previous one, kept when the last
 * one is in a case branch that excludes the current command. */
struct holder {
	uint32_t last;
	uint32_t before;
};

struct holders {
	plait__check *check;
	struct holder *units;	/* by resource, then unit */
	uint32_t *first;	/* by node, plus one sentinel: in holds */
	uint32_t *unclaimed;	/* by hold: units that no need of the graph
				 * explains so far */
};

static bool ascends(const plait__plan_hold *a, const plait__plan_hold *b)
{
	if (a->node != b->node)
		return a->node < b->node;
	if (a->resource != b->resource)
		return a->resource < b->resource;
	return a->first + a->count <= b->first;
}

static plait_status check_table(plait__check *check)
{
	const plait__plan *plan = check->plan;

	for (uint32_t i = 0; i < plan->resources_count; i++)
		if (plan->resources[i].units == 0 ||
		    plan->resources[i].units > PLAIT__RESOURCE_UNITS ||
		    i >= PLAIT__RESOURCES)
			return plait__check_fail_part(check, "resource", i,
				"it has no units, or too many");
	for (uint32_t i = 0; i < plan->holds_count; i++) {
		const plait__plan_hold *hold = &plan->holds[i];
		uint32_t units = hold->resource >= plan->resources_count ? 0 :
				 plan->resources[hold->resource].units;

		if (hold->count == 0 || hold->count > units ||
		    hold->first > units - hold->count)
			return plait__check_fail_part(check, "hold", i,
				"its resource or units do not exist");
		if (hold->node >= plan->node_count ||
		    plan->nodes[hold->node].command == PLAIT__NONE)
			return plait__check_fail_part(check, "hold", i,
				"its node is not in the plan");
		if (i > 0 && !ascends(&hold[-1], hold))
			return plait__check_fail_part(check, "hold", i,
				"holds must ascend and not overlap");
	}
	return PLAIT_OK;
}

static plait_status alloc_arrays(struct holders *h)
{
	const plait__plan *plan = h->check->plan;
	uint64_t units = (uint64_t)plan->resources_count *
			 PLAIT__RESOURCE_UNITS;

	h->units = plait__check_alloc(h->check, units, sizeof(*h->units));
	h->first = plait__check_alloc(h->check, plan->node_count + 1ull,
				      sizeof(*h->first));
	h->unclaimed = plait__check_alloc(h->check, plan->holds_count,
					  sizeof(*h->unclaimed));
	if (h->units == NULL || h->first == NULL || h->unclaimed == NULL)
		return plait__check_no_memory(h->check);
	for (uint64_t i = 0; i < units; i++)
		h->units[i] = (struct holder){ PLAIT__NONE, PLAIT__NONE };
	for (uint32_t i = 0; i < plan->holds_count; i++) {
		h->first[plan->holds[i].node + 1]++;
		h->unclaimed[i] = plan->holds[i].count;
	}
	for (uint32_t i = 0; i < plan->node_count; i++)
		h->first[i + 1] += h->first[i];
	return PLAIT_OK;
}

/* ---- needs of the graph ---- */

/* Needs of one node and resource add up, so each claims units of its own. */
static plait_status check_need(struct holders *h, const plait__plan_hold *need)
{
	const plait__plan *plan = h->check->plan;
	uint32_t end = h->first[need->node + 1], missing = need->count;

	for (uint32_t i = h->first[need->node]; i < end; i++) {
		uint32_t claimed = plan->holds[i].resource != need->resource ?
				   0 : h->unclaimed[i];

		claimed = claimed < missing ? claimed : missing;
		h->unclaimed[i] -= claimed;
		missing -= claimed;
	}
	return missing == 0 ? PLAIT_OK :
	       plait__check_fail(h->check, plan->nodes[need->node].command,
				 "it holds fewer units than it needs");
}

/* Each need of the graph is met, and each resource has its units. */
static plait_status check_needs(struct holders *h)
{
	const plait__input_tables *tables = &h->check->input->tables;
	const plait__plan *plan = h->check->plan;
	plait_status status = PLAIT_OK;

	if (tables->resources_count != plan->resources_count)
		return plait__check_fail_part(h->check, "plan",
					      plan->resources_count,
					      "not the resources of the graph");
	for (uint32_t i = 0; i < plan->resources_count; i++)
		if (plan->resources[i].units != tables->resources[i].units)
			return plait__check_fail_part(h->check, "resource", i,
				"it has other units than in the graph");
	for (uint32_t i = 0; i < tables->holds_count && status == PLAIT_OK;
	     i++)
		if (plan->nodes[tables->holds[i].node].command != PLAIT__NONE)
			status = check_need(h, &tables->holds[i]);
	return status;
}

/* ---- order ---- */

/* Returns true if the command is in a body of the region. */
static bool is_inside(const plait__check *check, uint32_t command,
		      uint32_t region)
{
	const plait__plan *plan = check->plan;
	uint32_t body = check->body_of[command];

	while (body != 0 && plan->bodies[body].region != region)
		body = check->body_of[plan->regions[plan->bodies[body].region]
					      .command];
	return body != 0;
}

/* Order all commands of one node before all of another. */
static plait_status order_nodes(const struct holders *h, uint32_t a,
				uint32_t b, bool *exclusive)
{
	plait__check *check = h->check;
	uint32_t m = check->plan->commands[a].node;
	uint32_t n = check->plan->commands[b].node;
	plait_status status = PLAIT_OK;

	*exclusive = false;
	if (check->plan->commands[a].kind == PLAIT__CMD_REGION &&
	    is_inside(check, b, check->plan->commands[a].link))
		return plait__check_fail(check, b,
					 "it holds a unit that its own loop "
					 "or case holds");
	for (uint32_t j = check->node_first[n]; j < check->node_first[n + 1];
	     j++)
		for (uint32_t i = check->node_first[m];
		     i < check->node_first[m + 1] && status == PLAIT_OK; i++)
			status = plait__obligations_add_across(
				check, check->node_commands[i],
				check->node_commands[j],
				PLAIT__OBLIGATION_UNIT, exclusive);
	return status;
}

static plait_status take_unit(const struct holders *h, struct holder *unit,
			      uint32_t command)
{
	bool exclusive = false, ignored;
	plait_status status = PLAIT_OK;

	if (unit->last != PLAIT__NONE)
		status = order_nodes(h, unit->last, command, &exclusive);
	if (status == PLAIT_OK && exclusive && unit->before != PLAIT__NONE)
		status = order_nodes(h, unit->before, command, &ignored);
	if (!exclusive)
		unit->before = unit->last;
	unit->last = command;
	return status;
}

static plait_status take_units(const struct holders *h,
			       const plait__plan_hold *hold, uint32_t command)
{
	struct holder *units = h->units +
		(uint64_t)hold->resource * PLAIT__RESOURCE_UNITS + hold->first;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < hold->count && status == PLAIT_OK; i++)
		status = take_unit(h, &units[i], command);
	return status;
}

plait_status plait__held_units_check(plait__check *check,
				     const uint32_t *timeline)
{
	const plait__plan *plan = check->plan;
	struct holders h = { .check = check };
	plait_status status = check_table(check);

	if (status == PLAIT_OK)
		status = alloc_arrays(&h);
	if (status == PLAIT_OK && check->input != NULL)
		status = check_needs(&h);
	for (uint32_t i = 0; i < plan->command_count && status == PLAIT_OK;
	     i++) {
		uint32_t command = timeline[i];
		uint32_t node = plan->commands[command].node;

		if (plan->nodes[node].command != command)
			continue;
		for (uint32_t k = h.first[node];
		     k < h.first[node + 1] && status == PLAIT_OK; k++)
			status = take_units(&h, &plan->holds[k], command);
	}
	return status;
}
