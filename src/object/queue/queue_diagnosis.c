/* SPDX-License-Identifier: MIT */
/* Error text of a wait for a queue: the command that blocks the queue. */
#include "object/queue/queue_diagnosis.h"

#include "object/inbox/inbox.h"
#include "object/queue/external_section.h"
#include "object/queue/idle_section.h"
#include "object/queue/owner_call.h"
#include "object/queue/queue_state.h"
#include "object/signal/signal.h"
#include "object/wait/wait_diagnosis.h"

#include "base/text.h"

#include <stdio.h>

/* --- owner calls */

enum blocker { NOTHING, BACKEND, OWNER };

/* The party that has yet to act on a call. Caller holds queue->lock. */
static enum blocker find_blocker(plait__queue *queue, plait__call *call)
{
	plait__inbox *inbox = call->event_record.inbox;
	enum blocker blocker;

	plait__mutex_lock(&inbox->lock);
	if (call->event_record.answered)
		blocker = NOTHING;
	else
		blocker = call->event_record.state ==
					  PLAIT__INBOX_EVENT_PROMISED ?
				  BACKEND :
				  OWNER;
	plait__mutex_unlock(&inbox->lock);
	/* The queue may not have reached the call. */
	if (blocker == BACKEND &&
	    plait__queue_poll(queue, call->sequence, NULL, NULL) != PLAIT_OK)
		blocker = NOTHING;
	return blocker;
}

/* Caller holds queue->lock. */
static plait__call *find_blocking_call(plait__queue *queue, enum blocker *out)
{
	plait__object *object;
	uint32_t i;

	for (i = 0;
	     (object = plait__inflight_ring_at(&queue->inflight, i)) != NULL;
	     i++) {
		plait__call *call = (plait__call *)(void *)object;

		if (object->class != &plait__call_class)
			continue;
		*out = find_blocker(queue, call);
		if (*out != NOTHING)
			return call;
	}
	return NULL;
}

/* Takes the inbox's lock for its owner. */
static void describe_call(const plait__call *call, enum blocker blocker,
			  char *out, uint32_t bytes)
{
	plait__inbox *inbox = call->event_record.inbox;
	const char *label = call->label != NULL ? call->label : "";
	const char *plugin = call->port->backend->name;
	char room[PLAIT__OBJECT_NAME_BYTES];
	int32_t owner;
	int length;

	plait__mutex_lock(&inbox->lock);
	owner = inbox->owner_id;
	plait__mutex_unlock(&inbox->lock);
	length = snprintf(out, bytes, ": %s%.*s%s waits for %s, ",
			  label[0] != '\0' ? "command \"" : "a host function",
			  PLAIT__TEXT_FIT(label, 60),
			  label[0] != '\0' ? "\"" : "",
			  plait__object_name(&inbox->object, room));
	if (length < 0 || (uint32_t)length >= bytes)
		return;
	out += length;
	bytes -= (uint32_t)length;
	if (blocker == OWNER)
		(void)snprintf(out, bytes, "which its owner, thread %d, has to "
			       "pump", (int)owner);
	else
		(void)snprintf(out, bytes,
			       "of which " PLAIT__WAIT_DIAGNOSIS_OWED, plugin,
			       plugin);
}

void plait__queue_diagnosis_describe_call(plait__queue *queue, char *out,
					  uint32_t bytes)
{
	const plait__call *call;
	enum blocker blocker;

	out[0] = '\0';
	plait__mutex_lock(&queue->lock);
	/* Under the lock, because a call that is not in flight may be
	 * reused. */
	call = find_blocking_call(queue, &blocker);
	if (call != NULL)
		describe_call(call, blocker, out, bytes);
	plait__mutex_unlock(&queue->lock);
}

/* --- gates */

/* The first unreached gate that the queue may wait for: one used by unfinished
 * work. Caller holds queue->lock. */
static const plait__signal *find_awaited(plait__queue *queue)
{
	const plait__inflight_ring *ring = &queue->inflight;
	uint64_t done = 0;
	uint32_t i;

	(void)plait__queue_poll(queue, plait__queue_submitted(queue), &done,
				NULL);
	for (i = 0; i < ring->committed; i++) {
		const plait__inflight_entry *entry =
			&ring->entries[(ring->first + i) &
				       (ring->capacity - 1)];
		const plait__signal *signal = (const void *)entry->object;

		if (entry->object->class->type == PLAIT_OBJECT_SIGNAL &&
		    entry->sequence > done && signal->is_gate)
			return signal;
	}
	return NULL;
}

static void describe_awaited(plait__queue *queue, char *out, uint32_t bytes)
{
	const plait__signal *signal;
	char room[PLAIT__OBJECT_NAME_BYTES];
	uint64_t reached = 0;

	out[0] = '\0';
	plait__mutex_lock(&queue->lock);
	signal = find_awaited(queue);
	if (signal != NULL) {
		(void)plait__signal_poll(signal, 0, &reached, NULL);
		(void)snprintf(out, bytes, "; it has a wait for %s, which is "
			       "at %llu", plait__object_name(&signal->object,
							     room),
			       (unsigned long long)reached);
	}
	plait__mutex_unlock(&queue->lock);
}

/* --- runs */

/* The lock keeps the section, which takes it to be left. */
static void describe_section(plait__queue *queue, char *out, uint32_t bytes)
{
	const plait__section *section;

	out[0] = '\0';
	plait__mutex_lock(&queue->lock);
	section = queue->sections;
	if (section == NULL && !queue->idle_section_failed)
		section = plait__idle_section_pin(queue);
	if (section != NULL && section->describe != NULL &&
	    plait__queue_poll(queue, section->sequence, NULL, NULL) ==
		    PLAIT_OK)
		section->describe(section->arg, out, bytes);
	plait__mutex_unlock(&queue->lock);
}

/* --- all */

void plait__queue_diagnosis_describe(void *arg, char *out, uint32_t bytes)
{
	plait__queue *queue = arg;

	plait__queue_diagnosis_describe_call(queue, out, bytes);
	if (out[0] == '\0')
		describe_section(queue, out, bytes);
	if (out[0] == '\0')
		describe_awaited(queue, out, bytes);
}
