/* SPDX-License-Identifier: MIT */
/*
 * Owner calls whose functions the program runs itself, between plait_inbox_begin
 * and plait_inbox_end.  Begin adds the call to the list of functions that the
 * thread is inside of (pool/callback_scope.h), where waits look for it; the call
 * keeps the thread's previous state, and end takes that back.  Frames may end in
 * another order than they began in: coroutines of a language do that.
 */
#include "object/queue/owner_call.h"

#include "object/handle/handle_table.h"
#include "object/inbox/inbox_records.h"

#include "base/error.h"

static void note_ended(plait__call *call)
{
	plait__inbox *inbox = call->event_record.inbox;

	plait__mutex_lock(&inbox->lock);
	call->begun = false;
	plait__mutex_unlock(&inbox->lock);
}

/* Exit guard: the thread, and its state with it, has ended. */
static void end_on_exit(void *arg)
{
	plait__call *call = arg;

	note_ended(call);
	plait__inbox_event_fail_on_exit(&call->event_record);
}

/* Hold a call that is taken, not answered and not begun; or null. */
static plait__call *claim_function(plait__inbox *inbox, uint64_t id)
{
	plait__call *call;

	plait__mutex_lock(&inbox->lock);
	call = plait__call_find(inbox, id);
	if (call != NULL && (call->event_record.answered || call->begun))
		call = NULL;
	if (call != NULL) {
		call->begun = true;
		plait__inbox_event_hold_call(&call->event_record);
	}
	plait__mutex_unlock(&inbox->lock);
	return call;
}

static void enter_function(plait__call *call, plait_inbox *handle)
{
	call->begun_by = handle;
	call->guarded = plait__thread_guard_push(&call->begun_guard,
						 end_on_exit, call) == 0;
	call->around = plait__callback_scope_run;
	plait__callback_scope_run = plait__inbox_event_scope(
		&call->event_record, &call->around);
}

PLAIT_API plait_status plait_inbox_begin(plait_inbox *inbox, uint64_t id,
					 plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait__inbox *self;
	plait__call *call;
	plait_status status = plait__inbox_enter(inbox, &self, error);

	if (status != PLAIT_OK)
		return status;
	call = claim_function(self, id);
	if (call != NULL)
		enter_function(call, inbox);
	else
		status = plait__fail(error, PLAIT_E_INVALID,
				     "%s has no call %llu to begin: it was never "
				     "taken, is answered, or was begun",
				     plait__object_name(&self->object, room),
				     (unsigned long long)id);
	plait__object_leave(&self->object);
	return status;
}

/* Returns true if the frame is that of a call which this thread has begun. */
static bool is_frame_of(const struct plait__callback_run *frame,
			const plait_inbox *handle, uint64_t id)
{
	plait__inbox_event *event = frame->event;

	return event != NULL && event->event.kind == PLAIT_EVENT_CALL &&
	       event->event.id == id &&
	       frame->around == &plait__call_of(event)->around &&
	       plait__call_of(event)->begun_by == handle;
}

/* Remove the frame of the call from the list of this thread; or null.  A frame
 * is a copy in the storage of the frame that it is around. */
static plait__call *leave_function(const plait_inbox *handle, uint64_t id)
{
	struct plait__callback_run *frame = &plait__callback_scope_run;
	plait__call *call;

	while (frame != NULL && !is_frame_of(frame, handle, id))
		frame = frame->around;
	if (frame == NULL)
		return NULL;
	call = plait__call_of(frame->event);
	*frame = call->around;
	if (call->guarded)
		plait__thread_guard_remove(&call->begun_guard);
	return call;
}

/* The function may have released the inbox: the handle is only compared. */
PLAIT_API plait_status plait_inbox_end(plait_inbox *inbox, uint64_t id,
				       plait_error *error)
{
	plait_status status = plait__handle_check_fork(error);
	plait__call *call;

	if (status != PLAIT_OK)
		return status;
	call = leave_function(inbox, id);
	if (call == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "this thread has not begun call %llu of "
				   "this inbox", (unsigned long long)id);
	note_ended(call);
	plait__inbox_event_drop_call(&call->event_record);
	return PLAIT_OK;
}
