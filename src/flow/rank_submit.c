/* SPDX-License-Identifier: MIT */
/* Submissions over the ranks of a world; see rank_submit.h. */
#include "flow/rank_submit.h"

#include "flow/commit.h"
#include "flow/flow_devices.h"
#include "flow/flow_late.h"
#include "flow/flow_wait.h"
#include "flow/own_tasks.h"
#include "flow/rank_engine.h"
#include "flow/rank_horizon.h"
#include "flow/rank_place.h"
#include "flow/rank_plan.h"
#include "flow/rank_room.h"
#include "flow/rank_stop.h"
#include "flow/reduction.h"

#include "base/error.h"
#include "object/wait/suspension.h"
#include "pool/callback_scope.h"

/* ---- turns ---- */

static plait_status check_caller(const plait__flow *flow, plait_error *error)
{
	if (plait__suspension_current() != NULL ||
	    plait__callback_scope_is_active() ||
	    plait__own_tasks_find(flow, UINT64_MAX) != 0)
		return plait__fail(error, PLAIT_E_STATE,
				   "the flow is one over a world: a function of "
				   "a task runs on one rank, but all ranks "
				   "submit the same tasks; submit outside of "
				   "functions and coroutines");
	return PLAIT_OK;
}

static plait_status take_turn(plait__rank_turn *turn, plait_error *error)
{
	plait__flow_ranks *ranks = turn->ranks;
	plait_status status = check_caller(turn->flow, error);

	if (status == PLAIT_OK)
		status = plait__rank_stop_tell(ranks, error);
	if (status != PLAIT_OK)
		return status;
	if (at_load_acquire_u32(&ranks->ends) != 0)
		return plait__fail(error, PLAIT_E_STATE,
				   "the flow was released, and its ranks have "
				   "parted; access data before that");
	plait__flow_lock(turn->flow);
	/* is_closed is relaxed: the lock orders it, see rank_exit.c. */
	if (ranks->is_submitting)
		status = plait__fail(error, PLAIT_E_STATE,
				     "another thread submits to this flow, which "
				     "is one over a world: its tasks have one "
				     "order on all ranks");
	else if (at_load_relaxed_u32(&ranks->is_closed) != 0)
		status = plait__fail(error, PLAIT_E_STATE,
				     "the process ends, and the other ranks are "
				     "told of the submissions before that");
	else
		status = plait__rank_room_check(turn->flow, error);
	if (status == PLAIT_OK)
		ranks->is_submitting = true;
	plait__flow_unlock(turn->flow);
	return status;
}

static void end_turn(plait__rank_turn *turn)
{
	plait__flow_lock(turn->flow);
	turn->ranks->is_submitting = false;
	plait__flow_unlock(turn->flow);
}

/* ---- steps ---- */

/* To commit one step. */
struct attempt {
	plait__object *closing; /* to be closed without the lock, or null */
	bool lacks_buffers;
};

/* A step of the task that runs here: a piece, or one of a reduction. */
static plait_status commit_own(plait__rank_turn *turn, uint32_t index,
			       struct attempt *attempt, plait_error *error)
{
	plait__flow_task task;
	plait_status status = plait__rank_plan_prepare_own(turn, index, &task,
							   error);

	if (status == PLAIT_OK) {
		status = plait__rank_place_begin(&task, &turn->split, error);
		if (status == PLAIT_OK)
			status = plait__commit_task(&task, error);
		plait__rank_place_end(&task, status);
	} else if (task.late != NULL) {
		plait__late_return(&task);
	}
	if (status == PLAIT_OK) {
		plait__task_steps_keep(&turn->steps, &task);
		if (index >= turn->steps.fills)
			turn->split.numbers[turn->split.done++] = task.number;
	}
	attempt->closing = task.closing;
	attempt->lacks_buffers = task.lacks_buffers;
	return status;
}

/* The op that the task's number is of, if it is not one piece here. */
static plait_status commit_end(plait__rank_turn *turn, plait_task *out,
			       plait_error *error)
{
	plait__flow_task end = { .flow = turn->flow, .kind = PLAIT__OP_MARK,
				 .label = turn->label,
				 .pieces = turn->split.numbers,
				 .piece_count = turn->split.done };
	plait_status status = plait__commit_task(&end, error);

	*out = end.number;
	return status;
}

/* Commit one step; the last one is the end.  PLAIT_PENDING: no room.  Caller holds
 * the lock of the flow. */
static plait_status commit_at(plait__rank_turn *turn, uint32_t index,
			      struct attempt *attempt, plait_task *out,
			      plait_error *error)
{
	plait__flow_ranks *ranks = turn->ranks;
	const plait__rank_step *step;

	if (turn->flow->window.newest - turn->flow->swept >=
	    plait__window_size(&turn->flow->window))
		plait__flow_reap(turn->flow);
	if (index == ranks->steps.count)
		return commit_end(turn, out, error);
	step = plait__vector_at(&ranks->steps, index);
	return step->data == NULL ?
		       commit_own(turn, step->peer, attempt, error) :
		       plait__rank_engine_transfer(ranks, step, &turn->split,
						   error);
}

/* Commit steps from *index on: those that need no other lock between. */
static plait_status try_steps(plait__rank_turn *turn, uint32_t *index,
			      struct attempt *attempt, plait_task *out,
			      plait_error *error)
{
	plait_status status;

	plait__flow_lock(turn->flow);
	do {
		status = commit_at(turn, *index, attempt, out, error);
		*index += status == PLAIT_OK;
	} while (status == PLAIT_OK && *index < turn->ranks->steps.count &&
		 attempt->closing == NULL && turn->flow->devices == NULL);
	plait__flow_unlock(turn->flow);
	plait__object_close_deferred(attempt->closing);
	plait__flow_devices_flush(turn->flow);
	return status;
}

/* Wait for room for an op. */
static plait_status await_room(plait__rank_turn *turn, plait_error *error)
{
	plait_status status = plait__flow_wait_for_more_room(turn->flow, error);

	/* The caller has not taken the event yet. */
	if (status != PLAIT_EVENT_READY)
		return status;
	plait__flow_wait_past_event(turn->flow);
	return PLAIT_OK;
}

/* Commit one step or more, and count them. */
static plait_status commit_some(plait__rank_turn *turn, uint32_t *index,
				plait_task *out, plait_error *error)
{
	plait_status status;

	do {
		struct attempt attempt = { .closing = NULL };

		status = try_steps(turn, index, &attempt, out, error);
		if (status == PLAIT_PENDING && attempt.lacks_buffers) {
			status = plait__rank_place_supply(turn->flow,
							  &turn->split, error);
			continue;
		}
		plait__rank_place_leave(turn->flow, &turn->split);
		if (status != PLAIT_PENDING)
			return status;
		status = await_room(turn, error);
	} while (status == PLAIT_OK);
	plait__rank_place_leave(turn->flow, &turn->split);
	return status;
}

static plait_status commit_steps(plait__rank_turn *turn, plait_task *out,
				 plait_error *error)
{
	uint32_t count = turn->ranks->steps.count, done = 0;
	plait_status status = PLAIT_OK;

	while (done < count && status == PLAIT_OK)
		status = commit_some(turn, &done, out, error);
	if (status != PLAIT_OK || out == NULL)
		return status;
	if (turn->split.done == 1)
		*out = turn->split.numbers[0];
	return turn->split.done == 1 ? PLAIT_OK :
		       commit_some(turn, &done, out, error);
}

/* ---- horizons ---- */

/* Wait until the other ranks let this one pass. */
static plait_status pass(plait__rank_turn *turn, uint64_t number,
			 plait_error *error)
{
	uint64_t op = 0;
	plait_status status;

	do {
		plait__flow_lock(turn->flow);
		status = plait__rank_engine_wait(turn->ranks, number, &op,
						 error);
		plait__flow_unlock(turn->flow);
		if (status == PLAIT_PENDING)
			status = plait__flow_wait_for_room(turn->flow, false,
							   error) < 0 ?
					 PLAIT_E_DEADLOCK : PLAIT_PENDING;
	} while (status == PLAIT_PENDING);
	while (status == PLAIT_OK &&
	       (status = plait__flow_wait_for(turn->flow, op, PLAIT_FOREVER,
					      error)) == PLAIT_EVENT_READY) {
		plait__flow_wait_past_event(turn->flow);
		status = PLAIT_OK;
	}
	return status;
}

/* Add the submission to the hash of the program. */
static plait_status count_task(plait__rank_turn *turn, plait_error *error)
{
	plait__flow_ranks *ranks = turn->ranks;
	const plait__horizon *over;
	plait_status status = PLAIT_OK;
	plait__horizon horizon;

	plait__mutex_lock(&ranks->lock);
	over = plait__program_hash_add(&ranks->program, turn->word,
				       turn->label);
	if (over != NULL) {
		horizon = *over;
		status = plait__rank_horizon_check(ranks, horizon.number,
						   error);
	} else {
		status = plait__rank_horizon_check_newest(ranks, error);
	}
	plait__mutex_unlock(&ranks->lock);
	if (over == NULL)
		return status;
	if (status == PLAIT_OK)
		status = plait__rank_horizon_send(ranks, &horizon, error);
	else
		(void)plait__rank_horizon_send(ranks, &horizon, NULL);
	if (status == PLAIT_OK)
		status = pass(turn, horizon.number, error);
	return status;
}

/* Commit what was planned.  A failure is one of the flow. */
static plait_status perform(plait__rank_turn *turn, plait_task *out,
			    plait_error *error)
{
	plait_status status;
	plait_error why;

	plait__error_clear(&why);
	if (out != NULL) {
		/* Some ranks have an end. */
		plait__flow_lock(turn->flow);
		plait__rank_room_count(turn->ranks, PLAIT__TASK_RANKS_ALL);
		plait__flow_unlock(turn->flow);
	}
	/* Submitters alone change the hash, in turns. */
	turn->ranks->submission = turn->ranks->program.tasks + 1;
	turn->ranks->hash = plait__program_hash_mix(turn->ranks->program.hash,
						    turn->word);
	status = commit_steps(turn, out, &why);
	plait__rank_plan_drop(turn->ranks);
	if (status == PLAIT_OK)
		status = count_task(turn, &why);
	if (status == PLAIT_OK)
		return status;
	plait__rank_stop_all(turn->ranks, &why);
	return plait__error_copy(error, &why);
}

/* ---- tasks ---- */

static plait_status check_task(const plait__flow *flow,
			       const plait_task_desc *desc, plait_error *error)
{
	const char *what = NULL;

	if (flow->capture != NULL)
		what = "tasks are not captured";
	else if ((desc->flags & PLAIT_TASK_NO_WAIT) != 0)
		what = "room is not the same on all ranks; leave "
		       "PLAIT_TASK_NO_WAIT out";
	else if ((desc->flags & PLAIT_TASK_BARRIER) != 0)
		what = "there is no barrier; let tasks name a token instead";
	return what == NULL ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "the flow is one over a world: %s", what);
}

/* PLAIT_PENDING: as plait__rank_plan_task, but what the task lacks is made. */
static plait_status try_plan(plait__rank_turn *turn, plait_error *error)
{
	plait__flow_task task;
	plait_status status;

	/* The rest is set by the preparation, if there is one. */
	task.closing = NULL;
	task.wants = NULL;
	do {
		plait__flow_lock(turn->flow);
		status = plait__rank_plan_task(turn, &task, error);
		plait__flow_unlock(turn->flow);
		plait__object_close_deferred(task.closing);
		task.closing = NULL;
		if (status != PLAIT_PENDING || task.wants == NULL)
			return status;
		status = plait__reduction_supply(&task, error);
		/* Data has one number on all ranks. */
		turn->has_changed = status != PLAIT_OK;
	} while (status == PLAIT_OK);
	return status;
}

/* The next launch that reduces gets other rows. */
static void advance(plait__rank_turn *turn)
{
	if (turn->steps.count == turn->steps.pieces)
		return;
	plait__flow_lock(turn->flow);
	plait__reduction_advance(turn->flow);
	plait__flow_unlock(turn->flow);
}

static plait_status submit(plait__rank_turn *turn, plait_task *out,
			   plait_error *error)
{
	plait_status status;
	plait_error why;

	plait__error_clear(&why);
	while ((status = try_plan(turn, &why)) == PLAIT_PENDING) {
		status = plait__flow_wait_for_more_room(turn->flow, error);
		if (status != PLAIT_OK)
			return status;
	}
	if (status == PLAIT_OK) {
		status = perform(turn, out, error);
		advance(turn);
		return status;
	}
	plait__rank_plan_drop(turn->ranks);
	if (turn->has_changed)
		plait__rank_stop_all(turn->ranks, &why);
	return plait__error_copy(error, &why);
}

plait_status plait__rank_submit_task(plait__flow *flow,
				     const plait_task_desc *desc,
				     plait__task_split_prepare prepare_task,
				     plait_task *out, plait_error *error)
{
	plait__rank_turn turn;
	plait_status status = check_task(flow, desc, error);

	turn.flow = flow;
	turn.ranks = flow->ranks;
	turn.desc = desc;
	turn.prepare = prepare_task;
	turn.label = desc->label;
	turn.split.done = 0;
	turn.split.supplies = false;
	if (status == PLAIT_OK)
		status = take_turn(&turn, error);
	if (status == PLAIT_OK) {
		status = submit(&turn, out, error);
		end_turn(&turn);
	}
	plait__rank_stop_note(turn.ranks, status);
	return status;
}

/* ---- host access ---- */

plait_status plait__rank_submit_access(plait__flow *flow, plait__data *data,
				       const plait_box *box, uint32_t mode,
				       const char *label, plait_error *error)
{
	plait__rank_turn turn = { .flow = flow, .ranks = flow->ranks,
				  .label = label, .word = mode };
	plait_error why = { .size = sizeof(why) };
	plait_status status = take_turn(&turn, error);

	if (status != PLAIT_OK)
		return status;
	plait__flow_lock(flow);
	status = plait__rank_plan_access(&turn, data, box,
					 mode & PLAIT__ACCESS_READS, &why);
	plait__flow_unlock(flow);
	if (status == PLAIT_OK) {
		status = perform(&turn, NULL, error);
	} else {
		plait__rank_plan_drop(turn.ranks);
		plait__rank_stop_all(turn.ranks, &why);
		(void)plait__error_copy(error, &why);
	}
	end_turn(&turn);
	return status;
}

plait_status plait__rank_submit_written(plait__flow *flow, plait__data *data,
					const plait_box *box,
					plait_error *error)
{
	plait__rank_turn turn = { .flow = flow, .ranks = flow->ranks };

	return plait__rank_plan_access(&turn, data, box, PLAIT__ACCESS_WRITES, error);
}
