/* SPDX-License-Identifier: MIT */
/*
 * Submission of tasks: prepare by kind, commit, and wait for room in between.
 * A wait gives up the lock, so the task is prepared anew after it.
 */
#include "flow/submit.h"

#include "flow/access/task_fields.h"
#include "flow/awaited_run.h"
#include "flow/commit.h"
#include "flow/device_place.h"
#include "flow/device_room.h"
#include "flow/device_split.h"
#include "flow/device_warnings.h"
#include "flow/flow_capture.h"
#include "flow/flow_data.h"
#include "flow/flow_late.h"
#include "flow/flow_proof.h"
#include "flow/flow_record.h"
#include "flow/flow_repeats.h"
#include "flow/flow_strict.h"
#include "flow/flow_wait.h"
#include "flow/launch_cut.h"
#include "flow/plain_task.h"
#include "flow/rank_submit.h"
#include "flow/reduction.h"
#include "flow/repeat_runs.h"
#include "flow/repetition_place.h"
#include "flow/room_supply.h"
#include "flow/task_access.h"
#include "flow/task_kind.h"
#include "flow/task_split.h"

#include "base/error.h"
#include "base/sized_struct.h"

enum {
	KNOWN_FLAGS = PLAIT_TASK_NO_WAIT | PLAIT_TASK_BARRIER |
		      PLAIT_TASK_COLLECTIVE
};

/* ---- any task ---- */

/* Over a world a function that waits for other ranks keeps no task from running that
 * these wait for: all tasks before it are done. */
static plait_status prepare_collective(plait__flow_task *task,
				       const plait_task_desc *desc,
				       plait_error *error)
{
	if (desc->kind != PLAIT_TASK_CALL || desc->inbox != NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "only functions without an inbox are "
				   "collective");
	task->is_prefix |= task->flow->ranks != NULL;
	return PLAIT_OK;
}

/* Inlined: a call would be a twentieth of a submission. */
static inline __attribute__((always_inline)) plait_status
prepare(plait__flow_task *task, const plait_task_desc *desc,
	plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (desc->kind != PLAIT_TASK_LAUNCH && (desc->split | desc->pieces) != 0)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "only launches are split");
	if ((desc->flags & ~(uint32_t)KNOWN_FLAGS) != 0)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "flags 0x%x are unknown; known are "
				     "PLAIT_TASK_NO_WAIT, _BARRIER and "
				     "_COLLECTIVE",
				     desc->flags & ~(uint32_t)KNOWN_FLAGS);
	if (!plait__task_fields_fit(desc))
		status = plait__task_fields_refuse(desc, error);
	if (desc->access_count > UINT16_MAX)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "%llu accesses; at most 65535",
				     (unsigned long long)desc->access_count);
	task->label = desc->label;
	task->cost = desc->cost;
	task->is_urgent = desc->priority > 0;
	task->is_prefix = task->is_barrier =
		(desc->flags & PLAIT_TASK_BARRIER) != 0;
	if (status == PLAIT_OK && (desc->flags & PLAIT_TASK_COLLECTIVE) != 0)
		status = prepare_collective(task, desc, error);
	if (status == PLAIT_OK)
		status = plait__task_kind_prepare(task, desc, error);
	if (status == PLAIT_OK)
		status = plait__task_access_add_all(
			task, desc->accesses, desc->access_count, error);
	if (task->flow->reductions.count != task->reduction_count)
		plait__vector_truncate(&task->flow->reductions,
				       task->reduction_count);
	if (status == PLAIT_OK && task->reduction_count > 0)
		status = plait__reduction_check(task, error);
	return status;
}

/* A plait__task_split_prepare. */
static plait_status prepare_piece(plait__flow_task *task,
				  const plait_task_desc *desc,
				  plait_error *error)
{
	return prepare(task, desc, error);
}

/* Append the accesses of a repetition, which is null for other tasks. */
static plait_status append(plait__flow_task *task,
			   const plait__repetition *again, plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && again != NULL &&
	     i < again->accesses.count; i++) {
		const plait__flow_access *access =
			plait__vector_at(&again->accesses, i);

		status = plait__task_access_append(task, access->whole,
						   &access->box, access->mode,
						   error);
		if (status == PLAIT_OK)
			task->flow->accesses[i].map = access->map;
	}
	return status;
}

/* Place a prepared task of a flow with devices. */
static plait_status place(plait__flow_task *task, plait_error *error)
{
	return task->again != NULL ?
		       plait__repetition_place_task(task, error) :
		       plait__place_task(task, error);
}

static void place_commit(plait__flow_task *task)
{
	if (task->again != NULL)
		plait__repetition_place_commit(task);
	else
		plait__place_commit(task);
}

/* PLAIT_PENDING: no room for the arguments. */
static plait_status capture(plait__flow_task *task, const plait_task_desc *desc,
			    const plait__repetition *again, plait_error *error)
{
	plait__flow_capture *capture = task->flow->capture;
	plait_status status = again == NULL ? prepare(task, desc, error) :
		plait__fail(error, PLAIT_E_STATE,
			    "a repetition in a captured flow: submit its tasks");

	if (status == PLAIT_OK)
		status = plait__flow_capture_add(task, desc, prepare_piece,
						 error);
	capture->was_refused |= status < 0;
	return status;
}

/* PLAIT_PENDING: no room. */
static plait_status commit(plait__flow_task *task, const plait_task_desc *desc,
			   plait__repetition *again, plait__device_split *split,
			   plait_error *error)
{
	plait__flow *flow = task->flow;
	plait_status status = PLAIT_OK;

	if (flow->window.newest - flow->swept >=
	    plait__window_size(&flow->window))
		plait__flow_reap(flow);
	if (flow->proof != NULL)
		status = plait__flow_proof_tell(flow, error);
	if (status != PLAIT_OK)
		return status;
	if (flow->devices != NULL)
		flow->submitter = split;
	if (flow->capture != NULL)
		return capture(task, desc, again, error);
	task->again = again;
	status = prepare(task, desc, error);
	if (status == PLAIT_OK && again != NULL && flow->devices != NULL)
		status = plait__repetition_place_fetch(task, error);
	if (status == PLAIT_OK && again != NULL)
		plait__repetitions_count_run(flow, again);
	if (status == PLAIT_OK)
		status = append(task, again, error);
	if (status == PLAIT_OK && flow->devices != NULL &&
	    plait__task_steps_are_several(task))
		return plait__device_split_commit(task, desc, prepare_piece,
						  split, error);
	if (status == PLAIT_OK && plait__task_steps_are_several(task))
		return plait__task_split_commit(task, desc, prepare_piece,
						error);
	if (status == PLAIT_OK && flow->is_strict)
		status = plait__flow_strict_check(flow, task->access_count,
						  error);
	if (status == PLAIT_OK && flow->devices != NULL)
		status = place(task, error);
	if (status == PLAIT_OK && again != NULL)
		task->is_reserved = plait__awaited_run_expect(flow, again);
	if (status == PLAIT_OK)
		status = plait__commit_task(task, error);
	if (status == PLAIT_OK && again != NULL)
		plait__awaited_run_note(flow, task->number, again);
	if (status == PLAIT_OK && flow->devices != NULL)
		place_commit(task);
	if (status == PLAIT_OK && flow->record != NULL)
		plait__flow_record_task(task, desc);
	if (status != PLAIT_OK && task->late != NULL)
		plait__late_return(task);
	if (status != PLAIT_OK && flow->devices != NULL)
		plait__place_undo(task);
	return status;
}

/* The same, but the task may be a part of a run. */
static plait_status attempt(plait__flow_task *task, const plait_task_desc *desc,
			    plait__repetition *again,
			    plait__device_split *split, plait_error *error)
{
	plait__flow *flow = task->flow;
	plait_status status;

	if (__builtin_expect(flow->repeats == NULL, 1))
		return commit(task, desc, again, split, error);
	status = plait__repeat_runs_take(task, desc, prepare_piece,
					 flow->devices != NULL &&
						 split->done > 0);
	if (status != PLAIT_E_STATE)
		return status;
	if (again == NULL && flow->devices == NULL)
		task->number = plait__plain_task_submit(
			flow, desc, &(plait__plain_data){ NULL, NULL });
	status = task->number != 0 ? PLAIT_OK :
		 commit(task, desc, again, split, error);
	if (status == PLAIT_OK)
		plait__flow_repeats_note(flow, desc);
	return status;
}

plait_status plait__submit_try(plait__flow_task *task,
			       const plait_task_desc *desc)
{
	return attempt(task, desc, NULL, NULL, NULL);
}

/* Other launches may have the partial results that this one has begun with. */
static void abandon(plait__flow *flow, const plait__device_split *split)
{
	if (flow->devices == NULL)
		return;
	plait__flow_lock(flow);
	flow->submitter = split;
	plait__device_warnings_forget(flow);
	plait__reduction_abandon(flow, split);
	plait__flow_unlock(flow);
}

/* Pieces may be committed: an event is the caller's behind the last one. */
static plait_status put_off_event(plait__flow *flow, plait_status status,
				  const plait__device_split *split)
{
	if (status != PLAIT_EVENT_READY || split->done == 0)
		return status;
	plait__flow_wait_past_event(flow);
	return PLAIT_OK;
}

/* Make the buffers that the task lacks, or wait for an op that uses memory. */
static plait_status supply(plait__flow *flow, const plait_task_desc *desc,
			   const plait__repetition *again,
			   plait__device_split *split, uint64_t *out_behind,
			   plait_error *error)
{
	uint64_t behind;
	plait_status status = plait__room_supply_make(flow, split, out_behind,
							error);

	behind = *out_behind;
	if (status != PLAIT_OK || behind == 0)
		return status;
	if ((desc->flags & PLAIT_TASK_NO_WAIT) != 0 && split->done == 0)
		return plait__fail(error, PLAIT_E_BUSY,
				   "no room for a task in the memory of its "
				   "device; task %llu uses it",
				   (unsigned long long)behind);
	status = plait__flow_wait_for_memory(
		flow, behind, again == NULL && split->done == 0, error);
	return put_off_event(flow, status, split);
}

void plait__submit_build_repeats(plait__flow *flow)
{
	if (flow->repeats != NULL)
		plait__flow_repeats_build(flow, prepare_piece);
}

static void name_task(const plait_task_desc *desc, plait_error *error)
{
	if (desc->label != NULL)
		plait__error_prefix(error, "task \"%.40s\": ", desc->label);
}

/* The same over the ranks of a world. */
static plait_status submit_over_ranks(plait__flow *flow,
				      const plait_task_desc *desc,
				      plait_task *out, plait_error *error)
{
	plait_status status = plait__rank_submit_task(flow, desc, prepare_piece,
						      out, error);

	if (status < 0)
		name_task(desc, error);
	return status;
}

static plait_status fail_busy(const plait__flow *flow, plait_error *error)
{
	return plait__fail(error, PLAIT_E_BUSY,
			   "no room for a task in the window of %llu",
			   (unsigned long long)plait__window_size(&flow->window));
}

/* The task lacks buffers, partial results or room: make them, or wait.  PLAIT_OK: it may be
 * attempted again. */
static plait_status make_room(plait__flow *flow, const plait_task_desc *desc,
			      const plait__repetition *again,
			      plait__device_split *split, plait__flow_task *task,
			      uint64_t *out_behind, plait_error *error)
{
	plait_status status;

	if (task->lacks_buffers)
		return supply(flow, desc, again, split, out_behind, error);
	if (split->supplies)
		plait__room_supply_leave(flow, split);
	if (task->wants != NULL)
		return plait__reduction_supply(task, error);
	if ((desc->flags & PLAIT_TASK_NO_WAIT) != 0 && split->done == 0)
		return fail_busy(flow, error);
	*out_behind = 0;
	status = plait__flow_wait_for_room(flow,
					   again == NULL && split->done == 0,
					   error);
	return put_off_event(flow, status, split);
}

/* Attempt the task until it is committed, fails or is to suspend. */
static plait_status submit_task(plait__flow *flow, const plait_task_desc *desc,
				plait__repetition *again,
				plait__device_split *split,
				plait__flow_task *task, uint64_t *out_behind,
				plait_error *error)
{
	plait_status status;

	do {
		plait__flow_task_clear(task, flow);
		plait__flow_lock(flow);
		status = attempt(task, desc, again, split, error);
		plait__flow_unlock(flow);
		plait__object_close_deferred(task->closing);
		plait__flow_devices_offer(flow);
		plait__submit_build_repeats(flow);
		if (status != PLAIT_PENDING)
			return status;
		status = make_room(flow, desc, again, split, task, out_behind,
				   error);
	} while (status == PLAIT_OK);
	return status;
}

plait_status plait__submit_as(plait__flow *flow, const plait_task_desc *desc,
			      plait__repetition *again, plait__submitted *out,
			      uint64_t *out_behind, plait_error *error)
{
	plait__device_split split;
	plait__flow_task task;
	plait_status status;

	*out = (plait__submitted){ 0 };
	split.done = 0;
	split.supplies = false;
	split.weights.state = PLAIT__SPLIT_UNDECIDED;
	status = submit_task(flow, desc, again, &split, &task, out_behind,
			     error);
	if (split.supplies)
		plait__room_supply_leave(flow, &split);
	if (status != PLAIT_OK)
		abandon(flow, &split);
	if (status < 0 && split.done > 0)
		plait__error_prefix(error, "behind its first %u pieces: ",
				    split.done);
	if (status < 0)
		name_task(desc, error);
	*out = (plait__submitted){
		.number = task.number, .pieces = task.chunk.count,
		.excess = split.done == 0 && task.reduction_count == 0 ?
				  task.excess : 0,
	};
	return status;
}

plait_status plait__submit_any(plait__flow *flow, const plait_task_desc *desc,
			       plait__repetition *again, plait_task *out,
			       uint64_t *out_behind, plait_error *error)
{
	plait__submitted submitted;
	plait_status status;

	if (flow->ranks != NULL)
		return submit_over_ranks(flow, desc, out, error);
	status = plait__launch_cut_is_due(flow, desc) ?
			 plait__launch_cut_submit(plait__submit_as, flow, desc,
						  &submitted, out_behind,
						  error) :
			 plait__submit_as(flow, desc, again, &submitted,
					  out_behind, error);
	if (status == PLAIT_OK && out != NULL)
		*out = submitted.number;
	return status;
}

plait_status plait__submit_repetition(plait__flow *flow,
				   plait__repetition *again,
				   plait_task *out, plait_error *error)
{
	uint64_t behind;

	return plait__submit_any(flow, &again->desc, again, out, &behind,
				 error);
}

/* Add the task to the held run, if it is the next one. */
static bool extend(plait__flow *flow, const plait_task_desc *desc,
		   plait_task *out)
{
	plait_task number;

	if (flow->repeats == NULL ||
	    plait__repeat_runs_extend_alone(flow, desc, 1, &number) == 0)
		return false;
	if (out != NULL)
		*out = number;
	return true;
}

/* PLAIT_PENDING: no room, and the caller is a coroutine. */
static plait_status submit_once(plait_flow *flow, const plait_task_desc *desc,
				plait_task *out, uint64_t *out_behind,
				plait_error *error)
{
	const plait_task_desc *known;
	plait_task_desc room;
	plait__flow *self;
	plait_status status;

	status = plait__flow_enter(flow, &self, error);
	if (status != PLAIT_OK)
		return status;
	if (plait__plain_task_submit_one(self, desc, out) ||
	    extend(self, desc, out)) {
		plait__object_leave(&self->object);
		return PLAIT_OK;
	}
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	status = PLAIT__STRUCT_VIEW(plait_task_desc, (const void **)&known,
				    &room, desc, error);
	if (status == PLAIT_OK)
		status = plait__submit_any(self, known, NULL, out, out_behind,
					   error);
	plait__thread_scope_end(&inside);
	plait__object_leave(&self->object);
	return status;
}

PLAIT_API plait_status plait_flow_submit(plait_flow *flow,
					 const plait_task_desc *desc,
					 plait_task *out, plait_error *error)
{
	uint64_t behind = 0, seen = 0;
	plait_status status;

	if (out != NULL)
		*out = 0;
	do {
		status = submit_once(flow, desc, out, &behind, error);
		if (status != PLAIT_PENDING)
			return status;
		status = plait__flow_wait_retry(flow, behind, &seen, error);
	} while (status == PLAIT_OK);
	return status;
}
