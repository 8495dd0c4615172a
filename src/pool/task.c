/* SPDX-License-Identifier: MIT */
/* Tasks on the pool's list; the rules are in task.h. */
#include "pool/task.h"

#include "pool/state.h"

static plait__task *task_of(struct plait__ready_item *item)
{
	return (plait__task *)(void *)item;
}

static struct plait__ready_item *run_item(struct plait__ready_item *item)
{
	plait__task *task = task_of(item);
	bool over = plait__ready_claim(&task->ready) && task->turn(task);

	/* What is over stays until it was told so. */
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

/* Guards of a thread that runs tasks, nested as deep as its calls are: they
 * outlive its stack. */
enum { DEPTH = 8 };
static __thread struct plait__thread_guard guards[DEPTH];
static __thread uint32_t depth;

static void lose_here(void *arg)
{
	plait__task *task = arg;

	task->lost(task);
}

bool plait__task_run_here(plait__task *task)
{
	struct plait__inside inside;
	bool guarded;
	bool over;

	if (!plait__ready_claim(&task->ready))
		return false;
	guarded = depth < DEPTH &&
		  plait__thread_guard_push(&guards[depth], lose_here, task) ==
			  0;
	depth++;
	plait__inside_enter(&inside, task->pool);
	over = task->turn(task);
	plait__inside_leave(&inside);
	depth--;
	if (guarded)
		plait__thread_guard_pop(&guards[depth]);
	if (over)
		task->over(task);
	return true;
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
	return plait__ready_surplus(&task->pool->ready);
}
