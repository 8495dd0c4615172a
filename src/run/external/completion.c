/* SPDX-License-Identifier: MIT */
/*
 * Lanes that are parked until somebody else tells them; see completion.h.
 *
 *     who parks                          who tells     who stops the run
 *     have the ticket told               told          stop
 *     lock; told? else parked; unlock    take it       take it
 *     stopped? take it back              offer it      offer it
 *
 * Who takes what is parked, under the ticket's lock, goes on with the lane or
 * offers it.  So it goes on once, whoever comes first.
 */
#include "run/external/completion.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/context/backend_result.h"
#include "object/progress/notification.h"
#include "pool/counter.h"

static void destroy_ticket(plait__object *object)
{
	plait__context *context = object->context;

	plait__pool_unreserve(context->pool, 1);
	plait__free(plait__context_allocator(context), object,
		    sizeof(plait__ticket));
}

static const plait__class ticket_class = { .destroy = destroy_ticket };

plait__outside *plait__ticket_take(plait__ticket *ticket, uint64_t parking)
{
	plait__outside *parked = NULL;

	plait__mutex_lock(&ticket->lock);
	if (parking == 0 || parking == ticket->parking) {
		parked = ticket->parked;
		ticket->parked = NULL;
	}
	plait__mutex_unlock(&ticket->lock);
	return parked;
}

/* Gives back the hold of who was to tell. */
static void tell(plait__ticket *ticket)
{
	plait__context *context = ticket->object.context;
	plait__object *needs = ticket->needs;
	plait__outside *parked;

	plait__mutex_lock(&ticket->lock);
	ticket->told = true;
	parked = ticket->parked;
	ticket->parked = NULL;
	plait__mutex_unlock(&ticket->lock);
	if (parked != NULL)
		parked->offer(parked);
	plait__context_pulse(context);
	/* Calls no slot, and is not the end of the context either, which what
	 * is needed keeps. */
	plait__object_drop(&ticket->object);
	plait__object_drop_later(needs);
}

/* Upcall. */
static void on_point(void *user_data, plait_status status)
{
	(void)status;
	tell(user_data);
}

static void on_hope(plait__hope *hope)
{
	tell(hope->arg);
}

plait_status plait__ticket_make(plait__outside *outside, plait_error *error)
{
	plait__context *context = outside->instance->program->context;
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__ticket *ticket = plait__alloc(allocator, sizeof(*ticket));
	plait_status status;

	if (ticket == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to wait for a signal");
	status = plait__pool_reserve(context->pool, 1, error);
	if (status != PLAIT_OK) {
		plait__free(allocator, ticket, sizeof(*ticket));
		return status;
	}
	(void)plait__object_init(&ticket->object, &ticket_class, context,
				 NULL);
	ticket->hope.told = on_hope;
	ticket->hope.arg = ticket;
	plait__mutex_lock(outside->lock);
	outside->ticket = ticket;
	plait__mutex_unlock(outside->lock);
	return PLAIT_OK;
}

void plait__ticket_leave(plait__outside *outside)
{
	plait__ticket *ticket = outside->ticket;

	plait__mutex_lock(outside->lock);
	outside->ticket = NULL;
	plait__mutex_unlock(outside->lock);
	outside->told_of = false;
	if (ticket != NULL)
		plait__object_drop(&ticket->object);
}

/* ---- parking ---- */

/* Have the ticket told: of the point, or that there may be one. */
static plait_status ask(plait__outside *outside, plait_error *error)
{
	plait__ticket *ticket = outside->ticket;
	plait__signal *hopes = outside->begun ? NULL : outside->hopes;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	outside->hoping = hopes != NULL;
	ticket->needs = hopes != NULL ? &hopes->object : outside->needs;
	ticket->told = false;
	plait__object_hold(ticket->needs);
	plait__object_hold(&ticket->object);
	if (hopes != NULL) {
		if (!plait__signal_hope(hopes, outside->point.sequence,
					&ticket->hope))
			tell(ticket);
		return PLAIT_OK;
	}
	status = plait__upcall_arm(outside->port, &outside->point, on_point,
				   ticket, &room);
	if (status == PLAIT_OK)
		return status;
	plait__object_drop(ticket->needs);
	plait__object_drop(&ticket->object);
	return plait__port_judge(outside->port, status, "signal_notify",
				 &room, error);
}

/* Which parking it is; 0: it was told, and the lane is still the caller's. */
static uint64_t park(plait__outside *outside, plait__ticket *ticket)
{
	uint64_t parking = 0;

	plait__mutex_lock(&ticket->lock);
	if (!ticket->told) {
		parking = ++ticket->parking;
		if (outside->rest != NULL)
			outside->rest(outside);
		ticket->parked = outside;
	}
	plait__mutex_unlock(&ticket->lock);
	return parking;
}

/* True: the lane is the caller's, look again.  `stops`: also when the run is
 * stopped. */
static bool await(plait__outside *outside, bool stops)
{
	plait__ticket *ticket = outside->ticket;
	const at_u32 *stop = &outside->instance->stop;
	uint64_t parking;
	bool mine;

	/* Once it is parked, who runs the lane may leave the ticket. */
	plait__object_hold(&ticket->object);
	parking = park(outside, ticket);
	/* Relaxed: who stops the run looks for the lane afterwards, under the
	 * lock that was held in park. */
	mine = parking == 0 ||
	       (stops && at_load_relaxed_u32(stop) != 0 &&
		plait__ticket_take(ticket, parking) != NULL);
	if (mine && outside->back != NULL)
		outside->back(outside);
	plait__object_drop(&ticket->object);
	return mine;
}

void plait__ticket_settle(plait__outside *outside)
{
	plait__ticket *ticket = outside->ticket;

	if (!outside->told_of)
		return;
	plait__mutex_lock(&ticket->lock);
	outside->told_of = !ticket->told;
	plait__mutex_unlock(&ticket->lock);
}

plait_status plait__ticket_rest(plait__outside *outside, bool stops,
			 plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (outside->ticket == NULL)
		status = plait__ticket_make(outside, error);
	if (status == PLAIT_OK && !outside->told_of)
		status = ask(outside, error);
	if (status != PLAIT_OK)
		return status;
	outside->told_of = true;
	return await(outside, stops) ? PLAIT_OK : PLAIT_PENDING;
}

void plait__ticket_give_up(plait__outside *outside)
{
	if (outside->told_of && outside->hoping &&
	    plait__signal_give_up(outside->hopes, &outside->ticket->hope))
		tell(outside->ticket);
}
