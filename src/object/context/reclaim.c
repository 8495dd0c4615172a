/* SPDX-License-Identifier: MIT */
/*
 * Reclaim: threads that submit, wait or release drop the holds of finished
 * work.
 */
#include "object/context/reclaim.h"

#include "sys/clock.h"

enum {
	/* Pause after a round, as a multiple of its duration. */
	PAUSE_FACTOR = 8,
	/* Upper bound, as one slow free of much memory must not delay the next
	 * round by seconds. */
	MAX_PAUSE_NS = 100000000
};

bool plait__reclaim_has_autonomous_backend(const plait__context *context)
{
	uint32_t i;

	for (i = 0; i < context->port_count; i++)
		if ((context->ports[i].any & PLAIT_CAP_NEEDS_PUMP) == 0)
			return true;
	return false;
}

/* Do the drops that notification callbacks deferred.  Each without the lock: a
 * drop may defer others. */
static void drop_deferred(plait__context *context)
{
	plait__object *object;

	if (at_load_acquire_u32(&context->deferred_any) == 0)
		return;
	for (;;) {
		plait__mutex_lock(&context->deferred_lock);
		object = context->deferred;
		if (object != NULL)
			context->deferred = object->later;
		else
			at_store_release_u32(&context->deferred_any, 0);
		plait__mutex_unlock(&context->deferred_lock);
		if (object == NULL)
			return;
		plait__object_drop(object);
	}
}

/* --- the list */

/* Caller holds context->lock; the entry is listed. */
static void unlink_entry(plait__context *context, plait__reclaim_entry *entry)
{
	if (entry->previous != NULL)
		entry->previous->next = entry->next;
	else
		context->first_entry = entry->next;
	if (entry->next != NULL)
		entry->next->previous = entry->previous;
	else
		context->last_entry = entry->previous;
}

/* Caller holds context->lock; the entry is not listed. */
static void append_entry(plait__context *context, plait__reclaim_entry *entry)
{
	entry->next = NULL;
	entry->previous = context->last_entry;
	if (entry->previous != NULL)
		entry->previous->next = entry;
	else
		context->first_entry = entry;
	context->last_entry = entry;
}

void plait__reclaim_list(plait__context *context, plait__reclaim_entry *entry)
{
	if (entry->listed)
		return;
	plait__mutex_lock(&context->lock);
	append_entry(context, entry);
	entry->listed = true;
	plait__mutex_unlock(&context->lock);
}

void plait__reclaim_unlist(plait__context *context,
			   plait__reclaim_entry *entry)
{
	plait__mutex_lock(&context->lock);
	if (entry->listed)
		unlink_entry(context, entry);
	entry->listed = false;
	plait__mutex_unlock(&context->lock);
}

/* The next entry that this round has not visited, with a hold of its object; or
 * null. */
static plait__reclaim_entry *next_entry(plait__context *context, uint64_t round)
{
	plait__reclaim_entry *entry;

	plait__mutex_lock(&context->lock);
	for (;;) {
		entry = context->first_entry;
		if (entry != NULL && entry->round == round)
			entry = NULL;
		if (entry == NULL)
			break;
		entry->round = round;
		unlink_entry(context, entry);
		append_entry(context, entry);
		if (plait__object_try_hold(entry->object))
			break;
	}
	plait__mutex_unlock(&context->lock);
	return entry;
}

/* --- a round */

/* Returns true if the backend advances by itself, or its user has closed the
 * context: only then may the thread request wake-ups of it. */
static bool may_drive(plait__context *context, const plait__backend_port *port)
{
	return (port->any & PLAIT_CAP_NEEDS_PUMP) == 0 ||
	       plait__context_is_final(context);
}

bool plait__reclaim_is_current(plait__context *context)
{
	/* Relaxed: only this thread stores its own token. */
	return at_load_relaxed_u64(&context->reclaimer_token) ==
	       plait__thread_token();
}

static bool begin_round(plait__context *context, bool must)
{
	if (!plait__mutex_trylock(&context->reclaim_lock)) {
		if (!must || plait__reclaim_is_current(context))
			return false;
		plait__mutex_lock(&context->reclaim_lock);
	}
	at_store_relaxed_u64(&context->reclaimer_token, plait__thread_token());
	return true;
}

static void end_round(plait__context *context)
{
	void (*after)(plait__context *context) = context->after_reclaim;

	context->after_reclaim = NULL;
	at_store_relaxed_u64(&context->reclaimer_token, 0);
	plait__mutex_unlock(&context->reclaim_lock);
	if (after != NULL)
		after(context);
}

/* Caller holds reclaim_lock. */
static void set_next_round(plait__context *context, uint64_t start_ns)
{
	uint64_t now_ns = plait__clock_now_ns();
	uint64_t pause_ns = PAUSE_FACTOR * (now_ns - start_ns);

	/* Relaxed: a hint. */
	at_store_relaxed_u64(&context->next_reclaim_ns, now_ns +
			     (pause_ns < MAX_PAUSE_NS ? pause_ns :
						       MAX_PAUSE_NS));
}

bool plait__reclaim_round(plait__context *context, bool watch, bool must)
{
	bool watched = true;
	plait__reclaim_entry *entry;
	plait__object *object;
	uint64_t start_ns;
	uint64_t round;

	if (!begin_round(context, must))
		return false;
	start_ns = plait__clock_now_ns();
	/* A drop may be the context's last but this one. */
	plait__object_hold(&context->object);
	drop_deferred(context);
	round = ++context->reclaim_round;
	while ((entry = next_entry(context, round)) != NULL) {
		object = entry->object;
		if (!object->class->reclaim(object, watch &&
					    may_drive(context, entry->port)))
			watched = false;
		plait__object_drop(object);
	}
	set_next_round(context, start_ns);
	end_round(context);
	plait__object_drop(&context->object);
	return watched;
}

void plait__reclaim_now(plait__context *context)
{
	(void)plait__reclaim_round(context, false, true);
}

static bool is_due(const plait__context *context)
{
	return plait__clock_now_ns() >=
	       at_load_relaxed_u64(&context->next_reclaim_ns);
}

void plait__reclaim_if_due(plait__context *context)
{
	/* Without an autonomous backend the thread does no rounds. */
	if (!plait__reclaim_has_autonomous_backend(context) || is_due(context))
		(void)plait__reclaim_round(context, false, false);
}

void plait__reclaim_pending(plait__context *context)
{
	if (at_load_acquire_u32(&context->deferred_any) != 0) {
		plait__object_hold(&context->object);
		drop_deferred(context);
		plait__object_drop(&context->object);
	}
	if (at_load_acquire_u64(&context->base.lingering) != 0)
		plait__reclaim_if_due(context);
}

void plait__reclaim_defer_drop(plait__context *context, plait__object *object)
{
	plait__mutex_lock(&context->deferred_lock);
	object->later = context->deferred;
	context->deferred = object;
	at_store_release_u32(&context->deferred_any, 1);
	plait__mutex_unlock(&context->deferred_lock);
	plait__context_notify_waiters(context);
}
