/* SPDX-License-Identifier: MIT */
/* Held run; see held_run.h. */
#include "flow/held_run.h"

#include "flow/awaited_run.h"
#include "flow/late_record.h"
#include "flow/op_commit.h"
#include "flow/repeat_phases.h"
#include "flow/repetition_prefix.h"

#include "flow/lanes/flow_claim.h"

/* All predecessors become true ones: elements that the run does not write keep
 * their poison. */
static void make_true(plait__op *op, plait__pred *preds, uint32_t count)
{
	uint64_t meta = at_load_relaxed_u64(&op->meta);

	for (uint32_t i = 0; i < count; i++) {
		preds[i].is_true = true;
		meta |= (uint64_t)1 << (PLAIT__OP_TRUE_SHIFT + i);
	}
	/* Relaxed: published with the word. */
	at_store_relaxed_u64(&op->meta, meta);
}

void plait__held_run_begin(plait__flow *flow, uint64_t number,
			   plait__late *late)
{
	flow->held_run = number;
	flow->held_late = late;
	flow->held_tasks = 1;
	flow->held_is_whole = false;
	flow->held_is_reserved = plait__awaited_run_expect(flow, late->again);
}

/* Number the parts. */
static void add_parts(plait__flow *flow)
{
	const plait__pred run = { flow->held_run, true };

	for (uint32_t i = 1; i < flow->held_tasks; i++) {
		uint64_t number;

		(void)plait__op_commit_number(flow, &run, 1,
					      PLAIT__OP_MARK | PLAIT__OP_PART);
		number = flow->window.newest;
		flow->lane_of[number & flow->window.ring.mask] =
			PLAIT__LANE_ENDED;
		plait__op_set_done(&flow->window.ring, number);
	}
}

/* Returns true if the run is reserved for a thread that waits for it. */
static bool reserve(plait__flow *flow, uint64_t number)
{
	return flow->held_is_reserved &&
	       plait__flow_claim_is_ready(&flow->lanes, number) &&
	       plait__flow_lanes_reserve(&flow->lanes, number);
}

void plait__held_run_end(plait__flow *flow)
{
	uint64_t number = flow->held_run;
	plait__late *late = flow->held_late;
	plait__repetition *again = late->again;
	plait__op *op = plait__op_at(&flow->window.ring, number);
	uint64_t meta = at_load_relaxed_u64(&op->meta);
	const bool is_prefix = (meta & PLAIT__OP_PREFIX) != 0;
	uint32_t count = plait__op_pred_count(meta);
	plait__pred preds[PLAIT__OP_PREDS];

	for (uint32_t i = 0; i < count; i++)
		preds[i] = (plait__pred){ plait__op_pred(op, number, i),
					  plait__op_pred_is_true(meta, i) };
	if (!flow->held_is_whole)
		make_true(op, preds, count);
	late->limit = flow->held_is_whole ? UINT32_MAX : flow->held_tasks;
	flow->phases->tasks += flow->held_tasks;
	if (flow->devices != NULL)
		plait__repetition_prefix_leave(late, number,
					       flow->held_is_whole);
	add_parts(flow);
	flow->held_run = 0;
	if (is_prefix || !reserve(flow, number))
		plait__op_commit_publish(flow, number, preds, count, is_prefix,
					 false);
	plait__op_commit_make_late(flow, number);
	plait__awaited_run_note(flow, number, again);
}

uint64_t plait__held_run_find(const plait__flow *flow, uint64_t number)
{
	const plait__window *window = &flow->window;
	const plait__op *op = plait__op_at(&window->ring, number);

	/* An older number is not in the ring, and its run is done. */
	if (flow->repeats == NULL || number == 0 || number > window->newest ||
	    number + plait__window_size(window) <= window->newest ||
	    (at_load_relaxed_u64(&op->meta) & PLAIT__OP_PART) == 0)
		return number;
	return plait__op_pred(op, number, 0);
}
