/* SPDX-License-Identifier: MIT */
/*
 * Tasks that are bound to one worker for a while.  A bound task is offered by an
 * item of its own, and is IDLE until its worker has taken that: no thread that
 * waits claims it, and the entry that a task may have left in the ready queue
 * finds nothing to claim.
 *
 *     unbound --bind on a worker--> bound --release--> unbound
 *        '----bind on another thread: any worker runs the task, and binds'
 */
#ifndef PLAIT_SRC_POOL_BOUND_TASK_H
#define PLAIT_SRC_POOL_BOUND_TASK_H

#include "pool/task.h"

typedef struct plait__bound_task {
	struct plait__ready_item item;
	plait__task *task;
	/* Written by the thread that runs the task; null: unbound. */
	struct plait__worker *worker;
} plait__bound_task;

/* Initialize zeroed memory; the task is unbound. */
void plait__bound_task_init(plait__bound_task *bound, plait__task *task);

/* Bind the task to the calling worker and return true; or on another thread
 * leave the task, which is no longer the caller's, to a worker of the pool, and
 * return false.  Caller runs the unbound task. */
bool plait__bound_task_bind(plait__bound_task *bound);

/* Offer the task, which is idle, to its worker; or to all, if unbound. */
void plait__bound_task_offer(plait__bound_task *bound);

/* Caller runs the task. */
static inline void plait__bound_task_release(plait__bound_task *bound)
{
	bound->worker = NULL;
}

#endif
