/* SPDX-License-Identifier: MIT */
/*
 * Tasks: work of the run engines that workers run beside lanes, or that a
 * waiting thread runs itself. Between two executions a task is parked where its
 * owner put it, until another party has work for it and offers it again. Only
 * the thread that claimed a task accesses the owner's part of it.
 *
 *     IDLE --offer--> OFFERED --claim--> RUNNING --park, end--> IDLE
 *
 * A task may stay in the ready queue after another thread has run it; the
 * thread that takes it from there finds nothing to claim. So a late worker
 * delays no other thread.
 *
 * Next task.  A thread that runs a task keeps one that it offers for itself, if
 * it is about to be free: it runs that one next, and no other thread is woken for
 * it.  Two such moments exist.  A lane is about to park for the task
 * (plait__task_keep_next); or the end of a task offers another one.  A thread that
 * waits keeps a task only for the sake of the one that it has claimed.
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
	/*
	 * Run the task until it parks or ends. Returns true for the last
	 * execution: `over` is then called once no other thread accesses the
	 * task for this one.
	 */
	bool (*run)(plait__task *task);
	void (*over)(plait__task *task);
	/* The thread ends inside `run`, with the task still claimed. */
	void (*lost)(plait__task *task);
	/* 1 plus the CPU of a waker that keeps running, or 0. Owned by the
	 * offering thread, then by the claiming one. */
	int waker_cpu;
	bool suspends;	/* constant: may use plait__task_keep_next */
	/* Guard of the thread in plait__task_run_here. */
	struct plait__thread_guard guard;
};

/* Initialize zeroed memory as an idle task. */
void plait__task_init(plait__task *task, plait__pool *pool);

/* Put the task in the ready queue, for workers and for any thread that claims
 * it. It may have ended when this function returns. */
void plait__task_offer(plait__task *task);

/* Offer it from a thread that keeps running: a worker that is woken on the
 * CPU of that thread migrates. */
static inline void plait__task_offer_from_running(plait__task *task)
{
	task->waker_cpu = plait__cpu_here() + 1;
	plait__task_offer(task);
}

/* The calling thread runs a task that suspends, and is about to park it: keep the
 * first task that it offers from now on, until `keeps` is false.  Not inline, as the
 * next: another thread may execute the caller afterwards, so the address of the
 * thread-local variable must not be kept. */
void plait__task_keep_next(bool keeps);

/* The task that the thread runs goes on: offer the one that was kept, if there is
 * any, to all threads. */
void plait__task_give_next(void);

/* Make the task claimable without linking it: only a thread that claims it
 * directly runs it. */
static inline void plait__task_reserve(plait__task *task)
{
	/* Release: pairs with the claim. */
	at_store_release_u32(&task->ready.state, PLAIT__TASK_OFFERED);
}

/* Claim the task and run it on the calling thread; returns false if it was
 * not offered. */
bool plait__task_run_here(plait__task *task);

/* Run an idle task that no other thread offers. */
void plait__task_run_unshared(plait__task *task);

/* Mark the task as not running. No thread may offer it before. */
static inline void plait__task_set_idle(plait__task *task)
{
	at_store_relaxed_u32(&task->ready.state, PLAIT__TASK_IDLE);
}

/* Wait for threads that still access a task that is not offered any more. */
void plait__task_forget(plait__task *task);

/* Returns true if another item of the ready queue lacks a thread, or is bound
 * to the calling worker. */
bool plait__task_should_yield(const plait__task *task);

/* The calling thread runs the task, and leaves it for another item at once: a worker
 * counts as a seeker of the ready queue from now on, if it runs nothing around the task.
 * Returns true if so: until the task leaves the thread, which then waits for items, or
 * until the end of that, before the task runs anything. */
bool plait__task_begin_seek(const plait__task *task);
void plait__task_end_seek(const plait__task *task);

#endif
