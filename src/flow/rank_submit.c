/* SPDX-License-Identifier: MIT */
/* Submissions over the ranks of a world; see rank_submit.h. */
#include "flow/rank_submit.h"

#include "flow/access/chunks.h"
#include "flow/commit.h"
#include "flow/flow_late.h"
#include "flow/flow_wait.h"
#include "flow/own_tasks.h"
#include "flow/rank_engine.h"
#include "flow/rank_horizon.h"
#include "flow/rank_stop.h"

#include "base/error.h"
#include "object/wait/suspension.h"
#include "pool/callback_scope.h"

/* A submission. */
struct turn {
	plait__flow *flow;
	plait__flow_ranks *ranks;
	const plait_task_desc *desc; /* null: a host access */
	plait__task_split_prepare prepare;
	const char *label;
	uint64_t word; /* for the hash of the program */
	bool has_changed; /* the owner maps have */
	uint32_t done;	  /* own pieces */
	uint64_t numbers[PLAIT__CHUNKS_MOST];
};

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

static plait_status take_turn(struct turn *turn, plait_error *error)
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
	if (ranks->is_submitting)
		status = plait__fail(error, PLAIT_E_STATE,
				     "another thread submits to this flow, which "
				     "is one over a world: its tasks have one "
				     "order on all ranks");
	else
		ranks->is_submitting = true;
	plait__flow_unlock(turn->flow);
	return status;
}

static void end_turn(struct turn *turn)
{
	plait__flow_lock(turn->flow);
	turn->ranks->is_submitting = false;
	plait__flow_unlock(turn->flow);
}

/* ---- plans: under the lock of the flow ---- */

static void mix(struct turn *turn, uint64_t word)
{
	turn->word = plait__program_hash_mix(turn->word, word);
}

/* Copy the accesses of the prepared task. */
static bool list_accesses(struct turn *turn, uint32_t count)
{
	plait__vector *list = &turn->ranks->accesses;

	plait__vector_truncate(list, 0);
	for (uint32_t i = 0; i < count; i++) {
		const plait__flow_access *access = &turn->flow->accesses[i];
		const plait__rank_access copy = {
			.owners = access->whole->owners,
			.whole = &access->whole->box, .box = access->box,
			.each = access->whole->element_bytes,
			.mode = access->mode,
		};

		if (PLAIT__VECTOR_ADD(list, &copy) == NULL)
			return false;
		mix(turn, access->whole->number << 2 | access->mode);
		for (int d = 0; d < 3; d++) {
			mix(turn, access->box.low[d]);
			mix(turn, access->box.high[d]);
		}
	}
	return true;
}

/* Append the transfers in which this rank takes part, with their data held. */
static bool add_transfers(struct turn *turn)
{
	plait__flow_ranks *ranks = turn->ranks;

	for (uint32_t i = 0; i < ranks->listed.count; i++) {
		const plait__rank_transfer *at =
			plait__vector_at(&ranks->listed, i);
		plait__rank_step step = {
			.data = turn->flow->accesses[at->access].whole,
			.box = at->box, .sends = at->from == ranks->rank,
			.transfer = ++ranks->transfers,
		};

		step.peer = step.sends ? at->to : at->from;
		if (!step.sends && at->to != ranks->rank)
			continue;
		if (PLAIT__VECTOR_ADD(&ranks->steps, &step) == NULL)
			return false;
		plait__object_hold(&step.data->object);
	}
	return true;
}

/* Note the task that was prepared, which has `count` accesses and runs on a
 * rank, or on all.  Returns false without memory. */
static bool plan(struct turn *turn, uint32_t count, uint32_t rank,
		 uint32_t piece)
{
	plait__flow_ranks *ranks = turn->ranks;
	const plait__rank_step step = { .peer = piece };
	const plait__rank_task task = { rank, ranks->count, ++ranks->tasks };

	mix(turn, rank);
	plait__vector_truncate(&ranks->listed, 0);
	if (!plait__task_ranks_run(ranks->accesses.items, count, &task,
				   &ranks->versions, &ranks->listed) ||
	    !add_transfers(turn))
		return false;
	return turn->desc == NULL ||
	       (rank != ranks->rank && rank != PLAIT__TASK_RANKS_ALL) ||
	       PLAIT__VECTOR_ADD(&ranks->steps, &step) != NULL;
}

static bool runs_everywhere(const plait_task_desc *desc)
{
	return desc->kind == PLAIT_TASK_READ ||
	       desc->kind == PLAIT_TASK_WRITE ||
	       desc->kind == PLAIT_TASK_EMIT || desc->kind == PLAIT_TASK_WAIT;
}

static uint32_t rank_of(const struct turn *turn, const plait__flow_task *task,
			uint32_t accesses)
{
	const plait__flow_ranks *ranks = turn->ranks;

	if (task->chunk.count > 1)
		return (uint32_t)((uint64_t)task->chunk.index * ranks->count /
				  task->chunk.count);
	if (runs_everywhere(turn->desc))
		return PLAIT__TASK_RANKS_ALL;
	return plait__task_ranks_choose(ranks->accesses.items, accesses,
					ranks->count);
}

/* Prepare a piece as if it were to run here; nothing stays. */
static plait_status prepare(struct turn *turn, uint32_t piece,
			    plait__flow_task *task, plait_error *error)
{
	plait__object *closing = task->closing;
	plait_status status;

	plait__flow_task_clear(task, turn->flow);
	task->closing = closing;
	task->chunk.index = piece;
	/* Not set but by launches. */
	task->chunk.count = 0;
	status = turn->prepare(task, turn->desc, error);
	if (task->late != NULL)
		plait__late_return(task);
	return status;
}

static void mix_task(struct turn *turn, const plait__flow_task *task)
{
	mix(turn, turn->desc->kind);
	if (task->kernel == NULL)
		return;
	for (const char *at = task->kernel->kernel->signature->name;
	     *at != '\0'; at++)
		mix(turn, (unsigned char)*at);
	for (int d = 0; d < 3; d++)
		mix(turn, task->chunk.items.high[d]);
}

static plait_status plan_pieces(struct turn *turn, plait__flow_task *task,
				uint32_t count, plait_error *error)
{
	plait_status status = PLAIT_OK;

	/* All are prepared before the first one has an effect. */
	for (uint32_t i = 1; status == PLAIT_OK && i < count; i++)
		status = prepare(turn, i, task, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++) {
		if (count > 1)
			status = prepare(turn, i, task, error);
		if (status == PLAIT_OK &&
		    !list_accesses(turn, task->access_count))
			status = plait__fail(error, PLAIT_E_NOMEM,
					     "no memory for a task");
		if (status != PLAIT_OK)
			break;
		mix_task(turn, task);
		turn->has_changed = true;
		if (!plan(turn, task->access_count,
			  rank_of(turn, task, task->access_count), i))
			status = plait__fail(error, PLAIT_E_NOMEM,
					     "no memory for the transfers of a "
					     "task");
	}
	return status;
}

/* ---- steps ---- */

static plait_status commit_piece(struct turn *turn, uint32_t piece,
				 plait__object **closing, plait_error *error)
{
	plait__flow_task task;
	plait_status status;

	plait__flow_task_clear(&task, turn->flow);
	task.chunk.index = piece;
	status = turn->prepare(&task, turn->desc, error);
	if (status == PLAIT_OK)
		status = plait__commit_task(&task, error);
	if (status == PLAIT_OK)
		turn->numbers[turn->done++] = task.number;
	else if (task.late != NULL)
		plait__late_return(&task);
	*closing = task.closing;
	return status;
}

/* The op that the task's number is of, if it is not one piece here. */
static plait_status commit_end(struct turn *turn, plait_task *out,
			       plait_error *error)
{
	plait__flow_task end = { .flow = turn->flow, .kind = PLAIT__OP_MARK,
				 .label = turn->label,
				 .pieces = turn->numbers,
				 .piece_count = turn->done };
	plait_status status = plait__commit_task(&end, error);

	*out = end.number;
	return status;
}

/* Commit one step; the last one is the end.  PLAIT_PENDING: no room. */
static plait_status try_step(struct turn *turn, uint32_t index,
			     plait_task *out, plait_error *error)
{
	plait__flow_ranks *ranks = turn->ranks;
	plait__object *closing = NULL;
	plait_status status;

	plait__flow_lock(turn->flow);
	if (turn->flow->window.newest - turn->flow->swept >=
	    plait__window_size(&turn->flow->window))
		plait__flow_reap(turn->flow);
	if (index == ranks->steps.count) {
		status = commit_end(turn, out, error);
	} else {
		const plait__rank_step *step =
			plait__vector_at(&ranks->steps, index);

		status = step->data == NULL ?
			commit_piece(turn, step->peer, &closing, error) :
			plait__rank_engine_transfer(ranks, step, error);
	}
	plait__flow_unlock(turn->flow);
	plait__object_close_deferred(closing);
	return status;
}

static plait_status commit_step(struct turn *turn, uint32_t index,
				plait_task *out, plait_error *error)
{
	plait_status status;

	while ((status = try_step(turn, index, out, error)) == PLAIT_PENDING) {
		status = plait__flow_wait_for_room(turn->flow, false, error);
		/* An event that the caller has not taken yet. */
		if (status == PLAIT_EVENT_READY)
			plait__flow_wait_past_event(turn->flow);
		else if (status != PLAIT_OK)
			return status;
	}
	return status;
}

static plait_status commit_steps(struct turn *turn, plait_task *out,
				 plait_error *error)
{
	uint32_t count = turn->ranks->steps.count;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < count && status == PLAIT_OK; i++)
		status = commit_step(turn, i, out, error);
	if (status != PLAIT_OK || out == NULL)
		return status;
	if (turn->done == 1)
		*out = turn->numbers[0];
	return turn->done == 1 ? PLAIT_OK :
		       commit_step(turn, count, out, error);
}

static void drop_steps(plait__flow_ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->steps.count; i++) {
		const plait__rank_step *step =
			plait__vector_at(&ranks->steps, i);

		if (step->data != NULL)
			plait__object_drop(&step->data->object);
	}
	plait__vector_truncate(&ranks->steps, 0);
}

/* ---- horizons ---- */

/* Wait until the other ranks let this one pass. */
static plait_status pass(struct turn *turn, uint64_t number,
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
static plait_status count_task(struct turn *turn, plait_error *error)
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
	}
	plait__mutex_unlock(&ranks->lock);
	if (over == NULL)
		return PLAIT_OK;
	if (status == PLAIT_OK)
		status = plait__rank_horizon_send(ranks, &horizon, error);
	else
		(void)plait__rank_horizon_send(ranks, &horizon, NULL);
	if (status == PLAIT_OK)
		status = pass(turn, horizon.number, error);
	return status;
}

/* Commit what was planned.  A failure is one of the flow. */
static plait_status perform(struct turn *turn, plait_task *out,
			    plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status = commit_steps(turn, out, &why);

	drop_steps(turn->ranks);
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

/* PLAIT_PENDING: no room for arguments, and nothing has changed. */
static plait_status try_plan(struct turn *turn, plait_error *error)
{
	plait__flow_task task = { .closing = NULL };
	plait_status status;
	uint32_t count;

	turn->word = 0;
	turn->has_changed = false;
	plait__flow_lock(turn->flow);
	status = prepare(turn, 0, &task, error);
	count = task.chunk.count > 1 ? task.chunk.count : 1;
	if (status == PLAIT_OK)
		status = plan_pieces(turn, &task, count, error);
	plait__flow_unlock(turn->flow);
	plait__object_close_deferred(task.closing);
	return status;
}

static plait_status submit(struct turn *turn, plait_task *out,
			   plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status;

	while ((status = try_plan(turn, &why)) == PLAIT_PENDING) {
		status = plait__flow_wait_for_room(turn->flow, false, error);
		if (status != PLAIT_OK)
			return status;
	}
	if (status == PLAIT_OK)
		return perform(turn, out, error);
	drop_steps(turn->ranks);
	if (turn->has_changed)
		plait__rank_stop_all(turn->ranks, &why);
	return plait__error_copy(error, &why);
}

plait_status plait__rank_submit_task(plait__flow *flow,
				     const plait_task_desc *desc,
				     plait__task_split_prepare prepare_task,
				     plait_task *out, plait_error *error)
{
	struct turn turn;
	plait_status status = check_task(flow, desc, error);

	turn.flow = flow;
	turn.ranks = flow->ranks;
	turn.desc = desc;
	turn.prepare = prepare_task;
	turn.label = desc->label;
	turn.done = 0;
	if (status == PLAIT_OK)
		status = take_turn(&turn, error);
	if (status != PLAIT_OK)
		return status;
	status = submit(&turn, out, error);
	end_turn(&turn);
	return status;
}

/* ---- host access ---- */

/* Note an access by all ranks.  Caller holds the lock of the flow. */
static plait_status plan_access(struct turn *turn, plait__data *data,
				const plait_box *box, uint32_t mode,
				plait_error *error)
{
	plait__flow *flow = turn->flow;

	if (plait__commit_reserve_accesses(flow, 1)) {
		flow->accesses[0] = (plait__flow_access){
			.whole = data->whole, .box = *box,
			.map = &data->whole->map, .mode = mode };
		if (list_accesses(turn, 1) &&
		    plan(turn, 1, PLAIT__TASK_RANKS_ALL, 0))
			return PLAIT_OK;
	}
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the transfers of an access");
}

plait_status plait__rank_submit_access(plait__flow *flow, plait__data *data,
				       const plait_box *box, uint32_t mode,
				       const char *label, plait_error *error)
{
	struct turn turn = { .flow = flow, .ranks = flow->ranks,
			     .label = label, .word = mode };
	plait_error why = { .size = sizeof(why) };
	plait_status status = take_turn(&turn, error);

	if (status != PLAIT_OK)
		return status;
	plait__flow_lock(flow);
	status = plan_access(&turn, data, box, mode & PLAIT__ACCESS_READS,
			     &why);
	plait__flow_unlock(flow);
	if (status == PLAIT_OK) {
		status = perform(&turn, NULL, error);
	} else {
		drop_steps(turn.ranks);
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
	struct turn turn = { .flow = flow, .ranks = flow->ranks };

	return plan_access(&turn, data, box, PLAIT__ACCESS_WRITES, error);
}
