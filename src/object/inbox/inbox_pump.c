/* SPDX-License-Identifier: MIT */
/* Owner's side of an inbox: next, pump, wait, serve. */
#include "object/inbox/inbox.h"

#include "object/inbox/function_waits.h"
#include "object/inbox/inbox_diagnosis.h"
#include "object/inbox/inbox_records.h"
#include "object/signal/signal.h"
#include "object/wait/wait_loop.h"

#include "base/sized_struct.h"
#include "base/error.h"
#include "pool/callback_scope.h"
#include "sys/error_detail.h"
#include "sys/thread.h"

/* --- enter as the owner */

static __attribute__((cold, noinline)) plait_status
refuse_thread(plait__inbox *inbox, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	int32_t owner;

	plait__mutex_lock(&inbox->lock);
	owner = inbox->owner_id;
	plait__mutex_unlock(&inbox->lock);
	return plait__fail(error, PLAIT_E_THREAD,
			   "%s belongs to thread %d, this is thread %d; "
			   "plait_inbox_adopt takes it over",
			   plait__object_name(&inbox->object, room),
			   (int)owner, (int)plait__thread_id());
}

/* PLAIT_OK: the caller is inside, until leave_inside. */
static plait_status enter_inside(plait__inbox *inbox, plait_error *error)
{
	bool mine;

	plait__mutex_lock(&inbox->lock);
	mine = plait__inbox_is_mine(inbox);
	inbox->inside += mine;
	plait__mutex_unlock(&inbox->lock);
	return mine ? PLAIT_OK : refuse_thread(inbox, error);
}

static plait_status enter_owned(plait_inbox *handle, plait__inbox **out,
				plait_error *error)
{
	plait_status status = plait__inbox_enter(handle, out, error);

	if (status != PLAIT_OK)
		return status;
	status = enter_inside(*out, error);
	if (status != PLAIT_OK)
		plait__object_leave(&(*out)->object);
	return status;
}

/* Leave; also the exit functions of a thread that ends inside. */
static void leave_inside(void *arg)
{
	plait__inbox *inbox = arg;

	plait__mutex_lock(&inbox->lock);
	inbox->inside--;
	plait__mutex_unlock(&inbox->lock);
}

static void leave_owned(void *arg)
{
	plait__inbox *inbox = arg;

	leave_inside(inbox);
	plait__object_leave(&inbox->object);
}

static void leave_served(void *arg)
{
	plait__inbox *inbox = arg;

	leave_inside(inbox);
	plait__object_drop(&inbox->object);
}

/* --- take an event */

/*
 * Unlink the oldest event and copy it; null: none. *out_held: the caller got a
 * hold. With `runnable`, only an event with a function, always held. Caller
 * holds the lock.
 */
static plait__inbox_event *take_first(plait__inbox *inbox, bool runnable,
				      plait_event *out, bool *out_held)
{
	plait__inbox_event *event_record = inbox->first_event;

	*out_held = false;
	if (event_record == NULL ||
	    (runnable && event_record->event.function == NULL))
		return NULL;
	*out = event_record->event;
	plait__inbox_remove(inbox, event_record);
	/* A call stays in the inbox until it is answered. */
	if (event_record->answered)
		*out_held = plait__inbox_unlink(event_record);
	else if (runnable)
		plait__inbox_event_hold_call(event_record);
	return event_record;
}

/* Fill in why the emission failed: the notification callback could not ask.
 * The caller has a hold of the record, and no lock. */
static void fill_failure(plait__inbox_event *event_record, plait_event *event)
{
	plait_error cause = { .size = sizeof(cause) };

	if (event->status == PLAIT_OK || event->status == PLAIT_E_CANCELLED ||
	    event_record->signal == NULL)
		return;
	if (plait__signal_poll(event_record->signal, event->sequence, NULL,
			       &cause) != event->status)
		return;
	event->origin = cause.origin;
	event->detail = cause.detail != 0 ? cause.detail
					  : plait__detail_keep(cause.text);
}

static bool is_closed(plait__inbox *inbox)
{
	bool closed;

	plait__mutex_lock(&inbox->lock);
	closed = inbox->closed && inbox->first_event == NULL;
	plait__mutex_unlock(&inbox->lock);
	return closed;
}

/* Check the owner and take the event under one lock. */
static plait_status take_next(plait__inbox *inbox, plait_event *out,
			      plait_error *error)
{
	plait__inbox_event *event_record = NULL;
	char room[PLAIT__OBJECT_NAME_BYTES];
	bool closed = false;
	bool held = false;
	bool mine;

	plait__mutex_lock(&inbox->lock);
	mine = plait__inbox_is_mine(inbox);
	if (mine)
		event_record = take_first(inbox, false, out, &held);
	if (event_record == NULL)
		closed = inbox->closed;
	plait__mutex_unlock(&inbox->lock);
	if (!mine)
		return refuse_thread(inbox, error);
	if (event_record == NULL && closed)
		return plait__fail(error, PLAIT_E_STATE,
				   "%s is closed and empty",
				   plait__object_name(&inbox->object, room));
	if (event_record == NULL)
		return PLAIT_PENDING;
	if (held) {
		fill_failure(event_record, out);
		plait__object_drop(&event_record->object);
	}
	return PLAIT_OK;
}

/* Advance the context once, since perhaps no other thread does: a run on queues,
 * or else an item of the pool (without workers) and each backend that needs
 * pumping.  Host functions may run here; one may end the thread, which then leaves
 * the inbox that the caller entered. */
static plait_status pump_and_take(plait__inbox *inbox, plait_event *out,
				  plait_error *error)
{
	plait_status status = enter_inside(inbox, error);

	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { leave_owned, inbox };
	status = PLAIT_PENDING;
	if (plait__wait_pump(inbox->object.context))
		status = take_next(inbox, out, error);
	plait__thread_scope_end(&inside);
	leave_inside(inbox);
	return status;
}

/* Fast path of plait__sized_struct_write, for callers of this version. */
static plait_status write_event(plait_event *out, const plait_event *event,
				plait_error *error)
{
	if (out == NULL || out->size != sizeof(*out))
		return PLAIT__STRUCT_WRITE(plait_event, out, event, error);
	*out = *event;
	return PLAIT_OK;
}

static plait_status next(plait__inbox *inbox, plait_event *out,
			 plait_error *error)
{
	plait_event event = { .size = sizeof(event) };
	plait_status status;

	/* Check the owner before `out` is written. */
	if (!plait__inbox_is_mine(inbox))
		return refuse_thread(inbox, error);
	/* Check the caller's size first: a taken event cannot be put back. */
	status = write_event(out, &event, error);
	if (status != PLAIT_OK)
		return status;
	status = take_next(inbox, &event, error);
	if (status == PLAIT_PENDING &&
	    plait__wait_may_pump(inbox->object.context))
		status = pump_and_take(inbox, &event, error);
	if (status != PLAIT_OK)
		return status;
	event.size = sizeof(event);
	return write_event(out, &event, error);
}

PLAIT_API plait_status plait_inbox_next(plait_inbox *inbox,
					plait_event *out_event,
					plait_error *error)
{
	plait__inbox *self;
	plait_status status = plait__inbox_enter(inbox, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = next(self, out_event, error);
	plait__object_leave(&self->object);
	return status;
}

/* --- run events */

/* A cancelled call is answered already, and needs no stop; after a cancelled RELEASED event the
 * memory may still be in use. Neither function is run. */
static bool must_not_run(const plait_event *event)
{
	return event->status == PLAIT_E_CANCELLED &&
	       (event->kind == PLAIT_EVENT_CALL ||
		event->kind == PLAIT_EVENT_STOPPED ||
		event->kind == PLAIT_EVENT_RELEASED);
}

/* Remove the frame of a function that has returned.  A call that the function has
 * begun, and not ended, goes on: its frame is around a copy of this one. */
static void leave_function(const struct plait__callback_run *outer)
{
	struct plait__callback_run *frame = &plait__callback_scope_run;

	while (frame->around != outer)
		frame = frame->around;
	*frame = *outer;
}

/* Call the event's function on the owner's thread, which is inside the inbox.
 * The guard is not on the stack, which is gone when the guard runs. */
static int32_t call(plait__inbox_event *event_record, const plait_event *event)
{
	const bool guarded = plait__thread_guard_push(&event_record->guard,
						      plait__inbox_event_fail_on_exit,
						      event_record) == 0;
	struct plait__callback_run outer = plait__callback_scope_run;
	int32_t result;

	plait__callback_scope_run = plait__inbox_event_scope(event_record,
							     &outer);
	result = event->function(event->user_data);
	leave_function(&outer);
	if (guarded)
		plait__thread_guard_remove(&event_record->guard);
	return result;
}

/* The caller has a hold of the record, which is dropped. */
static void run(plait__inbox_event *event_record, const plait_event *event)
{
	int32_t result;

	if (must_not_run(event)) {
		plait__object_drop(&event_record->object);
		return;
	}
	result = call(event_record, event);
	if (event->kind == PLAIT_EVENT_CALL)
		event_record->inbox->call_ops->answer(event_record, result,
						      NULL);
	plait__inbox_event_drop_call(event_record);
}

plait_status plait__inbox_pump(plait__inbox *inbox, uint64_t maximum,
			       uint64_t *out_count)
{
	uint64_t left = at_load_acquire_u64(&inbox->event_count);
	plait__inbox_event *event_record;
	plait_event event;
	bool held;

	if (maximum != 0 && maximum < left)
		left = maximum;
	*out_count = 0;
	for (; left > 0; left--) {
		plait__mutex_lock(&inbox->lock);
		event_record = take_first(inbox, true, &event, &held);
		plait__mutex_unlock(&inbox->lock);
		if (event_record == NULL)
			break;
		++*out_count;
		run(event_record, &event);
	}
	plait__mutex_lock(&inbox->lock);
	event_record = inbox->first_event;
	left = event_record != NULL && event_record->event.function == NULL;
	plait__mutex_unlock(&inbox->lock);
	return left != 0 ? PLAIT_EVENT_READY : PLAIT_OK;
}

PLAIT_API plait_status plait_inbox_pump(plait_inbox *inbox, uint64_t maximum,
					uint64_t *out_count,
					plait_error *error)
{
	plait__inbox *self;
	plait_status status;
	uint64_t count = 0;

	if (out_count != NULL)
		*out_count = 0;
	status = enter_owned(inbox, &self, error);
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { leave_owned, self };
	if (at_load_acquire_u64(&self->event_count) == 0)
		(void)plait__wait_pump(self->object.context);
	status = plait__inbox_pump(self, maximum, &count);
	if (out_count != NULL)
		*out_count = count;
	plait__thread_scope_end(&inside);
	leave_owned(self);
	return status;
}

/* --- service for waiting threads */

static bool is_mine_and_waits(const plait__inbox *inbox)
{
	return at_load_acquire_u64(&inbox->event_count) != 0 &&
	       plait__inbox_is_mine(inbox);
}

static bool has_waiting(plait__context *context)
{
	plait__inbox *inbox;

	plait__mutex_lock(&context->lock);
	inbox = context->inboxes;
	while (inbox != NULL && !is_mine_and_waits(inbox))
		inbox = inbox->next;
	plait__mutex_unlock(&context->lock);
	return inbox != NULL;
}

/* An inbox of the calling thread that has an event, held; or null. */
static plait__inbox *find_waiting(plait__context *context)
{
	plait__inbox *inbox;

	plait__mutex_lock(&context->lock);
	inbox = context->inboxes;
	while (inbox != NULL && !(is_mine_and_waits(inbox) &&
				  plait__object_try_hold(&inbox->object)))
		inbox = inbox->next;
	plait__mutex_unlock(&context->lock);
	return inbox;
}

/* Returns true, inside, unless the next event has no function and so must be
 * taken by plait_inbox_next.  The calling thread owns the inbox. */
static bool enter_to_serve(plait__inbox *inbox)
{
	bool serves;

	plait__mutex_lock(&inbox->lock);
	serves = inbox->first_event == NULL ||
		 inbox->first_event->event.function != NULL;
	inbox->inside += serves;
	plait__mutex_unlock(&inbox->lock);
	return serves;
}

/* Run one event of an inbox of the calling thread.  PLAIT_PENDING: there is
 * none; PLAIT_EVENT_READY: it has no function, so plait_inbox_next has to take
 * it. */
static plait_status serve(plait__context *context)
{
	plait_status status;
	plait__inbox *inbox;
	uint64_t count;

	inbox = find_waiting(context);
	if (inbox == NULL)
		return PLAIT_PENDING;
	if (!enter_to_serve(inbox)) {
		plait__object_drop(&inbox->object);
		return PLAIT_EVENT_READY;
	}
	PLAIT__THREAD_SCOPE inside = { leave_served, inbox };
	status = plait__inbox_pump(inbox, 1, &count);
	plait__thread_scope_end(&inside);
	leave_served(inbox);
	return count != 0 ? PLAIT_OK : status == PLAIT_OK ? PLAIT_PENDING
							   : status;
}

static bool owns_any(plait__context *context)
{
	plait__inbox *inbox;

	plait__mutex_lock(&context->lock);
	inbox = context->inboxes;
	while (inbox != NULL && !plait__inbox_is_mine(inbox))
		inbox = inbox->next;
	plait__mutex_unlock(&context->lock);
	return inbox != NULL;
}

/* --- functions around a call of the library */

static plait__inbox_event *next_outer(const struct plait__callback_run **at)
{
	plait__inbox_event *event = NULL;

	for (; event == NULL && *at != NULL; *at = (*at)->around)
		event = (*at)->event;
	return event;
}

static bool is_inside(plait__context *context)
{
	const struct plait__callback_run *at = &plait__callback_scope_run;
	const plait__inbox_event *event = next_outer(&at);

	while (event != NULL && event->inbox->object.context != context)
		event = next_outer(&at);
	return event != NULL;
}

static bool blocks(const plait__object *signal, uint64_t sequence)
{
	const struct plait__callback_run *at = &plait__callback_scope_run;
	plait__inbox_event *event = next_outer(&at);

	while (event != NULL &&
	       (event->event.kind != PLAIT_EVENT_CALL ||
		!event->inbox->call_ops->precedes(event, signal, sequence)))
		event = next_outer(&at);
	return event != NULL;
}

const plait__inbox_service plait__inbox_pump_service = {
	.serve = serve,
	.has_waiting = has_waiting,
	.owns_any = owns_any,
	.is_inside = is_inside,
	.blocks = blocks,
	.wait_inside = plait__function_waits_run,
};

/* --- wait */

/* Ready: an event, or the inbox is closed. */
static bool has_event_or_closed(void *arg)
{
	plait__inbox *inbox = arg;

	return at_load_acquire_u64(&inbox->event_count) != 0 ||
	       is_closed(inbox);
}

static plait_status wait(plait__inbox *inbox, uint64_t timeout_ns,
			 plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait_status status;

	status = plait__wait_until(inbox->object.context, has_event_or_closed,
				   plait__inbox_diagnosis_describe, inbox,
				   timeout_ns, error);
	if (status == PLAIT_OK && is_closed(inbox))
		return plait__fail(error, PLAIT_E_STATE,
				   "%s is closed and empty",
				   plait__object_name(&inbox->object, room));
	return status;
}

PLAIT_API plait_status plait_inbox_wait(plait_inbox *inbox,
					uint64_t timeout_ns,
					plait_error *error)
{
	plait__inbox *self;
	plait_status status = enter_owned(inbox, &self, error);

	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { leave_owned, self };
	status = wait(self, timeout_ns, error);
	plait__thread_scope_end(&inside);
	leave_owned(self);
	return status;
}
