/* SPDX-License-Identifier: MIT */
/*
 * Late tasks; see flow_late.h.
 *
 *     submitter        worker               notification      worker
 *     take a record    begin: submit, arm   push, arrived     collect: finish
 *
 * A run has no notification: see late_run.h.
 *
 * A record has a queue of its own, so that no late task waits for another.
 * Records are kept for later tasks; the notification has a hold of the flow.
 */
#include "flow/flow_late.h"

#include "flow/flow.h"
#include "flow/flow_series.h"
#include "flow/late_cancel.h"
#include "flow/late_run.h"
#include "flow/late_signal.h"
#include "flow/repetition_prefix.h"
#include "flow/short_run.h"

#include "base/alloc.h"
#include "base/error.h"
#include "graph/plan/plan_object.h"
#include "object/context/backend_result.h"
#include "object/inbox/inbox.h"
#include "object/queue/internal_commands.h"
#include "object/queue/queue_diagnosis.h"
#include "object/queue/queue_finish.h"
#include "object/queue/queue_state.h"
#include "object/signal/signal.h"

#include <string.h>

/* ---- records ---- */

static void on_event(plait__listener *listener, plait_status status);
static void end(plait__flow_arrival *arrival);

/* Caller holds the lock. */
static void keep(plait__flow *flow, plait__late *late)
{
	late->next_free = flow->late;
	flow->late = late;
}

/* Caller holds the lock. */
static plait_status take(plait__flow *flow, plait__late **out,
			 plait_error *error)
{
	plait__late *late = flow->late;

	if (late == NULL) {
		late = plait__alloc(plait__flow_allocator(flow), sizeof(*late));
		if (late == NULL)
			return plait__fail(error, PLAIT_E_NOMEM,
					   "no memory for a task");
		late->flow = flow;
		late->arrival.collect = end;
		late->listener.notify = on_event;
	} else {
		flow->late = late->next_free;
	}
	*out = late;
	return PLAIT_OK;
}

static plait_status make_queue(plait__late *late, plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (late->queue == NULL)
		status = plait__queue_make(late->flow->host, &late->queue,
					   error);
	if (status == PLAIT_OK)
		late->queue->user = late;
	return status;
}

static void release_queue(plait__late *late)
{
	plait__queue *queue = late->queue;

	late->queue = NULL;
	if (queue != NULL)
		plait__object_release(plait__object_handle(&queue->object),
				      PLAIT_OBJECT_QUEUE);
}

void plait__late_fini(plait__flow *flow)
{
	plait__late *next;

	for (plait__late *at = flow->late; at != NULL; at = next) {
		next = at->next_free;
		release_queue(at);
		plait__free(plait__flow_allocator(flow), at, sizeof(*at));
	}
}

/* ---- the submitter ---- */

static plait_status check_inbox(const plait__flow *flow, plait__inbox *inbox,
				plait_error *error)
{
	plait_status status = plait__context_check_same(
		&flow->object, &inbox->object, error);
	bool closed;

	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&inbox->lock);
	closed = inbox->closed;
	plait__mutex_unlock(&inbox->lock);
	return closed ? plait__fail(error, PLAIT_E_STATE,
				    "the inbox is closed") : PLAIT_OK;
}

static plait_status take_inbox(plait__flow_task *task, plait__late *late,
			       const plait_task_desc *desc, plait_error *error)
{
	plait__inbox *inbox;
	plait_status status = plait__inbox_enter(desc->inbox, &inbox, error);

	if (status != PLAIT_OK)
		return status;
	status = check_inbox(task->flow, inbox, error);
	if (status == PLAIT_OK) {
		plait__object_hold(&inbox->object);
		late->needs = &inbox->object;
		late->function = desc->function;
		late->user_data = desc->user_data;
	}
	plait__object_leave_deferred(&inbox->object, &task->closing);
	return status;
}

/* Take the plan of a run: the record holds it, but not its handle, which would
 * keep the context open.  The task comes behind the newest run of the plan. */
static plait_status take_plan(plait__flow_task *task, plait__late *late,
			      const plait_task_desc *desc, plait_error *error)
{
	plait__plan_object *plan;
	plait_status status = plait__plan_object_enter(desc->plan, &plan,
						       error);

	if (status != PLAIT_OK)
		return status;
	status = plait__context_check_same(&task->flow->object, &plan->object,
					   error);
	if (status == PLAIT_OK &&
	    !plait__flow_series_enter(task, desc->plan))
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for a plan");
	if (status == PLAIT_OK) {
		plait__object_hold(&plan->object);
		late->needs = &plan->object;
		late->run = desc->run;
	}
	plait__object_leave_deferred(&plan->object, &task->closing);
	return status;
}

/* The same for a repetition, which has the plan as long as the flow lives: the record
 * does not hold it. */
static void take_repetition(plait__flow_task *task, plait__late *late,
			    const plait_task_desc *desc)
{
	task->series = &task->again->newest;
	task->behind = task->series->last_use;
	late->needs = plait__handle_peek(desc->plan, PLAIT_OBJECT_PLAN);
	late->run = desc->run;
}

static plait_status take_needs(plait__flow_task *task, plait__late *late,
			       const plait_task_desc *desc, plait_error *error)
{
	switch (desc->kind) {
	case PLAIT_TASK_CALL:
		return take_inbox(task, late, desc, error);
	case PLAIT_TASK_PLAN:
		if (task->again == NULL)
			return take_plan(task, late, desc, error);
		take_repetition(task, late, desc);
		return PLAIT_OK;
	default:
		return plait__late_signal_take(task, late, desc, error);
	}
}

static plait_status begin(void *user_data, uint64_t number, plait_error *error);

plait_status plait__late_prepare(plait__flow_task *task,
				 const plait_task_desc *desc,
				 plait_error *error)
{
	plait__flow *flow = task->flow;
	plait__late *late = NULL;
	plait_status status;

	if (flow->host == NULL)
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "the context has no device of the host, "
				   "which signals and inboxes need");
	status = take(flow, &late, error);
	if (status != PLAIT_OK)
		return status;
	task->late = late;
	late->again = task->again;
	late->limit = UINT32_MAX;
	late->kind = desc->kind;
	if (desc->kind != PLAIT_TASK_WAIT)
		status = make_queue(late, error);
	if (status == PLAIT_OK)
		status = take_needs(task, late, desc, error);
	task->kind = PLAIT__OP_ASYNC;
	task->is_late = true;
	task->is_outside = desc->kind == PLAIT_TASK_WAIT ||
			   desc->kind == PLAIT_TASK_CALL;
	task->filled.call.begin = begin;
	task->filled.user_data = late;
	return status;
}

static void drop_needs(plait__late *late)
{
	if (late->needs != NULL && late->again == NULL)
		plait__object_drop_deferred(late->needs);
	late->needs = NULL;
}

void plait__late_return(plait__flow_task *task)
{
	drop_needs(task->late);
	keep(task->flow, task->late);
	task->late = NULL;
}

/* ---- begin: a worker ---- */

static plait_status submit_call(plait__late *late, plait_error *error)
{
	const plait__call_request wanted = {
		.inbox = (plait__inbox *)late->needs,
		.function = late->function,
		.user_data = late->user_data,
		.lock = &late->call_lock,
		.stop = &late->stop,
	};
	plait_error why = { .size = sizeof(why) };
	plait_status status = plait__internal_submit_call(
		late->queue, &wanted, &late->call, &why);

	if (status == PLAIT_OK)
		return status;
	return plait__fail(error, status == PLAIT_E_STATE ?
				  PLAIT_E_CANCELLED : status, "failed: %s",
			   why.text);
}

/* Submit the command, and set the port and the point that are awaited. */
static plait_status submit(plait__late *late, plait_error *error)
{
	plait_status status;
	uint64_t emission;

	if (late->kind == PLAIT_TASK_WAIT) {
		plait__signal *signal = (plait__signal *)late->needs;

		late->port = signal->port;
		late->point.signal = signal->raw;
		late->point.sequence = late->sequence;
		return PLAIT_OK;
	}
	if (late->kind == PLAIT_TASK_CALL)
		status = submit_call(late, error);
	else
		status = plait__internal_submit_emission(
			late->queue, (plait__signal *)late->needs,
			&emission, error);
	late->port = late->queue->port;
	late->point.signal = late->queue->progress;
	late->point.sequence = plait__queue_submitted(late->queue);
	return status;
}

/* The record is free for another task. */
static void free_late(plait__late *late)
{
	plait__flow *flow = late->flow;

	late->is_left = false;
	drop_needs(late);
	plait__flow_lock(flow);
	keep(flow, late);
	plait__flow_unlock(flow);
}

/* No notification will come: retract what was submitted. */
static void retract(plait__late *late)
{
	if (late->call != NULL) {
		plait__call_retract(late->call);
		plait__object_drop(&late->call->event_record.object);
	}
	late->call = NULL;
	release_queue(late);
}

/* PLAIT_PENDING: the notification will come, or has. */
static plait_status notify(plait__late *late, plait_error *error)
{
	plait__flow *flow = late->flow;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	/* Until the notification. */
	plait__object_hold(&flow->object);
	status = plait__backend_notify(late->port, flow->object.context,
				       &late->point, plait__listener_notify,
				       &late->listener, &room);
	if (status == PLAIT_OK)
		return PLAIT_PENDING;
	plait__object_drop(&flow->object);
	return plait__backend_result_check(late->port, status, "signal_notify",
					   &room, error);
}

/* Begin what can be cancelled while it waits.  PLAIT_PENDING: another thread
 * ends the op, and the record is not the caller's any more. */
static plait_status begin_waiting(plait__late *late, plait_error *error)
{
	plait_status status = plait__late_cancel_begin(late, error);
	bool is_submitted, is_open;

	if (status != PLAIT_OK)
		return status;
	status = late->kind == PLAIT_TASK_PLAN ?
			 plait__late_run_start(late, error) :
			 submit(late, error);
	is_submitted = status == PLAIT_OK;
	if (is_submitted)
		status = notify(late, error);
	if (status == PLAIT_PENDING)
		return status;
	is_open = plait__late_cancel_end(late);
	if (is_submitted)
		retract(late);
	if (is_open)
		return status;
	/* A cancellation has ended the op. */
	free_late(late);
	return PLAIT_PENDING;
}

/* Runs of a repetition come one after another.  PLAIT_PENDING: there is more to do. */
static plait_status begin_again(plait__late *late, plait_error *error)
{
	plait_status status;

	late->again->limit = late->limit;
	status = plait__repetition_prefix_begin(late, error);
	return status == PLAIT_OK ? PLAIT_PENDING : status;
}

/* PLAIT_PENDING: as begin_waiting. */
static plait_status begin_run(plait__late *late, plait_error *error)
{
	plait_status status = PLAIT_PENDING;

	if (late->kind == PLAIT_TASK_WAIT)
		status = plait__late_signal_begin(late, error);
	if (late->again != NULL)
		status = begin_again(late, error);
	if (status == PLAIT_PENDING)
		status = plait__late_run_call(late, error);
	return status != PLAIT_PENDING ? status : begin_waiting(late, error);
}

/* A plait__op_begin. */
static plait_status begin(void *user_data, uint64_t number, plait_error *error)
{
	plait__late *late = user_data;
	plait_status status = PLAIT_OK;

	late->number = number;
	if (number != 0)
		status = begin_run(late, error);
	if (status < 0)
		plait__repetition_prefix_note_failure(late);
	if (status != PLAIT_PENDING)
		free_late(late);
	return status;
}

/* ---- the notification ---- */

static void on_event(plait__listener *listener, plait_status status)
{
	plait__late *late =
		PLAIT__LISTENER_OWNER(listener, plait__late, listener);
	plait__flow *flow = late->flow;

	(void)status;
	plait__backend_notified(flow->object.context);
	plait__flow_lanes_arrive(&flow->lanes, &late->arrival);
	plait__object_drop_deferred(&flow->object);
}

/* ---- the end: a worker ---- */

static plait_status poll(const plait__late *late, plait_error *error)
{
	plait__backend *backend;
	plait_error room = { .size = sizeof(room) };
	uint64_t reached;

	if (late->kind == PLAIT_TASK_PLAN)
		return late->failure.status == PLAIT_OK ? PLAIT_OK :
		       plait__error_copy(error, &late->failure);
	backend = late->port->backend;
	return plait__backend_result_check_poll(
		late->port,
		backend->table.signal_poll(backend->self, &late->point,
					   &reached, &room),
		&room, error);
}

/* The queue's error is more precise; the queue is usable again, or released.  A
 * run has its own error, and its queue would have to be awaited. */
static void recover_queue(plait__late *late, plait_error *why)
{
	plait_error better = { .size = sizeof(better) };

	if (late->queue == NULL || late->kind == PLAIT_TASK_WAIT)
		return;
	if (late->kind != PLAIT_TASK_PLAN &&
	    plait__queue_finish(late->queue, 0, &better) < 0 &&
	    better.status == why->status &&
	    plait__queue_finish(late->queue, 0, NULL) == PLAIT_OK)
		*why = better;
	else
		release_queue(late);
}

/* The text behind the prefix `begin`, or all of it. */
static const char *skip(const char *text, const char *begin)
{
	size_t length = strlen(begin);

	return strncmp(text, begin, length) == 0 ? text + length : text;
}

/* Turn the queue's text about a host function into one about the task. */
static void fail(plait__late *late, const plait_error *why)
{
	static const char own[] = "host function ";
	plait__flow_lanes *lanes = &late->flow->lanes;
	const char *text = skip(why->text, "not run: ");
	plait_error failure = { .size = sizeof(failure) };
	bool failed = strncmp(skip(text, own), "failed with ", 12) == 0;

	text = skip(skip(text, failed ? own : ""), "host function: ");
	plait__fail_origin(&failure, why->status, why->origin, "%s%s",
			   failed ? "" : "failed: ", text);
	failure.detail = why->detail;
	plait__outcomes_fail(&lanes->outcomes, late->number,
			     plait__op_at(&lanes->ring, late->number)->label,
			     &failure);
}

/* Finish the op of a record whose notification has come.  Caller is a worker
 * and holds no lock. */
static void end(plait__flow_arrival *arrival)
{
	plait__late *late = (plait__late *)(void *)arrival;
	plait__flow_lanes *lanes = &late->flow->lanes;
	uint64_t number = late->number;
	plait_error why = { .size = sizeof(why) };
	bool is_open = late->is_left || plait__late_cancel_end(late);
	plait_status status = poll(late, &why);

	if (late->call != NULL)
		plait__object_drop(&late->call->event_record.object);
	late->call = NULL;
	if (status < 0) {
		plait__repetition_prefix_note_failure(late);
		recover_queue(late, &why);
		if (is_open)
			fail(late, &why);
	} else if (late->queue != NULL && !late->is_left) {
		plait__short_run_end_shared(late->again);
		plait__queue_reclaim(late->queue);
	}
	free_late(late);
	if (is_open)
		plait__flow_lanes_complete(lanes, number);
}

void plait__late_collect(void *arg)
{
	plait__flow *flow = arg;
	plait__flow_arrival *next;

	for (plait__flow_arrival *at =
		     plait__flow_lanes_take_arrivals(&flow->lanes);
	     at != NULL; at = next) {
		next = AT_PLAIN_READ(at->next);
		at->collect(at);
	}
}

/* ---- diagnosis ---- */

/* Hold the queue of the task; or null. */
static plait__queue *hold_queue(plait__flow *flow, uint64_t number)
{
	plait__queue *queue = NULL;
	const plait__late *at;

	plait__flow_lock(flow);
	at = flow->begun_late;
	while (at != NULL && at->number != number)
		at = at->next_begun;
	if (at != NULL)
		queue = at->queue;
	if (queue != NULL)
		plait__object_hold(&queue->object);
	plait__flow_unlock(flow);
	return queue;
}

void plait__late_describe(plait__flow *flow, uint64_t number, char *out,
			  uint32_t bytes)
{
	plait__queue *queue = hold_queue(flow, number);

	out[0] = '\0';
	if (queue == NULL)
		return;
	plait__queue_diagnosis_describe(queue, out, bytes);
	plait__object_drop(&queue->object);
}
