/* SPDX-License-Identifier: MIT */
/* Awaits of many points that are submitted one by one, in any order: each wakes
 * the coroutine, which looks at that point only. */
#include "lib/runs.h"

/* Half of the points are of one signal. */
enum { SIGNALS = 500, POINTS = 2 * SIGNALS };

struct many {
	plait_signal *signals[SIGNALS];
	plait_point points[POINTS];
	int32_t mode;
	uint64_t timeout_ns;
	plait_status status;
	uint64_t index;
};

static uint32_t seed;

static uint32_t next_random(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

static int32_t await_many(void *user_data)
{
	struct many *self = user_data;

	self->status = plait_await_points(self->points, POINTS, self->mode,
					  self->timeout_ns, &self->index, NULL);
	return 0;
}

static plait_run *start(struct many *self, plait_plan **out)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .label = "many",
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = await_many, .user_data = self,
	};
	plait_graph *graph = new_graph();
	plait_run *run = NULL;

	(void)add_node(graph, desc, NULL, 0);
	*out = freeze(graph, 1, 1);
	plait_graph_release(graph);
	OK(plait_plan_run(*out, rig.queue, NULL, &run, &rig.error) ==
	   PLAIT_OK);
	return run;
}

static void open_many(struct many *self)
{
	uint32_t failed = 0;

	for (uint32_t i = 0; i < SIGNALS; i++) {
		failed += plait_signal_create(rig.device, NULL,
					      &self->signals[i], NULL) !=
			  PLAIT_OK;
		self->points[2 * i] =
			(plait_point){ self->signals[0], SIGNALS - i + 1 };
		self->points[2 * i + 1] = (plait_point){ self->signals[i], 1 };
	}
	IS_UINT(failed, 0);
}

static void close_many(struct many *self, plait_run *run, plait_plan *plan)
{
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_OK);
	plait_run_release(run);
	plait_plan_release(plan);
	for (uint32_t i = 0; i < SIGNALS; i++)
		plait_signal_release(self->signals[i]);
}

/* Emit each signal once in any order, and the first one SIGNALS times more. */
static void emit_all(struct many *self, plait_queue *queue)
{
	uint32_t order[SIGNALS], failed = 0;

	for (uint32_t i = 0; i < SIGNALS; i++)
		order[i] = i;
	for (uint32_t i = SIGNALS - 1; i > 0; i--) {
		uint32_t other = next_random() % (i + 1);
		uint32_t kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	for (uint32_t i = 0; i < SIGNALS; i++) {
		failed += plait_queue_emit(queue, self->signals[order[i]],
					   NULL, NULL) != PLAIT_OK;
		failed += plait_queue_emit(queue, self->signals[0], NULL,
					   NULL) != PLAIT_OK;
		/* Sometimes the coroutine has a turn. */
		if (next_random() % 16 == 0)
			failed += plait_queue_finish(queue, PLAIT_FOREVER,
						     NULL) != PLAIT_OK;
	}
	IS_UINT(failed, 0);
}

static void check(int32_t mode)
{
	static struct many self;
	plait_queue *queue = NULL;
	plait_plan *plan;
	plait_run *run;

	self = (struct many){ .mode = mode, .timeout_ns = PLAIT_FOREVER };
	open_many(&self);
	OK(plait_queue_create(rig.device, NULL, &queue, NULL) == PLAIT_OK);
	run = start(&self, &plan);
	IS_INT(plait_run_wait(run, 1000000, NULL), PLAIT_E_TIMEOUT);
	emit_all(&self, queue);
	close_many(&self, run, plan);
	IS_INT(self.status, PLAIT_OK);
	OK(self.index < POINTS);
	plait_queue_release(queue);
}

static void all_and_any(void)
{
	seed = (uint32_t)tap_seed();
	for (uint32_t workers = 0; workers <= 2; workers++) {
		if (!open_host(workers))
			return;
		check(PLAIT_WAIT_ALL);
		check(PLAIT_WAIT_ANY);
		close_rig(&rig);
	}
}

/* All but the last are there: the time-out names that, and what has happened
 * when the time has passed counts. */
static void late(void)
{
	static struct many self;
	plait_queue *queue = NULL;
	plait_plan *plan;
	plait_run *run;

	if (!open_host(1))
		return;
	self = (struct many){ .mode = PLAIT_WAIT_ALL,
			      .timeout_ns = 2000000 };
	open_many(&self);
	self.points[POINTS - 1].sequence = 2;
	OK(plait_queue_create(rig.device, NULL, &queue, NULL) == PLAIT_OK);
	emit_all(&self, queue);
	run = start(&self, &plan);
	close_many(&self, run, plan);
	IS_INT(self.status, PLAIT_E_TIMEOUT);
	plait_queue_release(queue);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "all and any", all_and_any },
	{ "late", late },
};
TAP_MAIN(all)
