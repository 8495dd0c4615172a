/* SPDX-License-Identifier: MIT */
/*
 * Giving back what work in flight kept, in passing: whoever submits, waits or
 * releases does that.
 */
#include "object/context/reclaim.h"

#include "object/queue/queue.h"

#include "sys/clock.h"

enum {
	/* A look at every queue costs what it costs: not again before so many
	 * times that. */
	REST_FACTOR = 8,
	/* But one free of much memory is no reason to sleep for seconds. */
	MOST_REST_NS = 100000000
};

bool plait__reclaim_has_autonomous_backend(const plait__context *context)
{
	uint32_t i;

	for (i = 0; i < context->port_count; i++)
		if ((context->ports[i].any & PLAIT_CAP_NEEDS_PUMP) == 0)
			return true;
	return false;
}

/* What upcalls could not give back themselves. */
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

/* The next queue with something pending that this sweep has not seen, held;
 * or null. */
static plait__queue *next_queue(plait__context *context, uint64_t sweep)
{
	plait__queue *queue;

	plait__mutex_lock(&context->lock);
	for (;;) {
		queue = context->queues;
		if (queue != NULL && queue->sweep == sweep)
			queue = NULL;
		if (queue == NULL)
			break;
		queue->sweep = sweep;
		plait__queue_relink(context, queue);
		if (plait__object_try_hold(&queue->object))
			break;
	}
	plait__mutex_unlock(&context->lock);
	return queue;
}

/* May the thread care for this backend by itself? */
static bool may_drive(plait__context *context, const plait__backend_port *port)
{
	return (port->any & PLAIT_CAP_NEEDS_PUMP) == 0 ||
	       at_load_acquire_u64(&context->open) == 0;
}

bool plait__reclaim_is_current(plait__context *context)
{
	/* Relaxed: only this thread stores its own token. */
	return at_load_relaxed_u64(&context->reclaimer_token) == plait__thread_token();
}

static bool begin_sweep(plait__context *context, bool must)
{
	if (!plait__mutex_trylock(&context->reclaim_lock)) {
		if (!must || plait__reclaim_is_current(context))
			return false;
		plait__mutex_lock(&context->reclaim_lock);
	}
	at_store_relaxed_u64(&context->reclaimer_token, plait__thread_token());
	return true;
}

static void end_sweep(plait__context *context)
{
	bool left = context->reclaim_again;

	context->reclaim_again = false;
	at_store_relaxed_u64(&context->reclaimer_token, 0);
	plait__mutex_unlock(&context->reclaim_lock);
	if (left)
		plait__reclaim_thread_wake(context);
}

static void rest(plait__context *context, uint64_t start_ns)
{
	uint64_t now_ns = plait__clock_now_ns();
	uint64_t rest_ns = REST_FACTOR * (now_ns - start_ns);

	/* Relaxed: a hint for who passes by. */
	at_store_relaxed_u64(&context->next_reclaim_ns, now_ns +
			     (rest_ns < MOST_REST_NS ? rest_ns :
						       MOST_REST_NS));
}

bool plait__reclaim_queues(plait__context *context, bool watch, bool must)
{
	bool watched = true;
	plait__queue *queue;
	uint64_t start_ns;
	uint64_t number;

	if (!begin_sweep(context, must))
		return false;
	start_ns = plait__clock_now_ns();
	/* Dropping may be the end of all else. */
	plait__object_hold(&context->object);
	drop_deferred(context);
	number = ++context->sweep;
	while ((queue = next_queue(context, number)) != NULL) {
		plait__queue_reclaim(queue);
		if (watch && may_drive(context, queue->port) &&
		    !plait__queue_watch(queue))
			watched = false;
		plait__queue_unlist(queue);
		plait__object_drop(&queue->object);
	}
	rest(context, start_ns);
	end_sweep(context);
	plait__object_drop(&context->object);
	return watched;
}

void plait__reclaim_now(plait__context *context)
{
	(void)plait__reclaim_queues(context, false, true);
}

static bool is_rested(const plait__context *context)
{
	return plait__clock_now_ns() >=
	       at_load_relaxed_u64(&context->next_reclaim_ns);
}

void plait__reclaim_if_due(plait__context *context)
{
	/* Where nothing runs alone, the thread leaves it to us. */
	if (!plait__reclaim_has_autonomous_backend(context) || is_rested(context))
		(void)plait__reclaim_queues(context, false, false);
}

void plait__reclaim_pending(plait__context *context)
{
	if (at_load_acquire_u32(&context->deferred_any) != 0) {
		plait__object_hold(&context->object);
		drop_deferred(context);
		plait__object_drop(&context->object);
	}
	if (at_load_acquire_u64(&context->lingering) != 0)
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
