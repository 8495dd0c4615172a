/* SPDX-License-Identifier: MIT */
/* Values and who waits for them; the protocol is in counter_core.h. */
#include "pool/counter_core.h"

#include "base/error.h"
#include "sys/backoff.h"

#include <string.h>

/* Threads that are woken after each time the lock was held. */
enum { BATCH = 16 };

struct batch {
	struct plait__event *events[BATCH];
	uint32_t count;
};

void plait__tally_init(struct plait__tally *tally)
{
	memset(tally, 0, sizeof(*tally));
	at_init_u64(&tally->failed_from, PLAIT__TALLY_NEVER);
	at_init_u64(&tally->lowest, PLAIT__TALLY_NEVER);
}

void plait__tally_fini(struct plait__tally *tally)
{
	uint64_t value = at_load_acquire_u64(&tally->value);
	struct plait__wait ladder;

	/* Pairs with the end of raise: a few instructions, or a preemption. */
	plait__wait_init(&ladder, PLAIT__WAIT_SHARED);
	while (at_load_acquire_u64(&tally->settled) != value) {
		if (!plait__wait_step(&ladder))
			plait__wait_init(&ladder, PLAIT__WAIT_SHARED);
	}
}

uint64_t plait__tally_get(struct plait__tally *tally)
{
	uint64_t value = at_load_acquire_u64(&tally->value);

	if (value != PLAIT__TALLY_NEVER)
		return value;
	plait__mutex_lock(&tally->lock);
	value = AT_PLAIN_READ(tally->stopped_at);
	plait__mutex_unlock(&tally->lock);
	return value;
}

plait_status plait__tally_query_failure(struct plait__tally *tally,
					plait_error *error)
{
	plait_status status;

	plait__mutex_lock(&tally->lock);
	status = plait__error_copy(error, &AT_PLAIN_READ(tally->failure));
	plait__mutex_unlock(&tally->lock);
	return status;
}

/* The lock is held. */
static void note_lowest(struct plait__tally *tally)
{
	/* Relaxed: the fence in park or the lock stands behind it. */
	at_store_relaxed_u64(&tally->lowest,
			     tally->first != NULL ? tally->first->sequence :
						    PLAIT__TALLY_NEVER);
}

static void link_waiter(struct plait__tally *tally,
			struct plait__waiter *waiter)
{
	struct plait__waiter *before = tally->last;

	/* From the end: later waiters mostly want later points. */
	while (before != NULL && before->sequence > waiter->sequence)
		before = before->previous;
	waiter->previous = before;
	waiter->next = before != NULL ? before->next : tally->first;
	if (waiter->next != NULL)
		waiter->next->previous = waiter;
	else
		tally->last = waiter;
	if (before != NULL)
		before->next = waiter;
	else
		tally->first = waiter;
	AT_PLAIN_WRITE(waiter->linked) = true;
	note_lowest(tally);
}

static void unlink_waiter(struct plait__tally *tally,
			  struct plait__waiter *waiter)
{
	if (waiter->previous != NULL)
		waiter->previous->next = waiter->next;
	else
		tally->first = waiter->next;
	if (waiter->next != NULL)
		waiter->next->previous = waiter->previous;
	else
		tally->last = waiter->previous;
	AT_PLAIN_WRITE(waiter->linked) = false;
	note_lowest(tally);
}

bool plait__tally_park(struct plait__tally *tally,
		       struct plait__waiter *waiter, uint64_t sequence)
{
	bool parked = true;

	plait__mutex_lock(&tally->lock);
	AT_PLAIN_WRITE(waiter->sequence) = sequence;
	link_waiter(tally, waiter);
	/* Between `lowest` and `value`; pairs with the fence in raise. */
	at_fence_seq_cst();
	if (at_load_acquire_u64(&tally->value) >= sequence) {
		unlink_waiter(tally, waiter);
		parked = false;
	}
	plait__mutex_unlock(&tally->lock);
	return parked;
}

void plait__tally_unpark(struct plait__tally *tally,
			 struct plait__waiter *waiter)
{
	plait__mutex_lock(&tally->lock);
	if (AT_PLAIN_READ(waiter->linked))
		unlink_waiter(tally, waiter);
	plait__mutex_unlock(&tally->lock);
}

/* Behind what `list` has; returns where the next one goes. */
static struct plait__waiter **append(struct plait__waiter **list,
				     struct plait__waiter *waiter)
{
	while (*list != NULL)
		list = &(*list)->next;
	waiter->next = NULL;
	*list = waiter;
	return &waiter->next;
}

/*
 * A thread is woken when its last point came, or when one failed.  Its group
 * lies on its stack and goes when it has taken the lock: so only the event
 * leaves this section.
 */
static void collect_thread(struct plait__waiter *waiter, struct batch *batch)
{
	struct plait__group *group = waiter->group;

	if (at_sub_u32(&group->remaining, 1) == 1 || waiter->status != PLAIT_OK)
		batch->events[batch->count++] = group->event;
}

/* Unlink those whose time has come; true when the batch was full. */
static bool release_some(struct plait__tally *tally, struct batch *batch,
			 struct plait__released *out)
{
	/* Relaxed: this thread stored it, or there are several raisers and
	 * any of their values is true. */
	uint64_t value = at_load_relaxed_u64(&tally->value);
	struct plait__waiter **lanes = &out->lanes;
	struct plait__waiter **notes = &out->notes;
	struct plait__waiter *waiter;

	batch->count = 0;
	plait__mutex_lock(&tally->lock);
	while ((waiter = tally->first) != NULL && waiter->sequence <= value &&
	       batch->count < BATCH) {
		unlink_waiter(tally, waiter);
		waiter->status = plait__tally_failed(tally, waiter->sequence) ?
					 tally->failure.status : PLAIT_OK;
		if (waiter->kind == PLAIT__WAITER_THREAD)
			collect_thread(waiter, batch);
		else if (waiter->kind == PLAIT__WAITER_NOTE)
			notes = append(notes, waiter);
		else
			lanes = append(lanes, waiter);
	}
	plait__mutex_unlock(&tally->lock);
	return batch->count == BATCH;
}

/* After `value` went up by `step`. */
static void release(struct plait__tally *tally, uint64_t step,
		    struct plait__released *out)
{
	uint64_t value = at_load_relaxed_u64(&tally->value);
	struct batch batch;
	bool more;
	uint32_t i;

	/* Between `value` and `lowest`; pairs with the fence in park. */
	at_fence_seq_cst();
	more = at_load_relaxed_u64(&tally->lowest) <= value;
	while (more) {
		more = release_some(tally, &batch, out);
		for (i = 0; i < batch.count; i++)
			plait__event_notify(batch.events[i]);
	}
	/* The last touch; pairs with fini. */
	at_add_u64(&tally->settled, step);
}

static void keep_failure(struct plait__tally *tally, uint64_t sequence,
			 const plait_error *failure)
{
	plait__mutex_lock(&tally->lock);
	if (at_load_relaxed_u64(&tally->failed_from) == PLAIT__TALLY_NEVER) {
		AT_PLAIN_WRITE(tally->failure) = *failure;
		tally->failure.size = sizeof(tally->failure);
		/* Relaxed: published by the store to `value` that follows. */
		at_store_relaxed_u64(&tally->failed_from,
				     sequence < PLAIT__TALLY_NEVER ?
					     sequence : sequence - 1);
	}
	plait__mutex_unlock(&tally->lock);
}

static void keep_value(struct plait__tally *tally, uint64_t value)
{
	plait__mutex_lock(&tally->lock);
	AT_PLAIN_WRITE(tally->stopped_at) = value;
	plait__mutex_unlock(&tally->lock);
}

void plait__tally_raise(struct plait__tally *tally, uint64_t sequence,
			const plait_error *failure,
			struct plait__released *out)
{
	/* Relaxed: who raised it before was seen to have stored it. */
	uint64_t value = at_load_relaxed_u64(&tally->value);

	out->lanes = NULL;
	out->notes = NULL;
	if (failure != NULL)
		keep_failure(tally, sequence, failure);
	if (sequence == PLAIT__TALLY_NEVER)
		keep_value(tally, sequence);
	if (sequence < value)
		sequence = value;
	/* Pairs with the load in plait__tally_reached. */
	at_store_release_u64(&tally->value, sequence);
	release(tally, sequence - value, out);
}

void plait__tally_stop(struct plait__tally *tally, uint64_t sequence,
		       const plait_error *failure,
		       struct plait__released *out)
{
	uint64_t value = at_load_relaxed_u64(&tally->value);

	out->lanes = NULL;
	out->notes = NULL;
	keep_failure(tally, sequence, failure);
	if (value != PLAIT__TALLY_NEVER)
		keep_value(tally, value > sequence ? value : sequence);
	/* Every sequence has come; pairs as in raise. */
	at_store_release_u64(&tally->value, PLAIT__TALLY_NEVER);
	release(tally, PLAIT__TALLY_NEVER - value, out);
}

/* The lock is held: a gate that failed is again where it stopped. */
static void step_back(struct plait__tally *tally)
{
	if (at_load_relaxed_u64(&tally->value) != PLAIT__TALLY_NEVER)
		return;
	at_store_release_u64(&tally->value, tally->stopped_at);
	/* Modulo 2^64, so a raiser that is not done yet does no harm. */
	at_sub_u64(&tally->settled, PLAIT__TALLY_NEVER - tally->stopped_at);
}

bool plait__tally_reset(struct plait__tally *tally)
{
	bool free_of_waiters;

	plait__mutex_lock(&tally->lock);
	free_of_waiters = tally->first == NULL;
	if (free_of_waiters) {
		step_back(tally);
		/* After the value; pairs with the load in failed. */
		at_store_release_u64(&tally->failed_from, PLAIT__TALLY_NEVER);
	}
	plait__mutex_unlock(&tally->lock);
	return free_of_waiters;
}
