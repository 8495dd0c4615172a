/* SPDX-License-Identifier: MIT */
/* Promised events that need no answer; see inbox_event.h. */
#include "object/inbox/inbox_event.h"

#include "object/inbox/inbox.h"
#include "object/context/backend_result.h"
#include "object/signal/signal.h"

#include "base/alloc.h"
#include "base/error.h"

static void destroy_notice(plait__object *object)
{
	plait__notice *notice = (plait__notice *)(void *)object;

	if (notice->signal != NULL)
		plait__object_drop(&notice->signal->object);
	plait__object_drop(&notice->inbox->object);
	plait__free(plait__context_allocator(object->context), notice,
		    sizeof(*notice));
}

static const plait__class notice_class = { .destroy = destroy_notice };

static plait_status fail_closed(const plait__inbox *inbox, plait_error *error)
{
	char room[PLAIT__NAME_ROOM];

	return plait__fail(error, PLAIT_E_STATE, "%s is closed",
			   plait__object_name(&inbox->object, room));
}

plait_status plait__notice_create(plait__inbox *inbox,
				  const plait_event *event,
				  plait__notice **out, plait_error *error)
{
	plait__context *context = inbox->object.context;
	plait__notice *notice;
	bool closed;

	notice = plait__alloc(plait__context_allocator(context),
			      sizeof(*notice));
	if (notice == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an event");
	(void)plait__object_init(&notice->object, &notice_class, context,
				 NULL);
	plait__object_hold(&inbox->object);
	notice->inbox = inbox;
	notice->event = *event;
	notice->answered = true;
	plait__mutex_lock(&inbox->lock);
	closed = inbox->closed;
	if (!closed)
		plait__inbox_link(inbox, notice);
	plait__mutex_unlock(&inbox->lock);
	if (closed) {
		plait__object_drop(&notice->object);
		return fail_closed(inbox, error);
	}
	*out = notice;
	return PLAIT_OK;
}

void plait__notice_post(plait__notice *notice, plait_status status)
{
	plait__inbox *inbox = notice->inbox;

	plait__mutex_lock(&inbox->lock);
	if (notice->state == PLAIT__NOTICE_PROMISED) {
		notice->event.status = status;
		plait__inbox_push(inbox, notice);
	}
	plait__mutex_unlock(&inbox->lock);
	plait__context_pulse(inbox->object.context);
	plait__object_drop_later(&notice->object);
}

void plait__notice_cancel(plait__notice *notice)
{
	plait__inbox *inbox = notice->inbox;
	bool linked;

	plait__mutex_lock(&inbox->lock);
	plait__inbox_remove(inbox, notice);
	linked = plait__inbox_unlink(notice);
	plait__mutex_unlock(&inbox->lock);
	if (linked)
		plait__object_drop(&notice->object);
	plait__object_drop(&notice->object);
}

/* --- notifications of signals */

static void on_signal(void *user_data, plait_status status)
{
	plait__notice *notice = user_data;

	plait__port_notified(notice->object.context);
	plait__notice_post(notice, status);
}

static plait_status notify(plait__signal *signal, plait__inbox *inbox,
			   plait_event *event, plait_error *error)
{
	plait_error room = { .size = sizeof(room) };
	plait_backend_point point;
	plait__notice *notice;
	plait_status status;

	event->kind = PLAIT_EVENT_SIGNAL;
	event->signal = plait__object_handle(&signal->object);
	status = plait__notice_create(inbox, event, &notice, error);
	if (status != PLAIT_OK)
		return status;
	plait__object_hold(&signal->object);
	notice->signal = signal;
	point.signal = signal->raw;
	point.sequence = event->sequence;
	status = plait__port_notify(signal->port, signal->object.context,
				    &point, on_signal, notice, &room);
	if (status == PLAIT_OK)
		return PLAIT_OK;
	plait__notice_cancel(notice);
	return plait__port_judge(signal->port, status, "signal_notify", &room,
				 error);
}

static plait_status check_notify(const plait__signal *signal,
				 const plait__inbox *inbox, plait_error *error)
{
	char room[PLAIT__NAME_ROOM];

	if ((signal->port->all & PLAIT_CAP_NOTIFY) == 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "%s: backend %s does not announce "
				   "completions",
				   plait__object_name(&signal->object, room),
				   signal->port->backend->name);
	return plait__context_check_same(&signal->object, &inbox->object,
					 error);
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
		status = notify(self, where, &event, error);
	plait__object_leave(&where->object);
leave_signal:
	plait__object_leave(&self->object);
	return status;
}
