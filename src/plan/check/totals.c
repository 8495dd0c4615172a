/* SPDX-License-Identifier: MIT */
/*
 * Totals that a plan states: makespans, number of edges of its graph, segment
 * costs, arena sizes.  All are recomputed here: a file may state anything.
 */
#include "plan/check/phases.h"

#include "base/error.h"

/* Arena sizes are rounded up to a multiple of this, at most. */
enum { ARENA_BYTES = 256 };

struct totals {
	const plait__check *check;
	uint64_t *end;		/* by command: finish time */
	uint64_t *lane_end;	/* by lane: when the lane is free, in the
				 * current body */
	uint64_t *makespan;		/* by body: makespan */
};

/* Sums and products stop at UINT64_MAX. */
static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	return b > 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Duration of a region: its decisions, plus its expected body (else the longest
 * one) times its iterations.  Inner bodies have their makespans. */
static uint64_t region_duration(const struct totals *f,
				const plait__plan_region *region)
{
	const uint64_t *makespan = f->makespan + region->body_first;
	uint64_t count = 1, most = 0;

	if (region->kind != PLAIT__REGION_CASE)
		count = plait__plan_iterations(region->kind, region->times);
	for (uint32_t i = 0; i < region->body_count; i++)
		most = makespan[i] > most ? makespan[i] : most;
	if (region->kind == PLAIT__REGION_CASE &&
	    region->times < region->body_count)
		most = makespan[region->times];
	return add(multiply(count, most),
		   multiply(plait__plan_decisions(region->kind, count),
			    region->decision_cost));
}

/* Earliest start: the lane is free (for a region: all its lanes), and every
 * wait target is visible. */
static uint64_t starts_at(const struct totals *f, uint32_t c)
{
	const plait__plan *plan = f->check->plan;
	const plait__plan_command *command = &plan->commands[c];
	uint64_t start = f->lane_end[command->lane];

	if (command->kind == PLAIT__CMD_REGION) {
		const plait__plan_region *region =
			&plan->regions[command->link];

		for (uint32_t i = 0; i < region->lane_count; i++) {
			uint64_t end = f->lane_end[plan->region_lanes[
				region->lane_first + i]];

			start = end > start ? end : start;
		}
	}
	for (uint32_t i = command[0].wait_first; i < command[1].wait_first;
	     i++) {
		uint32_t from = f->check->wait_target[i];
		uint64_t seen = f->end[from];

		if (plan->commands[from].lane != command->lane)
			seen = add(seen, plan->hop_cost);
		start = seen > start ? seen : start;
	}
	return start;
}

static uint64_t ends_at(const struct totals *f, uint32_t c)
{
	const plait__plan *plan = f->check->plan;
	const plait__plan_command *command = &plan->commands[c];
	uint64_t start = starts_at(f, c);

	switch (command->kind) {
	case PLAIT__CMD_REGION:
		return add(start, region_duration(f,
					       &plan->regions[command->link]));
	case PLAIT__CMD_ENTER:
	case PLAIT__CMD_BARRIER_STUB:
		return start;
	default:
		return add(start, command->cost);
	}
}

/* Returns the end of the bundle at `at`: the members of a group, or one
 * command. */
static uint32_t bundle_end(const plait__plan *plan, uint32_t at, uint32_t stop)
{
	const plait__plan_command *first = &plan->commands[plan->order[at]];
	uint32_t i = at + 1;

	while (first->flags & PLAIT__CMD_MEMBER && i < stop &&
	       plan->commands[plan->order[i]].node == first->node)
		i++;
	return i;
}

/* Bodies inside this one are timed: the caller goes from the last body to the
 * first. */
static void time_body(const struct totals *f, uint32_t b)
{
	const plait__plan *plan = f->check->plan;
	const plait__plan_body *body = &plan->bodies[b];
	uint32_t at = body->command_first, stop = at + body->command_count;
	uint32_t i, next;

	for (i = 0; i < body->track_count; i++)
		f->lane_end[plan->tracks[body->track_first + i].lane] = 0;
	for (; at < stop; at = next) {
		uint64_t end = 0;

		next = bundle_end(plan, at, stop);
		for (i = at; i < next; i++) {
			uint64_t one = ends_at(f, plan->order[i]);

			end = one > end ? one : end;
		}
		for (i = at; i < next; i++) {
			uint32_t c = plan->order[i];

			f->end[c] = f->lane_end[plan->commands[c].lane] = end;
		}
		f->makespan[b] = end > f->makespan[b] ? end : f->makespan[b];
	}
}

static plait_status check_makespans(plait__check *check)
{
	const plait__plan *plan = check->plan;
	struct totals f = { .check = check };
	uint32_t b = plan->bodies_count;

	f.end = plait__check_alloc(check, plan->command_count, sizeof(*f.end));
	f.lane_end = plait__check_alloc(check, plan->lanes_count,
					sizeof(*f.lane_end));
	f.makespan = plait__check_alloc(check, plan->bodies_count,
					sizeof(*f.makespan));
	if (f.end == NULL || f.lane_end == NULL || f.makespan == NULL)
		return plait__check_no_memory(check);
	while (b-- > 0) {
		time_body(&f, b);
		if (plan->bodies[b].makespan != f.makespan[b])
			return plait__fail(check->error, PLAIT_E_INVALID,
				"body %u: makespan %llu, but its costs and "
					   "waits make it %llu", b,
				(unsigned long long)plan->bodies[b].makespan,
					   (unsigned long long)f.makespan[b]);
	}
	if (plan->makespan != f.makespan[0])
		return plait__fail(check->error, PLAIT_E_INVALID,
				   "plan: makespan %llu, but that of body 0 is "
				   "%llu", (unsigned long long)plan->makespan,
				   (unsigned long long)f.makespan[0]);
	return PLAIT_OK;
}

/* ---- edges ---- */

/* Lower bound of edge_count: distinct pairs of nodes among the preds. */
static plait_status least_edges(plait__check *check, uint64_t *out)
{
	const plait__plan *plan = check->plan;
	uint32_t *seen = plait__check_alloc(check, plan->node_count,
					    sizeof(uint32_t));

	*out = 0;
	if (seen == NULL)
		return plait__check_no_memory(check);
	for (uint32_t n = 0; n < plan->node_count; n++) {
		const plait__plan_command *command;

		if (plan->nodes[n].command == PLAIT__NONE)
			continue;
		command = &plan->commands[plan->nodes[n].command];
		for (uint32_t i = command[0].pred_first;
		     i < command[1].pred_first; i++) {
			uint32_t *last = &seen[plan->commands[plan->preds[i]]
					       .node];

			*out += *last != n + 1;
			*last = n + 1;
		}
	}
	return PLAIT_OK;
}

/* Upper bound of edge_count: each pair of nodes of one body that take part,
 * once. */
static plait_status most_edges(plait__check *check, uint64_t *out)
{
	const plait__plan *plan = check->plan;
	uint32_t *nodes = plait__check_alloc(check, plan->bodies_count,
					     sizeof(uint32_t));

	*out = 0;
	if (nodes == NULL)
		return plait__check_no_memory(check);
	for (uint32_t n = 0; n < plan->node_count; n++) {
		if (plan->nodes[n].command == PLAIT__NONE)
			continue;
		*out += nodes[plan->nodes[n].body]++;
	}
	return PLAIT_OK;
}

static plait_status check_edges(plait__check *check)
{
	uint64_t least, most;
	plait_status status = least_edges(check, &least);

	if (status == PLAIT_OK)
		status = most_edges(check, &most);
	if (status != PLAIT_OK)
		return status;
	if (check->plan->edge_count < least || check->plan->edge_count > most)
		return plait__fail(check->error, PLAIT_E_INVALID,
				   "plan: %u edges; its nodes have from %llu to "
				   "%llu", check->plan->edge_count,
				   (unsigned long long)least,
				   (unsigned long long)most);
	return PLAIT_OK;
}

/* ---- segments, arenas ---- */

static plait_status check_segment_costs(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint64_t *costs = plait__check_alloc(check, plan->segments_count,
					     sizeof(*costs));
	uint32_t i;

	if (costs == NULL)
		return plait__check_no_memory(check);
	for (i = 0; i < plan->command_count; i++) {
		uint32_t s = plait__plan_segment_of(plan, i);

		if (s != PLAIT__NONE)
			costs[s] = add(costs[s], plan->commands[i].cost);
	}
	for (i = 0; i < plan->segments_count; i++)
		if (costs[i] != plan->segments[i].cost)
			return plait__fail(check->error, PLAIT_E_INVALID,
				"segment %u: cost %llu, but its commands cost "
					   "%llu", i,
				(unsigned long long)plan->segments[i].cost,
					   (unsigned long long)costs[i]);
	return PLAIT_OK;
}

/* An arena is allocated as stated: it must not exceed the end of its scratch.
 * structure.c has checked that no range overflows. */
static plait_status check_arenas(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint64_t *ends = plait__check_alloc(check, plan->devices_count,
					    sizeof(*ends));
	uint32_t i;

	if (ends == NULL)
		return plait__check_no_memory(check);
	for (i = 0; i < plan->scratch_count; i++) {
		const plait__plan_scratch *scratch = &plan->scratch[i];
		uint64_t end = scratch->offset + scratch->bytes;

		if (end > ends[scratch->device])
			ends[scratch->device] = end;
	}
	for (i = 0; i < plan->devices_count; i++) {
		uint64_t bytes = plan->devices[i].scratch_bytes;

		if (bytes >= ARENA_BYTES && bytes - ARENA_BYTES >= ends[i])
			return plait__fail(check->error, PLAIT_E_INVALID,
				"device %u: an arena of %llu bytes, but its "
					   "scratch ends at %llu", i,
					   (unsigned long long)bytes,
					   (unsigned long long)ends[i]);
	}
	return PLAIT_OK;
}

plait_status plait__totals_check(plait__check *check)
{
	plait_status status = check_edges(check);

	if (status == PLAIT_OK)
		status = check_segment_costs(check);
	if (status == PLAIT_OK)
		status = check_arenas(check);
	return status == PLAIT_OK ? check_makespans(check) : status;
}
