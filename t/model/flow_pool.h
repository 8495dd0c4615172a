/* SPDX-License-Identifier: MIT */
/*
 * Memory, pool and waits of a flow for explorer tests: blocks of an array, and two words
 * that advance; part of flow_worker.c.
 */
#ifndef EXPLORE_FLOW_POOL_H
#define EXPLORE_FLOW_POOL_H

#include "lib/tap.h"

#include "mc.h"

#include "base/alloc.h"
#include "flow/lanes/flow_lanes.h"
#include "object/context/context_notify.h"
#include "pool/task.h"
#include "sys/backoff.h"
#include "sys/clock.h"
#include "sys/thread.h"

static uint64_t arena[4096];
static uint64_t arena_used;
static at_u32 offers;		/* advances when there is a reason to look */
static at_u32 waiters;		/* advances when waiting threads are woken */
static uint32_t patience;	/* steps of a worker's ladder before it parks */
static bool calls_seekers;	/* there is an item for each worker that seeks */

/* Of each worker, for the thread that runs it. */
static struct seeking {
	bool is_pooled;	/* a thread of the pool, not one that waits */
	bool seeks;
} seeking[PLAIT__FLOW_LANES];

static struct seeking *seeking_of(const plait__task *task)
{
	return &seeking[((const plait__flow_worker *)(const void *)task)->index];
}

/* A thread that leaves a worker may seek on: it waits for items then. */
static void begin_worker(const plait__task *task, bool is_pooled)
{
	*seeking_of(task) = (struct seeking){ .is_pooled = is_pooled };
}

PLAIT__THREAD_LOCAL uint64_t plait__time_slice_end_ns;

void *plait__alloc(const plait_allocator *allocator, uint64_t bytes)
{
	uint64_t words = (bytes + 7) / 8;
	void *block = &arena[arena_used];

	(void)allocator;
	arena_used += words;
	MC_CHECK(arena_used <= TAP_COUNT(arena));
	return block;
}

void *plait__alloc_array(const plait_allocator *allocator, uint64_t count,
			 uint64_t each)
{
	return plait__alloc(allocator, count * each);
}

void plait__free(const plait_allocator *allocator, void *pointer,
		 uint64_t bytes)
{
	(void)allocator;
	(void)pointer;
	(void)bytes;
}

void plait__task_init(plait__task *task, plait__pool *pool)
{
	(void)pool;
	at_init_u32(&task->ready.state, PLAIT__TASK_IDLE);
}

void plait__task_forget(plait__task *task)
{
	(void)task;
}

static void stir(void)
{
	at_add_u32(&offers, 1);
	at_futex_wake_all(&offers);
}

void plait__task_offer(plait__task *task)
{
	/* Release: pairs with the claim, as in ready.c. */
	at_store_release_u32(&task->ready.state, PLAIT__TASK_OFFERED);
	stir();
}

void plait__task_run_unshared(plait__task *task)
{
	begin_worker(task, false);
	MC_CHECK(!task->run(task));
}

bool plait__task_should_yield(const plait__task *task)
{
	return calls_seekers && seeking_of(task)->seeks;
}

bool plait__task_begin_seek(const plait__task *task)
{
	MC_CHECK(!seeking_of(task)->seeks);
	seeking_of(task)->seeks = seeking_of(task)->is_pooled;
	return seeking_of(task)->seeks;
}

void plait__task_end_seek(const plait__task *task)
{
	MC_CHECK(seeking_of(task)->seeks);
	seeking_of(task)->seeks = false;
}

uint64_t plait__clock_now_ns(void)
{
	return 0;
}

/* Hardly any spinning: a worker that finds nothing parks. */
void plait__backoff_init(struct plait__backoff *ladder,
			 enum plait__backoff_policy policy)
{
	(void)policy;
	ladder->spins_left = patience;
}

bool plait__backoff_step(struct plait__backoff *ladder)
{
	return ladder->spins_left > 0 && ladder->spins_left-- > 0;
}

void plait__context_notify_waiters(plait__context *context)
{
	(void)context;
	at_add_u32(&waiters, 1);
	at_futex_wake_all(&waiters);
}

#endif
