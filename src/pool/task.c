/* SPDX-License-Identifier: MIT */
/* Tasks in the ready queue; the rules are in task.h. */
#include "pool/task.h"

#include "pool/callback_scope.h"
#include "pool/pool_internal.h"

/* Tasks that a thread may run one after the other before it takes the oldest of
 * the ready queue. */
enum { CHAIN_MAX = 32 };

/* The state of the calling thread; for a task that suspends, and for all
 * that a worker takes. */
struct next {
	plait__task *task;	/* pinned and offered, or null */
	const plait__task *only; /* null: any is kept */
	bool is_open;		/* the thread runs such a task */
	bool keeps;		/* the next offer is kept */
};

static PLAIT__THREAD_LOCAL struct next next;
static PLAIT__THREAD_LOCAL uint32_t chain; /* tasks that were kept, in a row */

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

/* ---- the next task ---- */

/* Returns true if the task was kept. */
static bool keep(plait__task *task)
{
	if (!next.keeps || next.task != NULL || chain == CHAIN_MAX ||
	    (next.only != NULL && next.only != task))
		return false;
	/* Before another thread can claim the task, and end its run. */
	at_add_u32(&task->ready.pins, 1);
	plait__task_reserve(task);
	next.task = task;
	return true;
}

void __attribute__((noinline)) plait__task_keep_next(bool keeps)
{
	next.keeps = keeps && next.is_open;
}

void __attribute__((noinline)) plait__task_give_next(void)
{
	plait__task *task = next.task;

	next.keeps = false;
	next.task = NULL;
	if (task == NULL)
		return;
	plait__ready_give(&task->pool->ready, &task->ready);
}

/* The thread has run the task, and is free but for its end: returns the one that
 * it keeps, pinned, or null. */
static plait__task *end_turn(plait__task *task, bool over,
			     const plait__task *only)
{
	next.keeps = over;
	next.only = only;
	if (over)
		task->over(task);
	return next.task;
}

/* ---- on workers ---- */

static struct plait__ready_item *run_item(struct plait__ready_item *item)
{
	plait__task *task = task_of(item);
	const struct next outer = next;
	plait__task *kept;
	bool over;

	next = (struct next){ .is_open = true };
	over = plait__ready_claim(&task->ready) && run_turn(task);
	plait__fpstate_clean();
	plait__callback_scope_clean();
	/* A finished task is freed in `over`, so unpin it before. */
	plait__ready_unpin(&task->ready);
	kept = end_turn(task, over, NULL);
	next = outer;
	chain = kept != NULL ? chain + 1 : 0;
	return kept != NULL ? &kept->ready.item : NULL;
}

/* The thread ends: another one runs the task that it keeps, if there is any. */
static void end_chain(void)
{
	plait__task_give_next();
	next = (struct next){ .task = NULL };
	chain = 0;
}

static void lose_item(struct plait__ready_item *item)
{
	plait__task *task = task_of(item);

	end_chain();
	task->lost(task);
	plait__ready_unpin(&task->ready);
}

/* ---- on threads that wait ---- */

static void lose_here(void *arg)
{
	plait__task *task = arg;

	end_chain();
	task->lost(task);
}

/* Returns true if the task is over. */
static inline __attribute__((always_inline)) bool run_guarded(plait__task *task)
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
	return over;
}

/* Run the claimed task; then what it has parked for, and itself again when that
 * is over.  Not inlined: most tasks do not suspend. */
static __attribute__((noinline)) void run_chain(plait__task *root)
{
	const struct next outer = next;
	const uint32_t outer_chain = chain;
	plait__task *at = root;
	bool over;

	next = (struct next){ .is_open = true };
	over = run_guarded(root);
	while ((at = end_turn(at, over, root)) != NULL) {
		chain++;
		next = (struct next){ .is_open = true };
		over = plait__ready_claim(&at->ready) && run_guarded(at);
		plait__ready_unpin(&at->ready);
	}
	next = outer;
	chain = outer_chain;
}

static void run_claimed(plait__task *task)
{
	if (task->suspends)
		run_chain(task);
	else if (run_guarded(task))
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
	if (!keep(task))
		plait__ready_offer(&task->pool->ready, &task->ready);
}

void plait__task_forget(plait__task *task)
{
	plait__ready_forget(&task->pool->ready, &task->ready);
}

bool plait__task_should_yield(const plait__task *task)
{
	return plait__ready_has_surplus(&task->pool->ready) ||
	       plait__worker_is_called(task->pool);
}

bool plait__task_begin_seek(const plait__task *task)
{
	struct plait__worker *worker = plait__worker_current(task->pool);

	if (worker == NULL || worker->item != &task->ready.item)
		return false;
	plait__ready_begin_seek(&task->pool->ready, &worker->sleeper);
	return true;
}

void plait__task_end_seek(const plait__task *task)
{
	plait__ready_end_seek(&task->pool->ready,
			      &plait__worker_current(task->pool)->sleeper);
}
