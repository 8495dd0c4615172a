/* SPDX-License-Identifier: MIT */
/* Coroutines that continue only on the worker that began them: work that shares
 * the worker, and ends. */
#include "first_worker.h"

#include "plait/plugin.h"

#include <pthread.h>

/* ---- work that shares the worker ---- */

enum { MANY = 3000 };

struct share {
	struct steps steps;
	uint64_t submitted;	/* atomic: all calls are */
	uint64_t calls;		/* atomic */
	uint64_t calls_at_end;	/* when the coroutine went on */
	uint64_t turns;
};

static int32_t raise_first(void *user_data)
{
	struct share *self = user_data;
	uint64_t since = 0;

	while (count_of(&self->submitted) == 0 && !tap_late(&since))
		pause_a_little();
	count(&self->calls);
	return plait_signal_raise(self->steps.gate, 1, NULL) != PLAIT_OK;
}

static int32_t count_call(void *user_data)
{
	count(&((struct share *)user_data)->calls);
	return 0;
}

static int32_t await_share(void *user_data)
{
	struct share *self = user_data;
	int32_t result = await_gate(&self->steps);

	self->calls_at_end = count_of(&self->calls);
	return result;
}

/* A queue with much work leaves its thread to the coroutine. */
static void share_with_queue(void)
{
	struct share self = { .calls = 0 };
	plait_plan *plan = plan_of(await_share, &self);
	plait_run *run = begin(plan, &self.steps);
	plait_queue *queue = new_queue();
	plait_status status = plait_queue_call(queue, raise_first, &self, NULL);

	for (uint32_t i = 1; status == PLAIT_OK && i < MANY; i++)
		status = plait_queue_call(queue, count_call, &self, NULL);
	IS_INT(status, PLAIT_OK);
	count(&self.submitted);
	end(run, &self.steps, PLAIT_OK);
	OK(plait_queue_finish(queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	IS_UINT(self.calls, MANY);
	OK(self.calls_at_end < MANY);
	plait_queue_release(queue);
	plait_plan_release(plan);
}

/* A loop that ends when the coroutine has. */
static int32_t loop_on(void *user_data)
{
	struct share *self = user_data;
	static uint64_t since;

	if (count_of(&self->calls) == 0)
		since = 0;
	(void)raise_first(self);
	return count_of(&self->steps.ended) == 0 && !tap_late(&since);
}

static void share_with_loop(void)
{
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_WHILE, .label = "loop",
		.flags = PLAIT_CALL_ANY_THREAD,
	};
	struct share self = { .submitted = 1 };
	plait_plan *plan = plan_of(await_share, &self), *looping;
	plait_run *run = begin(plan, &self.steps), *second = NULL;
	plait_queue *queue = new_queue();
	plait_graph *graph = new_graph(), *body;
	plait_node_desc desc = loop;

	desc.function = loop_on;
	desc.user_data = &self;
	body = body_of(graph, add_node(graph, desc, NULL, 0), 0);
	(void)add_call(body, "turn", bump, &self.turns, NULL, 0);
	looping = freeze(graph, 1, 1);
	OK(plait_plan_run(looping, queue, NULL, &second, &rig.error) ==
	   PLAIT_OK);
	end(run, &self.steps, PLAIT_OK);
	IS_INT(plait_run_wait(second, PLAIT_FOREVER, NULL), PLAIT_OK);
	OK(plait_queue_finish(queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	plait_run_release(second);
	plait_plan_release(looping);
	plait_graph_release(body);
	plait_graph_release(graph);
	plait_queue_release(queue);
	plait_plan_release(plan);
}

/* A coroutine that takes turns without end leaves it to a queue. */
static int32_t turn_on(void *user_data)
{
	struct share *self = user_data;
	uint64_t since = 0;

	count(&self->steps.begun);
	while (count_of(&self->calls) == 0 && !tap_late(&since))
		(void)plait_yield(NULL);
	return 0;
}

static void share_with_turns(void)
{
	struct share self = { .calls = 0 };
	plait_plan *plan = plan_of(turn_on, &self);
	plait_run *run = begin(plan, &self.steps);
	plait_queue *queue = new_queue();

	OK(plait_queue_call(queue, count_call, &self, NULL) == PLAIT_OK);
	OK(plait_queue_finish(queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	end(run, &self.steps, PLAIT_OK);
	IS_UINT(self.calls, 1);
	plait_queue_release(queue);
	plait_plan_release(plan);
}

static void shares(void)
{
	if (!open_host(1))
		return;
	share_with_queue();
	share_with_loop();
	share_with_turns();
	close_rig(&rig);
}

/* ---- ends ---- */

static int32_t exit_inside(void *user_data)
{
	struct steps *self = user_data;

	count(&self->begun);
	(void)plait_await_signal(self->gate, 1, PLAIT_FOREVER, NULL);
	if (plait_worker_index() >= 0)
		pthread_exit(NULL);
	return 0;
}

static void check_ends(uint32_t flags)
{
	struct steps self;
	plait_plan *plan = plan_of(await_gate, &self);
	plait_run *run = begin(plan, &self);

	(void)flags;
	OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	end(run, &self, PLAIT_E_CANCELLED);
	IS_INT(self.first, PLAIT_E_CANCELLED);
	plait_plan_release(plan);
}

static void check_exits(uint32_t flags)
{
	struct steps self;
	plait_plan *plan = plan_of(exit_inside, &self);
	plait_run *run;

	(void)flags;
	for (int i = 0; i < 2; i++) {
		run = begin(plan, &self);
		OK(plait_signal_raise(self.gate, 1, NULL) == PLAIT_OK);
		end(run, &self, PLAIT_E_FAILED);
	}
	plait_plan_release(plan);
}

static int32_t exit_now(void *user_data)
{
	pthread_exit(user_data);
}

static void exit_thread(void)
{
	plait_queue *queue = new_queue();

	OK(plait_queue_call(queue, exit_now, NULL, NULL) == PLAIT_OK);
	(void)plait_queue_finish(queue, PLAIT_FOREVER, NULL);
	plait_queue_release(queue);
}

/* Another function ends the worker: its successor continues the coroutine. */
static void lose_worker(void)
{
	struct steps self;
	plait_plan *plan;
	plait_run *run;

	if (!open_host(1))
		return;
	plan = plan_of(await_gate, &self);
	run = begin(plan, &self);
	exit_thread();
	OK(plait_signal_raise(self.gate, 1, NULL) == PLAIT_OK);
	end(run, &self, PLAIT_OK);
	IS_INT(self.first, PLAIT_OK);
	plait_plan_release(plan);
	close_rig(&rig);
}

/* No handle is left while the function awaits. */
static void close_around(void)
{
	struct steps self;
	plait_plan *plan;
	plait_run *run;
	uint64_t since = 0;

	if (!open_host(2))
		return;
	plan = plan_of(await_gate, &self);
	run = begin(plan, &self);
	plait_run_release(run);
	plait_plan_release(plan);
	plait_signal_release(self.gate);
	close_rig(&rig);
	while (count_of(&self.ended) == 0 && !tap_late(&since))
		pause_a_little();
	OK(count_of(&self.ended) == 1);
	OK(self.first < 0);
}

static void ends(void)
{
	on_workers(check_ends);
	/* AddressSanitizer does not see that the thread left the stack,
	 * ThreadSanitizer refuses pthread_exit in a fiber. */
	if (PLAIT_SANITIZER_KIND == PLAIT_SANITIZER_NONE)
		on_workers(check_exits);
	lose_worker();
	close_around();
}

static const struct tap_scenario all[] = {
	{ "shares", shares },
	{ "ends", ends },
};
TAP_MAIN(all)
