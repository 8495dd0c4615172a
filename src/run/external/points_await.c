/* SPDX-License-Identifier: MIT */
/*
 * Awaits of several emissions.  A group has a listener per point, because a
 * backend does not take back a notification; so the group lives until the last
 * one has come, and holds the signals until then.
 *
 *     lane                           sources
 *     poll all; some are pending
 *     subscribe: arm those           notified: add it to `changed`; the first
 *                                    (any), a failure, a submission, or the
 *                                    last (all) calls the lane's listener
 *     poll those that have changed
 *     subscribe: arm those of them
 *     that are pending still
 *
 * So each point costs the same, however many there are.
 */
#include "run/external/points_await.h"

#include "run/external/signal_await.h"
#include "run/run_await.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/wait/points_wait.h"
#include "pool/counter.h"
#include "sys/clock.h"

typedef struct points_group points_group;

struct slot {
	plait__signal_await await;
	plait__listener listener;
	points_group *group;
	struct slot *next;	/* of `changed`, or of `idle` */
	bool met;		/* polled as PLAIT_OK */
	/* Armed, and not taken from `changed` since: the lane's. */
	bool is_out;
	bool of_submission;	/* poll again when it was notified; set before it
				 * is armed */
};

struct points_group {
	plait__object object;	/* without a handle */
	struct plait__mutex lock; /* no lock inside */
	plait__listener *listener; /* of the lane, until it is called; or
				    * null.  Guarded, as `left` */
	uint64_t left;		/* armed slots, and the subscription */
	struct slot *changed;	/* notified; guarded */
	bool is_due;		/* one of them calls the listener; guarded */
	/* The lane's. */
	struct slot *idle;	/* pending, to be armed */
	bool is_known;		/* all were polled once */
	uint64_t met;
	uint64_t first;		/* those before it are met */
	uint64_t count, room;	/* slots with a signal; in all */
	bool any;
	uint64_t index;		/* of the point that decided */
	struct slot slots[];
};

static points_group *group_of(const plait__await *await)
{
	return (points_group *)(void *)await->object;
}

static uint64_t bytes_of(uint64_t room)
{
	return sizeof(points_group) + room * sizeof(struct slot);
}

/* ---- notification ---- */

/* Caller holds the lock.  Returns the listener that the caller calls, or
 * null. */
static plait__listener *take(points_group *group, bool decides)
{
	plait__listener *taken = NULL;

	group->left--;
	if (group->any || decides || group->left == 0) {
		taken = group->listener;
		group->listener = NULL;
	}
	return taken;
}

static void on_notified(plait__listener *listener, plait_status status)
{
	struct slot *slot = PLAIT__LISTENER_OWNER(listener, struct slot,
						  listener);
	points_group *group = slot->group;
	const bool decides = slot->of_submission || status != PLAIT_OK;
	plait__listener *taken;

	plait__mutex_lock(&group->lock);
	slot->next = group->changed;
	group->changed = slot;
	group->is_due = group->is_due || group->any || decides;
	taken = take(group, decides);
	plait__mutex_unlock(&group->lock);
	if (taken != NULL)
		taken->notify(taken, PLAIT_OK);
	/* Calls no backend.  If it is the end of the context, that is left to
	 * another thread in a callback scope; a thread that emits or raises
	 * outside of one is inside an object, which keeps the context. */
	plait__object_drop(&group->object);
}

/* ---- the class ---- */

/* Take the slots that have changed, unless the listener is yet to be called. */
static struct slot *take_changed(points_group *group, bool all)
{
	struct slot *taken = NULL;

	plait__mutex_lock(&group->lock);
	if (all || group->listener == NULL) {
		taken = group->changed;
		group->changed = NULL;
		group->is_due = false;
	}
	plait__mutex_unlock(&group->lock);
	for (struct slot *slot = taken; slot != NULL; slot = slot->next)
		slot->is_out = false;
	return taken;
}

/* Poll one slot; a decision counts if it is the first in the array. */
static void poll_slot(points_group *group, struct slot *slot,
		      plait_status *decision, plait_error *error)
{
	const uint64_t index = (uint64_t)(slot - group->slots);
	plait_error why = { .size = sizeof(why) };
	plait__await *one = &slot->await.at.base;
	plait_status status = slot->met ? PLAIT_OK :
					  one->class->poll(one, &why);

	if (status == PLAIT_PENDING && !slot->is_out) {
		slot->next = group->idle;
		group->idle = slot;
	}
	group->met += status == PLAIT_OK && !slot->met;
	slot->met = status == PLAIT_OK;
	if (index < group->index &&
	    (status < 0 || (status == PLAIT_OK && group->any))) {
		group->index = index;
		*decision = status;
		if (status < 0)
			plait__error_copy(error, &why);
	}
}

static void poll_all(points_group *group, plait_status *decision,
		     plait_error *error)
{
	(void)take_changed(group, true);
	group->idle = NULL;
	for (uint64_t i = 0; i < group->count && group->index > i; i++)
		poll_slot(group, &group->slots[i], decision, error);
	group->is_known = true;
}

static void poll_changed(points_group *group, plait_status *decision,
			 plait_error *error)
{
	struct slot *next;

	for (struct slot *slot = take_changed(group, false); slot != NULL;
	     slot = next) {
		next = slot->next;
		poll_slot(group, slot, decision, error);
	}
}

/* A notification may be late: what has happened when the time has passed
 * counts. */
static bool is_late(const plait__await *await)
{
	return await->deadline_ns != PLAIT__CLOCK_NEVER &&
	       plait__clock_now_ns() >= await->deadline_ns;
}

static plait_status poll(plait__await *await, plait_error *error)
{
	points_group *group = group_of(await);
	plait_status decision = PLAIT_PENDING;

	if (!group->is_known || is_late(await))
		poll_all(group, &decision, error);
	else
		poll_changed(group, &decision, error);
	if (decision != PLAIT_PENDING || group->met == group->count)
		return decision != PLAIT_PENDING ? decision : PLAIT_OK;
	/* The first one is what time-outs name. */
	while (group->slots[group->first].met)
		group->first++;
	await->number = group->first;
	return PLAIT_PENDING;
}

/* Count a slot that the caller arms; returns false if the listener was called
 * meanwhile. */
static bool arm(points_group *group)
{
	bool arms;

	plait__mutex_lock(&group->lock);
	arms = group->listener != NULL;
	group->left += arms;
	plait__mutex_unlock(&group->lock);
	if (arms)
		plait__object_hold(&group->object);
	return arms;
}

/* The slot is armed. */
static plait_status subscribe_slot(points_group *group, struct slot *slot,
				   plait_error *error)
{
	plait__await *one = &slot->await.at.base;
	plait_status status;

	slot->of_submission = !slot->await.submitted;
	slot->is_out = true;
	status = one->class->subscribe(one, &slot->listener, error);
	if (status == PLAIT_OK)
		return status;
	slot->is_out = false;
	plait__mutex_lock(&group->lock);
	group->left--;
	plait__mutex_unlock(&group->lock);
	plait__object_drop(&group->object);
	return status;
}

/* The listener is called by the last of those that decrement `left`, which the
 * call itself is one of; a failure counts only if it was not. */
static plait_status end_subscribe(points_group *group, plait_status status)
{
	plait__listener *taken = NULL;

	plait__mutex_lock(&group->lock);
	if (group->any && status == PLAIT_OK && !group->is_due)
		group->left--;
	else
		taken = take(group, status != PLAIT_OK || group->is_due);
	plait__mutex_unlock(&group->lock);
	if (status != PLAIT_OK && taken == NULL)
		status = PLAIT_OK;
	if (status == PLAIT_OK && taken != NULL)
		taken->notify(taken, PLAIT_OK);
	return status;
}

static plait_status subscribe(plait__await *await, plait__listener *listener,
			      plait_error *error)
{
	points_group *group = group_of(await);
	plait_status status = PLAIT_OK;
	struct slot *slot;

	plait__mutex_lock(&group->lock);
	group->listener = listener;
	group->left++;
	plait__mutex_unlock(&group->lock);
	while (status == PLAIT_OK && group->idle != NULL && arm(group)) {
		slot = group->idle;
		group->idle = slot->next;
		status = subscribe_slot(group, slot, error);
	}
	return end_subscribe(group, status);
}

static bool withdraw(plait__await *await, plait__listener *listener)
{
	points_group *group = group_of(await);
	bool withdrawn;

	plait__mutex_lock(&group->lock);
	withdrawn = group->listener == listener;
	if (withdrawn)
		group->listener = NULL;
	plait__mutex_unlock(&group->lock);
	return withdrawn;
}

static void explain(const plait__await *await, char *out, uint32_t bytes)
{
	const plait__await *one =
		&group_of(await)->slots[await->number].await.at.base;

	one->class->explain(one, out, bytes);
}

/* Reads only constant fields of the slot. */
static void name(const plait__object *object, uint64_t number, char *out,
		 uint32_t bytes)
{
	const points_group *group = (const void *)object;
	const plait__await *one = &group->slots[number].await.at.base;

	one->class->name(one->object, one->number, out, bytes);
}

static const plait__await_class points_class = {
	.poll = poll, .subscribe = subscribe, .withdraw = withdraw,
	.explain = explain, .name = name,
};

/* ---- life ---- */

/* Possibly in a notification callback. */
static void destroy_group(plait__object *object)
{
	points_group *group = (points_group *)(void *)object;
	plait__context *context = object->context;

	for (uint64_t i = 0; i < group->count; i++)
		plait__object_drop_deferred(
			&group->slots[i].await.signal->object);
	plait__counter_unreserve_callbacks(context->pool,
					   (uint32_t)group->room);
	plait__free(plait__context_allocator(context), group,
		    bytes_of(group->room));
}

static const plait__class group_class = { .destroy = destroy_group };

static plait_status make(plait__context *context, uint64_t room, bool any,
			 points_group **out, plait_error *error)
{
	points_group *group = plait__alloc(plait__context_allocator(context),
					   bytes_of(room));
	plait_status status;

	if (group == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to await %llu points",
				   (unsigned long long)room);
	status = plait__counter_reserve_callbacks(context->pool,
						  (uint32_t)room, error);
	if (status != PLAIT_OK) {
		plait__free(plait__context_allocator(context), group,
			    bytes_of(room));
		return status;
	}
	group->room = room;
	group->any = any;
	(void)plait__object_init(&group->object, &group_class, context, NULL);
	*out = group;
	return PLAIT_OK;
}

static plait_status add(points_group *group, const plait_point *point,
			plait_error *error)
{
	struct slot *slot = &group->slots[group->count];
	uint64_t sequence = point->sequence;
	plait__signal *signal;
	plait_status status = plait__signal_enter(point->signal, &signal,
						  error);

	if (status != PLAIT_OK)
		return status;
	status = plait__run_await_check(&signal->object, error);
	if (status == PLAIT_OK) {
		plait__object_hold(&signal->object);
		if (sequence == 0)
			sequence = plait__signal_submitted(signal);
		plait__signal_await_init(&slot->await, signal, sequence,
					 plait__run_instance_current());
		slot->listener.notify = on_notified;
		slot->group = group;
		slot->met = sequence == 0;
		group->met += slot->met;
		group->count++;
	}
	plait__object_leave(&signal->object);
	return status;
}

/* Take back the listeners of submissions, and drop the caller's hold. */
static void release(points_group *group)
{
	for (uint64_t i = 0; i < group->count; i++) {
		plait__await *one = &group->slots[i].await.at.base;

		if (one->class->withdraw(one, &group->slots[i].listener))
			plait__object_drop(&group->object);
	}
	plait__object_drop(&group->object);
}

static plait_status await_group(points_group *group, uint64_t timeout_ns,
				uint64_t *out_index, plait_error *error)
{
	plait__await await = { .class = &points_class,
			       .object = &group->object };
	plait_status status;

	group->index = UINT64_MAX;
	status = plait__suspension_await(&await, timeout_ns, error);
	if (out_index != NULL && group->index != UINT64_MAX)
		*out_index = group->index;
	return status;
}

plait_status plait__points_await_suspend(const plait_point *points,
					 uint64_t count, int32_t mode,
					 uint64_t timeout_ns,
					 uint64_t *out_index,
					 plait_error *error)
{
	plait_status status = plait__points_wait_check(points, count, mode,
						       error);
	points_group *group = NULL;

	if (out_index != NULL)
		*out_index = 0;
	if (status == PLAIT_OK && plait__suspension_current() == NULL)
		status = plait__suspension_fail(error);
	if (status != PLAIT_OK || count == 0)
		return status;
	status = make(plait__run_instance_current()->program->context, count,
		      mode == PLAIT_WAIT_ANY, &group, error);
	if (status != PLAIT_OK)
		return status;
	for (uint64_t i = 0; status == PLAIT_OK && i < count; i++)
		status = add(group, &points[i], error);
	if (status == PLAIT_OK)
		status = await_group(group, timeout_ns, out_index, error);
	release(group);
	return status;
}
