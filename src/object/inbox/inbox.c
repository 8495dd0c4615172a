/* SPDX-License-Identifier: MIT */
/* Inboxes: create, close, adopt, descriptor, destruction; see inbox.h. */
#include "object/inbox/inbox.h"

#include "object/inbox/inbox_records.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/fd.h"

/* --- create and destroy */

static void unlink_inbox(plait__inbox *inbox)
{
	plait__context *context = inbox->object.context;

	plait__mutex_lock(&context->lock);
	if (inbox->previous != NULL)
		inbox->previous->next = inbox->next;
	else
		context->inboxes = inbox->next;
	if (inbox->next != NULL)
		inbox->next->previous = inbox->previous;
	at_sub_u32(&context->inbox_count, 1);
	plait__mutex_unlock(&context->lock);
}

static void link_inbox(plait__inbox *inbox)
{
	plait__context *context = inbox->object.context;

	plait__mutex_lock(&context->lock);
	inbox->next = context->inboxes;
	if (inbox->next != NULL)
		inbox->next->previous = inbox;
	context->inboxes = inbox;
	if (context->inbox_service == NULL)
		context->inbox_service = &plait__inbox_pump_service;
	at_add_u32(&context->inbox_count, 1);
	plait__mutex_unlock(&context->lock);
}

static void free_inbox(plait__inbox *inbox)
{
	const plait_allocator *allocator =
		plait__context_allocator(inbox->object.context);

	plait__fd_close(inbox->fd);
	plait__vector_fini(&inbox->calls);
	plait__free(allocator, inbox, sizeof(*inbox));
}

static void destroy_inbox(plait__object *object)
{
	plait__inbox *inbox = (plait__inbox *)(void *)object;

	unlink_inbox(inbox);
	if (inbox->call_ops != NULL)
		inbox->call_ops->free_idle(inbox);
	free_inbox(inbox);
}

/* The user has released the inbox, so no thread can take events: discard
 * them. */
static void abandon_inbox(plait__object *object)
{
	plait__inbox *inbox = (plait__inbox *)(void *)object;
	plait__inbox_event *event_record;
	bool linked;

	plait__inbox_close(inbox);
	for (;;) {
		plait__mutex_lock(&inbox->lock);
		event_record = inbox->first_event;
		linked = false;
		if (event_record != NULL) {
			plait__inbox_remove(inbox, event_record);
			linked = plait__inbox_unlink(event_record);
		}
		plait__mutex_unlock(&inbox->lock);
		if (event_record == NULL)
			return;
		if (linked)
			plait__object_drop(&event_record->object);
	}
}

static const plait__class inbox_class = {
	.type = PLAIT_OBJECT_INBOX,
	.abandon = abandon_inbox,
	.destroy = destroy_inbox
};

/* The calling thread becomes the owner. */
static plait_status create(plait__context *context, plait__inbox **out,
			   plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__inbox *inbox = plait__alloc(allocator, sizeof(*inbox));
	plait_status status;

	if (inbox == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an inbox of %zu bytes",
				   sizeof(*inbox));
	inbox->object.context = context;
	plait__vector_init(&inbox->calls, allocator, sizeof(plait__call *));
	at_init_u64(&inbox->owner, plait__thread_token());
	inbox->owner_id = plait__thread_id();
	inbox->fd = plait__fd_open();
	if (inbox->fd < 0) {
		status = plait__fail_origin(error, PLAIT_E_UNAVAILABLE,
					    -inbox->fd,
					    "no file descriptor for an inbox "
					    "(errno %d)", -inbox->fd);
		goto free;
	}
	status = plait__object_init(&inbox->object, &inbox_class, context,
				    error);
	if (status != PLAIT_OK)
		goto free;
	link_inbox(inbox);
	*out = inbox;
	return PLAIT_OK;

free:
	free_inbox(inbox);
	return status;
}

PLAIT_API plait_status plait_inbox_create(plait_context *context,
					  plait_inbox **out,
					  plait_error *error)
{
	plait__context *where;
	plait__inbox *inbox = NULL;
	plait_status status;

	if (out != NULL)
		*out = NULL;
	status = plait__context_enter(context, &where, error);
	if (status != PLAIT_OK)
		return status;
	if (out == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "out is null");
	else
		status = create(where, &inbox, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&inbox->object);
	plait__object_leave(&where->object);
	return status;
}

PLAIT__OBJECT_REFERENCES(inbox, PLAIT_OBJECT_INBOX);

/* --- close */

/* Cancel all promised events; returns the calls among them, linked by
 * next_closed, which the caller has to fail.  Caller holds inbox->lock. */
static plait__inbox_event *cancel_all(plait__inbox *inbox)
{
	plait__inbox_event *calls = NULL;
	plait__inbox_event *event_record;

	for (event_record = inbox->records; event_record != NULL;
	     event_record = event_record->next) {
		if (event_record->state == PLAIT__INBOX_EVENT_PROMISED)
			plait__inbox_push(inbox, event_record);
		else if (event_record->answered)
			continue;
		if (event_record->state == PLAIT__INBOX_EVENT_POSTED)
			event_record->event.status = PLAIT_E_CANCELLED;
		if (event_record->answered)
			continue;
		event_record->answered = true;
		plait__object_hold(&event_record->object);
		event_record->next_closed = calls;
		calls = event_record;
	}
	return calls;
}

void plait__inbox_close(plait__inbox *inbox)
{
	plait__inbox_event *calls = NULL;

	plait__mutex_lock(&inbox->lock);
	if (!inbox->closed)
		calls = cancel_all(inbox);
	inbox->closed = true;
	plait__mutex_unlock(&inbox->lock);
	if (calls != NULL)
		inbox->call_ops->fail_closed(calls);
	plait__context_notify_waiters(inbox->object.context);
}

PLAIT_API plait_status plait_inbox_close(plait_inbox *inbox,
					 plait_error *error)
{
	plait__inbox *self;
	plait_status status = plait__inbox_enter(inbox, &self, error);

	if (status != PLAIT_OK)
		return status;
	plait__inbox_close(self);
	plait__object_leave(&self->object);
	return PLAIT_OK;
}

/* --- adopt and descriptor */

PLAIT_API plait_status plait_inbox_adopt(plait_inbox *inbox,
					 plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	plait__inbox *self;
	plait_status status = plait__inbox_enter(inbox, &self, error);

	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&self->lock);
	if (!plait__inbox_is_mine(self) && self->inside != 0) {
		status = plait__fail(error, PLAIT_E_BUSY,
				     "%s: its owner, thread %d, is inside a "
				     "call with it",
				     plait__object_name(&self->object, room),
				     (int)self->owner_id);
	} else {
		/* Release: pairs with the load in plait__inbox_is_mine. */
		at_store_release_u64(&self->owner, plait__thread_token());
		self->owner_id = plait__thread_id();
	}
	plait__mutex_unlock(&self->lock);
	plait__object_leave(&self->object);
	return status;
}

PLAIT_API plait_status plait_inbox_descriptor(plait_inbox *inbox,
					      int32_t *out_descriptor,
					      plait_error *error)
{
	plait__inbox *self;
	plait_status status;

	if (out_descriptor != NULL)
		*out_descriptor = -1;
	status = plait__inbox_enter(inbox, &self, error);
	if (status != PLAIT_OK)
		return status;
	if (out_descriptor == NULL) {
		status = plait__fail(error, PLAIT_E_INVALID,
				     "out_descriptor is null");
	} else {
		plait__mutex_lock(&self->lock);
		/* Before, no thread could poll the descriptor, so it was not
		 * written. */
		self->listened = true;
		if (self->first_event != NULL)
			plait__inbox_wake_owner(self);
		plait__mutex_unlock(&self->lock);
		*out_descriptor = self->fd;
	}
	plait__object_leave(&self->object);
	return status;
}
