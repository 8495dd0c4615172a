/* SPDX-License-Identifier: MIT */
/* A wait that takes too long says who has not done his part; see call.h. */
#include "object/call.h"

#include "object/inbox.h"
#include "object/queue.h"

#include "base/text.h"

#include <stdio.h>

/* Has its owner been told of it, and not answered? */
static bool is_owed(plait__call *call)
{
	plait__inbox *inbox = call->notice.inbox;
	bool owed;

	plait__mutex_lock(&inbox->lock);
	owed = call->notice.state != PLAIT__NOTICE_PROMISED &&
	       !call->notice.answered;
	plait__mutex_unlock(&inbox->lock);
	return owed;
}

/* The queue's lock is held. */
static plait__call *find_owed(const plait__queue *queue)
{
	plait__object *object;
	uint32_t i;

	for (i = 0; (object = plait__flight_at(&queue->flight, i)) != NULL;
	     i++) {
		plait__call *call = (plait__call *)(void *)object;

		if (object->class == &plait__call_class && is_owed(call))
			return call;
	}
	return NULL;
}

static void describe(const plait__call *call, char *out, uint32_t bytes)
{
	plait__inbox *inbox = call->notice.inbox;
	const char *label = call->label != NULL ? call->label : "";
	char room[PLAIT__NAME_ROOM];
	int32_t owner;

	plait__mutex_lock(&inbox->lock);
	owner = inbox->owner_id;
	plait__mutex_unlock(&inbox->lock);
	(void)snprintf(out, bytes, ": %s%.*s%s waits for %s, which its owner, "
		       "thread %d, has to pump",
		       label[0] != '\0' ? "command \"" : "a host function",
		       PLAIT__TEXT_FIT(label, 60),
		       label[0] != '\0' ? "\"" : "",
		       plait__object_name(&inbox->object, room), (int)owner);
}

void plait__call_owed(plait__queue *queue, char *out, uint32_t bytes)
{
	const plait__call *call;

	out[0] = '\0';
	plait__mutex_lock(&queue->lock);
	/* Under the lock, because what is not in flight may be used again. */
	call = find_owed(queue);
	if (call != NULL)
		describe(call, out, bytes);
	plait__mutex_unlock(&queue->lock);
}
