/* SPDX-License-Identifier: MIT */
/* Awaits of plans that the thread of the coroutine runs itself, once the
 * function is suspended: they hold back neither the coroutine nor the thread,
 * and a thread that ends in them takes nothing else with it. */
#include "lib/runs.h"

#include <pthread.h>
#include <sched.h>

enum { TIMES = 50, DEPTH = 4 };

static plait_queue *other;	/* than that of the coroutine's run */

static plait_plan *plan_of(plait_host_function function, void *user_data,
			   uint32_t flags, uint32_t count)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .label = "kept",
		.flags = PLAIT_CALL_ANY_THREAD | flags,
		.function = function, .user_data = user_data,
	};
	plait_graph *graph = new_graph();
	plait_plan *plan;

	for (uint32_t i = 0; i < count; i++)
		(void)add_node(graph, desc, NULL, 0);
	plan = freeze(graph, count, 1);
	plait_graph_release(graph);
	return plan;
}

static plait_status await(plait_plan *plan, uint64_t timeout_ns)
{
	return plait_await_plan(plan, other, NULL, timeout_ns, NULL);
}

static void open_other(void)
{
	OK(plait_queue_create(rig.device, NULL, &other, NULL) == PLAIT_OK);
}

static void close_other(void)
{
	(void)plait_queue_finish(other, PLAIT_FOREVER, NULL);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_queue_release(other);
}

static void await_word(const uint32_t *word)
{
	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == 0)
		sched_yield();
}

/* ---- a thread that ends in the awaited run ---- */

struct ends {
	plait_plan *inner;
	plait_status status, second;
	uint32_t times;		/* of the inner function; atomic */
	uint32_t is_after;	/* atomic */
};

static int32_t end_thread(void *user_data)
{
	struct ends *self = user_data;

	if (__atomic_fetch_add(&self->times, 1, __ATOMIC_SEQ_CST) == 0)
		pthread_exit(NULL);
	return 0;
}

static int32_t await_end(void *user_data)
{
	struct ends *self = user_data;

	self->status = await(self->inner, PLAIT_FOREVER);
	/* Reports the failure of the run. */
	(void)plait_queue_finish(other, PLAIT_FOREVER, NULL);
	self->second = await(self->inner, PLAIT_FOREVER);
	__atomic_store_n(&self->is_after, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* Without workers it would be the thread of the test. */
static void thread_ends(void)
{
	for (uint32_t workers = 1; workers <= 4; workers *= 2) {
		struct ends self = { .status = -99, .second = -99 };
		plait_plan *plan;

		if (!open_host(workers))
			return;
		open_other();
		self.inner = plan_of(end_thread, &self, 0, 1);
		plan = plan_of(await_end, &self, PLAIT_CALL_COROUTINE, 1);
		OK(plait_plan_run(plan, rig.queue, NULL, NULL, NULL) ==
		   PLAIT_OK);
		/* Workers alone take part. */
		await_word(&self.is_after);
		close_other();
		IS_INT(self.status, PLAIT_E_FAILED);
		IS_INT(self.second, PLAIT_OK);
		IS_UINT(self.times, 2);
		plait_plan_release(plan);
		plait_plan_release(self.inner);
		close_rig(&rig);
	}
}

/* ---- a long function in the awaited run ---- */

struct held {
	plait_plan *inner;
	uint64_t timeout_ns;
	plait_status status;
	uint32_t is_inside, may_end, is_after; /* atomic */
};

static int32_t hold_on(void *user_data)
{
	struct held *self = user_data;

	__atomic_store_n(&self->is_inside, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&self->may_end, __ATOMIC_SEQ_CST) == 0)
		sched_yield();
	return 0;
}

static int32_t await_held(void *user_data)
{
	struct held *self = user_data;

	self->status = await(self->inner, self->timeout_ns);
	__atomic_store_n(&self->is_after, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* The coroutine goes on while a thread is in the inner function: it returns
 * when the coroutine has gone on. */
static void check_held(uint64_t timeout_ns, plait_status want)
{
	struct held self = { .timeout_ns = timeout_ns, .status = -99 };
	plait_run *run = NULL;
	plait_plan *plan;

	open_other();
	self.inner = plan_of(hold_on, &self, 0, 1);
	plan = plan_of(await_held, &self, PLAIT_CALL_COROUTINE, 1);
	OK(plait_plan_run(plan, rig.queue, NULL, &run, NULL) == PLAIT_OK);
	if (timeout_ns == PLAIT_FOREVER) {
		await_word(&self.is_inside);
		OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	}
	await_word(&self.is_after);
	__atomic_store_n(&self.may_end, 1, __ATOMIC_SEQ_CST);
	IS_INT(self.status, want);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL),
	       timeout_ns == PLAIT_FOREVER ? PLAIT_E_CANCELLED : PLAIT_OK);
	plait_run_release(run);
	close_other();
	plait_plan_release(plan);
	plait_plan_release(self.inner);
}

static void long_functions(void)
{
	for (uint32_t workers = 2; workers <= 4; workers += 2) {
		if (!open_host(workers))
			return;
		for (int i = 0; i < 5; i++) {
			check_held(PLAIT_FOREVER, PLAIT_E_CANCELLED);
			check_held(1, PLAIT_E_TIMEOUT);
		}
		close_rig(&rig);
	}
}

/* ---- coroutines in awaited plans ---- */

struct level {
	plait_plan *inner;	/* of the next level; or null */
	plait_queue *queue;	/* of its runs, which are not behind this one */
	uint64_t count;		/* atomic */
};

static int32_t await_level(void *user_data)
{
	struct level *self = user_data;

	for (int i = 0; self->inner != NULL && i < 2; i++)
		if (plait_await_plan(self->inner, self->queue, NULL,
				     PLAIT_FOREVER, NULL) != PLAIT_OK)
			return 1;
	__atomic_add_fetch(&self->count, 1, __ATOMIC_RELAXED);
	return 0;
}

static void check_levels(uint32_t flags)
{
	struct level levels[DEPTH] = { { .count = 0 } };
	plait_plan *plan = NULL;

	for (int i = 0; i < DEPTH; i++) {
		OK(plait_queue_create(rig.device, NULL, &levels[i].queue,
				      NULL) == PLAIT_OK);
		levels[i].inner = plan;
		plan = plan_of(await_level, &levels[i], PLAIT_CALL_COROUTINE,
			       1);
	}
	IS_INT(run_with(plan, flags), PLAIT_OK);
	for (int i = 0; i < DEPTH; i++)
		IS_UINT(levels[i].count, 1u << (DEPTH - 1 - i));
	plait_plan_release(plan);
	for (int i = 0; i < DEPTH; i++) {
		(void)plait_queue_finish(levels[i].queue, PLAIT_FOREVER, NULL);
		plait_queue_release(levels[i].queue);
		plait_plan_release(levels[i].inner);
	}
}

/* ---- several lanes, and other work ---- */

struct wide {
	plait_plan *inner;
	uint64_t count;		/* atomic */
};

static int32_t count_up(void *count)
{
	__atomic_add_fetch((uint64_t *)count, 1, __ATOMIC_RELAXED);
	return 0;
}

static int32_t await_wide(void *user_data)
{
	struct wide *self = user_data;

	for (int i = 0; i < TIMES; i++)
		if (await(self->inner, PLAIT_FOREVER) != PLAIT_OK)
			return 1;
	return 0;
}

/* A coroutine that awaits all the time, beside plain functions, on one
 * worker or several. */
static void check_wide(uint32_t flags)
{
	struct wide self = { .count = 0 };
	uint64_t others = 0;
	plait_plan *plan, *plain;

	open_other();
	self.inner = plan_of(count_up, &self.count, 0, 3);
	plan = plan_of(await_wide, &self, PLAIT_CALL_COROUTINE, 1);
	plain = plan_of(count_up, &others, 0, 3);
	OK(plait_plan_run(plan, rig.queue, NULL, NULL, NULL) == PLAIT_OK);
	for (int i = 0; i < TIMES; i++)
		IS_INT(call_with(plain, flags), PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL), PLAIT_OK);
	IS_UINT(self.count, 3 * TIMES);
	IS_UINT(others, 3 * TIMES);
	close_other();
	plait_plan_release(plan);
	plait_plan_release(plain);
	plait_plan_release(self.inner);
}

static void levels(void)
{
	on_the_host(check_levels);
}

static void lanes(void)
{
	on_the_host(check_wide);
}

static const struct tap_scenario all[] = {
	{ "a thread ends", thread_ends },
	{ "long functions", long_functions },
	{ "levels", levels },
	{ "lanes", lanes },
};
TAP_MAIN(all)
