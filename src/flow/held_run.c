/* SPDX-License-Identifier: MIT */
/* Held run; see held_run.h. */
#include "flow/held_run.h"

#include "flow/op_commit.h"

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

void plait__held_run_end(plait__flow *flow)
{
	uint64_t number = flow->held_run;
	plait__op *op = plait__op_at(&flow->window.ring, number);
	uint64_t meta = at_load_relaxed_u64(&op->meta);
	uint32_t count = plait__op_pred_count(meta);
	plait__pred preds[PLAIT__OP_PREDS];

	for (uint32_t i = 0; i < count; i++)
		preds[i] = (plait__pred){ plait__op_pred(op, number, i),
					  plait__op_pred_is_true(meta, i) };
	if (!flow->held_is_whole)
		make_true(op, preds, count);
	flow->held_run = 0;
	plait__op_commit_publish(flow, number, preds, count, false, false);
	plait__op_commit_make_late(flow, number);
}

uint64_t plait__held_run_add_part(plait__flow *flow)
{
	const plait__pred run = { flow->held_run, true };
	uint64_t number;

	(void)plait__op_commit_number(flow, &run, 1,
				      PLAIT__OP_MARK | PLAIT__OP_PART);
	number = flow->window.newest;
	flow->lane_of[number & flow->window.ring.mask] = PLAIT__LANE_ENDED;
	plait__op_set_done(&flow->window.ring, number);
	return number;
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
