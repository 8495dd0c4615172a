/* SPDX-License-Identifier: MIT */
/* Tasks in the ready queue; the rules are in task.h. */
#include "pool/task.h"

#include "pool/callback_scope.h"
#include "pool/pool_internal.h"

static plait__task *task_of(struct plait__ready_item *item)
{
	return (plait__task *)(void *)item;
}

static bool run_turn(plait__task *task)
{
	int waker_cpu = task->waker_cpu;

	task->waker_cpu = 0;
	if (waker_cpu != 0 && waker_cpu == plait__cpu_here() + 1)
		plait__affinity_migrate(task->pool);
	return task->run(task);
}

static struct plait__ready_item *run_item(struct plait__ready_item *item)
{
	plait__task *task = task_of(item);
	bool over = plait__ready_claim(&task->ready) && run_turn(task);

	plait__fpstate_clean();
	plait__callback_scope_clean();
	/* A finished task is freed in `over`, so unpin it before. */
	plait__ready_unpin(&task->ready);
	if (over)
		task->over(task);
	return NULL;
}

static void lose_item(struct plait__ready_item *item)
{
	plait__task *task = task_of(item);

	task->lost(task);
	plait__ready_unpin(&task->ready);
}

static void lose_here(void *arg)
{
	plait__task *task = arg;

	task->lost(task);
}

static void run_claimed(plait__task *task)
{
	bool guarded = plait__thread_guard_push(&task->guard, lose_here,
						task) == 0;
	struct plait__thread_guard *outer = task->guard.outer;
	struct plait__callback_scope inside;
	bool over;

	/* A direct claim does not migrate. */
	task->waker_cpu = 0;
	plait__callback_scope_enter(&inside, task->pool);
	over = task->run(task);
	plait__callback_scope_leave(&inside);
	/* Another thread may own the task by now. */
	if (guarded)
		plait__thread_guard_pop_to(outer);
	if (over)
		task->over(task);
}

bool plait__task_run_here(plait__task *task)
{
	if (!plait__ready_claim(&task->ready))
		return false;
	run_claimed(task);
	return true;
}

void plait__task_run_unshared(plait__task *task)
{
	/* Relaxed: no other thread knows the task. */
	at_store_relaxed_u32(&task->ready.state, PLAIT__TASK_RUNNING);
	run_claimed(task);
}

void plait__task_init(plait__task *task, plait__pool *pool)
{
	task->pool = pool;
	task->ready.item.run = run_item;
	task->ready.item.lose = lose_item;
	task->ready.item.is_task = true;
	task->ready.item.level = PLAIT__READY_NORMAL;
}

void plait__task_offer(plait__task *task)
{
	plait__ready_offer(&task->pool->ready, &task->ready);
}

void plait__task_forget(plait__task *task)
{
	plait__ready_forget(&task->pool->ready, &task->ready);
}

bool plait__task_should_yield(const plait__task *task)
{
	return plait__ready_has_surplus(&task->pool->ready) ||
	       plait__worker_has_bound(task->pool);
}
