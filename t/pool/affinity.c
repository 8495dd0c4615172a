/* SPDX-License-Identifier: MIT */
/*
 * Migration of a worker that was woken on its waker's CPU: it goes to another
 * CPU, but not when it is placed and not twice in a moment, and its affinity
 * stays the same.
 */
#include "base/alloc.h"
#include "pool/pool_internal.h"
#include "pool/task.h"
#include "sys/clock.h"
#include "sys/thread.h"

#include <sched.h>
#include <string.h>

#include "lib/tap.h"

enum { STEP_NS = 1000000 };

/* A task that looks at its CPU; `steps` times it migrates itself. */
struct look {
	plait__task task;
	uint32_t steps;
	int cpu;
	uint64_t first_ns, last_ns, ended_ns;
	cpu_set_t mask;
	at_u32 done;
};

static struct look look;
static plait_error error = { .size = sizeof(error) };

static bool look_around(plait__task *task)
{
	plait__pool *pool = task->pool;

	for (uint32_t i = 0; i < look.steps; i++) {
		plait__affinity_migrate(pool);
		if (i == 0)
			look.first_ns = at_load_relaxed_u64(&pool->migrated_ns);
	}
	look.last_ns = at_load_relaxed_u64(&pool->migrated_ns);
	look.ended_ns = plait__clock_now_ns();
	look.cpu = plait__cpu_here();
	sched_getaffinity(0, sizeof(look.mask), &look.mask);
	plait__task_set_idle(task);
	at_store_release_u32(&look.done, 1);
	return false;
}

static plait__pool *begin(void)
{
	plait__pool *pool = NULL;

	memset(&look, 0, sizeof(look));
	if (OK(plait__pool_create(plait__alloc_default(), 1, &pool, &error) ==
	       PLAIT_OK))
		plait__task_init(&look.task, pool);
	look.task.run = look_around;
	return pool;
}

static void end(plait__pool *pool)
{
	plait__task_forget(&look.task);
	plait__pool_destroy(pool);
}

static void have_it_look(uint32_t steps, int waker_cpu)
{
	look.steps = steps;
	at_store_relaxed_u32(&look.done, 0);
	look.task.waker_cpu = waker_cpu;
	plait__task_offer(&look.task);
	/* Acquire: pairs with the worker's report. */
	while (at_load_acquire_u32(&look.done) == 0)
		plait__thread_yield();
}

/* Only the system knows on which CPU it will be woken: it gets the hint again
 * and again that its last CPU is in use. */
static void on_a_used_cpu(void)
{
	plait__pool *pool = begin();
	uint64_t since = 0;
	cpu_set_t before;

	have_it_look(0, 0);
	before = look.mask;
	IS_UINT(at_load_relaxed_u64(&pool->migrated_ns), 0);
	while (at_load_relaxed_u64(&pool->migrated_ns) == 0 && !tap_late(&since))
		have_it_look(0, look.cpu + 1);
	OK(at_load_relaxed_u64(&pool->migrated_ns) != 0);
	OK(CPU_EQUAL(&before, &look.mask));
	IS_INT(look.task.waker_cpu, 0);
	end(pool);
}

static void elsewhere(void)
{
	plait__pool *pool = begin();

	for (int i = 0; i < 100; i++)
		have_it_look(0, CPU_SETSIZE + 1);
	IS_UINT(at_load_relaxed_u64(&pool->migrated_ns), 0);
	end(pool);
}

static void once_in_a_moment(void)
{
	plait__pool *pool = begin();

	have_it_look(3, 0);
	OK(look.first_ns != 0);
	/* If all that was less than a moment. */
	OK(look.last_ns == look.first_ns ||
	   look.ended_ns - look.first_ns >= STEP_NS);
	end(pool);
}

static void placed(void)
{
	plait__pool *pool = begin();
	uint32_t cpu;

	have_it_look(0, 0);
	cpu = (uint32_t)look.cpu;
	IS_INT(plait__affinity_place(pool, &cpu, 1, &error), PLAIT_OK);
	have_it_look(1, 0);
	IS_INT(look.cpu, (int)cpu);
	IS_INT(CPU_COUNT(&look.mask), 1);
	OK(CPU_ISSET((size_t)cpu, &look.mask));
	end(pool);
}

static void offers_have_a_hint(void)
{
	plait__pool *pool = NULL;
	cpu_set_t before, one;
	int cpu = plait__cpu_here();

	OK(plait__pool_create(plait__alloc_default(), 0, &pool, &error) ==
	   PLAIT_OK);
	plait__task_init(&look.task, pool);
	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	plait__task_offer_from_running(&look.task);
	IS_INT(look.task.waker_cpu, cpu + 1);
	/* Run by a waiting thread, it leaves no hint for the next worker. */
	look.steps = 0;
	look.task.run = look_around;
	OK(plait__task_run_here(&look.task));
	IS_INT(look.task.waker_cpu, 0);
	sched_setaffinity(0, sizeof(before), &before);
	end(pool);
}

/* Without workers a thread of the user runs it, and does not migrate. */
static void user(void)
{
	plait__pool *pool = NULL;

	memset(&look, 0, sizeof(look));
	OK(plait__pool_create(plait__alloc_default(), 0, &pool, &error) ==
	   PLAIT_OK);
	plait__task_init(&look.task, pool);
	look.task.run = look_around;
	look.steps = 1;
	plait__task_offer(&look.task);
	IS_INT(plait__external_thread_pump(pool, &error), PLAIT_OK);
	IS_UINT(at_load_relaxed_u32(&look.done), 1);
	IS_UINT(at_load_relaxed_u64(&pool->migrated_ns), 0);
	end(pool);
}

static const struct tap_scenario all[] = {
	{ "a used CPU", on_a_used_cpu },
	{ "elsewhere", elsewhere },
	{ "once in a moment", once_in_a_moment },
	{ "placed", placed },
	{ "offers have a hint", offers_have_a_hint },
	{ "a thread of the user's", user },
};

TAP_MAIN(all)
