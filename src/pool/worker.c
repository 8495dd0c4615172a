/* SPDX-License-Identifier: MIT */
/*
 * Workers: threads that run ready lanes.  One that a host function ends is
 * replaced: the thread that ends starts its successor as its last act, and
 * the successor joins it.
 */
#include "pool/pool_internal.h"

#include "base/error.h"

#include <stdio.h>

static void lose_worker(void *arg);

static void serve(struct plait__worker *worker)
{
	struct plait__ready *ready = &worker->pool->ready;
	struct plait__ready_item *item;

	while ((item = plait__ready_seek(ready, &worker->sleeper)) != NULL) {
		worker->item = item;
		while (worker->item != NULL)
			worker->item = worker->item->run(worker->item);
	}
}

static void run_worker(void *arg)
{
	struct plait__worker *worker = arg;
	struct plait__inside inside;

	uint32_t turn;

	plait__mutex_lock(&worker->pool->place_lock);
	turn = worker->turn;
	plait__mutex_unlock(&worker->pool->place_lock);
	if (turn > 0)
		plait__thread_join(&worker->threads[(turn - 1) % 2]);
	plait__inside_enter(&inside, worker->pool);
	serve(worker);
	plait__inside_leave(&inside);
}

static int start(struct plait__worker *worker, uint32_t turn)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "plait/%u", worker->index);
	return plait__thread_start(&worker->threads[turn % 2], name,
				   run_worker, worker, lose_worker);
}

static void lose_worker(void *arg)
{
	struct plait__worker *worker = arg;
	struct plait__ready_item *item = worker->item;
	bool replaced;

	worker->item = NULL;
	/* It inherits the CPUs of this one. */
	plait__mutex_lock(&worker->pool->place_lock);
	replaced = start(worker, worker->turn + 1) == 0;
	if (replaced)
		worker->turn++;
	plait__mutex_unlock(&worker->pool->place_lock);
	if (item != NULL)
		item->lose(item);
	if (replaced)
		return;
	/* No other thread is to be had: this one, dying, goes on. */
	(void)plait__thread_guard_push(&worker->guard, lose_worker, worker);
	serve(worker);
	plait__thread_guard_pop(&worker->guard);
}

plait_status plait__worker_start(struct plait__worker *worker,
				 plait_error *error)
{
	int result;

	plait__event_init(&worker->sleeper.event, 0);
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
	plait__thread_join(&worker->threads[worker->turn % 2]);
}
