/* SPDX-License-Identifier: MIT */
/* Stop events of owner calls; see call_stop.h. */
#include "object/queue/call_stop.h"

#include "object/inbox/inbox_records.h"

#include "base/error.h"

/* PLAIT_PENDING: the call keeps the event. */
static plait_status promise(plait__inbox *inbox, uint64_t id,
			    plait__inbox_event *event_record,
			    plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait_status status = PLAIT_OK;
	plait__call *call;
	bool known;

	plait__mutex_lock(&inbox->lock);
	call = plait__call_find(inbox, id);
	known = call != NULL && !call->event_record.answered &&
		call->stop_event == NULL;
	if (known &&
	    at_load_relaxed_u32(&call->event_record.stopping) == 0) {
		call->stop_event = event_record;
		status = PLAIT_PENDING;
	}
	plait__mutex_unlock(&inbox->lock);
	if (known)
		return status;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%s has no call %llu without a stop event: it was "
			   "never taken, is answered, or has one",
			   plait__object_name(&inbox->object, room),
			   (unsigned long long)id);
}

static plait_status notify_stop(plait__inbox *inbox, const plait_event *event,
				plait_error *error)
{
	plait__inbox_event *event_record;
	plait_status status = plait__inbox_event_create(inbox, event,
							&event_record, error);

	if (status != PLAIT_OK)
		return status;
	status = promise(inbox, event->id, event_record, error);
	if (status == PLAIT_OK)
		plait__call_stop_post(event_record);
	else if (status != PLAIT_PENDING)
		plait__inbox_event_cancel(event_record);
	return status == PLAIT_PENDING ? PLAIT_OK : status;
}

PLAIT_API plait_status plait_inbox_notify_stop(plait_inbox *inbox, uint64_t id,
					       plait_host_function function,
					       void *user_data,
					       plait_error *error)
{
	const plait_event event = { .kind = PLAIT_EVENT_STOPPED, .id = id,
				    .function = function,
				    .user_data = user_data };
	plait__inbox *self;
	plait_status status = plait__inbox_enter(inbox, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = notify_stop(self, &event, error);
	plait__object_leave(&self->object);
	return status;
}
