/* SPDX-License-Identifier: MIT */
/* Events without an answer: promise, post, cancel; see inbox_event.h. */
#include "object/inbox/inbox_event.h"

#include "object/inbox/inbox_records.h"
#include "object/context/backend_result.h"
#include "object/signal/signal.h"

#include "base/alloc.h"
#include "base/error.h"

static void destroy_record(plait__object *object)
{
	plait__inbox_event *event_record = (plait__inbox_event *)(void *)object;

	if (event_record->signal != NULL)
		plait__object_drop(&event_record->signal->object);
	plait__object_drop(&event_record->inbox->object);
	plait__free(plait__context_allocator(object->context), event_record,
		    sizeof(*event_record));
}

static const plait__class record_class = { .destroy = destroy_record };

static plait_status fail_closed(const plait__inbox *inbox, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	return plait__fail(error, PLAIT_E_STATE, "%s is closed",
			   plait__object_name(&inbox->object, room));
}

static plait__inbox_event *owner_of(plait__listener *listener)
{
	return PLAIT__LISTENER_OWNER(listener, plait__inbox_event, listener);
}

static void on_event(plait__listener *listener, plait_status status)
{
	plait__inbox_event_post(owner_of(listener), status);
}

plait_status plait__inbox_event_create(plait__inbox *inbox,
				       const plait_event *event,
				       plait__inbox_event **out,
				       plait_error *error)
{
	plait__context *context = inbox->object.context;
	plait__inbox_event *event_record;
	bool closed;

	event_record = plait__alloc(plait__context_allocator(context),
				    sizeof(*event_record));
	if (event_record == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an event");
	(void)plait__object_init(&event_record->object, &record_class, context,
				 NULL);
	plait__object_hold(&inbox->object);
	event_record->listener.notify = on_event;
	event_record->inbox = inbox;
	event_record->event = *event;
	event_record->answered = true;
	plait__mutex_lock(&inbox->lock);
	closed = inbox->closed;
	if (!closed)
		plait__inbox_link(inbox, event_record);
	plait__mutex_unlock(&inbox->lock);
	if (closed) {
		plait__object_drop(&event_record->object);
		return fail_closed(inbox, error);
	}
	*out = event_record;
	return PLAIT_OK;
}

void plait__inbox_event_post(plait__inbox_event *event_record,
			     plait_status status)
{
	plait__inbox *inbox = event_record->inbox;

	plait__mutex_lock(&inbox->lock);
	if (event_record->state == PLAIT__INBOX_EVENT_PROMISED) {
		event_record->event.status = status;
		plait__inbox_push(inbox, event_record);
	}
	plait__mutex_unlock(&inbox->lock);
	plait__context_notify_waiters(inbox->object.context);
	plait__object_drop_deferred(&event_record->object);
}

void plait__inbox_event_cancel(plait__inbox_event *event_record)
{
	plait__inbox *inbox = event_record->inbox;
	bool linked;

	plait__mutex_lock(&inbox->lock);
	plait__inbox_remove(inbox, event_record);
	linked = plait__inbox_unlink(event_record);
	plait__mutex_unlock(&inbox->lock);
	if (linked)
		plait__object_drop(&event_record->object);
	plait__object_drop(&event_record->object);
}

/* --- notifications of signals */

static void on_signal(plait__listener *listener, plait_status status)
{
	plait__backend_notified(owner_of(listener)->object.context);
	on_event(listener, status);
}

/* Promise the event before the backend is asked, because it may answer inside
 * the call. */
static plait_status notify(plait__signal *signal, plait__inbox *inbox,
			   plait_event *event, plait_error *error)
{
	plait_error room = { .size = sizeof(room) };
	plait_backend_point point;
	plait__inbox_event *event_record;
	plait_status status;

	event->kind = PLAIT_EVENT_SIGNAL;
	event->signal = plait__object_handle(&signal->object);
	status = plait__inbox_event_create(inbox, event, &event_record, error);
	if (status != PLAIT_OK)
		return status;
	plait__object_hold(&signal->object);
	event_record->signal = signal;
	event_record->listener.notify = on_signal;
	point.signal = signal->raw;
	point.sequence = event->sequence;
	status = plait__backend_notify(signal->port, signal->object.context,
				       &point, plait__listener_notify,
				       &event_record->listener, &room);
	if (status == PLAIT_OK)
		return PLAIT_OK;
	plait__inbox_event_cancel(event_record);
	return plait__backend_result_check(signal->port, status,
					   "signal_notify", &room, error);
}

static plait_status check_notify(const plait__signal *signal,
				 const plait__inbox *inbox, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	if ((signal->port->all & PLAIT_CAP_NOTIFY) == 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "%s: backend %s does not announce "
				   "completions",
				   plait__object_name(&signal->object, room),
				   signal->port->backend->name);
	return plait__context_check_same(&signal->object, &inbox->object,
					 error);
}

/* The host will know that the point has happened. */
static void note_told(plait__signal *signal, uint64_t sequence)
{
	plait__races *races = plait__context_races(signal->object.context);

	if (races != NULL)
		plait__races_host_saw(races, &signal->race, sequence, true);
}

PLAIT_API plait_status plait_signal_notify(plait_signal *signal,
					   uint64_t sequence,
					   plait_inbox *inbox,
					   plait_host_function function,
					   void *user_data,
					   plait_error *error)
{
	plait_event event = { .sequence = sequence,
			      .function = function,
			      .user_data = user_data };
	plait__inbox *where;
	plait__signal *self;
	plait_status status = plait__signal_enter(signal, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__inbox_enter(inbox, &where, error);
	if (status != PLAIT_OK)
		goto leave_signal;
	status = check_notify(self, where, error);
	if (status == PLAIT_OK)
		status = plait__signal_resolve(self, &event.sequence, error);
	if (status == PLAIT_OK)
		note_told(self, event.sequence);
	if (status == PLAIT_OK)
		status = notify(self, where, &event, error);
	plait__object_leave(&where->object);
leave_signal:
	plait__object_leave(&self->object);
	return status;
}

void plait__inbox_event_fail_on_exit(void *arg)
{
	plait__inbox_event *event_record = arg;

	if (event_record->event.kind == PLAIT_EVENT_CALL)
		event_record->inbox->call_ops->answer(
			event_record, -1,
			"did not return but ended its thread (pthread_exit)");
	plait__inbox_event_drop_call(event_record);
}
