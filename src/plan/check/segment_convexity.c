/* SPDX-License-Identifier: MIT */
/*
 * Convexity of segments: the order graph with each segment contracted to one
 * vertex has no cycle.  Then no path leaves a segment and comes back, and an
 * engine may treat each segment as a single command.
 */
#include "plan/check/phases.h"

#include "base/error.h"

/* The contracted order graph.  A unit is a segment, or a command without
 * one. */
struct units {
	uint32_t *unit;		/* by command */
	uint32_t *first;	/* by command, plus one sentinel */
	uint32_t *next;		/* successors of each command */
	uint32_t *degree;	/* by unit: incoming edges */
	uint32_t *member_first;	/* by unit, plus one sentinel */
	uint32_t *members;
	uint32_t *queue;
	uint32_t count;
};

static plait_status check_members(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint32_t *counts = plait__check_alloc(check, plan->segments_count,
					      sizeof(uint32_t));
	uint32_t c, s;

	if (counts == NULL)
		return plait__check_no_memory(check);
	for (c = 0; c < plan->command_count; c++) {
		const plait__plan_body *body =
			&plan->bodies[check->body_of[c]];

		s = plait__plan_segment_of(plan, c);
		if (s == PLAIT__NONE)
			continue;
		if (s < body->segment_first ||
		    s - body->segment_first >= body->segment_count)
			return plait__check_fail(check, c,
				"its segment belongs to another body");
		if (plan->segments[s].device !=
		    plan->lanes[plan->commands[c].lane].device)
			return plait__check_fail(check, c,
				"its segment is on another device");
		counts[s]++;
	}
	for (s = 0; s < plan->segments_count; s++)
		if (counts[s] != plan->segments[s].command_count)
			return plait__fail(check->error, PLAIT_E_INVALID,
					   "segment %u: %u commands, not %u",
					   s, counts[s],
					   plan->segments[s].command_count);
	return PLAIT_OK;
}

/* Count (`fill` false) or store the incoming edges of c, of all kinds of order.
 * With `fill` a first pass has counted the edges. */
static void visit_in_edges(plait__check *check, struct units *u, uint32_t c,
			   bool fill)
{
	const plait__plan *plan = check->plan;
	const plait__plan_command *command = &plan->commands[c];
	uint32_t i, from, waits = command[1].wait_first -
		command[0].wait_first;
	uint32_t preds = command[1].pred_first - command[0].pred_first;

	for (i = 0; i < waits + preds + (command->position > 0); i++) {
		if (i < waits)
			from = check->wait_target[command->wait_first + i];
		else if (i < waits + preds)
			from = plan->preds[command->pred_first + i - waits];
		else
			from = c - 1;
		if (u->unit[from] == u->unit[c])
			continue;
		if (fill) {
			u->next[--u->first[from]] = c;
		} else {
			u->first[from]++;
			u->degree[u->unit[c]]++;
		}
	}
}

static plait_status alloc_arrays(plait__check *check, struct units *u)
{
	const plait__plan *plan = check->plan;
	uint64_t n = plan->command_count;
	uint64_t units = n + plan->segments_count;

	u->unit = plait__check_alloc(check, n, sizeof(uint32_t));
	u->first = plait__check_alloc(check, n + 1, sizeof(uint32_t));
	u->next = plait__check_alloc(check, n + plan->waits_count +
				     plan->preds_count, sizeof(uint32_t));
	u->degree = plait__check_alloc(check, units, sizeof(uint32_t));
	u->member_first = plait__check_alloc(check, units + 1,
					     sizeof(uint32_t));
	u->members = plait__check_alloc(check, n, sizeof(uint32_t));
	u->queue = plait__check_alloc(check, units, sizeof(uint32_t));
	if (u->unit == NULL || u->first == NULL || u->next == NULL ||
	    u->degree == NULL || u->member_first == NULL ||
	    u->members == NULL || u->queue == NULL)
		return plait__check_no_memory(check);
	u->count = (uint32_t)units;
	return PLAIT_OK;
}

static void prefix_sum(uint32_t *first, uint32_t count)
{
	uint32_t i, sum = 0;

	for (i = 0; i <= count; i++) {
		sum += first[i];
		first[i] = sum;
	}
}

static void build_units(plait__check *check, struct units *u)
{
	const plait__plan *plan = check->plan;
	uint32_t c;

	for (c = 0; c < plan->command_count; c++) {
		uint32_t s = plait__plan_segment_of(plan, c);

		u->unit[c] = s != PLAIT__NONE ? s : plan->segments_count + c;
		u->member_first[u->unit[c]]++;
	}
	for (c = 0; c < plan->command_count; c++)
		visit_in_edges(check, u, c, false);
	prefix_sum(u->first, plan->command_count);
	prefix_sum(u->member_first, u->count);
	for (c = 0; c < plan->command_count; c++) {
		visit_in_edges(check, u, c, true);
		u->members[--u->member_first[u->unit[c]]] = c;
	}
}

plait_status plait__segment_convexity_check(plait__check *check)
{
	struct units u = { NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0 };
	plait_status status;
	uint32_t i, k, head = 0, tail = 0;

	if (check->plan->segments_count == 0)
		return PLAIT_OK;
	status = check_members(check);
	if (status == PLAIT_OK)
		status = alloc_arrays(check, &u);
	if (status != PLAIT_OK)
		return status;
	build_units(check, &u);
	for (i = 0; i < u.count; i++)
		if (u.degree[i] == 0)
			u.queue[tail++] = i;
	while (head < tail) {
		uint32_t unit = u.queue[head++];

		for (i = u.member_first[unit]; i < u.member_first[unit + 1];
		     i++) {
			uint32_t c = u.members[i];

			for (k = u.first[c]; k < u.first[c + 1]; k++)
				if (--u.degree[u.unit[u.next[k]]] == 0)
					u.queue[tail++] = u.unit[u.next[k]];
		}
	}
	if (tail == u.count)
		return PLAIT_OK;
	for (i = 0; u.degree[i] == 0; i++)
		continue;
	return plait__fail(check->error, PLAIT_E_INVALID,
			   "%s %u is left and entered again by some path",
			   i < check->plan->segments_count ? "segment" :
			   "command", i < check->plan->segments_count ? i :
			   i - check->plan->segments_count);
}
