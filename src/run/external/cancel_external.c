/* SPDX-License-Identifier: MIT */
/* Cancellation: resumes parked lanes and retracts calls of a stopped run. */
#include "run/external/cancel_external.h"

#include "run/external/completion.h"

/* Claim the parked lanes: the caller resumes them. */
static plait__external *take_parked(plait__external *first)
{
	plait__external *found = NULL;
	plait__external *taken;

	plait__mutex_lock(first->lock);
	for (plait__external *at = first; at != NULL; at = at->sibling) {
		taken = NULL;
		if (at->completion != NULL)
			taken = plait__completion_claim(at->completion, 0);
		if (taken == NULL)
			continue;
		taken->next = found;
		found = taken;
	}
	plait__mutex_unlock(first->lock);
	return found;
}

static plait__call *hold_call(plait__external *external)
{
	plait__call *call;

	plait__mutex_lock(external->lock);
	call = external->call;
	if (call != NULL)
		plait__object_hold(&call->event_record.object);
	plait__mutex_unlock(external->lock);
	return call;
}

/* Retract the calls that their inbox owner has not begun. */
static void retract_calls(plait__external *first)
{
	for (plait__external *at = first; at != NULL; at = at->sibling) {
		plait__call *call = hold_call(at);

		if (call == NULL)
			continue;
		plait__call_retract(call);
		plait__object_drop(&call->event_record.object);
	}
}

void plait__cancel_external(plait__external *first)
{
	plait__external *parked;
	plait__external *next;

	if (first == NULL)
		return;
	retract_calls(first);
	parked = take_parked(first);
	/* The run may be over with the last lane. */
	for (; parked != NULL; parked = next) {
		next = parked->next;
		parked->offer(parked);
	}
}
