/* SPDX-License-Identifier: MIT */
/*
 * CPU affinity of the workers: binding them to CPUs, and migrating one away
 * from a CPU that its waker still uses.
 */
#include "pool/pool_internal.h"

#include "base/error.h"
#include "sys/clock.h"
#include "sys/cpu.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum {
	MASK_BYTES = PLAIT__POOL_MASK_WORDS * sizeof(unsigned long),
	MASK_CPUS = MASK_BYTES * 8,
	/* A migration costs some microseconds and the cached data. */
	MIGRATE_INTERVAL_NS = 1000000
};

static pthread_t thread_of(const struct plait__worker *worker)
{
	return worker->threads[worker->generation % 2].handle;
}

/* Returns 0 or an errno. */
static int bind_worker(const struct plait__worker *worker, uint32_t cpu)
{
	unsigned long mask[PLAIT__POOL_MASK_WORDS] = { 0 };

	if (cpu >= MASK_CPUS)
		return EINVAL;
	CPU_SET_S(cpu, MASK_BYTES, (cpu_set_t *)(void *)mask);
	return pthread_setaffinity_np(thread_of(worker), MASK_BYTES,
				      (cpu_set_t *)(void *)mask);
}

static void unbind_worker(plait__pool *pool, const struct plait__worker *worker)
{
	(void)pthread_setaffinity_np(thread_of(worker), MASK_BYTES,
				     (cpu_set_t *)(void *)pool->original_mask);
}

static void unbind_all(plait__pool *pool)
{
	uint32_t i;

	for (i = 0; pool->placed && i < pool->worker_count; i++)
		unbind_worker(pool, &pool->workers[i]);
	pool->placed = false;
}

/* Put the first `count` workers back on the CPUs that they had before. */
static void restore(plait__pool *pool, uint32_t count)
{
	while (count-- > 0) {
		if (pool->placed)
			(void)bind_worker(&pool->workers[count],
					  pool->workers[count].cpu);
		else
			unbind_worker(pool, &pool->workers[count]);
	}
}

/* Caller holds pool->worker_lock. */
static plait_status bind_all(plait__pool *pool, const uint32_t *cpus,
			     uint32_t count, plait_error *error)
{
	uint32_t i;
	int result;

	if (!pool->placed)
		(void)pthread_getaffinity_np(
			thread_of(pool->workers), MASK_BYTES,
			(cpu_set_t *)(void *)pool->original_mask);
	for (i = 0; i < pool->worker_count; i++) {
		result = bind_worker(&pool->workers[i], cpus[i % count]);
		if (result == 0)
			continue;
		restore(pool, i);
		return plait__fail_origin(error, PLAIT_E_INVALID, result,
					  "worker %u: the system does not let "
					  "it run on CPU %u (errno %d)",
					  i, cpus[i % count], result);
	}
	for (i = 0; i < pool->worker_count; i++)
		pool->workers[i].cpu = cpus[i % count];
	pool->placed = true;
	return PLAIT_OK;
}

plait_status plait__affinity_place(plait__pool *pool, const uint32_t *cpus,
				   uint32_t count, plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (pool->worker_count == 0)
		return PLAIT_OK;
	plait__mutex_lock(&pool->worker_lock);
	if (count == 0)
		unbind_all(pool);
	else
		status = bind_all(pool, cpus, count, error);
	plait__mutex_unlock(&pool->worker_lock);
	return status;
}

/*
 * Move the calling worker to another CPU, at most once per MIGRATE_INTERVAL_NS.
 * While every CPU is busy, the kernel tends to place a thread at its wake-up on
 * the CPU of its waker and to leave both there: the two then alternate on one
 * CPU, although together they might get more than the time of one.
 */
void plait__affinity_migrate(plait__pool *pool)
{
	uint64_t now = plait__clock_now_ns();

	/* Without workers the calling thread is an application thread: it
	 * stays. */
	if (pool->worker_count == 0)
		return;
	/* Relaxed: two migrations at the same time are harmless. */
	if (now - at_load_relaxed_u64(&pool->migrated_ns) <
		    MIGRATE_INTERVAL_NS ||
	    !plait__mutex_trylock(&pool->worker_lock))
		return;
	at_store_relaxed_u64(&pool->migrated_ns, now);
	if (!pool->placed)
		(void)plait__cpu_leave(plait__cpu_here());
	plait__mutex_unlock(&pool->worker_lock);
}
