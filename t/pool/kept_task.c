/* SPDX-License-Identifier: MIT */
/*
 * The task that a thread keeps for itself: before older ones, not for ever, by a
 * waiting thread only for the sake of the task that it has claimed, and never
 * lost.
 */
#include "base/alloc.h"
#include "pool/pool_internal.h"
#include "pool/task.h"

#include <string.h>

#include "lib/tap.h"

enum { TASKS = 4, STEPS_MAX = 200 };

/* Each task writes its letter down and does its next step; it is over behind
 * the last one, and then offers another one. */
struct actor {
	plait__task task;
	char letter;
	uint32_t at;		/* number of its step */
	uint32_t steps;
	struct actor *needs;	/* offered by each step but the last, which
				 * parks for it; or null */
	struct actor *then;	/* offered by its end; or null */
	bool goes_on;		/* does not park for what it has kept */
};

static struct actor actors[TASKS];
static char story[STEPS_MAX + 1];
static plait__pool *pool;
static plait_error error = { .size = sizeof(error) };

static void write_down(char letter)
{
	const size_t length = strlen(story);

	if (length < STEPS_MAX)
		story[length] = letter;
}

static bool act(plait__task *task)
{
	struct actor *self = (struct actor *)(void *)task;

	write_down(self->letter);
	if (++self->at == self->steps)
		return true;
	plait__task_set_idle(task);
	if (self->needs == NULL)
		return false;
	plait__task_keep_next(true);
	plait__task_offer(&self->needs->task);
	plait__task_keep_next(false);
	if (self->goes_on) {
		plait__task_give_next();
		write_down('+');
	}
	return false;
}

/* Can be offered again. */
static void end_act(plait__task *task)
{
	struct actor *self = (struct actor *)(void *)task;

	self->at = 0;
	plait__task_set_idle(task);
	if (self->then != NULL)
		plait__task_offer(&self->then->task);
}

static void begin(void)
{
	memset(actors, 0, sizeof(actors));
	memset(story, 0, sizeof(story));
	OK(plait__pool_create(plait__alloc_default(), 0, &pool, &error) ==
	   PLAIT_OK);
	for (uint32_t i = 0; i < TASKS; i++) {
		plait__task_init(&actors[i].task, pool);
		actors[i].task.run = act;
		actors[i].task.over = end_act;
		actors[i].task.suspends = true;
		actors[i].letter = (char)('a' + i);
		actors[i].steps = 1;
	}
}

static void end(const char *want)
{
	IS_STR(story, want);
	for (uint32_t i = 0; i < TASKS; i++) {
		IS_UINT(at_load_relaxed_u32(&actors[i].task.ready.pins), 0);
		plait__task_forget(&actors[i].task);
	}
	OK(plait__ready_is_idle(&pool->ready));
	plait__pool_destroy(pool);
}

/* As a worker, which runs what it keeps before it takes another one. */
static void serve(uint32_t turns)
{
	struct plait__external_thread *thread =
		plait__external_thread_enter(pool);

	for (uint32_t i = 0; i < turns; i++)
		(void)plait__external_thread_run(thread);
	plait__external_thread_leave(thread);
}

static void offer(uint32_t first, uint32_t second)
{
	plait__task_offer(&actors[first].task);
	plait__task_offer(&actors[second].task);
}

/* `a` parks for `b`, whose end offers `a` again; `d` is older than both. */
static void before_older_ones(void)
{
	begin();
	actors[0].steps = 3;
	actors[0].needs = &actors[1];
	actors[1].then = &actors[0];
	offer(0, 3);
	serve(9);
	end("ababad");
}

static void of_several(void)
{
	begin();
	actors[0].steps = 2;
	actors[0].needs = &actors[1];
	actors[1].then = &actors[2];
	offer(0, 3);
	serve(9);
	end("abcd");
}

/* Two that offer each other all the time do not starve `d`. */
static void not_for_ever(void)
{
	const char *found;

	begin();
	actors[0].steps = 100;
	actors[0].needs = &actors[1];
	actors[1].then = &actors[0];
	offer(0, 3);
	serve(250);
	found = strchr(story, 'd');
	OK_THAT(found != NULL && found - story > 8 && found - story < 64,
		"%s", story);
	IS_UINT(strlen(story), STEPS_MAX);
	end(story);
}

static void given_back(void)
{
	begin();
	actors[0].steps = 2;
	actors[0].needs = &actors[1];
	actors[0].goes_on = true;
	offer(0, 3);
	serve(9);
	end("a+db");
}

/* A thread that leaves with a task that it has kept. */
static void left(void)
{
	begin();
	actors[0].steps = 2;
	actors[0].needs = &actors[1];
	offer(0, 3);
	serve(1);
	IS_STR(story, "a");
	serve(9);
	end("adb");
}

/* A thread that waits for `a`: runs `b` for it, and `a` again; not `c`. */
static void by_a_waiter(void)
{
	begin();
	actors[0].steps = 3;
	actors[0].needs = &actors[1];
	actors[1].then = &actors[0];
	actors[0].then = &actors[2];
	plait__task_reserve(&actors[0].task);
	OK(plait__task_run_here(&actors[0].task));
	IS_STR(story, "ababa");
	serve(9);
	end("ababac");
}

/* `b` was run for the sake of `a`, and its end offers `c`. */
static void by_a_waiter_for_another(void)
{
	begin();
	actors[0].steps = 2;
	actors[0].needs = &actors[1];
	actors[1].then = &actors[2];
	plait__task_reserve(&actors[0].task);
	OK(plait__task_run_here(&actors[0].task));
	IS_STR(story, "ab");
	serve(9);
	end("abc");
}

/* Nothing is kept outside of tasks, and by one that does not suspend. */
static void outside(void)
{
	begin();
	plait__task_keep_next(true);
	plait__task_offer(&actors[0].task);
	plait__task_keep_next(false);
	plait__task_give_next();
	OK(plait__ready_has_items(&pool->ready));
	serve(1);
	actors[1].task.suspends = false;
	actors[1].steps = 2;
	actors[1].needs = &actors[2];
	plait__task_reserve(&actors[1].task);
	OK(plait__task_run_here(&actors[1].task));
	IS_STR(story, "ab");
	serve(9);
	end("abc");
}

static const struct tap_scenario all[] = {
	{ "before older ones", before_older_ones },
	{ "of several", of_several },
	{ "not for ever", not_for_ever },
	{ "given back", given_back },
	{ "left", left },
	{ "by a waiter", by_a_waiter },
	{ "by a waiter for another", by_a_waiter_for_another },
	{ "outside", outside },
};

TAP_MAIN(all)
