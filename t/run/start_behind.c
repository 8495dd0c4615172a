/* SPDX-License-Identifier: MIT */
/*
 * Runs behind other work of their queue: threads that wait do the work of a run
 * that begins meanwhile, and a run that needs an emission of its queue from
 * behind itself fails.
 */
#define RUN_ON_CHAOS
#include "lib/runs.h"


/* ---- contexts without workers ---- */

static void *use_backend(void *arg)
{
	plait_queue *queue = NULL;

	(void)arg;
	(void)plait_queue_create(rig.device, NULL, &queue, NULL);
	plait_queue_release(queue);
	return NULL;
}

/* The simulated system may wait for the other threads that it knows: here for
 * an hour. */
static bool open_patient(const char *backends)
{
	pthread_t thread;

	rig = (struct rig){ .backend = backends,
			    .flags = PLAIT_CONTEXT_NO_WORKERS,
			    .options = "chaos:patience_ms=3600000" };
	return open_context(&rig) &&
	       OK(plait_context_find_device(rig.context, "chaos:0", &rig.device,
					    &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK) &&
	       OK(pthread_create(&thread, NULL, use_backend, NULL) == 0) &&
	       OK(pthread_join(thread, NULL) == 0);
}

/* A plan of the host, so that threads of the pool execute it. */
static void behind_work(const char *backends, bool calls)
{
	uint32_t count = 0, before = 0;
	plait_graph *graph;
	plait_plan *plan;

	if (!open_patient(backends))
		return;
	graph = new_graph();
	if (calls)
		(void)add_call(graph, "add", add_one, &count, NULL, 0);
	plan = freeze(graph, 1, 2);
	plait_graph_release(graph);
	OK(plait_queue_call(rig.queue, add_one, &before, &rig.error) ==
	   PLAIT_OK);
	OK_THAT(plait_plan_call(plan, rig.queue, NULL, &rig.error) == PLAIT_OK,
		"call: %s", rig.error.text);
	OK(plait_queue_call(rig.queue, add_one, &before, &rig.error) ==
	   PLAIT_OK);
	OK(plait_plan_run(plan, rig.queue, NULL, NULL, &rig.error) == PLAIT_OK);
	OK_THAT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
		PLAIT_OK, "finish: %s", rig.error.text);
	IS_UINT(before, 2);
	IS_UINT(count, calls ? 2 : 0);
	plait_plan_release(plan);
	close_rig(&rig);
}

static void without_workers(void)
{
	behind_work("chaos", false);
	behind_work("host,chaos", false);
	behind_work("host,chaos", true);
}

/* ---- emissions ---- */

static plait_plan *plan_of(bool emits)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;

	OK((emits ? plait_graph_emit(graph, rig.signal, 0, NULL, &rig.error) :
		    plait_graph_wait(graph, rig.signal, 1, 0, NULL,
				     &rig.error)) == PLAIT_OK);
	plan = freeze(graph, 1, 2);
	plait_graph_release(graph);
	return plan;
}

static plait_queue *new_queue(void)
{
	plait_queue *queue = NULL;

	OK(plait_queue_create(rig.device, NULL, &queue, &rig.error) ==
	   PLAIT_OK);
	return queue;
}

static void emit(plait_queue *queue)
{
	OK_THAT(plait_queue_emit(queue, rig.signal, NULL, &rig.error) ==
		PLAIT_OK, "emit: %s", rig.error.text);
}

static void finish(plait_queue *queue)
{
	OK_THAT(plait_queue_finish(queue, PLAIT_FOREVER, &rig.error) ==
		PLAIT_OK, "finish: %s", rig.error.text);
}

/* queue: gate | run | emission; another queue emits, too. */
static void check_behind(uint32_t workers, bool emits)
{
	plait_plan *plan;
	plait_queue *other;
	plait_run *run = NULL;

	if (!open_host(workers))
		return;
	plan = plan_of(emits);
	other = new_queue();
	OK(plait_queue_wait(rig.queue, rig.gate, 1, &rig.error) == PLAIT_OK);
	OK(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) == PLAIT_OK);
	emit(rig.queue);
	emit(other);
	OK(plait_signal_raise(rig.gate, 1, &rig.error) == PLAIT_OK);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_DEADLOCK);
	HAS_STR(rig.error.text, "behind the run");
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_DEADLOCK);
	IS_INT(plait_queue_finish(other, PLAIT_FOREVER, &rig.error),
	       PLAIT_E_DEADLOCK);
	plait_run_release(run);
	plait_queue_release(other);
	plait_plan_release(plan);
	close_rig(&rig);
}

/* Emissions in front of the run, and waits behind it, need not come later. */
static void check_in_front(uint32_t workers, bool emits)
{
	plait_plan *plan;
	plait_queue *other;

	if (!open_host(workers))
		return;
	plan = plan_of(emits);
	other = new_queue();
	OK(plait_queue_wait(other, rig.gate, 1, &rig.error) == PLAIT_OK);
	emit(other);
	OK(plait_plan_run(plan, rig.queue, NULL, NULL, &rig.error) == PLAIT_OK);
	OK(plait_queue_wait(rig.queue, rig.signal, 1, &rig.error) == PLAIT_OK);
	OK(plait_signal_raise(rig.gate, 1, &rig.error) == PLAIT_OK);
	finish(rig.queue);
	finish(other);
	emit(rig.queue);
	OK(plait_plan_run(plan, rig.queue, NULL, NULL, &rig.error) == PLAIT_OK);
	finish(rig.queue);
	plait_queue_release(other);
	plait_plan_release(plan);
	close_rig(&rig);
}

static void emissions(void)
{
	for (uint32_t i = 0; i < WORKERS; i++)
		for (int emits = 0; emits < 2; emits++) {
			check_behind(worker_counts[i], emits);
			check_in_front(worker_counts[i], emits);
		}
}

/* ---- calls inside a call ---- */

struct nested {
	plait_plan *plan;
	plait_status status;
};

/* Runs on the thread that waits in a call of the plan. */
static int32_t call_again(void *user_data)
{
	struct nested *nested = user_data;

	(void)plait_signal_raise(rig.gate, 1, NULL);
	nested->status = plait_plan_call(nested->plan, NULL, NULL, NULL);
	return 0;
}

/* Two runs of the plan conflict. */
static plait_plan *conflicting(plait_buffer *buffer)
{
	plait_graph *graph = new_graph();
	plait_node node = 0;
	plait_plan *plan;

	OK(plait_graph_fill(graph, buffer, 0, 16, 1, 4, 0, &node,
			    &rig.error) == PLAIT_OK);
	OK(plait_graph_wait(graph, rig.gate, 1, node, NULL, &rig.error) ==
	   PLAIT_OK);
	plan = freeze(graph, 1, 2);
	plait_graph_release(graph);
	return plan;
}

/* The outer run ends while its caller is inside the inner call. */
static void check_nested(uint32_t workers)
{
	struct nested nested = { .status = PLAIT_PENDING };
	plait_command command = { .size = sizeof(command),
				  .kind = PLAIT_COMMAND_CALL,
				  .function = call_again,
				  .user_data = &nested };
	plait_inbox *inbox = NULL;
	plait_buffer *buffer;

	if (!open_host(workers))
		return;
	buffer = make_buffer(&rig, 16, NULL);
	nested.plan = conflicting(buffer);
	OK(plait_inbox_create(rig.context, &inbox, &rig.error) == PLAIT_OK);
	command.inbox = inbox;
	OK(plait_queue_submit(rig.queue, &command, 1, NULL, &rig.error) ==
	   PLAIT_OK);
	OK_THAT(plait_plan_call(nested.plan, NULL, NULL, &rig.error) ==
		PLAIT_OK, "call: %s", rig.error.text);
	IS_INT(nested.status, PLAIT_OK);
	finish(rig.queue);
	plait_inbox_release(inbox);
	plait_plan_release(nested.plan);
	plait_buffer_release(buffer);
	close_rig(&rig);
}

static void inside_a_call(void)
{
	for (uint32_t i = 0; i < WORKERS; i++)
		check_nested(worker_counts[i]);
}

static const struct tap_scenario all[] = {
	{ "without workers", without_workers },
	{ "emissions", emissions },
	{ "inside a call", inside_a_call },
};
TAP_MAIN(all)
