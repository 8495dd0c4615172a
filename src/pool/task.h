/* SPDX-License-Identifier: MIT */
/*
 * Tasks: pieces of work that the pool's threads run beside lanes, or that a
 * thread which waits runs itself.  A task has turns; between them it is parked
 * wherever its owner put it, and offered again by whoever has something for it
 * to do.  Only who claimed a task touches what is its own.
 *
 *     IDLE --offer--> OFFERED --claim--> RUNNING --park, end--> IDLE
 *
 * It may stay on the pool's list after somebody else has run it; who takes
 * it from there then finds nothing to claim.  So a thread that does not come
 * in time costs nothing, and nobody waits for it.
 */
#ifndef PLAIT_SRC_POOL_TASK_H
#define PLAIT_SRC_POOL_TASK_H

#include "pool/pool.h"
#include "pool/ready.h"
#include "sys/cpu.h"
#include "sys/thread.h"

typedef struct plait__task plait__task;

struct plait__task {
	struct plait__ready_task ready;
	plait__pool *pool;
	/* One turn.  True: the task was its owner's last one, and `over` is to
	 * be called when nobody else touches it for this turn. */
	bool (*run)(plait__task *task);
	void (*over)(plait__task *task);
	/* The thread ends inside of `turn`; the task is still its own. */
	void (*lost)(plait__task *task);
	/* 1 more than the CPU of who offered it and works on, or 0; belongs to
	 * who offers it, then to who claimed it. */
	int waker_cpu;
	/* Of who runs it by plait__task_run_here. */
	struct plait__thread_guard guard;
};

/* Zeroed memory becomes an idle task. */
void plait__task_init(plait__task *task, plait__pool *pool);

/* Have it run, by a worker or by whoever claims it first.  Afterwards it may
 * be over. */
void plait__task_offer(plait__task *task);

/* The same by a thread that has something to do itself: a worker that finds
 * itself on its CPU goes to another one. */
static inline void plait__task_offer_from_running(plait__task *task)
{
	task->waker_cpu = plait__cpu_here() + 1;
	plait__task_offer(task);
}

/* There is something to do, but for who claims it alone: not on the list. */
static inline void plait__task_reserve(plait__task *task)
{
	/* Release: pairs with the claim. */
	at_store_release_u32(&task->ready.state, PLAIT__TASK_OFFERED);
}

/* Claim it and run a turn on the calling thread; false when there was nothing
 * to claim. */
bool plait__task_run_here(plait__task *task);

/* The same for a task that is idle and that nobody else would offer. */
void plait__task_run_unshared(plait__task *task);

/* It is not running any more, and nobody offers it before it is. */
static inline void plait__task_set_idle(plait__task *task)
{
	at_store_relaxed_u32(&task->ready.state, PLAIT__TASK_IDLE);
}

/* It is offered no more: wait for who may touch it yet. */
void plait__task_forget(plait__task *task);

/* Is there something else for this thread to do, that nobody else will? */
bool plait__task_should_yield(const plait__task *task);

#endif
