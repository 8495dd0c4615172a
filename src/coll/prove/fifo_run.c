/* SPDX-License-Identifier: MIT */
/* Execution with bounded FIFOs, and the circle of a deadlock. */
#include "coll/prove/fifo_run.h"

#include "base/alloc.h"

#include <stdio.h>

enum block { BLOCK_NONE, BLOCK_WAIT, BLOCK_MESSAGE, BLOCK_SLOT };

typedef struct lane_state {
	uint32_t step;		/* within the lane */
	uint32_t part;		/* of the step */
	uint32_t wait;		/* waits of the step that have ended */
	uint32_t sent, received; /* messages */
	bool has_received;	/* the part has its message, but no slot */
	bool listed;		/* in the ready list */
	uint8_t block;		/* enum block: why it does not execute */
	uint32_t blocker;	/* the lane that it needs */
	/* Lanes that wait for a step of this lane. */
	uint32_t first_waiter, next_waiter, least_awaited;
} lane_state;

typedef struct run_state {
	const plait__proof_state *state;
	const plait__fifo_rule *rule;
	lane_state *lanes;
	uint32_t *ready;
	uint32_t ready_count;
	uint32_t *order;	/* may be null */
	uint32_t ended;		/* steps */
} run_state;

static void list_ready(run_state *run, uint32_t lane)
{
	if (lane == PLAIT__PROOF_NO_LANE || run->lanes[lane].listed)
		return;
	run->lanes[lane].listed = true;
	run->ready[run->ready_count++] = lane;
}

static void await(run_state *run, uint32_t lane, const plait__coll_wait *wait)
{
	lane_state *own = &run->lanes[lane];
	lane_state *other = &run->lanes[wait->lane];

	own->block = BLOCK_WAIT;
	own->blocker = wait->lane;
	own->next_waiter = other->first_waiter;
	other->first_waiter = lane;
	if (wait->step < other->least_awaited)
		other->least_awaited = wait->step;
}

static void wake_waiters(run_state *run, lane_state *own)
{
	uint32_t lane = own->first_waiter;

	own->first_waiter = PLAIT__PROOF_NO_LANE;
	own->least_awaited = UINT32_MAX;
	while (lane != PLAIT__PROOF_NO_LANE) {
		uint32_t next = run->lanes[lane].next_waiter;

		run->lanes[lane].block = BLOCK_NONE;
		list_ready(run, lane);
		lane = next;
	}
}

/* Returns true when all steps that the step waits for have ended. */
static bool has_waited(run_state *run, uint32_t lane, const plait__coll_step *step)
{
	lane_state *own = &run->lanes[lane];

	for (; own->wait < step->wait_count; own->wait++) {
		const plait__coll_wait *wait =
			&run->state->schedule->waits[step->first_wait +
						     own->wait];

		if (run->lanes[wait->lane].step <= wait->step) {
			await(run, lane, wait);
			return false;
		}
	}
	return true;
}

static bool has_message(const run_state *run, uint32_t lane)
{
	const lane_state *own = &run->lanes[lane];

	return run->lanes[run->state->sender[lane]].sent > own->received;
}

static bool has_slot(const run_state *run, uint32_t lane)
{
	const lane_state *own = &run->lanes[lane];

	return own->sent - run->lanes[run->state->receiver[lane]].received <
	       run->rule->depth;
}

static bool block(lane_state *own, uint8_t why, uint32_t blocker)
{
	own->block = why;
	own->blocker = blocker;
	return false;
}

static void receive(run_state *run, uint32_t lane)
{
	run->lanes[lane].received++;
	run->lanes[lane].has_received = true;
	list_ready(run, run->state->sender[lane]);
}

/* Execute one part of a step; returns false if the lane is blocked. */
static bool execute_part(run_state *run, uint32_t lane, uint32_t kind)
{
	lane_state *own = &run->lanes[lane];
	bool receives = plait__step_receives(kind) && !own->has_received;
	bool sends = plait__step_sends(kind);

	if (receives && !has_message(run, lane))
		return block(own, BLOCK_MESSAGE, run->state->sender[lane]);
	if (receives && !(sends && run->rule->fused_at_once)) {
		receive(run, lane);
		receives = false;
	}
	if (sends && !has_slot(run, lane))
		return block(own, BLOCK_SLOT, run->state->receiver[lane]);
	if (receives)
		receive(run, lane);
	if (sends) {
		own->sent++;
		list_ready(run, run->state->receiver[lane]);
	}
	own->has_received = false;
	own->part++;
	return true;
}

static uint32_t part_count(const run_state *run, const plait__coll_step *step)
{
	if (step->count <= run->rule->part_chunks)
		return 1;
	return (step->count - 1) / run->rule->part_chunks + 1;
}

static void end_step(run_state *run, uint32_t lane, uint32_t index)
{
	lane_state *own = &run->lanes[lane];

	if (run->order != NULL)
		run->order[run->ended] = index;
	run->ended++;
	if (own->step >= own->least_awaited)
		wake_waiters(run, own);
	own->step++;
	own->part = 0;
	own->wait = 0;
}

static void execute_lane(run_state *run, uint32_t lane)
{
	const plait__coll_lane *at = &run->state->schedule->lanes[lane];
	lane_state *own = &run->lanes[lane];

	own->block = BLOCK_NONE;
	while (own->step < at->step_count) {
		uint32_t index = (uint32_t)at->first_step + own->step;
		const plait__coll_step *step =
			&run->state->schedule->steps[index];
		uint32_t parts = part_count(run, step);

		if (!has_waited(run, lane, step))
			return;
		while (own->part < parts)
			if (!execute_part(run, lane, step->kind))
				return;
		end_step(run, lane, index);
	}
}

static void execute(run_state *run)
{
	for (uint32_t i = run->state->lane_count; i-- > 0;) {
		run->lanes[i].first_waiter = PLAIT__PROOF_NO_LANE;
		run->lanes[i].least_awaited = UINT32_MAX;
		list_ready(run, i);
	}
	while (run->ready_count > 0) {
		uint32_t lane = run->ready[--run->ready_count];

		run->lanes[lane].listed = false;
		/* A waiter is in the list of the lane that it waits for. */
		if (run->lanes[lane].block != BLOCK_WAIT)
			execute_lane(run, lane);
	}
}

/* ---- the circle ---- */

/* Returns a lane of a circle: each blocked lane needs another blocked one, so
 * that a walk of as many steps as there are lanes ends in a circle. */
static uint32_t find_circle(const run_state *run)
{
	uint32_t lane = 0;

	while (run->lanes[lane].block == BLOCK_NONE)
		lane++;
	for (uint32_t i = 0; i < run->state->lane_count; i++)
		lane = run->lanes[lane].blocker;
	return lane;
}

static uint32_t circle_length(const run_state *run, uint32_t first)
{
	uint32_t length = 0, lane = first;

	do {
		lane = run->lanes[lane].blocker;
		length++;
	} while (lane != first);
	return length;
}

/* Write the circle of a deadlock into `text`, of PLAIT_ERROR_TEXT_BYTES. */
static void describe_circle(const run_state *run, char *text)
{
	static const char *const needs[] = { "", "waits for",
					     "needs a message of",
					     "needs a slot of" };
	uint32_t first = find_circle(run), lane = first;
	uint32_t length = circle_length(run, first);
	char name[PLAIT__PROOF_NAME_BYTES];
	int used = snprintf(text, PLAIT_ERROR_TEXT_BYTES, "circle of %u: ",
			    length);

	for (uint32_t i = 0; i < length && used < PLAIT_ERROR_TEXT_BYTES; i++) {
		const lane_state *own = &run->lanes[lane];
		uint32_t index = (uint32_t)run->state->schedule->lanes[lane]
					 .first_step + own->step;

		used += snprintf(text + used,
				 PLAIT_ERROR_TEXT_BYTES - (size_t)used,
				 "%s %s%s",
				 plait__proof_step_name(run->state, index,
							name),
				 needs[own->block],
				 i + 1 < length ? " " : " the first");
		lane = own->blocker;
	}
}

/* ---- all ---- */

plait_status plait__fifo_run(plait__proof_state *state,
			     const plait__fifo_rule *rule, uint32_t *order,
			     char *circle, bool *out_ended)
{
	run_state run = { .state = state, .rule = rule, .order = order };
	uint64_t lanes = state->lane_count;
	plait_status status = PLAIT_OK;

	run.lanes = plait__alloc_array(state->allocator, lanes,
				       sizeof(*run.lanes));
	run.ready = plait__alloc_array(state->allocator, lanes,
				       sizeof(*run.ready));
	if (lanes > 0 && (run.lanes == NULL || run.ready == NULL)) {
		status = plait__proof_no_memory(state);
	} else {
		execute(&run);
		*out_ended = run.ended == state->step_count;
		if (!*out_ended && circle != NULL)
			describe_circle(&run, circle);
	}
	plait__free(state->allocator, run.lanes, lanes * sizeof(*run.lanes));
	plait__free(state->allocator, run.ready, lanes * sizeof(*run.ready));
	return status;
}
