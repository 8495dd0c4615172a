/* SPDX-License-Identifier: MIT */
/*
 * Awaits of ops.  A listener is in a list of the flow:
 *
 *     lane                          thread that ends the op
 *     link, store has_listeners     mark the op as done
 *     announce, fence               fence
 *     done? unlink                  announced? has_listeners? take and call
 */
#include "flow/op_await.h"

#include "object/wait/suspension.h"

#include <stdio.h>

typedef struct plait__op_listener op_listener;

/* The record may be gone once it was unlinked, which the lock guards. */
struct plait__op_listener {
	op_listener *next;
	uint64_t number;
	plait__listener *listener;
	bool linked;
};

struct op_await {
	plait__await base;	/* object: the flow */
	plait__flow *flow;
	uint64_t number;
	bool prefix;
	uint64_t awaited; /* not done, when it was looked at */
	uint64_t seen;
	op_listener listener;
};

/* ---- listeners ---- */

/* Caller holds listener_lock. */
static void store_has_listeners(plait__flow *flow)
{
	/* Relaxed: the fences of plait__flow_lanes_finish and _await order
	 * it. */
	at_store_relaxed_u32(&flow->has_listeners, flow->listeners != NULL);
}

/* Unlink the listeners of ops that are done. */
static plait__listener *take_listeners(plait__flow *flow)
{
	op_listener **at = &flow->listeners;
	plait__listener *taken = NULL;

	plait__mutex_lock(&flow->listener_lock);
	while (*at != NULL) {
		op_listener *one = *at;

		if (!plait__op_is_done(&flow->window.ring, one->number)) {
			at = &one->next;
			continue;
		}
		*at = one->next;
		one->linked = false;
		one->listener->next = taken;
		taken = one->listener;
	}
	store_has_listeners(flow);
	plait__mutex_unlock(&flow->listener_lock);
	return taken;
}

void plait__op_await_notify(void *arg)
{
	plait__flow *flow = arg;

	if (at_load_relaxed_u32(&flow->has_listeners) != 0)
		plait__listener_call_all(take_listeners(flow), PLAIT_OK);
}

/* Returns false if the listener is being called, or was, or was not linked. */
static bool unlink_listener(plait__flow *flow, op_listener *listener)
{
	op_listener **at = &flow->listeners;
	bool linked;

	plait__mutex_lock(&flow->listener_lock);
	linked = listener->linked;
	while (linked && *at != listener)
		at = &(*at)->next;
	if (linked)
		*at = listener->next;
	listener->linked = false;
	store_has_listeners(flow);
	plait__mutex_unlock(&flow->listener_lock);
	return linked;
}

/* Returns false, without a call, if the op is done. */
static bool link_listener(plait__flow *flow, op_listener *listener)
{
	bool announced = false;

	plait__mutex_lock(&flow->listener_lock);
	listener->next = flow->listeners;
	listener->linked = true;
	flow->listeners = listener;
	store_has_listeners(flow);
	plait__mutex_unlock(&flow->listener_lock);
	return !plait__flow_lanes_await(&flow->lanes, listener->number,
					&announced) ||
	       !unlink_listener(flow, listener);
}

/* ---- the class ---- */

static struct op_await *self_of(plait__await *await)
{
	return (struct op_await *)(void *)await;
}

static plait_status poll(plait__await *await, plait_error *error)
{
	struct op_await *self = self_of(await);
	const plait__op_ring *ring = &self->flow->window.ring;

	(void)error;
	if (!plait__op_is_done(ring, self->awaited))
		return PLAIT_PENDING;
	if (!self->prefix)
		return PLAIT_OK;
	self->awaited = plait__op_await_find_undone(ring, self->number,
						    &self->seen);
	return self->awaited == 0 ? PLAIT_OK : PLAIT_PENDING;
}

static plait_status subscribe(plait__await *await, plait__listener *listener,
			      plait_error *error)
{
	struct op_await *self = self_of(await);

	(void)error;
	self->listener.number = self->awaited;
	self->listener.listener = listener;
	if (!link_listener(self->flow, &self->listener))
		listener->notify(listener, PLAIT_OK);
	return PLAIT_OK;
}

static bool withdraw(plait__await *await, plait__listener *listener)
{
	struct op_await *self = self_of(await);

	(void)listener;
	return unlink_listener(self->flow, &self->listener);
}

static void name(const plait__object *object, uint64_t number, char *out,
		 uint32_t bytes)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	(void)snprintf(out, bytes, "task %llu of %s",
		       (unsigned long long)number,
		       plait__object_name(object, room));
}

static void explain(const plait__await *await, char *out, uint32_t bytes)
{
	char task[PLAIT__OBJECT_NAME_BYTES + 32];

	name(await->object, await->number, task, sizeof(task));
	(void)snprintf(out, bytes, "%s is not done", task);
}

plait_status plait__op_await_suspend(plait__flow *flow, uint64_t number,
				     bool prefix, uint64_t timeout_ns,
				     plait_error *error)
{
	static const plait__await_class op_class = {
		.poll = poll, .subscribe = subscribe, .withdraw = withdraw,
		.explain = explain, .name = name,
	};
	struct op_await self = {
		.base = { .class = &op_class, .object = &flow->object,
			  .number = number },
		.flow = flow, .number = number, .prefix = prefix,
		.awaited = number,
	};

	return number == 0 ? PLAIT_OK :
	       plait__suspension_await(&self.base, timeout_ns, error);
}
