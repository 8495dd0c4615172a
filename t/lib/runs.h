/* SPDX-License-Identifier: MIT */
/*
 * Helpers for tests of runs: a context of the host with some number of workers,
 * graphs of host functions that write down when they ran, and the two ways to
 * run a plan.
 */
#ifndef T_RUNS_H
#define T_RUNS_H

#include "objects.h"

#define WORKERS TAP_COUNT(worker_counts)
/* Settings in which no other thread has to do something, on the simulated
 * system too. */
enum { ON_CHAOS = UINT16_MAX };
static const uint32_t worker_counts[] = {
	0, 1, 2, 4,
#ifdef RUN_ON_CHAOS
	ON_CHAOS,
#endif
/* Settings with other threads, as real systems have. */
#ifdef RUN_ON_SEEDS
	ON_CHAOS, ON_CHAOS, ON_CHAOS, ON_CHAOS, ON_CHAOS, ON_CHAOS, ON_CHAOS,
#endif
};

/* Each function on a lane of its own, or all on one. */
static const uint32_t run_flags[] = { 0, PLAIT_RUN_SERIAL,
				      PLAIT_RUN_PARALLEL };

/* Every test can be built for plans in another mode. */
#ifndef RUN_MODE
#define RUN_MODE PLAIT_MODE_STRICT
#endif

/* Every test can be built for another way to run plans, too. */
#ifndef RUN_FREEZE
#define RUN_FREEZE 0
#endif

static struct rig rig;

#ifdef RUN_ON_SEEDS
/* Returns a different value each time. */
static inline const char *next_seed(void)
{
	static const char *const quirks[] = {
		"shuffle", "late_notify", "batch+slow_host", "all",
		"inline_notify", "spurious+shuffle",
	};
	static uint32_t seed;
	static char options[80];

	(void)snprintf(options, sizeof(options),
		       "chaos:seed=%u,parallel=%u,quirks=%s", seed,
		       1 + seed % 4, quirks[seed % TAP_COUNT(quirks)]);
	seed++;
	NOTE("%s", options);
	return options;
}
#else
static inline const char *next_seed(void)
{
	return NULL;
}
#endif

static inline bool open_host(uint32_t workers)
{
	rig = settings[workers == ON_CHAOS ? 2 : 0];
	if (workers == ON_CHAOS) {
		rig.options = next_seed();
		return open_rig(&rig);
	}
	rig.workers = workers;
	rig.flags = workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0;
	/* Four: each lane on its own worker, on any number of processors. */
	if (workers < 4)
		unsetenv("PLAIT_LANES");
	else
		setenv("PLAIT_LANES", "0", 1);
	return open_rig(&rig);
}

static inline plait_graph *new_graph(void)
{
	plait_graph *graph = NULL;

	OK(plait_graph_create(rig.context, &graph, &rig.error) == PLAIT_OK);
	return graph;
}

static inline plait_node add_node(plait_graph *graph, plait_node_desc desc,
				  const plait_node *after, uint64_t count)
{
	plait_node node = 0;

	desc.size = sizeof(desc);
	OK_THAT(plait_graph_add(graph, &desc, after, count, &node,
				&rig.error) == PLAIT_OK, "add: %s",
		rig.error.text);
	return node;
}

static inline plait_node add_call(plait_graph *graph, const char *label,
				  plait_host_function function,
				  void *user_data, const plait_node *after,
				  uint64_t count)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.label = label, .function = function, .user_data = user_data,
	};

	return add_node(graph, desc, after, count);
}

static inline plait_plan *freeze(plait_graph *graph, uint32_t lanes,
				 uint32_t instances)
{
	const plait_freeze_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_FREEZE_CHECK | RUN_FREEZE,
		.lanes = lanes, .instances = instances, .mode = RUN_MODE,
	};
	plait_plan *plan = NULL;

	OK_THAT(plait_graph_freeze(graph, &desc, &plan, &rig.error) ==
		PLAIT_OK, "freeze: %s", rig.error.text);
	return plan;
}

static inline plait_status call_with(plait_plan *plan, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };

	return plait_plan_call(plan, NULL, &desc, &rig.error);
}

/* Run on a queue, and wait for it. */
static inline plait_status run_desc(plait_plan *plan,
				    const plait_run_desc *desc)
{
	plait_run *run = NULL;
	plait_status status;

	status = plait_plan_run(plan, rig.queue, desc, &run, &rig.error);
	if (status != PLAIT_OK)
		return status;
	status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	return status;
}

static inline plait_status run_with(plait_plan *plan, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };

	return run_desc(plan, &desc);
}

/*
 * The place and time of each function: each one increments `clock`, so that `b`
 * after `a` means at[b] > at[a].
 */
struct trace {
	bool overlaps; /* runs overlap, so `at` says nothing */
	uint32_t clock;
	uint32_t at[64];
	uint32_t times[64];
};

struct mark {
	struct trace *trace;
	uint32_t number;
	int32_t result;
};

static inline int32_t put_mark(void *user_data)
{
	struct mark *mark = user_data;

	/* Relaxed, and plain: the plan orders nodes, not this word. */
	if (!mark->trace->overlaps)
		mark->trace->at[mark->number] = __atomic_add_fetch(
			&mark->trace->clock, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&mark->trace->times[mark->number], 1,
			   __ATOMIC_RELAXED);
	return mark->result;
}

static inline plait_graph *body_of(plait_graph *graph, plait_node node,
			    uint64_t branch)
{
	plait_graph *body = NULL;

	OK_THAT(plait_graph_body(graph, node, branch, &body, &rig.error) ==
		PLAIT_OK, "body: %s", rig.error.text);
	return body;
}

/* A number that one node writes and others read: plain, so that a missing
 * order is a race. */
static inline int32_t bump(void *user_data)
{
	++*(uint64_t *)user_data;
	return 0;
}

/* Run `check` for all settings; or for all in which threads know of each
 * other. */
static inline void on_the_host(void (*check)(uint32_t flags))
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		if (worker_counts[w] == ON_CHAOS || !open_host(worker_counts[w]))
			continue;
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++)
			check(run_flags[f]);
		close_rig(&rig);
	}
}

static inline void everywhere(void (*check)(uint32_t flags))
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		if (!open_host(worker_counts[w]))
			continue;
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++)
			check(run_flags[f]);
		close_rig(&rig);
	}
}

#endif
