/* SPDX-License-Identifier: MIT */
/*
 * External threads: application threads that wait for counters or pump. Each
 * has a record with its sleeper; without workers they run the items of the
 * ready queue.
 */
#include "pool/pool_internal.h"

#include "base/error.h"

static struct plait__external_thread *pop_record(plait__pool *pool)
{
	struct plait__external_thread *thread;

	plait__mutex_lock(&pool->external_lock);
	thread = pool->externals;
	if (thread != NULL)
		pool->externals = thread->next;
	plait__mutex_unlock(&pool->external_lock);
	return thread;
}

struct plait__external_thread *plait__external_thread_enter(plait__pool *pool)
{
	struct plait__external_thread *thread = pop_record(pool);

	if (thread != NULL)
		return thread;
	thread = plait__alloc(&pool->allocator, sizeof(*thread));
	if (thread == NULL)
		return NULL;
	thread->pool = pool;
	plait__eventcount_init(&thread->sleeper.event, 0);
	return thread;
}

void plait__external_thread_leave(struct plait__external_thread *thread)
{
	plait__pool *pool = thread->pool;
	struct plait__ready_item *item = thread->item;

	thread->item = NULL;
	if (item != NULL)
		plait__ready_return(&pool->ready, item);
	plait__mutex_lock(&pool->external_lock);
	thread->next = pool->externals;
	pool->externals = thread;
	plait__mutex_unlock(&pool->external_lock);
}

/* The thread ends inside a host function. */
static void lose_thread(void *arg)
{
	struct plait__external_thread *thread = arg;
	struct plait__ready_item *item = thread->item;

	thread->item = NULL;
	item->lose(item);
	plait__ready_finish(&thread->pool->ready);
	plait__external_thread_leave(thread);
}

bool plait__external_thread_run(struct plait__external_thread *thread)
{
	struct plait__ready_queue *ready = &thread->pool->ready;
	struct plait__callback_scope inside;
	bool guarded;

	if (thread->item == NULL)
		thread->item = plait__ready_take(ready);
	if (thread->item == NULL)
		return false;
	guarded = plait__thread_guard_push(&thread->guard, lose_thread,
					   thread) == 0;
	plait__callback_scope_enter(&inside, thread->pool);
	thread->item = thread->item->run(thread->item);
	plait__callback_scope_leave(&inside);
	if (guarded)
		plait__thread_guard_pop(&thread->guard);
	if (thread->item == NULL)
		plait__ready_finish(ready);
	return true;
}

plait_status plait__external_thread_pump(plait__pool *pool, plait_error *error)
{
	struct plait__external_thread *thread =
		plait__external_thread_enter(pool);
	bool done;

	if (thread == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "pump: no memory for %zu bytes",
				   sizeof(*thread));
	done = plait__external_thread_run(thread);
	plait__external_thread_leave(thread);
	if (done)
		return PLAIT_OK;
	if (plait__ready_is_idle(&pool->ready))
		return PLAIT_PENDING;
	plait__thread_yield(); /* another thread runs an item */
	return PLAIT_OK;
}

bool plait__external_thread_has_work(const plait__pool *pool)
{
	return pool->worker_count == 0 && plait__ready_has_items(&pool->ready);
}

void plait__external_thread_free_all(plait__pool *pool)
{
	struct plait__external_thread *thread;

	while ((thread = pop_record(pool)) != NULL) {
		if (thread != &pool->first_external)
			plait__free(&pool->allocator, thread, sizeof(*thread));
	}
}
