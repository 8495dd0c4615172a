/* SPDX-License-Identifier: MIT */
/* Scenarios of the explorer for the ready queue and tasks on it; part of
 * counter_core_ready.c. */
#ifndef EXPLORE_LIST_H
#define EXPLORE_LIST_H

#include "pool/ready.h"

#include "mc_tap.h"

#include <string.h>

enum { ITEMS = 2 };

static struct plait__ready_queue ready;
static struct plait__ready_item items[ITEMS];
static struct plait__sleeper sleepers[MC_THREADS_MAX];
static uint32_t contents[ITEMS];
static at_u32 ran;
static at_u32 go;
static at_u32 again;

static void ready_begin(void)
{
	uint32_t i;

	memset(&ready, 0, sizeof(ready));
	memset(items, 0, sizeof(items));
	memset(sleepers, 0, sizeof(sleepers));
	for (i = 0; i < MC_THREADS_MAX; i++)
		plait__eventcount_init(&sleepers[i].event, 0);
	for (i = 0; i < ITEMS; i++) {
		items[i].level = PLAIT__READY_NORMAL;
		AT_PLAIN_WRITE(contents[i]) = 0;
	}
	at_init_u32(&ran, 0);
	at_init_u32(&go, 0);
	at_init_u32(&again, 0);
}

static void push(uint32_t i)
{
	AT_PLAIN_WRITE(contents[i]) = i + 1;
	plait__ready_push(&ready, &items[i]);
}

static void take(const struct plait__ready_item *item)
{
	uint32_t i = (uint32_t)(item - items);

	MC_CHECK(AT_PLAIN_READ(contents[i]) == i + 1);
	AT_PLAIN_WRITE(contents[i]) = 0;
	at_add_u32(&ran, 1);
	at_futex_wake_all(&ran);
}

static void work(uint32_t self)
{
	struct plait__ready_item *item;

	while ((item = plait__ready_wait(&ready, &sleepers[self])) != NULL)
		take(item);
}

static void run_workers(uint32_t self)
{
	if (self != 0) {
		work(self);
		return;
	}
	push(0);
	push(1);
	plait__ready_close(&ready);
}

/* Sleeps rather than spins: each pause would be a choice. */
static void wait_until_ran(uint32_t count)
{
	while (at_load_acquire_u32(&ran) < count)
		at_futex_wait(&ran, count - 1, UINT64_MAX);
}

/* Nothing closes before all has run: only wake-ups keep it going. */
static void run_one_by_one(uint32_t self)
{
	if (self != 0) {
		work(self);
		return;
	}
	push(0);
	wait_until_ran(1);
	push(1);
	wait_until_ran(2);
	plait__ready_close(&ready);
}

/*
 * A thread that waits for `go` and runs tasks meanwhile: if a push woke it but
 * it is released at the same time, the worker must get the wake-up.
 */
static void wait_and_help(uint32_t self)
{
	struct plait__sleeper *sleeper = &sleepers[self];
	struct plait__ready_item *item;
	uint32_t key;

	while (at_load_acquire_u32(&go) == 0) {
		key = plait__eventcount_prepare(&sleeper->event);
		if (!plait__ready_add_sleeper(&ready, sleeper)) {
			plait__eventcount_cancel(&sleeper->event);
			item = plait__ready_pop(&ready, sleeper);
			if (item != NULL)
				take(item);
			continue;
		}
		if (at_load_acquire_u32(&go) == 0)
			plait__eventcount_wait(&sleeper->event, key, UINT64_MAX);
		else
			plait__eventcount_cancel(&sleeper->event);
		plait__ready_remove_sleeper(&ready, sleeper);
	}
}

static void run_helper(uint32_t self)
{
	if (self == 1) {
		work(self);
		return;
	}
	if (self == 2) {
		wait_and_help(self);
		return;
	}
	push(0);
	at_store_release_u32(&go, 1);
	plait__eventcount_notify(&sleepers[2].event);
	wait_until_ran(1);
	push(1);
	plait__ready_close(&ready);
}

/* Two threads that give way to each other's items. */
static void run_swap(uint32_t self)
{
	struct plait__ready_item *item;

	AT_PLAIN_WRITE(contents[self]) = self + 1;
	item = plait__ready_swap(&ready, &items[self]);
	MC_CHECK(item != NULL);
	take(item);
}

/* Idle is true when nothing runs that could make something ready. */
static void run_external(uint32_t self)
{
	struct plait__ready_item *item;

	if (self == 0)
		push(0);
	do {
		item = plait__ready_take(&ready);
		if (item == NULL) {
			at_spin_pause();
			continue;
		}
		take(item);
		if (item == &items[0])
			push(1);
		plait__ready_finish(&ready);
	} while (at_load_relaxed_u32(&go) == 0 && !plait__ready_is_idle(&ready));
	if (self == 0)
		MC_CHECK(at_load_relaxed_u32(&ran) == ITEMS);
}

/*
 * A task that is offered twice: the thread that claims it runs it, here or from
 * the list, and both times it is run once.  Then its memory is freed, also
 * while the other thread still refers to it.
 */
static struct plait__ready_task *task;

static void task_begin(void)
{
	ready_begin();
	task = mc_alloc(sizeof(*task));
	memset(task, 0, sizeof(*task));
	task->item.level = PLAIT__READY_NORMAL;
	task->item.is_task = true;
	at_init_u32(&task->state, PLAIT__TASK_IDLE);
	at_init_u32(&task->pins, 0);
}

/* The owner of the task offers it again when it was run. */
static void run_task(void)
{
	uint32_t round = at_load_acquire_u32(&ran);

	MC_CHECK(AT_PLAIN_READ(contents[0]) == round + 1);
	AT_PLAIN_WRITE(contents[0]) = round + 2;
	at_add_u32(&ran, 1);
	at_futex_wake_all(&ran);
}

static void take_from_list(uint32_t self)
{
	struct plait__ready_item *item = plait__ready_pop(&ready,
							  &sleepers[self]);
	struct plait__ready_task *found =
		(struct plait__ready_task *)(void *)item;

	if (item == NULL)
		return;
	if (plait__ready_claim(found))
		run_task();
	plait__ready_unpin(found);
}

static void run_tasks(uint32_t self)
{
	if (self != 0) {
		/* As a thread does that waits for it, and keeps it alive. */
		if (plait__ready_claim(task))
			run_task();
		at_store_release_u32(&go, 1);
		at_futex_wake_all(&go);
		take_from_list(self);
		take_from_list(self);
		return;
	}
	AT_PLAIN_WRITE(contents[0]) = 1;
	plait__ready_offer(&ready, task);
	if (plait__ready_claim(task))
		run_task();
	wait_until_ran(1);
	plait__ready_offer(&ready, task);
	if (plait__ready_claim(task))
		run_task();
	wait_until_ran(2);
	while (at_load_acquire_u32(&go) == 0)
		at_futex_wait(&go, 0, UINT64_MAX);
	plait__ready_forget(&ready, task);
	mc_free(task);
}

static void work_on_tasks(uint32_t self)
{
	struct plait__ready_item *item;

	while ((item = plait__ready_wait(&ready, &sleepers[self])) != NULL) {
		if (plait__ready_claim(task))
			run_task();
		plait__ready_unpin(task);
	}
}

/* Woken by the first offer it gets no processor until all has run without it.
 * (Nothing comes behind the second one that could notify another thread.) */
static void sleep_and_starve(uint32_t self)
{
	struct plait__sleeper *sleeper = &sleepers[self];
	uint32_t key = plait__eventcount_prepare(&sleeper->event);

	if (!plait__ready_add_sleeper(&ready, sleeper)) {
		plait__eventcount_cancel(&sleeper->event);
		return;
	}
	if (at_load_acquire_u32(&go) == 0)
		plait__eventcount_wait(&sleeper->event, key, UINT64_MAX);
	else
		plait__eventcount_cancel(&sleeper->event);
	if (at_load_acquire_u32(&again) == 0) {
		wait_until_ran(1);
		wait_until_ran(2);
	}
	plait__ready_remove_sleeper(&ready, sleeper);
}

/*
 * A task that is offered again while it is on the list is not left to the
 * thread that was woken for the first offer: the other one comes.
 */
static void run_starved(uint32_t self)
{
	if (self == 1) {
		work_on_tasks(self);
		return;
	}
	if (self == 2) {
		sleep_and_starve(self);
		return;
	}
	AT_PLAIN_WRITE(contents[0]) = 1;
	plait__ready_offer(&ready, task);
	if (plait__ready_claim(task))
		run_task();
	wait_until_ran(1);
	at_store_release_u32(&again, 1);
	plait__ready_offer(&ready, task);
	wait_until_ran(2);
	at_store_release_u32(&go, 1);
	plait__eventcount_notify(&sleepers[2].event);
	plait__ready_close(&ready);
	plait__ready_forget(&ready, task);
	mc_free(task);
}

/* Item 0 is bound to worker 1, where it runs until item 1 has run. */
static void work_bound(uint32_t self)
{
	struct plait__ready_item *item;

	while ((item = plait__ready_wait(&ready, &sleepers[self])) != NULL) {
		if (item == &items[0]) {
			MC_CHECK(self == 1);
			wait_until_ran(1);
		}
		take(item);
	}
}

/* A bound item comes to its worker, and a shared one to another worker if the
 * first is busy: nothing closes before both have run. */
static void run_bound(uint32_t self)
{
	if (self != 0) {
		work_bound(self);
		return;
	}
	AT_PLAIN_WRITE(contents[0]) = 1;
	plait__ready_push_bound(&ready, &sleepers[1], &items[0]);
	push(1);
	wait_until_ran(1);
	wait_until_ran(2);
	plait__ready_close(&ready);
}

/* Worker 1 counts as a seeker while it runs an item, and goes on with that instead of
 * taking another one: a push that relied on it reaches worker 2.  Later it leaves the
 * item, and waits. */
static void seek_and_stay(uint32_t self)
{
	plait__ready_begin_seek(&ready, &sleepers[self]);
	plait__ready_end_seek(&ready, &sleepers[self]);
	wait_until_ran(1);
	plait__ready_begin_seek(&ready, &sleepers[self]);
	work(self);
}

static void run_seeking(uint32_t self)
{
	if (self == 1)
		seek_and_stay(self);
	else
		run_one_by_one(self);
}

static void end_ready(void)
{
	uint32_t i;

	MC_CHECK(at_load_relaxed_u32(&ran) == ITEMS);
	MC_CHECK(at_load_relaxed_u32(&ready.count) == 0);
	MC_CHECK(ready.seekers == 0 && ready.sleepers == NULL);
	MC_CHECK(ready.arriving == 0);
	for (i = 0; i < MC_THREADS_MAX; i++)
		MC_CHECK(at_load_relaxed_u32(&sleepers[i].event.sleepers) ==
			 0);
}

#define READY(id, text, run, threads, pre, stale, spur)                       \
	static const struct mc_scenario id = { text,      ready_begin, run,   \
					       end_ready, threads,     pre,   \
					       stale,     spur,        8000 }

READY(ready_worker, "ready list, one worker", run_workers, 2, 4, 2, 0);
READY(ready_workers, "ready list, two workers", run_workers, 3, 2, 1, 0);
READY(ready_one_by_one, "ready list, one by one", run_one_by_one, 3, 2, 1, 0);
READY(ready_helper, "ready list, a worker and a waiting thread", run_helper, 3,
	2, 1, 0);
READY(ready_external, "ready list, external threads", run_external, 2, 4, 2, 0);
READY(ready_bound, "ready list, a bound item", run_bound, 3, 2, 1, 0);
READY(ready_seeking, "ready list, a worker that runs seeks", run_seeking, 3, 2,
	1, 0);
READY(ready_swap, "ready list, two threads swap items", run_swap, 2, 4, 2, 0);

static const struct mc_scenario ready_tasks = {
	"ready list, tasks", task_begin, run_tasks, end_ready, 2, 4, 2, 0, 8000
};

static const struct mc_scenario ready_starved = {
	"ready list, one is woken and does not come", task_begin, run_starved,
	end_ready, 3, 2, 1, 0, 8000
};

#endif
