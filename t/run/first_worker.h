/* SPDX-License-Identifier: MIT */
/* Coroutines that stay on their first worker: plans of one that awaits a gate,
 * for the tests of where they continue. */
#ifndef T_FIRST_WORKER_H
#define T_FIRST_WORKER_H

#include "lib/runs.h"

static inline uint64_t count_of(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static inline void count(uint64_t *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST);
}

static inline plait_node add_bound(plait_graph *graph, plait_host_function function,
			    void *user_data)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .label = "bound",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE |
			 PLAIT_CALL_FIRST_WORKER,
		.function = function, .user_data = user_data,
	};

	return add_node(graph, desc, NULL, 0);
}

static inline plait_signal *new_gate(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;

	OK(plait_signal_create(rig.device, &desc, &gate, &rig.error) ==
	   PLAIT_OK);
	return gate;
}

/* All numbers of workers but none. */
static inline void on_workers(void (*check)(uint32_t flags))
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		if (worker_counts[w] == 0 || worker_counts[w] == ON_CHAOS ||
		    !open_host(worker_counts[w]))
			continue;
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++)
			check(run_flags[f]);
		close_rig(&rig);
	}
}

struct steps {
	plait_signal *gate;
	int32_t worker;
	plait_status first;
	uint64_t begun, ended;	/* atomic */
};

static inline int32_t await_gate(void *user_data)
{
	struct steps *self = user_data;

	self->worker = plait_worker_index();
	count(&self->begun);
	self->first = plait_await_signal(self->gate, 1, PLAIT_FOREVER, NULL);
	count(&self->ended);
	return 0;
}

static inline plait_plan *plan_of(plait_host_function function, void *user_data)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_bound(graph, function, user_data);
	plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	return plan;
}

static inline plait_run *begin(plait_plan *plan, struct steps *self)
{
	plait_run *run = NULL;
	uint64_t since = 0;

	*self = (struct steps){ .gate = new_gate(), .first = -99 };
	OK(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) ==
	   PLAIT_OK);
	while (count_of(&self->begun) == 0 && !tap_late(&since))
		pause_a_little();
	return run;
}

static inline void end(plait_run *run, const struct steps *self, plait_status want)
{
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), want);
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_signal_release(self->gate);
}

static inline plait_queue *new_queue(void)
{
	plait_queue *queue = NULL;

	OK(plait_queue_create(rig.device, NULL, &queue, NULL) == PLAIT_OK);
	return queue;
}

#endif
