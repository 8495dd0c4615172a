/* SPDX-License-Identifier: MIT */
/* Event records of an inbox: its two lists, event count and descriptor. */
#include "object/inbox/inbox_records.h"

#include "sys/fd.h"

bool plait__inbox_is_mine(const plait__inbox *inbox)
{
	/* Acquire: pairs with the store in plait_inbox_adopt. */
	return at_load_acquire_u64(&inbox->owner) == plait__thread_token();
}

/* --- lists; caller holds the lock */

void plait__inbox_link(plait__inbox *inbox, plait__inbox_event *event_record)
{
	plait__object_hold(&event_record->object);
	event_record->state = PLAIT__INBOX_EVENT_PROMISED;
	event_record->linked = true;
	event_record->previous = NULL;
	event_record->next = inbox->records;
	if (event_record->next != NULL)
		event_record->next->previous = event_record;
	inbox->records = event_record;
}

bool plait__inbox_unlink(plait__inbox_event *event_record)
{
	plait__inbox *inbox = event_record->inbox;

	if (!event_record->linked)
		return false;
	event_record->linked = false;
	if (event_record->previous != NULL)
		event_record->previous->next = event_record->next;
	else
		inbox->records = event_record->next;
	if (event_record->next != NULL)
		event_record->next->previous = event_record->previous;
	return true;
}

void plait__inbox_wake_owner(plait__inbox *inbox)
{
	if (inbox->raised || !inbox->listened)
		return;
	inbox->raised = plait__fd_raise(inbox->fd) == 0;
}

static void count_event(plait__inbox *inbox, int64_t change)
{
	uint64_t count = at_load_relaxed_u64(&inbox->event_count);

	at_store_release_u64(&inbox->event_count, count + (uint64_t)change);
}

void plait__inbox_push(plait__inbox *inbox, plait__inbox_event *event_record)
{
	event_record->state = PLAIT__INBOX_EVENT_POSTED;
	event_record->next_event = NULL;
	if (inbox->last_event != NULL)
		inbox->last_event->next_event = event_record;
	else
		inbox->first_event = event_record;
	inbox->last_event = event_record;
	count_event(inbox, 1);
	plait__inbox_wake_owner(inbox);
}

void plait__inbox_remove(plait__inbox *inbox, plait__inbox_event *event_record)
{
	plait__inbox_event *before = NULL;
	plait__inbox_event *at = inbox->first_event;

	while (at != NULL && at != event_record) {
		before = at;
		at = at->next_event;
	}
	if (at != NULL) {
		if (before != NULL)
			before->next_event = at->next_event;
		else
			inbox->first_event = at->next_event;
		if (inbox->last_event == at)
			inbox->last_event = before;
		count_event(inbox, -1);
	}
	event_record->state = PLAIT__INBOX_EVENT_TAKEN;
	if (inbox->first_event != NULL || !inbox->raised)
		return;
	(void)plait__fd_drain(inbox->fd);
	inbox->raised = false;
}
