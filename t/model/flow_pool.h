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
#include "object/context/context_notify.h"
#include "pool/task.h"
#include "sys/backoff.h"
#include "sys/clock.h"
#include "sys/thread.h"

static uint64_t arena[4096];
static uint64_t arena_used;
static at_u32 offers;		/* advances when there is a reason to look */
static at_u32 waiters;		/* advances when waiting threads are woken */

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
	MC_CHECK(!task->run(task));
}

bool plait__task_should_yield(const plait__task *task)
{
	(void)task;
	return false;
}

uint64_t plait__clock_now_ns(void)
{
	return 0;
}

/* No spinning: a worker that finds nothing parks. */
void plait__backoff_init(struct plait__backoff *ladder,
			 enum plait__backoff_policy policy)
{
	(void)ladder;
	(void)policy;
}

bool plait__backoff_step(struct plait__backoff *ladder)
{
	(void)ladder;
	return false;
}

void plait__context_notify_waiters(plait__context *context)
{
	(void)context;
	at_add_u32(&waiters, 1);
	at_futex_wake_all(&waiters);
}

#endif
