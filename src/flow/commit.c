/* SPDX-License-Identifier: MIT */
/* Commit of a task; see commit.h. */
#include "flow/commit.h"

#include "flow/flow_devices.h"
#include "flow/flow_fixed.h"
#include "flow/flow_proof.h"
#include "flow/held_run.h"
#include "flow/lanes/flow_claim.h"
#include "flow/op_commit.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

enum { KEPT = PLAIT__OP_COMMIT_KEPT };

bool plait__commit_reserve_accesses(plait__flow *flow, uint32_t count)
{
	uint32_t capacity = flow->access_capacity < 8 ? 8 :
							flow->access_capacity;
	plait__flow_access *grown;

	if (count <= flow->access_capacity)
		return true;
	while (capacity < count)
		capacity *= 2;
	grown = plait__realloc(plait__flow_allocator(flow), flow->accesses,
			       flow->access_capacity * sizeof(*grown),
			       capacity * sizeof(*grown));
	if (grown == NULL)
		return false;
	flow->accesses = grown;
	flow->access_capacity = capacity;
	return true;
}

/* ---- ops ---- */

static uint64_t add_mark(plait__flow *flow, const plait__pred *preds,
			 uint32_t count)
{
	plait__op *op = plait__op_commit_number(flow, preds, count,
						PLAIT__OP_MARK);

	op->label = NULL;
	flow->marks++;
	if (flow->proof != NULL)
		plait__flow_proof_add(flow, NULL, preds, count, false);
	plait__op_commit_publish(flow, flow->window.newest, preds, count, false,
				 false);
	return flow->window.newest;
}

/* ---- predecessors ---- */

/* Drop the settled ones.  Returns one of them that has failed and spoils the
 * task, or `spoiler`. */
static __attribute__((noinline)) uint64_t
take_spoiler(plait__flow *flow, uint64_t spoiler)
{
	plait__preds *preds = &flow->preds;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < preds->count; i++) {
		plait__pred pred = preds->items[i];

		if (pred.number > preds->settled)
			preds->items[kept++] = pred;
		else if (spoiler == 0 && pred.is_true &&
			 plait__outcomes_has(&flow->lanes.outcomes,
					     pred.number))
			spoiler = pred.number;
	}
	preds->count = kept;
	return spoiler;
}

/* Drop those that are done: only if there are many.  One that has failed is
 * enough to spoil the task; a held run may become one that all of them spoil. */
static void drop_done(plait__flow *flow, bool is_held)
{
	plait__preds *preds = &flow->preds;
	bool has_failed = false;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < preds->count; i++) {
		plait__pred pred = preds->items[i];
		bool keeps = !plait__flow_counts_done(flow, pred.number);

		if (!keeps && is_held)
			keeps = plait__outcomes_has(&flow->lanes.outcomes,
						    pred.number);
		else if (!keeps && pred.is_true && !has_failed)
			keeps = has_failed = plait__outcomes_has(
				&flow->lanes.outcomes, pred.number);
		if (keeps)
			preds->items[kept++] = pred;
		else if (flow->proof != NULL)
			plait__flow_proof_note_done(flow, pred.number);
	}
	preds->count = kept;
}

/* True ones first, so that a mark has one kind. */
static void sort_true_first(plait__preds *preds)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < preds->count; i++) {
		plait__pred pred = preds->items[i];

		if (!pred.is_true)
			continue;
		preds->items[i] = preds->items[first];
		preds->items[first++] = pred;
	}
}

/* At least as many marks as reduce() makes.  A full group is one mark for nine
 * predecessors less; in each round one group of each kind may not be full. */
uint64_t plait__commit_marks(uint64_t count)
{
	uint64_t marks = count <= PLAIT__OP_PREDS ? 0 :
			 count / (PLAIT__OP_PREDS - 1);

	for (uint64_t left = count; left > PLAIT__OP_PREDS;
	     left = (left + 2 * (PLAIT__OP_PREDS - 1)) / PLAIT__OP_PREDS)
		marks += 2;
	return marks;
}

/* A mark behind these; with `is_held` all are true ones. */
static uint64_t join(plait__flow *flow, const plait__pred *preds,
		     uint32_t count, bool is_held)
{
	plait__pred joined[PLAIT__OP_PREDS];

	for (uint32_t i = 0; i < count; i++)
		joined[i] = (plait__pred){ preds[i].number,
					   preds[i].is_true || is_held };
	return add_mark(flow, joined, count);
}

/* Replace groups of predecessors by marks, until there are few.  Of a held run each
 * mark fails with those that it joins, as held_run.h may make it a true one. */
static void reduce(plait__flow *flow, bool is_held)
{
	plait__preds *preds = &flow->preds;

	while (preds->count > PLAIT__OP_PREDS) {
		plait__pred *items = preds->items;
		uint32_t kept = 0, i = 0;

		while (i < preds->count) {
			bool is_true = items[i].is_true;
			uint32_t begin = i;

			while (i < preds->count && i - begin < PLAIT__OP_PREDS &&
			       items[i].is_true == is_true)
				i++;
			if (i - begin > 1)
				items[begin].number = join(flow, &items[begin],
							   i - begin, is_held);
			items[kept++] = items[begin];
		}
		preds->count = kept;
	}
}

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM, "no memory for a task");
}

/* Make borders along all boxes.  Joining removes those that no task needs yet,
 * so it comes before.  PLAIT_PENDING: too many pieces, which tasks in flight keep
 * apart. */
static plait_status cut_all(plait__flow_task *task, plait_error *error)
{
	const plait__flow_access *accesses = task->flow->accesses;

	task->flow->cuts++;
	for (uint32_t i = 0; i < task->access_count; i++) {
		plait__front_map *map = accesses[i].map;

		if (map->pieces > map->join_at &&
		    !plait__flow_join_pieces(task->flow, map))
			return PLAIT_PENDING;
	}
	for (uint32_t i = 0; i < task->access_count; i++)
		if (!plait__front_map_cut(accesses[i].map, &accesses[i].box))
			return fail_memory(error);
	return PLAIT_OK;
}

static plait__front_map_result collect_all(plait__flow_task *task)
{
	plait__flow *flow = task->flow;
	plait__front_map_result result = PLAIT__FRONT_MAP_COLLECTED;

	flow->fronts.count = 0;
	for (uint32_t i = 0; result == PLAIT__FRONT_MAP_COLLECTED &&
	     i < task->access_count; i++) {
		plait__flow_access *access = &flow->accesses[i];

		result = plait__front_map_collect(access->map, &access->box,
						  &flow->fronts);
		access->end = flow->fronts.count;
	}
	return result;
}

/* List the fronts of all accesses, between borders that are there or are made.
 * PLAIT_PENDING: see cut_all. */
static plait_status find_fronts(plait__flow_task *task, plait_error *error)
{
	plait__front_map_result result = collect_all(task);
	plait_status status;

	if (result == PLAIT__FRONT_MAP_UNCUT) {
		status = cut_all(task, error);
		if (status != PLAIT_OK)
			return status;
		result = collect_all(task);
	}
	return result == PLAIT__FRONT_MAP_COLLECTED ? PLAIT_OK :
						      fail_memory(error);
}

static void gather_all(plait__flow_task *task)
{
	plait__flow *flow = task->flow;
	uint32_t at = 0;

	plait__preds_begin(&flow->preds, plait__flow_settled(flow),
			   !plait__outcomes_are_clean(&flow->lanes.outcomes));
	for (uint32_t i = 0; i < task->access_count; i++)
		for (; at < flow->accesses[i].end; at++)
			plait__front_access_gather_row(&flow->preds,
						       &flow->fronts.items[at],
						       flow->accesses[i].mode);
	for (uint32_t i = 0; i < task->piece_count; i++)
		plait__preds_add(&flow->preds, task->pieces[i], true);
	plait__preds_add(&flow->preds, flow->barrier, false);
	plait__preds_add(&flow->preds, task->behind, task->needs_behind);
	for (uint32_t i = 0; i < task->order_count; i++)
		plait__preds_add(&flow->preds, task->order[i], false);
}

/* ---- room ---- */

/* Gather the predecessors, few or to be joined by marks.  Returns the ops that the
 * task needs at most. */
static inline uint64_t gather_few(plait__flow_task *task, uint64_t *spoiler)
{
	plait__flow *flow = task->flow;
	plait__preds *preds = &flow->preds;

	*spoiler = 0;
	gather_all(task);
	if (preds->keeps_settled)
		*spoiler = take_spoiler(flow, 0);
	if (preds->count > PLAIT__OP_PREDS) {
		drop_done(flow, task->is_held);
		sort_true_first(preds);
	}
	return 1 + KEPT + preds->marks + plait__commit_marks(preds->count);
}

/* There is room for as many ops of a fixed flow: those a window before the last
 * one are done, and count as done. */
static __attribute__((noinline)) uint64_t
drop_old(plait__flow *flow, uint64_t ops, uint64_t spoiler)
{
	uint64_t last = flow->window.newest + ops;
	uint64_t size = plait__window_size(&flow->window);

	if (last <= size + flow->preds.settled)
		return spoiler;
	flow->preds.settled = last - size;
	return take_spoiler(flow, spoiler);
}

/* ---- records ---- */

uint64_t plait__commit_mark(void *arg, const uint64_t *numbers, uint32_t count)
{
	plait__pred preds[PLAIT__OP_PREDS];

	for (uint32_t i = 0; i < count; i++)
		preds[i] = (plait__pred){ numbers[i], false };
	return add_mark(arg, preds, count);
}

static void record_all(plait__flow_task *task)
{
	plait__flow *flow = task->flow;
	plait__front_record record = { .number = task->number,
				       .settled = flow->preds.settled,
				       .mark = plait__commit_mark, .arg = flow };
	uint32_t at = 0;

	for (uint32_t i = 0; i < task->access_count; i++) {
		flow->accesses[i].whole->last_use = task->number;
		for (; at < flow->accesses[i].end; at++)
			plait__front_access_record_row(&record,
						       &flow->fronts.items[at],
						       flow->accesses[i].mode);
	}
}

/* ---- the task ---- */

/* Returns true if a queue of a device has the op: no worker looks at it. */
static bool begins_on_device(const plait__flow_task *task, uint64_t spoiler)
{
	plait__flow *flow = task->flow;

	return task->device_op != NULL && spoiler == 0 && !task->is_prefix &&
	       plait__device_engine_begin(&flow->devices->engine,
					  task->device_op, task->number,
					  flow->preds.items,
					  flow->preds.count);
}

/* Returns true if the op is reserved for a thread that waits for it. */
static bool reserve(const plait__flow_task *task)
{
	plait__flow_lanes *lanes = &task->flow->lanes;

	return task->is_reserved && !task->is_prefix &&
	       plait__flow_claim_is_ready(lanes, task->number) &&
	       plait__flow_lanes_reserve(lanes, task->number);
}

/* Number the op, fill its entry and publish it.  There is room for it.
 * `spoiler`: 0, or the failed op for which it is not run. */
static void add_op(plait__flow_task *task, uint64_t spoiler)
{
	plait__flow *flow = task->flow;
	const plait__pred *preds = flow->preds.items;
	uint32_t count = flow->preds.count;
	uint64_t meta = task->kind |
			(task->is_prefix ? PLAIT__OP_PREFIX : 0) |
			(task->is_always ? PLAIT__OP_ALWAYS : 0) |
			(task->is_outside ? PLAIT__OP_OUTSIDE : 0) |
			(spoiler != 0 ? PLAIT__OP_SPOILED : 0);
	plait__op *op;

	plait__window_keep_cells(&flow->window);
	op = plait__op_commit_number(flow, preds, count, meta);
	op->call = task->filled.call;
	op->arguments = task->filled.arguments;
	op->launch = task->filled.launch;
	op->user_data = task->filled.user_data;
	op->label = task->label;
	task->number = flow->window.newest;
	if (task->is_outside)
		flow->newest_outside = task->number;
	if (flow->proof != NULL)
		plait__flow_proof_add(flow, task, preds, count,
				      task->is_prefix);
	if (spoiler != 0)
		(void)plait__outcomes_follow(&flow->lanes.outcomes, spoiler,
					     task->number);
	if (task->is_held)
		return;
	if (!begins_on_device(task, spoiler) && !reserve(task))
		plait__op_commit_publish(flow, task->number, preds, count,
					 task->is_prefix, task->is_urgent);
	if (task->is_late)
		plait__op_commit_make_late(flow, task->number);
}

static void keep_writers(void *arg)
{
	plait__flow_keep_writers(arg);
}

static bool reserve_outcomes(plait__flow *flow)
{
	return plait__outcomes_reserve(&flow->lanes.outcomes, keep_writers,
				       flow);
}

plait_status plait__commit_task(plait__flow_task *task, plait_error *error)
{
	plait__flow *flow = task->flow;
	uint64_t spoiler, ops;
	plait_status status;

	plait__held_run_publish(flow);
	status = find_fronts(task, error);
	if (status != PLAIT_OK)
		return status;
	do
		ops = gather_few(task, &spoiler);
	while (plait__flow_fixed_lacks_window(flow, ops));
	if (flow->preds.lacks_memory)
		return fail_memory(error);
	if (!plait__window_has_room(&flow->window, ops, task->cells))
		return PLAIT_PENDING;
	if (!reserve_outcomes(flow))
		return fail_memory(error);
	if (__builtin_expect(flow->is_fixed, 0))
		spoiler = drop_old(flow, ops, spoiler);
	reduce(flow, task->is_held);
	add_op(task, spoiler);
	record_all(task);
	if (task->is_barrier)
		flow->barrier = task->number;
	if (task->kernel != NULL)
		task->kernel->last_use = task->number;
	if (task->series != NULL)
		task->series->last_use = task->number;
	if (flow->proof != NULL)
		plait__flow_proof_run(flow, false);
	return PLAIT_OK;
}

/* Fronts that may have too many readers by then. */
static uint64_t count_full(const plait__flow_task *task, uint32_t before)
{
	const plait__flow *flow = task->flow;
	uint64_t count = 0;

	for (uint32_t i = 0; i < flow->fronts.count; i++) {
		const plait__front_row *row = &flow->fronts.items[i];

		for (uint32_t k = 0; k < row->count; k++)
			count += row->first[k].count + before >=
				 PLAIT__FRONT_READERS;
	}
	return count;
}

plait_status plait__commit_measure(plait__flow_task *task, uint32_t before,
				   uint64_t *ops, plait_error *error)
{
	plait__flow *flow = task->flow;
	plait_status status = find_fronts(task, error);

	if (status != PLAIT_OK)
		return status;
	gather_all(task);
	*ops += 1 + count_full(task, before) +
		plait__commit_marks(flow->preds.count + before);
	return flow->preds.lacks_memory ? fail_memory(error) : PLAIT_OK;
}

/* The newest predecessor that is not done, or 0. */
static uint64_t find_undone(const plait__flow *flow)
{
	const plait__preds *preds = &flow->preds;
	uint64_t found = 0;

	for (uint32_t i = 0; i < preds->count; i++)
		if (preds->items[i].number > found &&
		    !plait__op_is_done(&flow->window.ring,
				       preds->items[i].number))
			found = preds->items[i].number;
	return found;
}

/* The failure of what is read. */
static plait_status tell_poison(plait__flow *flow, plait_error *error)
{
	const plait__preds *preds = &flow->preds;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < preds->count; i++)
		if (preds->items[i].is_true)
			status = plait__outcomes_tell(&flow->lanes.outcomes,
						      preds->items[i].number,
						      error);
	return status;
}

/* All predecessors were found done. */
static void note_all_done(plait__flow *flow)
{
	for (uint32_t i = 0; i < flow->preds.count; i++)
		plait__flow_proof_note_done(flow, flow->preds.items[i].number);
}

plait_status plait__commit_access(plait__flow_task *task, uint64_t *out_behind,
				  plait_error *error)
{
	plait__flow *flow = task->flow;
	plait_status status = find_fronts(task, error);
	uint64_t ops;

	*out_behind = 0;
	if (status != PLAIT_OK)
		return status;
	gather_all(task);
	if (flow->preds.lacks_memory)
		return fail_memory(error);
	*out_behind = find_undone(flow);
	if (*out_behind != 0)
		return PLAIT_PENDING;
	/* With the failures of ops that are done only since. */
	gather_all(task);
	if (plait__flow_fixed_lacks_window(flow, 1 + KEPT + flow->preds.marks))
		gather_all(task);
	status = tell_poison(flow, error);
	task->reads_poison = status != PLAIT_OK;
	if (status != PLAIT_OK)
		return status;
	ops = 1 + KEPT + flow->preds.marks;
	if (!plait__window_has_room(&flow->window, ops, 0))
		return PLAIT_PENDING;
	if (!reserve_outcomes(flow))
		return fail_memory(error);
	if (flow->is_fixed)
		(void)drop_old(flow, ops, 0);
	if (flow->proof != NULL)
		note_all_done(flow);
	plait__op_commit_number(flow, NULL, 0, PLAIT__OP_MARK);
	task->number = flow->window.newest;
	if (flow->proof != NULL)
		plait__flow_proof_add(flow, task, NULL, 0, false);
	plait__op_commit_make_late(flow, task->number);
	record_all(task);
	return PLAIT_OK;
}

void plait__commit_last(plait__flow *flow, plait_host_function function,
			void *user_data)
{
	plait__op *op = plait__op_commit_number(flow, NULL, 0,
						PLAIT__OP_CALL |
							PLAIT__OP_PREFIX);

	op->call.host = function;
	op->user_data = user_data;
	op->label = NULL;
	if (flow->proof != NULL)
		plait__flow_proof_add(flow, NULL, NULL, 0, true);
	plait__op_commit_publish(flow, flow->window.newest, NULL, 0, true, false);
}
