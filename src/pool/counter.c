/* SPDX-License-Identifier: MIT */
/*
 * Counters: creation, polling, callbacks and gates. Waiting is in
 * counter_wait.c, the lock-free core in counter_core.c.
 */
#include "pool/counter.h"

#include "pool/pool_internal.h"

#include "base/error.h"

#include <stddef.h>

/* A callback that a counter calls once. */
struct plait__counter_callback {
	struct plait__waiter waiter;
	plait_notify_function function;
	void *user_data;
	struct plait__counter_callback *next; /* on the free list */
	bool unreserved;		  /* allocated beyond the reservation */
};

/* --- callbacks ----------------------------------------------------------- */

static void free_callback(plait__pool *pool,
			  struct plait__counter_callback *callback)
{
	plait__free(&pool->allocator, callback, sizeof(*callback));
}

static struct plait__counter_callback *pop_callback(plait__pool *pool)
{
	struct plait__counter_callback *callback;

	plait__mutex_lock(&pool->callback_lock);
	callback = pool->free_callbacks;
	if (callback != NULL)
		pool->free_callbacks = callback->next;
	plait__mutex_unlock(&pool->callback_lock);
	return callback;
}

static void push_callback(plait__pool *pool,
			  struct plait__counter_callback *callback)
{
	plait__mutex_lock(&pool->callback_lock);
	callback->next = pool->free_callbacks;
	pool->free_callbacks = callback;
	plait__mutex_unlock(&pool->callback_lock);
}

/* Returns null without memory. */
static struct plait__counter_callback *acquire_callback(plait__pool *pool)
{
	struct plait__counter_callback *callback = pop_callback(pool);

	if (callback != NULL)
		return callback;
	callback = plait__alloc(&pool->allocator, sizeof(*callback));
	if (callback != NULL)
		callback->unreserved = true;
	return callback;
}

/* A reservation may have been given up while callbacks of it were in use:
 * those are freed when they are released. */
static bool claim_callback_to_free(plait__pool *pool)
{
	bool claimed;

	plait__mutex_lock(&pool->callback_lock);
	claimed = pool->callbacks_to_free > 0;
	if (claimed)
		pool->callbacks_to_free--;
	plait__mutex_unlock(&pool->callback_lock);
	return claimed;
}

static void release_callback(plait__pool *pool,
			     struct plait__counter_callback *callback)
{
	if (callback->unreserved || claim_callback_to_free(pool))
		free_callback(pool, callback);
	else
		push_callback(pool, callback);
}

plait_status plait__counter_reserve_callbacks(plait__pool *pool, uint32_t count,
					      plait_error *error)
{
	struct plait__counter_callback *callback;

	for (uint32_t i = 0; i < count; i++) {
		callback = plait__alloc(&pool->allocator, sizeof(*callback));
		if (callback == NULL) {
			plait__counter_unreserve_callbacks(pool, i);
			return plait__fail(error, PLAIT_E_NOMEM,
					   "no memory for a notification of "
					   "%zu bytes", sizeof(*callback));
		}
		push_callback(pool, callback);
	}
	return PLAIT_OK;
}

void plait__counter_unreserve_callbacks(plait__pool *pool, uint32_t count)
{
	for (; count > 0; count--) {
		struct plait__counter_callback *callback = pop_callback(pool);

		if (callback != NULL) {
			free_callback(pool, callback);
			continue;
		}
		plait__mutex_lock(&pool->callback_lock);
		pool->callbacks_to_free++;
		plait__mutex_unlock(&pool->callback_lock);
	}
}

/* --- creation and polling ----------------------------------------------- */

plait_status plait__counter_create(plait__pool *pool, uint32_t flags,
				   plait__counter **out, plait_error *error)
{
	plait__counter *counter;

	*out = NULL;
	if ((flags & ~(uint32_t)PLAIT_BACKEND_SIGNAL_GATE) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "signal: flags 0x%x are not known",
				   (unsigned)flags);
	counter = plait__cacheline_alloc(&pool->allocator, sizeof(*counter));
	if (counter == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "signal: no memory for its %zu bytes",
				   sizeof(*counter));
	plait__counter_core_init(&counter->core);
	counter->pool = pool;
	counter->flags = flags;
	*out = counter;
	return PLAIT_OK;
}

void plait__counter_destroy(plait__counter *counter)
{
	if (counter == NULL)
		return;
	/* The last raiser may still hold the lock. */
	plait__mutex_lock(&counter->gate_lock);
	plait__mutex_unlock(&counter->gate_lock);
	plait__counter_core_fini(&counter->core);
	plait__cacheline_free(&counter->pool->allocator, counter,
			      sizeof(*counter));
}

plait_status plait__counter_poll(const plait_backend_point *point,
				 uint64_t *out_reached, plait_error *error)
{
	plait__counter *counter = (plait__counter *)point->signal;

	if (out_reached != NULL)
		*out_reached = plait__counter_core_get(&counter->core);
	switch (plait__counter_core_query(&counter->core, point->sequence)) {
	case PLAIT__COUNTER_CORE_PENDING:
		return PLAIT_PENDING;
	case PLAIT__COUNTER_CORE_FAILED:
		return plait__counter_core_query_failure(&counter->core, error);
	case PLAIT__COUNTER_CORE_REACHED:
		break;
	}
	return PLAIT_OK;
}

/* --- released waiters --------------------------------------------------- */

static void call_callbacks(plait__pool *pool, struct plait__waiter *waiter)
{
	struct plait__waiter *next;

	for (; waiter != NULL; waiter = next) {
		struct plait__counter_callback *callback =
			(struct plait__counter_callback *)(void *)waiter;
		plait_notify_function function = callback->function;
		void *user_data = callback->user_data;
		plait_status status = waiter->status;

		next = waiter->next;
		/* Released first: the function may register another
		 * callback. */
		release_callback(pool, callback);
		function(user_data, status);
	}
}

static void deliver(plait__pool *pool,
		    const struct plait__released_waiters *released)
{
	struct plait__waiter *waiter;
	struct plait__waiter *next;
	plait__lane *lane;

	for (waiter = released->lanes; waiter != NULL; waiter = next) {
		next = waiter->next; /* the lane may run before the next line */
		lane = (plait__lane *)(void *)((char *)waiter -
					       offsetof(plait__lane, waiter));
		plait__ready_push(&pool->ready, &lane->item);
	}
	call_callbacks(pool, released->callbacks);
}

void plait__counter_emit(plait__counter *counter, uint64_t sequence,
			 const plait_error *failure)
{
	plait__pool *pool = counter->pool;
	struct plait__released_waiters released;

	plait__counter_core_raise(&counter->core, sequence, failure, &released);
	deliver(pool, &released);
}

plait_status plait__counter_notify(const plait_backend_point *point,
				   plait_notify_function function,
				   void *user_data, plait_error *error)
{
	plait__counter *counter = (plait__counter *)point->signal;
	plait__pool *pool = counter->pool;
	struct plait__counter_callback *callback = acquire_callback(pool);
	plait_status status;

	if (callback == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "signal: no memory for a notification of "
				   "%zu bytes", sizeof(*callback));
	callback->waiter.kind = PLAIT__WAITER_CALLBACK;
	callback->function = function;
	callback->user_data = user_data;
	if (plait__counter_core_park(&counter->core, &callback->waiter,
				     point->sequence))
		return PLAIT_OK;
	release_callback(pool, callback);
	status = plait__counter_poll(point, NULL, NULL);
	function(user_data, status);
	return PLAIT_OK;
}

/* --- gates -------------------------------------------------------------- */

static plait_status check_raise(plait__counter *counter, uint64_t sequence,
				plait_error *error)
{
	uint64_t reached = plait__counter_core_get(&counter->core);

	if ((counter->flags & PLAIT_BACKEND_SIGNAL_GATE) == 0)
		return plait__fail(error, PLAIT_E_STATE,
				   "signal: not a gate, so only queues raise "
				   "it");
	if (sequence < reached)
		return plait__fail(error, PLAIT_E_INVALID,
				   "gate: it is at %llu and cannot go back to "
				   "%llu", (unsigned long long)reached,
				   (unsigned long long)sequence);
	if (plait__counter_core_failed(&counter->core, UINT64_MAX - 1))
		return plait__fail(error, PLAIT_E_STATE,
				   "gate: it has failed at %llu; reset it "
				   "first", (unsigned long long)reached);
	return PLAIT_OK;
}

plait_status plait__counter_raise(const plait_backend_point *point,
				  const plait_error *failure,
				  plait_error *error)
{
	plait__counter *counter = (plait__counter *)point->signal;
	plait__pool *pool = counter->pool;
	struct plait__released_waiters released = { NULL, NULL };
	plait_status status;

	plait__mutex_lock(&counter->gate_lock);
	status = check_raise(counter, point->sequence, error);
	if (status == PLAIT_OK) {
		if (failure != NULL)
			plait__counter_core_fail_from(&counter->core,
						      point->sequence, failure,
						      &released);
		else
			plait__counter_core_raise(&counter->core,
						  point->sequence, NULL,
						  &released);
	}
	plait__mutex_unlock(&counter->gate_lock);
	deliver(pool, &released);
	return status;
}

plait_status plait__counter_reset(plait__counter *counter, plait_error *error)
{
	bool done;

	plait__mutex_lock(&counter->gate_lock);
	done = plait__counter_core_reset(&counter->core);
	plait__mutex_unlock(&counter->gate_lock);
	if (done)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_BUSY,
			   "signal: a wait for it is pending, so its failure "
			   "cannot be cleared now");
}
