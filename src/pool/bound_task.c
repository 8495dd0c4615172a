/* SPDX-License-Identifier: MIT */
/* Tasks that are bound to one worker; the rules are in bound_task.h. */
#include "pool/bound_task.h"

#include "pool/callback_scope.h"
#include "pool/pool_internal.h"

static plait__bound_task *bound_of(struct plait__ready_item *item)
{
	return (plait__bound_task *)(void *)item;
}

/* The item was taken, so the calling worker owns the task. */
static struct plait__ready_item *run_item(struct plait__ready_item *item)
{
	plait__task *task = bound_of(item)->task;
	bool over;

	at_add_u32(&task->ready.pins, 1);
	/* Relaxed: no other thread offers or claims it. */
	at_store_relaxed_u32(&task->ready.state, PLAIT__TASK_RUNNING);
	over = task->run(task);
	plait__fpstate_clean();
	plait__callback_scope_clean();
	plait__ready_unpin(&task->ready);
	if (over)
		task->over(task);
	return NULL;
}

static void lose_item(struct plait__ready_item *item)
{
	plait__task *task = bound_of(item)->task;

	task->lost(task);
	plait__ready_unpin(&task->ready);
}

void plait__bound_task_init(plait__bound_task *bound, plait__task *task)
{
	bound->task = task;
	bound->item.run = run_item;
	bound->item.lose = lose_item;
	bound->item.level = PLAIT__READY_NORMAL;
}

bool plait__bound_task_bind(plait__bound_task *bound)
{
	plait__task *task = bound->task;

	bound->worker = plait__worker_current(task->pool);
	if (bound->worker != NULL)
		return true;
	plait__task_set_idle(task);
	plait__ready_push(&task->pool->ready, &bound->item);
	return false;
}

void plait__bound_task_offer(plait__bound_task *bound)
{
	plait__pool *pool = bound->task->pool;

	if (bound->worker == NULL)
		plait__task_offer(bound->task);
	else
		plait__ready_push_bound(&pool->ready, &bound->worker->sleeper,
					&bound->item);
}
