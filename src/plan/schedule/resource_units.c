/* SPDX-License-Identifier: MIT */
/* Choice of the units that nodes hold; see resource_units.h. */
#include "plan/schedule/resource_units.h"

#include "plan/schedule/unit_pool.h"

#include "base/error.h"

#include <string.h>

/*
 * Numbers of units count within a body: those of body 0 are the resource's own,
 * those of another body stand for the units that its region holds for it.
 */
struct choice {
	const plait__input *input;
	const plait__plan *plan;
	plait__workspace *work;
	plait_error *error;
	uint32_t resources;
	uint32_t *needs;	/* by node x resource: own units */
	uint64_t *number_first;	/* the same: the first one in `numbers` */
	uint32_t *left;		/* by body x resource: units that the loops
				 * around leave */
	uint32_t *used;		/* the same: units that the body uses */
	uint64_t *given_first;	/* by region x resource: in `given` */
	uint64_t *finish;	/* by node: predicted */
	uint32_t *met;		/* by node: 1 + the last node that got an edge
				 * from it */
	plait__unit_pool *pools;	/* by resource: of the current body */
	uint32_t *numbers;
	uint32_t number_count;
	uint32_t number_capacity;
	uint32_t *given;	/* numbers in the body around the region */
	uint32_t given_count;
	uint32_t given_capacity;
	plait__input_edge *edges;
	uint32_t edge_count;
	uint32_t edge_capacity;
};

static plait_status no_memory(const struct choice *c)
{
	return plait__fail(c->error, PLAIT_E_NOMEM,
			   "no memory for the resources of %u nodes",
			   c->input->node_count);
}

static uint64_t cell(const struct choice *c, uint32_t row, uint32_t resource)
{
	return (uint64_t)row * c->resources + resource;
}

/* The body has a region. */
static const plait__plan_region *region_of(const struct choice *c,
					   uint32_t body)
{
	return &c->plan->regions[c->plan->bodies[body].region];
}

/* Returns the body that holds the region's command. */
static uint32_t body_around(const struct choice *c,
			    const plait__plan_region *region)
{
	return c->plan->nodes[c->plan->commands[region->command].node].body;
}

bool plait__resource_units_are_open(const plait__input *input)
{
	return input->tables.holds_count > 0 &&
	       input->tables.holds[0].first == PLAIT__NONE;
}

/* ---- needs ---- */

static plait_status alloc_arrays(struct choice *c)
{
	uint64_t nodes = (uint64_t)c->input->node_count * c->resources;
	uint64_t bodies = (uint64_t)c->plan->bodies_count * c->resources;
	uint64_t regions = (uint64_t)c->plan->regions_count * c->resources;
	plait__workspace *work = c->work;

	c->needs = plait__workspace_alloc_zero(work, nodes, sizeof(uint32_t));
	c->number_first = plait__workspace_alloc(work, nodes,
						 sizeof(uint64_t));
	c->left = plait__workspace_alloc(work, bodies, sizeof(uint32_t));
	c->used = plait__workspace_alloc_zero(work, bodies, sizeof(uint32_t));
	c->given_first = plait__workspace_alloc(work, regions,
						sizeof(uint64_t));
	c->finish = plait__workspace_alloc_zero(work, c->input->node_count,
						sizeof(uint64_t));
	c->met = plait__workspace_alloc_zero(work, c->input->node_count,
					     sizeof(uint32_t));
	c->pools = plait__workspace_alloc(work, c->resources,
					  sizeof(*c->pools));
	return c->needs != NULL && c->number_first != NULL &&
	       c->left != NULL && c->used != NULL && c->given_first != NULL &&
	       c->finish != NULL && c->met != NULL && c->pools != NULL ?
	       PLAIT_OK : no_memory(c);
}

/* A node that a partial plan leaves out holds nothing.  A sum above the limit is
 * refused later, and needs to grow no more. */
static void sum_needs(struct choice *c)
{
	const plait__input_tables *tables = &c->input->tables;

	for (uint32_t i = 0; i < tables->holds_count; i++) {
		const plait__plan_hold *need = &tables->holds[i];

		uint32_t *sum = &c->needs[cell(c, need->node, need->resource)];

		if (c->plan->nodes[need->node].command != PLAIT__NONE &&
		    *sum <= PLAIT__RESOURCE_UNITS)
			*sum += need->count;
	}
}

/* A region's own units are not its bodies'.  A body's number is above that of
 * the body around it. */
static void find_left(struct choice *c)
{
	for (uint32_t b = 0; b < c->plan->bodies_count; b++)
		for (uint32_t r = 0; r < c->resources; r++) {
			const plait__plan_region *region;
			uint32_t own;

			c->left[cell(c, b, r)] =
				c->input->tables.resources[r].units;
			if (b == 0)
				continue;
			region = region_of(c, b);
			own = c->needs[cell(c, c->plan->commands[
				region->command].node, r)];
			c->left[cell(c, b, r)] =
				c->left[cell(c, body_around(c, region), r)];
			c->left[cell(c, b, r)] -=
				own < c->left[cell(c, b, r)] ? own :
				c->left[cell(c, b, r)];
		}
}

/* ---- one node ---- */

/* Returns the most units that a body of the region uses; its bodies are done.
 * 0 for a command of another kind. */
static uint32_t inner_need(const struct choice *c, uint32_t command,
			   uint32_t resource)
{
	const plait__plan_command *at = &c->plan->commands[command];
	const plait__plan_region *region;
	uint32_t most = 0;

	if (at->kind != PLAIT__CMD_REGION)
		return 0;
	region = &c->plan->regions[at->link];
	for (uint32_t i = 0; i < region->body_count; i++) {
		uint32_t used = c->used[cell(c, region->body_first + i,
					     resource)];

		most = used > most ? used : most;
	}
	return most;
}

static plait_status fail_need(const struct choice *c, uint32_t node,
			      uint32_t resource, uint32_t wanted,
			      uint32_t left)
{
	const plait__input_tables *tables = &c->input->tables;
	const plait__input_node *at = &c->input->nodes[node];
	char text[PLAIT__NODE_TEXT_BYTES];

	plait__fail(c->error, PLAIT_E_INVALID,
			   "%s needs %u units of resource '%s', with those of "
			   "its bodies; the resource and the loops around it "
			   "leave %u",
			   plait__input_node_text(c->input, node, text),
			   wanted,
			   tables->strings + tables->resources[resource].name,
			   left);
	if (plait__input_is_from_text(c->input, at))
		plait__error_prefix(c->error, "%s:%u: ", c->input->text_name,
				    at->line);
	return PLAIT_E_INVALID;
}

static uint64_t ready_time(const struct choice *c, uint32_t command)
{
	const plait__plan_command *at = &c->plan->commands[command];
	uint64_t ready = 0;

	for (uint32_t i = at->pred_first; i < at[1].pred_first; i++) {
		uint64_t finish = c->finish[c->plan->commands[
			c->plan->preds[i]].node];

		ready = finish > ready ? finish : ready;
	}
	return ready;
}

/* Order the node after the previous holders of its units. */
static plait_status add_edges(struct choice *c, const plait__unit *units,
			      uint32_t count, uint32_t node)
{
	if (plait__workspace_reserve(c->work, (void **)&c->edges,
				     &c->edge_capacity,
				     (uint64_t)c->edge_count + count,
				     sizeof(*c->edges)) != PLAIT_OK)
		return no_memory(c);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t before = units[i].holder;

		if (before == PLAIT__NONE || c->met[before] == node + 1)
			continue;
		c->met[before] = node + 1;
		c->edges[c->edge_count++] =
			(plait__input_edge){ before, node };
	}
	return PLAIT_OK;
}

static plait_status note_numbers(struct choice *c, uint32_t **list,
				 uint32_t *count, uint32_t *capacity,
				 const plait__unit *units, uint32_t more)
{
	if (plait__workspace_reserve(c->work, (void **)list, capacity,
				     (uint64_t)*count + more,
				     sizeof(uint32_t)) != PLAIT_OK)
		return no_memory(c);
	for (uint32_t i = 0; i < more; i++)
		(*list)[(*count)++] = units[i].number;
	return PLAIT_OK;
}

/* Take the chosen units: the first ones are the node's own, the others those of
 * its bodies. */
static plait_status take_units(struct choice *c, uint32_t command, uint32_t r,
			       uint64_t finish)
{
	const plait__plan_command *at = &c->plan->commands[command];
	plait__unit_pool *pool = &c->pools[r];
	uint32_t own = c->needs[cell(c, at->node, r)];
	uint32_t taken = plait__unit_pool_take(pool, at->node, finish);
	plait_status status = add_edges(c, pool->chosen, taken, at->node);

	c->number_first[cell(c, at->node, r)] = c->number_count;
	if (status == PLAIT_OK)
		status = note_numbers(c, &c->numbers, &c->number_count,
				      &c->number_capacity, pool->chosen, own);
	if (status != PLAIT_OK || at->kind != PLAIT__CMD_REGION)
		return status;
	c->given_first[cell(c, at->link, r)] = c->given_count;
	return note_numbers(c, &c->given, &c->given_count, &c->given_capacity,
			    pool->chosen + own, taken - own);
}

static plait_status serve(struct choice *c, uint32_t body, uint32_t command)
{
	const plait__plan_command *at = &c->plan->commands[command];
	uint64_t ready = ready_time(c, command), start = ready, free;
	plait_status status = PLAIT_OK;

	for (uint32_t r = 0; r < c->resources; r++) {
		uint32_t left = c->left[cell(c, body, r)];
		uint32_t wanted = c->needs[cell(c, at->node, r)] +
				  inner_need(c, command, r);

		if (wanted > left)
			return fail_need(c, at->node, r, wanted, left);
		free = plait__unit_pool_choose(&c->pools[r], wanted, left,
					       ready);
		start = free > start ? free : start;
	}
	c->finish[at->node] = start + at->cost;
	for (uint32_t r = 0; r < c->resources && status == PLAIT_OK; r++)
		status = take_units(c, command, r, c->finish[at->node]);
	return status;
}

/* Serve a body in the order of the plan; its inner bodies are done. */
static plait_status serve_body(struct choice *c, uint32_t b)
{
	const plait__plan *plan = c->plan;
	const plait__plan_body *body = &plan->bodies[b];
	plait_status status = PLAIT_OK;

	for (uint32_t r = 0; r < c->resources; r++)
		c->pools[r].count = 0;
	for (uint32_t i = 0; i < body->command_count && status == PLAIT_OK;
	     i++) {
		uint32_t command = plan->order[body->command_first + i];

		/* A stub, or a further member of a group, has its node's. */
		if (plan->nodes[plan->commands[command].node].command ==
		    command)
			status = serve(c, b, command);
	}
	for (uint32_t r = 0; r < c->resources; r++)
		c->used[cell(c, b, r)] = c->pools[r].count;
	return status;
}

/* ---- result ---- */

/* Returns the resource's own number of a unit of `body`; regions around it are
 * resolved. */
static uint32_t resolve(const struct choice *c, uint32_t body, uint32_t r,
			uint32_t number)
{
	return body == 0 ? number :
	       c->given[c->given_first[cell(c, c->plan->bodies[body].region,
					    r)] + number];
}

/* Outer regions come first: a body's number is above that of the body around
 * it. */
static void resolve_regions(struct choice *c)
{
	for (uint32_t b = 1; b < c->plan->bodies_count; b++) {
		const plait__plan_region *region = region_of(c, b);
		uint32_t around = body_around(c, region);

		if (region->body_first != b)
			continue;
		for (uint32_t r = 0; r < c->resources; r++) {
			uint64_t first = c->given_first[cell(
				c, c->plan->bodies[b].region, r)];
			uint32_t count = inner_need(c, region->command, r);

			for (uint64_t i = first; i < first + count; i++)
				c->given[i] = resolve(c, around, r,
						      c->given[i]);
		}
	}
}

/* Add the holds of a node: neighbouring units as one. */
static uint32_t fill_holds(const struct choice *c, uint32_t node, uint32_t r,
			   plait__plan_hold *holds)
{
	uint32_t units = c->input->tables.resources[r].units, count = 0;
	bool is_held[PLAIT__RESOURCE_UNITS] = { false };
	const uint32_t *numbers = c->numbers + c->number_first[cell(c, node,
								    r)];

	for (uint32_t i = 0; i < c->needs[cell(c, node, r)]; i++)
		is_held[resolve(c, c->plan->nodes[node].body, r,
				numbers[i])] = true;
	for (uint32_t u = 0; u < units; u++) {
		if (!is_held[u])
			continue;
		if (u == 0 || !is_held[u - 1])
			holds[count++] = (plait__plan_hold){ node, r, u, 0 };
		holds[count - 1].count++;
	}
	return count;
}

static plait_status make_holds(struct choice *c, plait__input *out)
{
	plait__plan_hold *holds = plait__workspace_alloc(
		c->work, c->number_count, sizeof(*holds));
	uint32_t count = 0;

	if (holds == NULL)
		return no_memory(c);
	for (uint32_t node = 0; node < c->input->node_count; node++)
		for (uint32_t r = 0; r < c->resources; r++)
			if (c->needs[cell(c, node, r)] > 0)
				count += fill_holds(c, node, r, holds + count);
	out->tables.holds = holds;
	out->tables.holds_count = count;
	return PLAIT_OK;
}

static plait_status make_edges(struct choice *c, plait__input *out)
{
	uint64_t own = c->input->edge_count;
	plait__input_edge *edges = plait__workspace_alloc(
		c->work, own + c->edge_count, sizeof(*edges));

	if (edges == NULL)
		return no_memory(c);
	if (own > 0)
		memcpy(edges, c->input->edges, own * sizeof(*edges));
	if (c->edge_count > 0)
		memcpy(edges + own, c->edges, c->edge_count * sizeof(*edges));
	out->edges = edges;
	out->edge_count += c->edge_count;
	return PLAIT_OK;
}

plait_status plait__resource_units_choose(const plait__input *input,
					  const plait__plan *plan,
					  plait__workspace *work,
					  plait__input *out,
					  plait_error *error)
{
	struct choice c = { .input = input, .plan = plan, .work = work,
			    .error = error,
			    .resources = input->tables.resources_count };
	uint32_t b = plan->bodies_count;
	plait_status status = alloc_arrays(&c);

	*out = *input;
	if (status != PLAIT_OK)
		return status;
	sum_needs(&c);
	find_left(&c);
	while (status == PLAIT_OK && b-- > 0)
		status = serve_body(&c, b);
	if (status != PLAIT_OK)
		return status;
	resolve_regions(&c);
	status = make_holds(&c, out);
	return status == PLAIT_OK ? make_edges(&c, out) : status;
}
