/* SPDX-License-Identifier: MIT */
/* Commands whose functions the calling thread executes; see outer_calls.h. */
#include "object/queue/outer_calls.h"

#include "object/queue/owner_call.h"

#include "base/error.h"
#include "pool/callback_scope.h"

bool plait__outer_calls_any(bool (*match)(plait__inbox_event *call,
					  const void *arg), const void *arg)
{
	const struct plait__callback_run *at = &plait__callback_scope_run;

	for (; at != NULL; at = at->around) {
		plait__inbox_event *event = at->event;

		if (event != NULL && event->event.kind == PLAIT_EVENT_CALL &&
		    plait__inbox_is_open_call(event, match, arg))
			return true;
	}
	return false;
}

static bool is_awaited_by(plait__inbox_event *call, const void *queue)
{
	return plait__call_awaiting_queue(plait__call_of(call)) == queue;
}

bool plait__outer_calls_block(const plait__queue *queue)
{
	return plait__outer_calls_any(is_awaited_by, queue);
}

plait_status plait__outer_calls_fail(const plait__queue *queue,
				     plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "the caller is a function of a command or a run of "
			   "%s that has to end first",
			   plait__object_name(&queue->object, room));
}

/* The place of a call in the queue that waits for it. */
struct place {
	plait__queue *queue; /* held, or null */
	uint64_t sequence;
};

/* Hold the queue: its lock comes before the inbox's. */
static bool find_place(plait__inbox_event *event, const void *arg)
{
	const plait__call *call = plait__call_of(event);
	struct place *place = *(struct place *const *)arg;

	place->queue = plait__call_awaiting_queue(call);
	place->sequence = call->outer_queue != NULL ? call->outer_sequence :
						      call->sequence;
	plait__object_hold(&place->queue->object);
	return true;
}

bool plait__outer_calls_precedes(plait__inbox_event *call,
				 const plait__object *signal, uint64_t emission)
{
	struct place place = { .queue = NULL };
	struct place *out = &place;
	bool precedes;

	if (!plait__inbox_is_open_call(call, find_place, &out))
		return false;
	plait__mutex_lock(&place.queue->lock);
	precedes = plait__inflight_ring_emits_behind(
		&place.queue->inflight, signal, place.sequence, emission);
	plait__mutex_unlock(&place.queue->lock);
	plait__object_drop(&place.queue->object);
	return precedes;
}
