/* SPDX-License-Identifier: MIT */
/* A run is stopped: lanes that wait for somebody else go on; see outside.h. */
#include "run/outside.h"

/* Those that are parked here: the caller's now. */
static plait__hand *take_parked(plait__crew *crew)
{
	plait__hand *found = NULL;
	plait__hand *hand;

	plait__mutex_lock(&crew->lock);
	for (uint32_t i = 0; i < crew->flat->lane_count; i++) {
		const struct plait__outside *outside = crew->hands[i].outside;

		hand = NULL;
		if (outside != NULL && outside->ticket != NULL)
			hand = plait__ticket_take(outside->ticket, 0);
		if (hand == NULL)
			continue;
		hand->parked.next = found;
		found = hand;
	}
	plait__mutex_unlock(&crew->lock);
	return found;
}

static plait__call *hold_call(plait__crew *crew, uint32_t lane)
{
	const struct plait__outside *outside;
	plait__call *call = NULL;

	plait__mutex_lock(&crew->lock);
	outside = crew->hands[lane].outside;
	if (outside != NULL)
		call = outside->call;
	if (call != NULL)
		plait__object_hold(&call->notice.object);
	plait__mutex_unlock(&crew->lock);
	return call;
}

/* What an owner has not begun it does not find any more. */
static void retract_calls(plait__crew *crew)
{
	for (uint32_t i = 0; i < crew->flat->lane_count; i++) {
		plait__call *call = hold_call(crew, i);

		if (call == NULL)
			continue;
		plait__call_retract(call);
		plait__object_drop(&call->notice.object);
	}
}

void plait__outside_cancel(plait__crew *crew)
{
	plait__hand *hand;
	plait__hand *next;

	retract_calls(crew);
	hand = take_parked(crew);
	/* With the last one the run may be over. */
	for (; hand != NULL; hand = next) {
		next = hand->parked.next;
		plait__task_offer(&hand->task);
	}
}
