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

#include "run/run.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/context/backend_result.h"
#include "object/progress/notification.h"
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
	if (parked != NULL)
		parked->offer(parked);
	plait__context_notify_waiters(completion->object.context);
	plait__object_drop_deferred(&completion->object);
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

/* Subscribe to the end of the awaited run. */
static void subscribe_run(plait__external *external)
{
	plait__completion *completion = external->completion;
	plait__run *run = external->awaited_run;
	bool over;

	completion->needs = &run->object;
	completion->completed = false;
	plait__object_hold(completion->needs);
	plait__object_hold(&completion->object);
	plait__mutex_lock(&run->lock);
	over = at_load_acquire_u32(&run->outcome.done) != 0;
	if (!over)
		plait__listener_push(&run->listeners, &completion->listener);
	plait__mutex_unlock(&run->lock);
	if (over)
		complete(completion);
}

/* Subscribe to the awaited point, or to the submission of that emission.  The
 * lane has no subscription. */
static plait_status subscribe(plait__external *external, plait_error *error)
{
	plait__completion *completion = external->completion;
	plait__signal *awaited_signal =
		external->started ? NULL : external->awaited_signal;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	external->awaits_submit = awaited_signal != NULL;
	completion->needs = awaited_signal != NULL ? &awaited_signal->object :
						     external->needs;
	completion->completed = false;
	plait__object_hold(completion->needs);
	plait__object_hold(&completion->object);
	if (awaited_signal != NULL) {
		if (!plait__submit_listener_add(awaited_signal,
						external->point.sequence,
						&completion->listener))
			complete(completion);
		return PLAIT_OK;
	}
	status = plait__notification_arm(external->port, &external->point,
					 plait__listener_notify,
					 &completion->listener, &room);
	if (status == PLAIT_OK)
		return status;
	plait__object_drop(completion->needs);
	plait__object_drop(&completion->object);
	return plait__backend_result_check(external->port, status,
					   "signal_notify", &room, error);
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
	if (status == PLAIT_OK && !external->subscribed &&
	    external->awaited_run != NULL)
		subscribe_run(external);
	else if (status == PLAIT_OK && !external->subscribed)
		status = subscribe(external, error);
	if (status != PLAIT_OK)
		return status;
	external->subscribed = true;
	return await(external, stops) ? PLAIT_OK : PLAIT_PENDING;
}

/* Returns true if the run will not notify. */
static bool withdraw_from_run(plait__external *external)
{
	plait__run *run = external->awaited_run;
	bool withdrawn;

	plait__mutex_lock(&run->lock);
	withdrawn = plait__listener_unlink(&run->listeners,
					   &external->completion->listener);
	plait__mutex_unlock(&run->lock);
	return withdrawn;
}

void plait__completion_give_up(plait__external *external)
{
	if (external->subscribed && external->awaited_run != NULL) {
		if (withdraw_from_run(external))
			complete(external->completion);
		return;
	}
	if (external->subscribed && external->awaits_submit &&
	    plait__submit_listener_remove(external->awaited_signal,
					  &external->completion->listener))
		complete(external->completion);
}
