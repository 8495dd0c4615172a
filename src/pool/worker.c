/* SPDX-License-Identifier: MIT */
/*
 * Worker threads, which run the items of the ready queue. A host function may
 * end its thread: that thread then starts its successor as its last act, and
 * the successor joins it.
 */
#include "pool/pool_internal.h"

#include "base/error.h"

#include <stdio.h>

/* The worker of the calling thread; null: not one. */
static PLAIT__THREAD_LOCAL struct plait__worker *own_worker;

int32_t plait__worker_index(void)
{
	return own_worker != NULL ? (int32_t)own_worker->index : -1;
}

struct plait__worker *plait__worker_current(const plait__pool *pool)
{
	return own_worker != NULL && own_worker->pool == pool ? own_worker :
								NULL;
}

bool plait__worker_has_bound(const plait__pool *pool)
{
	const struct plait__worker *worker = plait__worker_current(pool);

	return worker != NULL && plait__ready_has_bound(&worker->sleeper);
}

bool plait__worker_is_called(const plait__pool *pool)
{
	const struct plait__worker *worker = plait__worker_current(pool);

	return worker != NULL &&
	       (plait__ready_has_bound(&worker->sleeper) ||
		(worker->sleeper.seeks && plait__ready_has_items(&pool->ready)));
}

static void lose_worker(void *arg);

/* Returns the item that follows.  A thread with one seeks none. */
static struct plait__ready_item *run(struct plait__worker *worker,
				     struct plait__ready_item *item)
{
	item = item->run(item);
	if (item != NULL && worker->sleeper.seeks)
		plait__ready_end_seek(&worker->pool->ready, &worker->sleeper);
	return item;
}

static void serve(struct plait__worker *worker)
{
	struct plait__ready_queue *ready = &worker->pool->ready;
	struct plait__ready_item *item;

	while ((item = plait__ready_wait(ready, &worker->sleeper)) != NULL) {
		worker->item = item;
		while (worker->item != NULL)
			worker->item = run(worker, worker->item);
	}
}

static void run_worker(void *arg)
{
	struct plait__worker *worker = arg;
	struct plait__callback_scope inside;

	uint32_t generation;

	plait__mutex_lock(&worker->pool->worker_lock);
	generation = worker->generation;
	plait__mutex_unlock(&worker->pool->worker_lock);
	if (generation > 0)
		plait__thread_join(&worker->threads[(generation - 1) % 2]);
	own_worker = worker;
	plait__callback_scope_enter(&inside, worker->pool);
	serve(worker);
	plait__callback_scope_leave(&inside);
}

static int start(struct plait__worker *worker, uint32_t generation)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "plait/%u", worker->index);
	return plait__thread_start(&worker->threads[generation % 2], name,
				   run_worker, worker, lose_worker);
}

static void lose_worker(void *arg)
{
	struct plait__worker *worker = arg;
	struct plait__ready_item *item = worker->item;
	bool replaced;

	worker->item = NULL;
	/* The successor inherits the CPU affinity. */
	plait__mutex_lock(&worker->pool->worker_lock);
	replaced = start(worker, worker->generation + 1) == 0;
	if (replaced)
		worker->generation++;
	plait__mutex_unlock(&worker->pool->worker_lock);
	if (item != NULL)
		item->lose(item);
	if (replaced)
		return;
	/* No thread can be created: this one goes on while it ends. */
	(void)plait__thread_guard_push(&worker->guard, lose_worker, worker);
	serve(worker);
	plait__thread_guard_pop(&worker->guard);
}

plait_status plait__worker_start(struct plait__worker *worker,
				 plait_error *error)
{
	int result;

	plait__eventcount_init(&worker->sleeper.event, 0);
	result = start(worker, 0);
	if (result == 0)
		return PLAIT_OK;
	return plait__fail_origin(error, PLAIT_E_UNAVAILABLE, -result,
				  "worker %u of %u: the system gives no thread "
				  "(errno %d)",
				  worker->index, worker->pool->worker_count,
				  -result);
}

void plait__worker_join(struct plait__worker *worker)
{
	plait__thread_join(&worker->threads[worker->generation % 2]);
}
