/* SPDX-License-Identifier: MIT */
/*
 * Awaits of several emissions.  A group has a listener per point, because a
 * backend does not take back a notification; so the group lives until the last
 * one has come, and holds the signals until then.
 *
 *     lane                           sources
 *     poll all; some are pending
 *     subscribe: arm those that are
 *     not armed                      notified: the first (any), a failure, a
 *                                    submission, or the last (all) calls the
 *                                    lane's listener
 */
#include "run/external/points_await.h"

#include "run/external/signal_await.h"
#include "run/run_await.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/wait/points_wait.h"
#include "pool/counter.h"

typedef struct points_group points_group;

struct slot {
	plait__signal_await await;
	plait__listener listener;
	points_group *group;
	bool met;		/* polled as PLAIT_OK */
	/* Guarded by the group's lock. */
	bool armed;
	bool of_submission;	/* poll again when it was notified */
};

struct points_group {
	plait__object object;	/* without a handle */
	struct plait__mutex lock; /* no lock inside */
	plait__listener *listener; /* of the lane, until it is called; or
				    * null.  Guarded, as `left` */
	uint64_t left;		/* armed slots, and the subscription */
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
	plait__listener *taken;

	plait__mutex_lock(&group->lock);
	slot->armed = false;
	taken = take(group, slot->of_submission || status != PLAIT_OK);
	plait__mutex_unlock(&group->lock);
	if (taken != NULL)
		taken->notify(taken, PLAIT_OK);
	/* Calls no backend, and is not the end of the context, which the
	 * signals keep. */
	plait__object_drop(&group->object);
}

/* ---- the class ---- */

static plait_status poll(plait__await *await, plait_error *error)
{
	points_group *group = group_of(await);
	bool pending = false;

	for (uint64_t i = 0; i < group->count; i++) {
		struct slot *slot = &group->slots[i];
		plait__await *one = &slot->await.at.base;
		plait_status status = slot->met ? PLAIT_OK :
						  one->class->poll(one, error);

		slot->met = status == PLAIT_OK;
		if (status < 0 || (slot->met && group->any)) {
			group->index = i;
			return status;
		}
		/* The first one is what time-outs name. */
		if (status == PLAIT_PENDING && !pending)
			await->number = i;
		pending = pending || status == PLAIT_PENDING;
	}
	return pending ? PLAIT_PENDING : PLAIT_OK;
}

/* Returns true if the caller subscribes the slot. */
static bool arm(points_group *group, struct slot *slot)
{
	bool arms;

	plait__mutex_lock(&group->lock);
	arms = !slot->armed && !slot->met && group->listener != NULL;
	if (arms) {
		slot->armed = true;
		slot->of_submission = !slot->await.submitted;
		group->left++;
	}
	plait__mutex_unlock(&group->lock);
	if (arms)
		plait__object_hold(&group->object);
	return arms;
}

static plait_status subscribe_slot(points_group *group, struct slot *slot,
				   plait_error *error)
{
	plait__await *one = &slot->await.at.base;
	plait_status status;

	if (!arm(group, slot))
		return PLAIT_OK;
	status = one->class->subscribe(one, &slot->listener, error);
	if (status == PLAIT_OK)
		return status;
	plait__mutex_lock(&group->lock);
	slot->armed = false;
	group->left--;
	plait__mutex_unlock(&group->lock);
	plait__object_drop(&group->object);
	return status;
}

/* The listener is called by the last of those that decrement `left`, which the
 * call itself is one of; a failure counts only if it was not. */
static plait_status subscribe(plait__await *await, plait__listener *listener,
			      plait_error *error)
{
	points_group *group = group_of(await);
	plait_status status = PLAIT_OK;
	plait__listener *taken;

	plait__mutex_lock(&group->lock);
	group->listener = listener;
	group->left++;
	plait__mutex_unlock(&group->lock);
	for (uint64_t i = 0; status == PLAIT_OK && i < group->count; i++)
		status = subscribe_slot(group, &group->slots[i], error);
	plait__mutex_lock(&group->lock);
	if (group->any && status == PLAIT_OK) {
		group->left--;
		taken = NULL;
	} else {
		taken = take(group, status != PLAIT_OK);
		if (status != PLAIT_OK && taken == NULL)
			status = PLAIT_OK;
	}
	plait__mutex_unlock(&group->lock);
	if (status == PLAIT_OK && taken != NULL)
		taken->notify(taken, PLAIT_OK);
	return status;
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
