/* SPDX-License-Identifier: MIT */
/*
 * Freedom from deadlock; signal slots; exits.
 *
 * `order` must be a topological order of lane order, waits and preds together.
 * Commands that start only together (members of a group, a region and its
 * stubs) must be adjacent in it.  Each such bundle can then be contracted to
 * one vertex without a cycle, so no set of commands waits in a circle.
 */
#include "plan/check/phases.h"

#include "base/error.h"

#include <string.h>

static plait_status fill_sequence(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint32_t b, i;

	memset(check->sequence, 0xff, plan->command_count * sizeof(uint32_t));
	for (b = 0; b < plan->bodies_count; b++) {
		const plait__plan_body *body = &plan->bodies[b];

		for (i = 0; i < body->command_count; i++) {
			uint32_t at = body->command_first + i;
			uint32_t c = plan->order[at];

			if (c >= plan->command_count ||
			    check->body_of[c] != b)
				return plait__fail(check->error,
						   PLAIT_E_INVALID,
						   "order %u: not a command of body %u",
						   at, b);
			if (check->sequence[c] != PLAIT__NONE)
				return plait__check_fail(check, c,
							 "it appears twice in the order");
			check->sequence[c] = at;
		}
	}
	return PLAIT_OK;
}

/* fill_sequence has found each command once. */
static plait_status check_topological(plait__check *check, uint32_t c)
{
	const plait__plan *plan = check->plan;
	const plait__plan_command *command = &plan->commands[c];
	uint32_t at = check->sequence[c], i;

	if (command->position > 0 && check->sequence[c - 1] >= at)
		return plait__check_fail(check, c,
					 "the order breaks that of its lane");
	for (i = command[0].wait_first; i < command[1].wait_first; i++)
		if (check->sequence[check->wait_target[i]] >= at)
			return plait__check_fail(check, c,
				"it waits for a later command of the order: a deadlock");
	for (i = command[0].pred_first; i < command[1].pred_first; i++)
		if (check->sequence[plan->preds[i]] >= at)
			return plait__check_fail(check, c,
				"one of its preds comes later in the order");
	return PLAIT_OK;
}

/* Members and stubs are adjacent: the commands of one node are one stretch of
 * `order`. */
static plait_status check_bundles(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint32_t *left = plait__check_alloc(check, plan->node_count,
					    sizeof(uint32_t));
	uint32_t i, before = PLAIT__NONE;

	if (left == NULL)
		return plait__check_no_memory(check);
	for (i = 0; i < plan->command_count; i++) {
		uint32_t node = plan->commands[plan->order[i]].node;

		if (node != before && left[node])
			return plait__check_fail(check, plan->order[i],
				"its stubs or members are not adjacent in the order");
		left[node] = 1;
		before = node;
	}
	return PLAIT_OK;
}

/* ---- signals ---- */

/* Commands come in submission order. */
static plait_status check_signal(plait__check *check, uint32_t *owner,
				 const plait__plan_body *body, uint32_t c)
{
	const plait__plan *plan = check->plan;
	const plait__plan_command *command = &plan->commands[c];
	uint32_t i;

	for (i = command[0].wait_first; i < command[1].wait_first; i++) {
		uint32_t slot = plan->waits[i].signal;
		uint32_t from = check->wait_target[i];

		if (slot >= plan->signal_count ||
		    plan->commands[from].signal != slot)
			return plait__check_fail(check, c,
				"it waits for a signal that its target does not emit");
		if (owner[slot] != from)
			return plait__check_fail(check, c,
				"the signal it waits for was used again too early");
		/* An engine publishes completion only of commands with this
		 * flag. */
		if (!(plan->commands[from].flags & PLAIT__CMD_AWAITED))
			return plait__check_fail(check, c,
				"it waits for a command that is not marked as awaited");
	}
	if (command->signal == PLAIT__NONE)
		return PLAIT_OK;
	if (command->signal < body->signal_first ||
	    command->signal - body->signal_first >= body->signal_count)
		return plait__check_fail(check, c,
					 "its signal belongs to another body");
	owner[command->signal] = c;
	return PLAIT_OK;
}

/* Only branches of one case may share slots. */
static plait_status check_signals(plait__check *check)
{
	const plait__plan *plan = check->plan;
	plait_status status = PLAIT_OK;
	uint32_t b, i, end = 0, closed = 0, region = PLAIT__NONE;
	uint32_t *owner;

	/* Each slot is emitted into; without this limit a file could choose the
	 * size of `owner`. */
	if (plan->signal_count > plan->command_count)
		return plait__fail(check->error, PLAIT_E_INVALID,
				   "%u signal slots, but only %u commands",
				   plan->signal_count, plan->command_count);
	owner = plait__check_alloc(check, plan->signal_count,
				   sizeof(uint32_t));
	if (owner == NULL)
		return plait__check_no_memory(check);
	memset(owner, 0xff, plan->signal_count * sizeof(uint32_t));
	for (b = 0; b < plan->bodies_count && status == PLAIT_OK; b++) {
		const plait__plan_body *body = &plan->bodies[b];

		if (b == 0 || body->region != region)
			closed = end;
		region = body->region;
		if (body->signal_first < closed ||
		    body->signal_first > plan->signal_count ||
		    body->signal_count > plan->signal_count -
		    body->signal_first)
			return plait__fail(check->error, PLAIT_E_INVALID,
					   "body %u: its signal slots are another body's",
					   b);
		if (body->signal_first + body->signal_count > end)
			end = body->signal_first + body->signal_count;
		for (i = 0; i < body->command_count && status == PLAIT_OK;
		     i++)
			status = check_signal(check, owner, body,
				plan->order[body->command_first + i]);
	}
	if (status == PLAIT_OK && end != plan->signal_count)
		return plait__fail(check->error, PLAIT_E_INVALID,
				   "%u signal slots, but bodies have %u",
				   plan->signal_count, end);
	return status;
}

/* ---- exits ---- */

/*
 * The last command of each track must be an exit or a wait target.  Then the
 * last command on any lane has a successor, up to an exit.  structure.c has
 * checked the tracks, none of which is empty.
 */
static plait_status check_exits(plait__check *check)
{
	const plait__plan *plan = check->plan;
	uint8_t *followed = plait__check_alloc(check, plan->command_count, 1);
	uint32_t b, i, t;

	if (followed == NULL)
		return plait__check_no_memory(check);
	for (i = 0; i < plan->commands[plan->command_count].wait_first; i++)
		followed[check->wait_target[i]] = 1;
	for (b = 0; b < plan->bodies_count; b++) {
		const plait__plan_body *body = &plan->bodies[b];

		for (i = 0; i < body->track_count; i++)
			check->track_of[plan->tracks[body->track_first + i]
					.lane] = body->track_first + i;
		for (i = 0; i < body->exit_count; i++) {
			const plait__plan_exit *e =
				&plan->exits[body->exit_first + i];

			t = e->lane < plan->lanes_count ?
				check->track_of[e->lane] : PLAIT__NONE;
			if (t == PLAIT__NONE || t < body->track_first ||
			    t - body->track_first >= body->track_count ||
			    plan->tracks[t].lane != e->lane ||
			    e->position >= plan->tracks[t].count)
				return plait__fail(check->error,
						   PLAIT_E_INVALID,
						   "body %u: an exit is outside of it",
						   b);
			followed[plan->tracks[t].first + e->position] = 1;
		}
		for (t = body->track_first;
		     t < body->track_first + body->track_count; t++) {
			i = plan->tracks[t].first + plan->tracks[t].count - 1;
			if (!followed[i])
				return plait__check_fail(check, i,
					"it ends its lane, but no wait or exit names it");
		}
	}
	return PLAIT_OK;
}

plait_status plait__deadlock_check(plait__check *check)
{
	plait_status status = fill_sequence(check);
	uint32_t c;

	for (c = 0; c < check->plan->command_count && status == PLAIT_OK; c++)
		status = check_topological(check, c);
	if (status == PLAIT_OK)
		status = check_bundles(check);
	if (status == PLAIT_OK)
		status = check_signals(check);
	if (status == PLAIT_OK)
		status = check_exits(check);
	return status;
}
