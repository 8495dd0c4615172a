/* SPDX-License-Identifier: MIT */
/*
 * Value, failure and waiters of a counter; the protocol is in counter_core.h.
 */
#include "pool/counter_core.h"

#include "base/error.h"
#include "sys/backoff.h"

#include <string.h>

/* Wake-ups per critical section. */
enum { BATCH_EVENTS = 16 };

struct batch {
	struct plait__eventcount *events[BATCH_EVENTS];
	uint32_t count;
};

void plait__counter_core_init(struct plait__counter_core *core)
{
	memset(core, 0, sizeof(*core));
	at_init_u64(&core->failed_from, PLAIT__COUNTER_CORE_NEVER);
	at_init_u64(&core->lowest, PLAIT__COUNTER_CORE_NEVER);
}

void plait__counter_core_fini(struct plait__counter_core *core)
{
	uint64_t value = at_load_acquire_u64(&core->value);
	struct plait__backoff backoff;

	/* Acquire: pairs with the end of release; a few instructions, or a
	 * preemption. */
	plait__backoff_init(&backoff, PLAIT__BACKOFF_SHARED);
	while (at_load_acquire_u64(&core->settled) != value) {
		if (!plait__backoff_step(&backoff))
			plait__backoff_init(&backoff, PLAIT__BACKOFF_SHARED);
	}
}

uint64_t plait__counter_core_get(struct plait__counter_core *core)
{
	uint64_t value = at_load_acquire_u64(&core->value);

	if (value != PLAIT__COUNTER_CORE_NEVER)
		return value;
	plait__mutex_lock(&core->lock);
	value = AT_PLAIN_READ(core->stopped_at);
	plait__mutex_unlock(&core->lock);
	return value;
}

plait_status plait__counter_core_query_failure(struct plait__counter_core *core,
					       plait_error *error)
{
	plait_status status;

	plait__mutex_lock(&core->lock);
	status = plait__error_copy(error, &AT_PLAIN_READ(core->failure));
	plait__mutex_unlock(&core->lock);
	return status;
}

/* Caller holds core->lock. */
static void update_lowest(struct plait__counter_core *core)
{
	/* Relaxed: a fence (in park) or the unlock follows. */
	at_store_relaxed_u64(&core->lowest,
			     core->first != NULL ? core->first->sequence :
						    PLAIT__COUNTER_CORE_NEVER);
}

static void link_waiter(struct plait__counter_core *core,
			struct plait__waiter *waiter)
{
	struct plait__waiter *before = core->last;

	/* From the end: later waiters mostly wait for later points. */
	while (before != NULL && before->sequence > waiter->sequence)
		before = before->previous;
	waiter->previous = before;
	waiter->next = before != NULL ? before->next : core->first;
	if (waiter->next != NULL)
		waiter->next->previous = waiter;
	else
		core->last = waiter;
	if (before != NULL)
		before->next = waiter;
	else
		core->first = waiter;
	AT_PLAIN_WRITE(waiter->linked) = true;
	update_lowest(core);
}

static void unlink_waiter(struct plait__counter_core *core,
			  struct plait__waiter *waiter)
{
	if (waiter->previous != NULL)
		waiter->previous->next = waiter->next;
	else
		core->first = waiter->next;
	if (waiter->next != NULL)
		waiter->next->previous = waiter->previous;
	else
		core->last = waiter->previous;
	AT_PLAIN_WRITE(waiter->linked) = false;
	update_lowest(core);
}

bool plait__counter_core_park(struct plait__counter_core *core,
			      struct plait__waiter *waiter, uint64_t sequence)
{
	bool parked = true;

	plait__mutex_lock(&core->lock);
	AT_PLAIN_WRITE(waiter->sequence) = sequence;
	link_waiter(core, waiter);
	/* Orders `lowest` before `value`; pairs with the fence in release. */
	at_fence_seq_cst();
	if (at_load_acquire_u64(&core->value) >= sequence) {
		unlink_waiter(core, waiter);
		parked = false;
	}
	plait__mutex_unlock(&core->lock);
	return parked;
}

void plait__counter_core_unpark(struct plait__counter_core *core,
				struct plait__waiter *waiter)
{
	plait__mutex_lock(&core->lock);
	if (AT_PLAIN_READ(waiter->linked))
		unlink_waiter(core, waiter);
	plait__mutex_unlock(&core->lock);
}

/* Append to `list`; returns the link for the next waiter. */
static struct plait__waiter **append_waiter(struct plait__waiter **list,
				     struct plait__waiter *waiter)
{
	while (*list != NULL)
		list = &(*list)->next;
	waiter->next = NULL;
	*list = waiter;
	return &waiter->next;
}

/*
 * Add the eventcount of a thread if its last point has happened, or if this
 * point failed. The group lies on the stack of that thread, which may leave as
 * soon as it has taken the lock: only the eventcount is used outside the
 * critical section.
 */
static void collect_thread(struct plait__waiter *waiter, struct batch *batch)
{
	struct plait__waiter_group *group = waiter->group;

	if (at_sub_u32(&group->remaining, 1) == 1 || waiter->status != PLAIT_OK)
		batch->events[batch->count++] = group->event;
}

/* Unlink waiters that `value` has reached; returns true if the batch is
 * full. */
static bool release_some(struct plait__counter_core *core, struct batch *batch,
			 struct plait__released_waiters *out)
{
	/* Relaxed: this thread stored the value, or there are several
	 * raisers and each of their values is valid. */
	uint64_t value = at_load_relaxed_u64(&core->value);
	struct plait__waiter **lanes = &out->lanes;
	struct plait__waiter **callbacks = &out->callbacks;
	struct plait__waiter *waiter;

	batch->count = 0;
	plait__mutex_lock(&core->lock);
	while ((waiter = core->first) != NULL && waiter->sequence <= value &&
	       batch->count < BATCH_EVENTS) {
		unlink_waiter(core, waiter);
		waiter->status =
			plait__counter_core_failed(core, waiter->sequence) ?
				core->failure.status :
				PLAIT_OK;
		if (waiter->kind == PLAIT__WAITER_THREAD)
			collect_thread(waiter, batch);
		else if (waiter->kind == PLAIT__WAITER_CALLBACK)
			callbacks = append_waiter(callbacks, waiter);
		else
			lanes = append_waiter(lanes, waiter);
	}
	plait__mutex_unlock(&core->lock);
	return batch->count == BATCH_EVENTS;
}

/* Release the waiters after `value` advanced by `step`. */
static void release(struct plait__counter_core *core, uint64_t step,
		    struct plait__released_waiters *out)
{
	uint64_t value = at_load_relaxed_u64(&core->value);
	struct batch batch;
	bool more;
	uint32_t i;

	/* Orders `value` before `lowest`; pairs with the fence in park. */
	at_fence_seq_cst();
	more = at_load_relaxed_u64(&core->lowest) <= value;
	while (more) {
		more = release_some(core, &batch, out);
		for (i = 0; i < batch.count; i++)
			plait__eventcount_notify(batch.events[i]);
	}
	/* The last access to the core; pairs with fini. */
	at_add_u64(&core->settled, step);
}

static void store_failure(struct plait__counter_core *core, uint64_t sequence,
			 const plait_error *failure)
{
	plait__mutex_lock(&core->lock);
	if (at_load_relaxed_u64(&core->failed_from) ==
	    PLAIT__COUNTER_CORE_NEVER) {
		AT_PLAIN_WRITE(core->failure) = *failure;
		core->failure.size = sizeof(core->failure);
		/* Relaxed: published by the store to `value` that follows. */
		at_store_relaxed_u64(&core->failed_from,
				     sequence < PLAIT__COUNTER_CORE_NEVER ?
					     sequence : sequence - 1);
	}
	plait__mutex_unlock(&core->lock);
}

static void store_stopped_at(struct plait__counter_core *core, uint64_t value)
{
	plait__mutex_lock(&core->lock);
	AT_PLAIN_WRITE(core->stopped_at) = value;
	plait__mutex_unlock(&core->lock);
}

void plait__counter_core_raise(struct plait__counter_core *core,
			       uint64_t sequence, const plait_error *failure,
			       struct plait__released_waiters *out)
{
	/* Relaxed: the caller has synchronized with the raiser before it. */
	uint64_t value = at_load_relaxed_u64(&core->value);

	out->lanes = NULL;
	out->callbacks = NULL;
	if (failure != NULL)
		store_failure(core, sequence, failure);
	if (sequence == PLAIT__COUNTER_CORE_NEVER)
		store_stopped_at(core, sequence);
	if (sequence < value)
		sequence = value;
	/* Release: pairs with the load in plait__counter_core_reached. */
	at_store_release_u64(&core->value, sequence);
	release(core, sequence - value, out);
}

void plait__counter_core_fail_from(struct plait__counter_core *core,
				   uint64_t sequence,
				   const plait_error *failure,
				   struct plait__released_waiters *out)
{
	uint64_t value = at_load_relaxed_u64(&core->value);

	out->lanes = NULL;
	out->callbacks = NULL;
	store_failure(core, sequence, failure);
	if (value != PLAIT__COUNTER_CORE_NEVER)
		store_stopped_at(core, value > sequence ? value : sequence);
	/* Every sequence is reached. Release: pairs as in raise. */
	at_store_release_u64(&core->value, PLAIT__COUNTER_CORE_NEVER);
	release(core, PLAIT__COUNTER_CORE_NEVER - value, out);
}

/* Restore the true value of a failed gate. Caller holds core->lock. */
static void undo_failure(struct plait__counter_core *core)
{
	if (at_load_relaxed_u64(&core->value) != PLAIT__COUNTER_CORE_NEVER)
		return;
	at_store_release_u64(&core->value, core->stopped_at);
	/* Modulo 2^64, so a raiser still in release is harmless. */
	at_sub_u64(&core->settled,
		   PLAIT__COUNTER_CORE_NEVER - core->stopped_at);
}

bool plait__counter_core_reset(struct plait__counter_core *core)
{
	bool free_of_waiters;

	plait__mutex_lock(&core->lock);
	free_of_waiters = core->first == NULL;
	if (free_of_waiters) {
		undo_failure(core);
		/* Release, after the value: pairs with the load in
		 * plait__counter_core_failed. */
		at_store_release_u64(&core->failed_from,
				     PLAIT__COUNTER_CORE_NEVER);
	}
	plait__mutex_unlock(&core->lock);
	return free_of_waiters;
}
