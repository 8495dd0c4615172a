/* SPDX-License-Identifier: MIT */
/* Wait for the completion of a queue's work, and recovery after a failure; see
 * queue_finish.h. */
#include "object/queue/queue_finish.h"

#include "object/context/backend_result.h"
#include "object/queue/entered_sections.h"
#include "object/queue/idle_section.h"
#include "object/queue/outer_calls.h"
#include "object/queue/queue_capture.h"
#include "object/queue/queue_diagnosis.h"
#include "object/queue/queue_races.h"
#include "object/queue/queue_state.h"
#include "object/queue/submission.h"
#include "object/wait/point_await.h"
#include "object/wait/wait_diagnosis.h"

#include "base/error.h"
#include "sys/clock.h"
#include "sys/eventcount.h"

#include <stdio.h>

enum {
	/* Attempts to recover a failed queue, which has raised all its points:
	 * its thread is just leaving. */
	MAX_TRIES = 5000,
	/* Backoff: the first attempts do not sleep. */
	TRIES_AWAKE = 16,
	SLEEP_NS = 1000000
};

/* Recovery of a failed queue. */
struct recovery {
	plait__queue *queue;
	uint64_t deadline_ns;
	uint32_t refused;	/* how often the backend refused to recover */
	plait__refusals polls;	/* that the backend refused */
	plait_error refusal;	/* the backend's error */
	bool *told;		/* set when the error is the queue's failure */
};

static plait_status enter_driver(void *arg, plait__awaited_use *use)
{
	return plait__entered_sections_enter_driver(arg, use);
}

static bool is_blocked(void *arg)
{
	return plait__outer_calls_block(arg);
}

/* Wait until the queue's own signal has reached `sequence`. */
static plait_status await(plait__queue *queue, uint64_t sequence,
			  uint64_t timeout_ns, bool *out_failed,
			  plait_error *error)
{
	const plait__wait_point point = {
		.port = queue->port,
		.watch = &queue->watch,
		.point = { queue->progress, sequence },
	};
	plait__wait_request request = {
		.context = queue->object.context,
		.points = &point,
		.count = 1,
		.timeout_ns = timeout_ns,
		.enter = enter_driver,
		.describe = plait__queue_diagnosis_describe,
		.arg = queue,
		.blocked = is_blocked,
		.blocked_arg = queue,
	};
	plait_status status = plait__wait_run_seen(&request, error);

	*out_failed = request.decided && status != PLAIT_OK;
	return status;
}

/* Caller holds the lock; nothing is pending, and the queue has failed. */
static plait_status recover(plait__queue *queue, plait_error *error)
{
	plait__backend *backend = queue->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.queue_recover(backend->self, queue->raw,
					      &room);
	if (status == PLAIT_OK)
		status = backend->table.signal_reset(backend->self,
						     queue->progress, &room);
	return plait__backend_result_check(queue->port, status, "queue_recover",
					   &room, error);
}

/* Ready: no notification is owed, so the signal may be reset. */
static bool is_notified(void *arg)
{
	plait__queue *queue = arg;

	return at_load_acquire_u32(&queue->owed_notifications) == 0 &&
	       !plait__signal_watch_is_armed(&queue->watch);
}

static void describe_failed(void *arg, char *out, uint32_t bytes)
{
	plait__queue *queue = arg;
	char room[PLAIT__OBJECT_NAME_BYTES];
	char owed[PLAIT_ERROR_TEXT_BYTES];

	plait__wait_diagnosis_describe_backends(queue->object.context, owed,
						sizeof(owed));
	(void)snprintf(out, bytes, "%s of %s has failed%s",
		       plait__object_name(&queue->object, room),
		       queue->port->backend->name, owed);
}

/* Let the backend's thread leave, or advance what a thread has to drive.
 * Caller holds no lock. */
static void pause_between(const struct recovery *recovery)
{
	plait__context *context = recovery->queue->object.context;
	uint64_t until_ns = plait__clock_deadline(SLEEP_NS);
	uint32_t key;

	if (plait__wait_pump(context))
		return;
	if (recovery->refused + recovery->polls.tries <= TRIES_AWAKE) {
		plait__thread_yield();
		return;
	}
	key = plait__eventcount_prepare(&context->wait_event);
	(void)plait__eventcount_wait(&context->wait_event, key, until_ns);
}

/* The queue has failed and does not recover: it is just leaving its last
 * command, or its backend is wrong. PLAIT_PENDING: try again. */
static plait_status check_refusal(struct recovery *recovery,
				  plait_error *error)
{
	plait__queue *queue = recovery->queue;
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (++recovery->refused < MAX_TRIES)
		return PLAIT_PENDING;
	return plait__fail(error, PLAIT_E_INTERNAL,
			   "plugin %s: signal_poll says that %s has failed, "
			   "and queue_recover does not take it back: %.150s",
			   queue->port->backend->name,
			   plait__object_name(&queue->object, room),
			   recovery->refusal.text);
}

/* The backend does not tell how far the queue is: its work may be in flight.
 * PLAIT_PENDING: try again. */
static plait_status check_refused_poll(struct recovery *recovery,
				       const plait_error *why,
				       plait_error *error)
{
	plait__queue *queue = recovery->queue;
	bool late = plait__clock_left_ns(recovery->deadline_ns) == 0;
	char room[PLAIT__OBJECT_NAME_BYTES];

	if (plait__refusals_may_retry(&recovery->polls, queue->port) && !late)
		return PLAIT_PENDING;
	return plait__fail_origin(error, late ? PLAIT_E_TIMEOUT : PLAIT_E_LOST,
				  why->status,
				  "plugin %s refuses to tell how far %s is: "
				  "%.150s", queue->port->backend->name,
				  plait__object_name(&queue->object, room),
				  why->text);
}

/* Caller holds the lock; `failure` is the queue's. */
static plait_status recover_and_report(struct recovery *recovery,
				       const plait_error *failure,
				       plait_error *error)
{
	plait__queue *queue = recovery->queue;
	plait_status status = recover(queue, &recovery->refusal);

	if (status == PLAIT_E_BUSY)
		return check_refusal(recovery, error);
	if (status != PLAIT_OK)
		return plait__error_copy(error, &recovery->refusal);
	status = plait__error_copy(error,
				   queue->noted ? &queue->failure : failure);
	queue->noted = false;
	*recovery->told = true;
	return status;
}

/*
 * Report the failure and recover, if the queue is idle. PLAIT_PENDING: it is
 * not; PLAIT_OK: another thread has done it.
 */
static plait_status try_report(struct recovery *recovery, plait_error *error)
{
	plait_error failure = { .size = sizeof(failure) };
	plait__queue *queue = recovery->queue;
	uint64_t submitted, reached;
	plait_status status;

	plait__mutex_lock(&queue->lock);
	submitted = plait__queue_submitted(queue);
	status = plait__queue_poll(queue, submitted, &reached, &failure);
	if (plait__queue_is_refusal(status, reached, submitted)) {
		status = check_refused_poll(recovery, &failure, error);
	} else {
		plait__refusals_reset(&recovery->polls);
		if (status < 0)
			status = is_notified(queue) ?
					 recover_and_report(recovery, &failure,
							    error) :
					 PLAIT_PENDING;
	}
	plait__mutex_unlock(&queue->lock);
	return status;
}

/* The queue has failed: wait until the rest has drained, then report. */
static plait_status report(plait__queue *queue, uint64_t deadline_ns,
			   bool *told, plait_error *error)
{
	struct recovery recovery = {
		.queue = queue,
		.told = told,
		.deadline_ns = deadline_ns,
		.refusal = { .size = sizeof(recovery.refusal) },
	};
	plait_status status;
	bool failed;

	for (;;) {
		status = try_report(&recovery, error);
		if (status != PLAIT_PENDING)
			return status;
		status = await(queue, plait__queue_submitted(queue),
			       plait__clock_left_ns(deadline_ns), &failed,
			       error);
		if (status == PLAIT_OK || failed)
			status = plait__wait_until(
				queue->object.context, is_notified,
				describe_failed, queue,
				plait__clock_left_ns(deadline_ns), error);
		if (status != PLAIT_OK)
			return status;
		pause_between(&recovery);
	}
}

static plait_status flush_rest(plait__queue *queue, plait_error *error)
{
	plait_status status = PLAIT_OK;
	bool idle;

	plait__mutex_lock(&queue->lock);
	idle = plait__idle_section_exists(queue);
	if (queue->unflushed)
		status = plait__queue_flush(queue, error);
	plait__mutex_unlock(&queue->lock);
	if (status == PLAIT_OK && idle)
		status = plait__submission_submit_idle_section(queue, error);
	return status;
}

/* Fast path: returns true if nothing is pending, flushed or not, and nothing is
 * held. */
static bool is_finished(plait__queue *queue)
{
	bool finished;

	plait__mutex_lock(&queue->lock);
	finished = !queue->unflushed && queue->inflight.committed == 0 &&
		   plait__queue_is_clear(queue);
	plait__mutex_unlock(&queue->lock);
	return finished;
}

/* Cold. The failure that ended the wait may be gone when it is to be reported:
 * then another thread has reported it, and the caller's record stays as it
 * was. */
static __attribute__((cold, noinline)) plait_status
report_first(plait__queue *queue, uint64_t deadline_ns, bool *told,
	     plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status = report(queue, deadline_ns, told, &why);

	return status < 0 ? plait__error_copy(error, &why) : status;
}

/* *told is false, and set if the result is the failure of the queue's work, which
 * has any status.  *sequence: how far the work is awaited; 0: set to what is
 * submitted now. */
static plait_status finish(plait__queue *queue, uint64_t timeout_ns,
			   uint64_t *sequence, bool *told, plait_error *error)
{
	uint64_t deadline_ns = plait__clock_deadline(timeout_ns);
	plait_error why;
	plait_status status;
	bool failed;

	if (timeout_ns != 0 && plait__outer_calls_block(queue))
		return plait__outer_calls_fail(queue, error);
	/* Fast path: most runs on idle queues end here, and nothing is
	 * submitted. */
	if (timeout_ns != 0 && !plait__callback_scope_is_active())
		plait__idle_section_help(queue, deadline_ns);
	if (is_finished(queue)) {
		plait__context_reclaim(queue->object.context);
		return PLAIT_OK;
	}
	status = flush_rest(queue, error);
	if (status != PLAIT_OK)
		return status;
	/* The text's other bytes are written with a failure. */
	why.size = sizeof(why);
	why.status = PLAIT_OK;
	why.origin = 0;
	why.detail = 0;
	why.text[0] = '\0';
	if (*sequence == 0)
		*sequence = plait__queue_submitted(queue);
	status = await(queue, *sequence, timeout_ns, &failed, &why);
	if (failed)
		status = report_first(queue, deadline_ns, told, error);
	else if (status < 0)
		(void)plait__error_copy(error, &why);
	if (status != PLAIT_E_TIMEOUT)
		plait__queue_reclaim(queue);
	return status;
}

/* As finish; then the host has seen what the queue had. */
static __attribute__((cold, noinline)) plait_status
finish_and_note(plait__races *races, plait__queue *queue, uint64_t timeout_ns,
		uint64_t *sequence, bool *told, plait_error *error)
{
	plait__race_clock clock;
	plait_status status;

	plait__races_read_queue(races, &queue->race, &clock);
	status = finish(queue, timeout_ns, sequence, told, error);
	/* A failure is reported when nothing is pending. */
	if (*told || (status != PLAIT_E_TIMEOUT && status != PLAIT_E_DEADLOCK))
		plait__races_host_saw_clock(races, &clock,
					    status == PLAIT_OK);
	return status;
}

static plait_status finish_and_tell(plait__queue *queue, uint64_t timeout_ns,
				    uint64_t *sequence, bool *told,
				    plait_error *error)
{
	plait__races *races = plait__queue_races(queue);

	*told = false;
	return races == NULL ?
		       finish(queue, timeout_ns, sequence, told, error) :
		       finish_and_note(races, queue, timeout_ns, sequence,
				       told, error);
}

plait_status plait__queue_finish(plait__queue *queue, uint64_t timeout_ns,
				 plait_error *error)
{
	uint64_t sequence = 0;
	bool told;

	return finish_and_tell(queue, timeout_ns, &sequence, &told, error);
}

/* As plait_queue_finish, which a coroutine repeats; *sequence and *told as of
 * `finish`.  Not inline: see plait__suspension_current. */
static __attribute__((noinline)) plait_status
enter_and_finish(plait_queue *queue, uint64_t timeout_ns, uint64_t *sequence,
		 bool *told, plait_error *error)
{
	plait__queue *self;
	plait_status status = plait__queue_enter(queue, &self, error);

	*told = false;
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	status = plait__queue_is_captured(self) ?
		 plait__queue_capture_refuse(self, "end the capture before a "
					     "wait", error) :
		 finish_and_tell(self, timeout_ns, sequence, told, error);
	plait__thread_scope_end(&inside);
	plait__object_leave(&self->object);
	return status;
}

/* ---- in a coroutine ---- */

/* Decided when the work has ended; a failure is found afterwards. */
static plait_status poll_empty(plait__await *await, plait_error *error)
{
	(void)error;
	return plait__point_await_poll(await, NULL) == PLAIT_PENDING ?
		       PLAIT_PENDING : PLAIT_OK;
}

static const plait__await_class empty_class = {
	.poll = poll_empty,
	.subscribe = plait__point_await_subscribe,
	.explain = plait__point_await_explain,
	.name = plait__point_await_name,
};

/* Suspend until the work of the queue, which was flushed, has ended up to
 * `sequence`. */
static plait_status await_empty(plait_queue *handle, uint64_t sequence,
				uint64_t timeout_ns, plait_error *error)
{
	plait__point_await await;
	plait__queue *queue;
	plait_status status = plait__queue_enter(handle, &queue, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__suspension_current()->check(&queue->object, error);
	if (status == PLAIT_OK &&
	    plait__suspension_current()->is_before(&queue->object))
		status = plait__fail(error, PLAIT_E_DEADLOCK,
				     "the caller is a function of a run in the "
				     "queue, which has to end first");
	plait__object_hold(&queue->object);
	plait__point_await_init(&await, &queue->object, queue->port,
				queue->progress, sequence);
	await.base.class = &empty_class;
	plait__object_leave(&queue->object);
	if (status == PLAIT_OK)
		status = plait__suspension_await(&await.base, timeout_ns,
						 error);
	plait__object_drop(await.base.object);
	return status;
}

/* Try, and suspend before each other try.  A queue that has failed may be just
 * leaving its last command; then other work has a turn. */
static plait_status finish_suspended(plait_queue *queue, uint64_t timeout_ns,
				     plait_error *error)
{
	const uint64_t deadline_ns = plait__clock_deadline(timeout_ns);
	plait_error why = { .size = sizeof(why) };
	plait_status status = PLAIT_OK;
	uint64_t sequence = 0;
	bool told;

	for (bool again = false; status == PLAIT_OK; again = true) {
		status = enter_and_finish(queue, 0, &sequence, &told, &why);
		if (told || status != PLAIT_E_TIMEOUT ||
		    plait__clock_left_ns(deadline_ns) == 0)
			return status < 0 ? plait__error_copy(error, &why) :
					    status;
		status = again ? plait__suspension_yield(error) : PLAIT_OK;
		if (status == PLAIT_OK)
			status = await_empty(queue, sequence,
					     plait__clock_left_ns(deadline_ns),
					     error);
	}
	return status;
}

PLAIT_API plait_status plait_queue_finish(plait_queue *queue,
					  uint64_t timeout_ns,
					  plait_error *error)
{
	uint64_t sequence = 0;
	bool told;

	return plait__suspension_current() != NULL ?
		       finish_suspended(queue, timeout_ns, error) :
		       enter_and_finish(queue, timeout_ns, &sequence, &told,
					error);
}
