/* SPDX-License-Identifier: MIT */
/*
 * Cost of a run in memory, locks and system calls once its plan is prepared:
 * nothing at all when the caller does the work, and no memory whichever thread
 * does it.  The linker puts counters in front of the functions that the library
 * calls.
 */
#include "lib/runs.h"
#include "lib/unwrapped.h"

#include "sys/futex.h"
#include "sys/mutex.h"

#include <sys/mman.h>

enum { RUNS = 1000, PARALLEL_RUNS = 200, NODES = 6 };

/* Counted over all threads. */
static uint64_t allocations;
/* Counted for this thread, as others sleep and wake when they like. */
static __thread uint64_t locks, system_calls;

/* Names that the linker makes of --wrap. */
/* clang-format off */
#define WRAP(result, name, parameters, arguments, counter)		\
	result __real_##name parameters;				\
	result __wrap_##name parameters;				\
	result __wrap_##name parameters					\
	{								\
		__atomic_add_fetch(&(counter), 1, __ATOMIC_RELAXED);	\
		return __real_##name arguments;				\
	}
/* clang-format on */

/* clang-format off */
WRAP(void *, malloc, (size_t bytes), (bytes), allocations)
WRAP(void *, calloc, (size_t n, size_t bytes), (n, bytes), allocations)
WRAP(void *, realloc, (void *old, size_t bytes), (old, bytes), allocations)
WRAP(void *, aligned_alloc, (size_t line, size_t bytes), (line, bytes),
	allocations)
WRAP(int, posix_memalign, (void **out, size_t line, size_t bytes),
	(out, line, bytes), allocations)
WRAP(void *, mmap, (void *at, size_t bytes, int protection, int flags,
	int file, off_t offset),
	(at, bytes, protection, flags, file, offset), allocations)
WRAP(void, plait__mutex_lock, (struct plait__mutex *mutex), (mutex), locks)
WRAP(bool, plait__mutex_trylock, (struct plait__mutex *mutex), (mutex), locks)
WRAP(int, pthread_mutex_lock, (pthread_mutex_t *mutex), (mutex), locks)
WRAP(int, plait__futex_wait, (_Atomic uint32_t *word, uint32_t expected,
	uint64_t deadline_ns), (word, expected, deadline_ns), system_calls)
WRAP(void, plait__futex_wake, (_Atomic uint32_t *word, int32_t count),
	(word, count), system_calls)
WRAP(int, plait__futex_barrier, (void), (), system_calls)
/* clang-format on */

/* True `left` more times. */
static int32_t count_down(void *user_data)
{
	int32_t *left = user_data;

	if ((*left)-- > 0)
		return 1;
	*left = 3;
	return 0;
}

/* Two chains and a loop, joined: several lanes, all kinds of steps. */
static plait_plan *make_plan(uint64_t counts[NODES], int32_t *left,
			     uint32_t mode)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = 3,
					 .mode = mode, .instances = 1 };
	const plait_node_desc loop = { .kind = PLAIT_NODE_WHILE,
				       .flags = PLAIT_CALL_ANY_THREAD,
				       .function = count_down,
				       .user_data = left };
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;
	plait_node last[3];

	last[0] = add_call(graph, "a", bump, &counts[0], NULL, 0);
	last[0] = add_call(graph, "b", bump, &counts[1], last, 1);
	last[1] = add_call(graph, "c", bump, &counts[2], NULL, 0);
	last[1] = add_call(graph, "d", bump, &counts[3], &last[1], 1);
	last[2] = last[1];
	/* HELPED does plans without regions only. */
	if (mode == PLAIT_MODE_STRICT) {
		plait_graph *body;

		last[2] = add_node(graph, loop, NULL, 0);
		body = body_of(graph, last[2], 0);
		(void)add_call(body, "e", bump, &counts[4], NULL, 0);
		plait_graph_release(body);
	}
	(void)add_call(graph, "f", bump, &counts[5], last, 3);
	IS_INT(plait_graph_freeze(graph, &desc, &plan, &rig.error), PLAIT_OK);
	plait_graph_release(graph);
	return plan;
}

/* From the first run on: there is nothing to warm up. */
static void check_mode(uint32_t flags, uint32_t mode)
{
	uint64_t counts[NODES] = { 0 };
	int32_t left = 3;
	plait_plan *plan = make_plan(counts, &left, mode);
	int runs = flags == PLAIT_RUN_PARALLEL ? PARALLEL_RUNS : RUNS;
	uint64_t before, held, asked, taken;
	bool good = true;

	IS_INT(plait_plan_prepare(plan, &rig.error), PLAIT_OK);
	before = __atomic_load_n(&allocations, __ATOMIC_SEQ_CST);
	locks = system_calls = 0;
	for (int i = 0; i < runs; i++)
		good = good && call_with(plan, flags) == PLAIT_OK;
	held = locks;
	asked = system_calls;
	taken = __atomic_load_n(&allocations, __ATOMIC_SEQ_CST) - before;
	NOTE("flags %u, mode %u: %llu locks, %llu calls of the system", flags,
	     mode, (unsigned long long)held, (unsigned long long)asked);
	IS_UINT(taken, 0);
	if (flags == PLAIT_RUN_SERIAL) {
		IS_UINT(held, 0);
		IS_UINT(asked, 0);
	}
	OK(good);
	IS_UINT(counts[5], runs);
	plait_plan_release(plan);
}

static void check_all(uint32_t flags)
{
	check_mode(flags, PLAIT_MODE_STRICT);
	check_mode(flags, PLAIT_MODE_HELPED);
}

static void called(void)
{
	everywhere(check_all);
}

/* A queue that is finished behind a run gets no command: the waiting thread
 * executes the run, as one that waits for the run does. */
static void finished(void)
{
	uint64_t counts[NODES] = { 0 }, waited;
	int32_t left = 3;
	plait_plan *plan;

	if (!open_host(0))
		return;
	plan = make_plan(counts, &left, PLAIT_MODE_STRICT);
	IS_INT(plait_plan_prepare(plan, &rig.error), PLAIT_OK);
	locks = 0;
	for (int i = 0; i < RUNS; i++)
		OK(run_with(plan, 0) == PLAIT_OK);
	waited = locks;
	locks = 0;
	for (int i = 0; i < RUNS; i++) {
		OK(plait_plan_run(plan, rig.queue, NULL, NULL, &rig.error) ==
		   PLAIT_OK);
		OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
		   PLAIT_OK);
	}
	NOTE("%llu locks and %llu", (unsigned long long)waited,
	     (unsigned long long)locks);
	OK(locks <= waited + 3 * RUNS);
	IS_UINT(counts[5], 2 * RUNS);
	plait_plan_release(plan);
	close_rig(&rig);
}

/* The counters count: preparing takes memory, a queue takes locks. */
static void counters_count(void)
{
	uint64_t counts[NODES] = { 0 }, before;
	_Atomic uint32_t nobody = 0;
	int32_t left = 3;
	plait_plan *plan;

	if (!open_host(1))
		return;
	plan = make_plan(counts, &left, PLAIT_MODE_STRICT);
	before = allocations;
	locks = system_calls = 0;
	IS_INT(plait_plan_prepare(plan, &rig.error), PLAIT_OK);
	OK(allocations > before);
	IS_INT(run_with(plan, PLAIT_RUN_SERIAL), PLAIT_OK);
	OK(locks > 0);
	/* The test does not control whether a worker sleeps. */
	system_calls = 0;
	plait__futex_wake(&nobody, 1);
	IS_UINT(system_calls, 1);
	plait_plan_release(plan);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "the counters count", counters_count },
	{ "called", called },
	{ "finished", finished },
};
TAP_MAIN(all)
