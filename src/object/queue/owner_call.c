/* SPDX-License-Identifier: MIT */
/* Owner calls: creation, free list, answers; see owner_call.h. */
#include "object/queue/owner_call.h"

#include "object/inbox/inbox_records.h"
#include "object/context/backend_result.h"
#include "object/queue/call_stop.h"
#include "object/queue/outer_calls.h"
#include "object/queue/queue_state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

#include <stddef.h>
#include <stdio.h>

enum {
	/* Attempts to raise the gate of a call. */
	RAISE_TRIES = 4,
	INDEX_BITS = 20,
	MAX_CALLS = (1 << INDEX_BITS) - 1
};

static const plait__inbox_call_ops inbox_call_ops;

/* --- create and reuse */

static void free_call(plait__call *call)
{
	plait__backend *backend = call->port->backend;

	backend->table.signal_destroy(backend->self, call->gate);
	plait__free(plait__context_allocator(call->event_record.object.context),
		    call, sizeof(*call));
}

static void free_idle(plait__inbox *inbox)
{
	plait__call *call;

	while ((call = inbox->idle) != NULL) {
		inbox->idle = call->next;
		free_call(call);
	}
}

/* Returns false if the gate keeps its failure. */
static bool reset_gate(plait__call *call)
{
	plait__backend *backend = call->port->backend;
	plait_error ignored = { .size = sizeof(ignored) };

	if (!call->gate_failed)
		return true;
	call->gate_failed = false;
	return backend->table.signal_reset(backend->self, call->gate,
					   &ignored) == PLAIT_OK;
}

/* Last hold: put the call on its inbox's free list, or free it. */
static void recycle(plait__object *object)
{
	plait__call *call = (plait__call *)(void *)object;
	plait__inbox *inbox = call->event_record.inbox;
	bool usable = reset_gate(call);

	plait__mutex_lock(&inbox->lock);
	if (usable) {
		call->next = inbox->idle;
		inbox->idle = call;
	} else {
		*(plait__call **)plait__vector_at(&inbox->calls,
						  call->index) = NULL;
	}
	plait__mutex_unlock(&inbox->lock);
	if (!usable)
		free_call(call);
	plait__object_drop(&inbox->object);
}

const plait__class plait__call_class = { .destroy = recycle };

/* The call has none. */
static plait_status create_gate(plait__call *call, plait__queue *queue,
				plait_error *error)
{
	plait__backend *backend = queue->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.signal_create(backend->self,
					      queue->device->index,
					      PLAIT_BACKEND_SIGNAL_GATE,
					      &call->gate, &room);
	return plait__backend_result_check_created(queue->port, status,
						   "signal_create", call->gate,
						   &room, error);
}

/* Add the call to the inbox's table, at its permanent index. */
static plait_status add_to_table(plait__inbox *inbox, plait__call *call,
				 plait_error *error)
{
	plait_status status = PLAIT_OK;

	plait__mutex_lock(&inbox->lock);
	if (inbox->call_ops == NULL)
		inbox->call_ops = &inbox_call_ops;
	call->index = inbox->calls.count;
	if (call->index == MAX_CALLS)
		status = plait__fail(error, PLAIT_E_BUSY,
				     "%u calls wait for one inbox",
				     (unsigned)MAX_CALLS);
	else if (plait__vector_push(&inbox->calls, &call, 1) == NULL)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for a call");
	plait__mutex_unlock(&inbox->lock);
	return status;
}

/* With its gate, and a place in the inbox's table, which its id tells. */
static plait_status create(plait__inbox *inbox, plait__queue *queue,
			   plait__call **out, plait_error *error)
{
	plait__context *context = inbox->object.context;
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__call *call = plait__alloc(allocator, sizeof(*call));
	plait_status status;

	if (call == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a call");
	call->event_record.object.context = context;
	call->port = queue->port;
	status = create_gate(call, queue, error);
	if (status != PLAIT_OK) {
		plait__free(allocator, call, sizeof(*call));
		return status;
	}
	status = add_to_table(inbox, call, error);
	if (status != PLAIT_OK) {
		free_call(call);
		return status;
	}
	*out = call;
	return PLAIT_OK;
}

/* Take a call with a gate of this backend from the free list; or null. */
static plait__call *find_idle(plait__inbox *inbox,
			      const plait__backend_port *port)
{
	plait__call **link;
	plait__call *call;

	plait__mutex_lock(&inbox->lock);
	link = &inbox->idle;
	while (*link != NULL && (*link)->port != port)
		link = &(*link)->next;
	call = *link;
	if (call != NULL)
		*link = call->next;
	plait__mutex_unlock(&inbox->lock);
	return call;
}

/* The call is new, or from the free list: no other thread has it. */
static void fill(plait__call *call, plait__queue *queue,
		 const plait_command *command, bool asks)
{
	plait__inbox_event *event_record = &call->event_record;

	call->generation++;
	call->gate_sequence++;
	call->queue = queue;
	call->outer_queue = NULL;
	call->label = command->label;
	call->asks = asks;
	call->next = NULL;
	call->stop_event = NULL;
	event_record->answered = false;
	event_record->run = NULL;
	event_record->run_owner = NULL;
	at_store_relaxed_u32(&event_record->stopping, 0);
	event_record->event = (plait_event){
		.kind = PLAIT_EVENT_CALL,
		.id = (uint64_t)call->generation << INDEX_BITS |
		      (call->index + 1),
		.function = command->function,
		.user_data = command->user_data,
	};
}

plait_status plait__call_prepare(plait__inbox *inbox, plait__queue *queue,
				 const plait_command *command, bool asks,
				 plait__call **out, plait_error *error)
{
	plait__call *call = find_idle(inbox, queue->port);
	plait_status status = PLAIT_OK;
	char room[PLAIT__OBJECT_NAME_BYTES];
	bool closed;

	if (call == NULL)
		status = create(inbox, queue, &call, error);
	if (status != PLAIT_OK)
		return status;
	(void)plait__object_init(&call->event_record.object, &plait__call_class,
				 inbox->object.context, NULL);
	plait__object_hold(&inbox->object);
	call->event_record.inbox = inbox;
	fill(call, queue, command, asks);
	plait__mutex_lock(&inbox->lock);
	closed = inbox->closed;
	if (!closed)
		plait__inbox_link(inbox, &call->event_record);
	plait__mutex_unlock(&inbox->lock);
	if (!closed) {
		*out = call;
		return PLAIT_OK;
	}
	call->gate_sequence--;
	plait__object_drop(&call->event_record.object);
	return plait__fail(error, PLAIT_E_STATE, "%s is closed",
			   plait__object_name(&inbox->object, room));
}

/* Unlink the call from its inbox, if it is still linked and has no event to
 * come. */
static void leave_inbox(plait__call *call)
{
	plait__inbox *inbox = call->event_record.inbox;
	bool linked;

	plait__mutex_lock(&inbox->lock);
	linked = call->event_record.state == PLAIT__INBOX_EVENT_TAKEN &&
		 plait__inbox_unlink(&call->event_record);
	plait__mutex_unlock(&inbox->lock);
	if (linked)
		plait__object_drop(&call->event_record.object);
}

void plait__call_cancel(plait__call *call)
{
	plait__inbox *inbox = call->event_record.inbox;

	plait__mutex_lock(&inbox->lock);
	plait__inbox_remove(inbox, &call->event_record);
	/* A concurrent close of the inbox may have raised the gate. */
	if (!call->event_record.answered)
		call->gate_sequence--;
	call->event_record.answered = true;
	plait__mutex_unlock(&inbox->lock);
	leave_inbox(call);
}

/* --- answer */

/* The caller has claimed the call. */
static void raise_gate(plait__call *call, const plait_error *failure)
{
	plait__backend *backend = call->port->backend;
	const plait_backend_point point = { call->gate, call->gate_sequence };
	plait__context *context = call->event_record.object.context;
	plait_status status = PLAIT_E_BUSY;
	plait_error why;
	int tries;

	/* The other fields are written with the failure. */
	why.size = sizeof(why);
	why.text[0] = '\0';
	call->gate_failed = failure != NULL;
	/* A failed raise has changed nothing; no other thread answers the call. */
	for (tries = 0; tries < RAISE_TRIES && status != PLAIT_OK; tries++)
		status = backend->table.signal_raise(backend->self, &point,
						     failure, &why);
	if (status != PLAIT_OK)
		plait__log_line(&context->settings.log, PLAIT_LOG_ERROR,
				"the gate of a call could not be raised; "
				"its queue stays blocked: %s", why.text);
}

static void describe(const plait__call *call, int64_t result, const char *text,
		     plait_error *out)
{
	char name[PLAIT__OBJECT_NAME_BYTES] = "host function";

	if (call->label != NULL)
		(void)snprintf(name, sizeof(name), "command \"%.*s\"",
			       PLAIT__TEXT_FIT(call->label, 60));
	if (text != NULL && text[0] != '\0')
		plait__fail_origin(out, PLAIT_E_FAILED, result, "%s: %s", name,
				   text);
	else
		plait__fail_origin(out, PLAIT_E_FAILED, result,
				   "%s failed with %lld", name,
				   (long long)result);
}

static __attribute__((noinline)) void
raise_failed(plait__call *call, int64_t result, const char *text)
{
	plait_error failure = { .size = sizeof(failure) };

	describe(call, result, text, &failure);
	plait__queue_note_failure(call->queue, &failure);
	raise_gate(call, &failure);
}

/* Answer a claimed call: it is marked and unlinked. Drops the inbox's hold,
 * which the claim made the caller's. */
static void answer(plait__call *call, int64_t result, const char *text)
{
	plait__object *object = &call->event_record.object;
	bool fails = result != 0 &&
		     (!call->asks || (text != NULL && text[0] != '\0'));

	plait__call_stop_withdraw(call);
	/* Release: pairs with plait__call_result. */
	at_store_release_u64(&call->result, (uint64_t)result);
	if (fails)
		raise_failed(call, result, text);
	else
		raise_gate(call, NULL);
	plait__context_notify_waiters(object->context);
	plait__object_drop(object);
}

/* Mark a taken call as answered and unlink it, in one critical section; only
 * one caller succeeds. Caller holds the inbox's lock. */
static bool claim(plait__call *call)
{
	if (call->event_record.answered)
		return false;
	call->event_record.answered = true;
	/* The call was taken and not answered, so it is linked. */
	(void)plait__inbox_unlink(&call->event_record);
	return true;
}

static void answer_taken(plait__inbox_event *event, int64_t result,
			 const char *text)
{
	plait__call *call = plait__call_of(event);
	plait__inbox *inbox = event->inbox;
	bool mine;

	plait__mutex_lock(&inbox->lock);
	mine = claim(call);
	plait__mutex_unlock(&inbox->lock);
	if (mine)
		answer(call, result, text);
}

plait__call *plait__call_find(plait__inbox *inbox, uint64_t id)
{
	uint64_t index = (id & MAX_CALLS) - 1;
	plait__call *call = NULL;

	if (index < inbox->calls.count)
		call = *(plait__call **)plait__vector_at(&inbox->calls,
							 (uint32_t)index);
	if (call != NULL &&
	    (call->event_record.event.id != id ||
	     call->event_record.state != PLAIT__INBOX_EVENT_TAKEN))
		call = NULL;
	return call;
}

/* Claim a call that was taken, by its id; or null. */
static plait__call *find_taken(plait__inbox *inbox, uint64_t id)
{
	plait__call *call;

	plait__mutex_lock(&inbox->lock);
	call = plait__call_find(inbox, id);
	if (call != NULL && !claim(call))
		call = NULL;
	plait__mutex_unlock(&inbox->lock);
	return call;
}

PLAIT_API plait_status plait_inbox_answer(plait_inbox *inbox, uint64_t id,
					  int64_t result, const char *text,
					  plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait__inbox *self;
	plait__call *call;
	plait_status status = plait__inbox_enter(inbox, &self, error);

	if (status != PLAIT_OK)
		return status;
	call = find_taken(self, id);
	if (call != NULL)
		answer(call, result, text);
	else
		status = plait__fail(error, PLAIT_E_INVALID,
				     "%s has no call %llu to be answered; it "
				     "was answered already, or never taken",
				     plait__object_name(&self->object, room),
				     (unsigned long long)id);
	plait__object_leave(&self->object);
	return status;
}

/* Returns true if the call is taken, not answered, and its run was stopped. */
static bool is_stopping(plait__inbox *inbox, uint64_t id)
{
	const plait__call *call;
	bool stopping;

	plait__mutex_lock(&inbox->lock);
	call = plait__call_find(inbox, id);
	stopping = call != NULL && !call->event_record.answered &&
		   at_load_relaxed_u32(&call->event_record.stopping) != 0;
	plait__mutex_unlock(&inbox->lock);
	return stopping;
}

PLAIT_API int32_t plait_inbox_is_stopping(plait_inbox *inbox, uint64_t id)
{
	plait_error ignored = { .size = sizeof(ignored) };
	plait__inbox *self;
	bool stopping;

	if (plait__inbox_enter(inbox, &self, &ignored) != PLAIT_OK)
		return 0;
	stopping = is_stopping(self, id);
	plait__object_leave(&self->object);
	return stopping;
}

static void fail_closed(plait__inbox_event *event)
{
	plait_error failure = { .size = sizeof(failure) };
	plait__inbox_event *next;

	for (; event != NULL; event = next) {
		plait__call *call = plait__call_of(event);
		const char *label = call->label != NULL ? call->label : "";

		next = event->next_closed;
		plait__call_stop_post(call->stop_event);
		plait__fail(&failure, PLAIT_E_CANCELLED,
			    "%s%.*s%s was cancelled: its inbox was closed",
			    call->label != NULL ? "command \"" :
						  "host function",
			    PLAIT__TEXT_FIT(label, 60),
			    call->label != NULL ? "\"" : "");
		raise_gate(call, &failure);
		leave_inbox(call);
		plait__object_drop(&call->event_record.object);
	}
}

static const plait__inbox_call_ops inbox_call_ops = {
	.answer = answer_taken,
	.precedes = plait__outer_calls_precedes,
	.fail_closed = fail_closed,
	.free_idle = free_idle,
};

void plait__call_retract(plait__call *call)
{
	plait__inbox *inbox = call->event_record.inbox;
	plait_error failure = { .size = sizeof(failure) };
	plait__inbox_event *stop_event;
	bool mine;

	plait__mutex_lock(&inbox->lock);
	mine = !call->event_record.answered &&
	       call->event_record.state != PLAIT__INBOX_EVENT_TAKEN;
	at_store_relaxed_u32(&call->event_record.stopping, 1);
	stop_event = plait__call_stop_take(call);
	if (mine) {
		plait__inbox_remove(inbox, &call->event_record);
		call->event_record.answered = true;
	}
	plait__mutex_unlock(&inbox->lock);
	plait__call_stop_post(stop_event);
	if (!mine)
		return;
	plait__fail(&failure, PLAIT_E_CANCELLED, "it was cancelled");
	raise_gate(call, &failure);
	leave_inbox(call);
}

/* --- the queue has reached the call */

/*
 * The backend reported that the queue failed before the call, which therefore
 * is not run. If the report is wrong the queue waits for the gate. Runs outside
 * the notification callback, where slots may be called, with the callback's
 * holds.
 */
static void resolve_failure(plait__object *failure_hold)
{
	plait__call *call =
		(plait__call *)(void *)((unsigned char *)failure_hold -
					offsetof(plait__call, failure_hold));
	plait__object *object = &call->event_record.object;
	plait__queue *queue = call->queue;
	plait_error failure = { .size = sizeof(failure) };
	plait_status status;

	status = plait__queue_poll(queue, call->sequence, NULL, NULL);
	if (status >= 0) {
		plait__fail(&failure, PLAIT_E_INTERNAL,
			    "plugin %s: a notification said that the queue "
			    "had failed, and it had not",
			    call->port->backend->name);
		/* No command in front of the call has failed. */
		if (status == PLAIT_OK)
			plait__queue_note_failure(queue, &failure);
		raise_gate(call, &failure);
	}
	/* Release: pairs with the load in queue_finish.c. */
	at_sub_u32(&queue->owed_notifications, 1);
	plait__context_notify_waiters(object->context);
	plait__object_drop(object);
	plait__object_drop(&queue->object);
}

static const plait__class failure_class = { .destroy = resolve_failure };

/* Notification callback: the queue has reached the call; or it failed before,
 * does not wait for the gate, and the call must not be run. */
static void on_reached(void *user_data, plait_status status)
{
	plait__call *call = user_data;
	plait__object *object = &call->event_record.object;
	plait__inbox *inbox = call->event_record.inbox;
	plait__queue *queue = call->queue;
	bool reported_failed = false;
	bool linked = false;

	plait__backend_notified(object->context);
	plait__mutex_lock(&inbox->lock);
	if (call->event_record.state == PLAIT__INBOX_EVENT_PROMISED) {
		if (status == PLAIT_OK) {
			plait__inbox_push(inbox, &call->event_record);
		} else {
			call->event_record.state = PLAIT__INBOX_EVENT_TAKEN;
			call->event_record.answered = true;
			linked = plait__inbox_unlink(&call->event_record);
			reported_failed = true;
		}
	}
	plait__mutex_unlock(&inbox->lock);
	if (linked)
		plait__object_drop_deferred(object);
	if (reported_failed) {
		(void)plait__object_init(&call->failure_hold, &failure_class,
					 object->context, NULL);
		plait__object_drop_deferred(&call->failure_hold);
		return;
	}
	/* Release: pairs with the load in queue_finish.c. */
	at_sub_u32(&queue->owed_notifications, 1);
	plait__context_notify_waiters(object->context);
	plait__object_drop_deferred(object);
	plait__object_drop_deferred(&queue->object);
}

void plait__call_arm(plait__call *call)
{
	plait__queue *queue = call->queue;
	const plait_backend_point point = { queue->progress,
					    call->sequence };
	plait_error why = { .size = sizeof(why) };
	plait__inbox *inbox = call->event_record.inbox;
	plait_status status;
	bool mine;

	/* The notification callback needs the call, and the queue's signal. */
	plait__object_hold(&call->event_record.object);
	plait__object_hold(&queue->object);
	at_add_u32(&queue->owed_notifications, 1);
	status = plait__backend_notify(queue->port, queue->object.context,
				       &point, on_reached, call, &why);
	if (status == PLAIT_OK)
		return;
	(void)plait__backend_result_check(queue->port, status, "signal_notify",
					  &why, NULL);
	at_sub_u32(&queue->owed_notifications, 1);
	/* The command was submitted, so it fails with this error. */
	plait__mutex_lock(&inbox->lock);
	mine = !call->event_record.answered;
	call->event_record.answered = true;
	if (mine)
		call->event_record.state = PLAIT__INBOX_EVENT_TAKEN;
	plait__mutex_unlock(&inbox->lock);
	if (mine) {
		raise_gate(call, &why);
		leave_inbox(call);
	}
	plait__object_drop(&call->event_record.object);
	plait__object_drop(&queue->object);
}
