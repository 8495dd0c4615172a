/* SPDX-License-Identifier: MIT */
/* Creation and destruction of pools. */
#include "pool/pool_internal.h"

#include "base/error.h"
#include "sys/cpu.h"

static void stop_workers(plait__pool *pool, uint32_t count)
{
	uint32_t i;

	plait__ready_close(&pool->ready);
	for (i = 0; i < count; i++)
		plait__worker_join(&pool->workers[i]);
}

static void free_pool(plait__pool *pool)
{
	const plait_allocator allocator = pool->allocator;

	plait__external_thread_free_all(pool);
	plait__free(&allocator, pool->workers, pool->worker_bytes);
	plait__cacheline_free(&allocator, pool, sizeof(*pool));
}

static plait_status start_workers(plait__pool *pool, plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint32_t i;

	for (i = 0; i < pool->worker_count; i++) {
		pool->workers[i].pool = pool;
		pool->workers[i].index = i;
		status = plait__worker_start(&pool->workers[i], error);
		if (status != PLAIT_OK) {
			stop_workers(pool, i);
			break;
		}
	}
	return status;
}

static plait__pool *alloc_pool(const plait_allocator *allocator,
			       uint32_t workers)
{
	plait__pool *pool = plait__cacheline_alloc(allocator, sizeof(*pool));

	if (pool == NULL)
		return NULL;
	pool->allocator = *allocator;
	pool->worker_count = workers;
	pool->processor_count = plait__cpu_count_affinity();
	pool->policy = PLAIT__BACKOFF_SHARED;
	pool->first_external.pool = pool;
	plait__eventcount_init(&pool->first_external.sleeper.event, 0);
	pool->externals = &pool->first_external;
	if (workers == 0)
		return pool;
	pool->worker_bytes = workers * sizeof(*pool->workers);
	pool->workers = plait__alloc(allocator, pool->worker_bytes);
	if (pool->workers != NULL)
		return pool;
	plait__cacheline_free(allocator, pool, sizeof(*pool));
	return NULL;
}

plait_status plait__pool_create(const plait_allocator *allocator,
				uint32_t workers, plait__pool **out,
				plait_error *error)
{
	plait_status status;
	plait__pool *pool;

	*out = NULL;
	if (workers > PLAIT__POOL_MAX_WORKERS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u workers asked, at most %u are possible",
				   workers, (unsigned)PLAIT__POOL_MAX_WORKERS);
	pool = alloc_pool(allocator, workers);
	if (pool == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a pool of %u workers",
				   workers);
	/* Runs of plans need it; registering later would take much longer. */
	at_membarrier_prepare();
	status = start_workers(pool, error);
	if (status != PLAIT_OK) {
		free_pool(pool);
		return status;
	}
	*out = pool;
	return PLAIT_OK;
}

void plait__pool_destroy(plait__pool *pool)
{
	if (pool == NULL)
		return;
	stop_workers(pool, pool->worker_count);
	free_pool(pool);
}

void plait__pool_notify_waiters(plait__pool *pool,
				struct plait__eventcount *waiters)
{
	if (pool->worker_count == 0)
		pool->ready.waiters = waiters;
}

uint32_t plait__pool_worker_count(const plait__pool *pool)
{
	return pool->worker_count;
}

bool plait__pool_has_ready_items(const plait__pool *pool)
{
	return plait__ready_has_items(&pool->ready);
}

uint32_t plait__pool_processor_count(const plait__pool *pool)
{
	return pool->processor_count;
}
