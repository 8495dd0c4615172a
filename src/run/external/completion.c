/* SPDX-License-Identifier: MIT */
/*
 * One-shot completions that resume a parked lane; see completion.h.
 *
 *     lane                               completion    cancellation
 *     subscribe                          completed     stop
 *     lock; completed? else park; unlock claim it      claim it
 *     stopped? claim it                  wake it       wake it
 *
 * The parked lane is claimed under the completion's lock.  The claimer resumes
 * the lane itself or wakes it, so the lane is resumed exactly once.
 */
#include "run/external/completion.h"

#include "base/alloc.h"
#include "base/error.h"
#include "pool/counter.h"

static void destroy_completion(plait__object *object)
{
	plait__context *context = object->context;

	plait__counter_unreserve_callbacks(context->pool, 1);
	plait__free(plait__context_allocator(context), object,
		    sizeof(plait__completion));
}

static const plait__class completion_class = { .destroy = destroy_completion };

plait__external *plait__completion_claim(plait__completion *completion,
					 uint64_t park_number)
{
	plait__external *parked = NULL;

	plait__mutex_lock(&completion->lock);
	if (park_number == 0 || park_number == completion->park_number) {
		parked = completion->parked;
		completion->parked = NULL;
	}
	plait__mutex_unlock(&completion->lock);
	return parked;
}

/* Complete a subscription, once, and drop the hold of the notification.  Caller
 * holds neither the lock of a run nor that of the completion. */
static void complete(plait__completion *completion)
{
	plait__context *context = completion->object.context;
	plait__object *needs = completion->needs;
	plait__external *parked;

	plait__mutex_lock(&completion->lock);
	completion->completed = true;
	parked = completion->parked;
	completion->parked = NULL;
	plait__mutex_unlock(&completion->lock);
	if (parked != NULL)
		parked->offer(parked);
	plait__context_notify_waiters(context);
	/* Calls no backend.  `needs` keeps the context, so this is not its
	 * end. */
	plait__object_drop(&completion->object);
	plait__object_drop_deferred(needs);
}

static void on_event(plait__listener *listener, plait_status status)
{
	(void)status;
	complete(PLAIT__LISTENER_OWNER(listener, plait__completion, listener));
}

/* On the timer thread.  A lane that goes on meanwhile is resumed once more than
 * needed. */
static void on_deadline(plait__timer *timer)
{
	plait__completion *completion =
		PLAIT__LISTENER_OWNER(timer, plait__completion, timer);
	plait__external *parked;

	plait__mutex_lock(&completion->lock);
	parked = completion->parked;
	completion->parked = NULL;
	/* A lane that is about to park polls again instead. */
	completion->expired = parked == NULL;
	plait__mutex_unlock(&completion->lock);
	plait__context_notify_waiters(completion->object.context);
	/* A lane that is parked has a hold, so this one is not the last: the
	 * lane may end the context before this thread goes on. */
	plait__object_drop_deferred(&completion->object);
	if (parked != NULL)
		parked->offer(parked);
}

plait_status plait__completion_make(plait__external *external,
				    plait_error *error)
{
	plait__context *context = external->instance->program->context;
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__completion *completion =
		plait__alloc(allocator, sizeof(*completion));
	plait_status status;

	if (completion == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to wait for a signal");
	status = plait__counter_reserve_callbacks(context->pool, 1, error);
	if (status != PLAIT_OK) {
		plait__free(allocator, completion, sizeof(*completion));
		return status;
	}
	(void)plait__object_init(&completion->object, &completion_class,
				 context, NULL);
	completion->listener.notify = on_event;
	completion->timer.expired = on_deadline;
	plait__mutex_lock(external->lock);
	external->completion = completion;
	plait__mutex_unlock(external->lock);
	return PLAIT_OK;
}

void plait__completion_detach(plait__external *external)
{
	plait__completion *completion = external->completion;

	plait__mutex_lock(external->lock);
	external->completion = NULL;
	plait__mutex_unlock(external->lock);
	external->subscribed = false;
	if (completion != NULL)
		plait__object_drop(&completion->object);
}

/* ---- deadlines ---- */

static plait__timers *timers_of(const plait__external *external)
{
	return &external->instance->program->context->timers;
}

plait_status plait__completion_arm(plait__external *external,
				   uint64_t deadline_ns, plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (external->timed)
		return PLAIT_OK;
	if (external->completion == NULL)
		status = plait__completion_make(external, error);
	if (status != PLAIT_OK)
		return status;
	external->completion->timer.due_ns = deadline_ns;
	plait__object_hold(&external->completion->object);
	status = plait__timer_arm(timers_of(external),
				  &external->completion->timer, error);
	external->timed = status == PLAIT_OK;
	if (status != PLAIT_OK)
		plait__object_drop(&external->completion->object);
	return status;
}

void plait__completion_disarm(plait__external *external)
{
	if (!external->timed)
		return;
	external->timed = false;
	if (plait__timer_disarm(timers_of(external),
				&external->completion->timer))
		plait__object_drop(&external->completion->object);
}

/* ---- parking ---- */

/* Subscribe to what is awaited.  The lane has no subscription. */
static plait_status subscribe(plait__external *external, plait_error *error)
{
	plait__completion *completion = external->completion;
	plait__await *await = external->await;
	plait_status status;

	completion->needs = await->object;
	completion->completed = false;
	plait__object_hold(completion->needs);
	plait__object_hold(&completion->object);
	status = await->class->subscribe(await, &completion->listener, error);
	if (status == PLAIT_OK)
		return status;
	plait__object_drop(completion->needs);
	plait__object_drop(&completion->object);
	return status;
}

/* Returns the number of this parking; 0: completed, or timed out, and the lane is still the
 * caller's.  The calling thread runs the lane, and no more once this has
 * unlocked. */
static uint64_t park(plait__external *external, plait__completion *completion)
{
	uint64_t park_number = 0;

	plait__mutex_lock(&completion->lock);
	if (!completion->completed && !completion->expired) {
		park_number = ++completion->park_number;
		if (external->rest != NULL)
			external->rest(external);
		completion->parked = external;
	}
	completion->expired = false;
	plait__mutex_unlock(&completion->lock);
	return park_number;
}

/* Returns true if the lane is the caller's: poll again.  `stops`: also when the
 * run is stopped. */
static bool await(plait__external *external, bool stops)
{
	plait__completion *completion = external->completion;
	const at_u32 *stop = &external->instance->stop;
	uint64_t park_number;
	bool mine;

	/* A parked lane may be resumed by another thread, which may detach
	 * it. */
	plait__object_hold(&completion->object);
	park_number = park(external, completion);
	/* Relaxed: cancellation looks for the lane after it has set `stop`,
	 * under the lock that park held. */
	mine = park_number == 0 ||
	       (stops && at_load_relaxed_u32(stop) != 0 &&
		plait__completion_claim(completion, park_number) != NULL);
	if (mine && external->back != NULL)
		external->back(external);
	plait__object_drop(&completion->object);
	return mine;
}

void plait__completion_resume(plait__external *external)
{
	plait__completion *completion = external->completion;

	if (!external->subscribed)
		return;
	plait__mutex_lock(&completion->lock);
	external->subscribed = !completion->completed;
	plait__mutex_unlock(&completion->lock);
}

plait_status plait__completion_park(plait__external *external, bool stops,
				    plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (external->completion == NULL)
		status = plait__completion_make(external, error);
	if (status == PLAIT_OK && !external->subscribed)
		status = subscribe(external, error);
	if (status != PLAIT_OK)
		return status;
	external->subscribed = true;
	return await(external, stops) ? PLAIT_OK : PLAIT_PENDING;
}

void plait__completion_give_up(plait__external *external)
{
	plait__await *await = external->await;

	if (external->subscribed && await != NULL &&
	    await->class->withdraw != NULL &&
	    await->class->withdraw(await, &external->completion->listener))
		complete(external->completion);
}
