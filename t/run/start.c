/* SPDX-License-Identifier: MIT */
/* Plans without loops: order, failure, many runs, both ways to run, with no
 * and with several workers. */
#include "lib/runs.h"

enum { NODES = 12 };

static struct trace trace;
static struct mark marks[NODES];

static void reset_trace(void)
{
	memset(&trace, 0, sizeof(trace));
	for (uint32_t i = 0; i < NODES; i++)
		marks[i] = (struct mark){ .trace = &trace, .number = i };
}

/* Three chains that meet: 0 1 2 3, 4 5 6 7, 8 9 10, all before 11; and some
 * edges across. */
static const uint32_t edges[][2] = {
	{ 0, 1 }, { 1, 2 },  { 2, 3 },  { 4, 5 },  { 5, 6 },   { 6, 7 },
	{ 8, 9 }, { 9, 10 }, { 3, 11 }, { 7, 11 }, { 10, 11 }, { 1, 6 },
	{ 5, 10 }, { 9, 2 },
};

static plait_plan *make_plan(uint32_t lanes, uint32_t instances)
{
	plait_graph *graph = new_graph();
	plait_node nodes[NODES];
	plait_plan *plan;
	char label[8];

	for (uint32_t i = 0; i < NODES; i++) {
		(void)snprintf(label, sizeof(label), "n%u", i);
		nodes[i] = add_call(graph, label, put_mark, &marks[i], NULL, 0);
	}
	for (uint32_t i = 0; i < TAP_COUNT(edges); i++)
		OK(plait_graph_add_edge(graph, nodes[edges[i][0]],
				    nodes[edges[i][1]], &rig.error) ==
		   PLAIT_OK);
	plan = freeze(graph, lanes, instances);
	plait_graph_release(graph);
	return plan;
}

static bool in_order(void)
{
	bool good = true;

	for (uint32_t i = 0; i < TAP_COUNT(edges); i++)
		good = good && trace.at[edges[i][0]] < trace.at[edges[i][1]];
	return good;
}

static bool ran_each(uint32_t times)
{
	bool good = true;

	for (uint32_t i = 0; i < NODES; i++)
		good = good && trace.times[i] == times;
	return good;
}

static void runs_all_in_order(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		if (!open_host(worker_counts[w]))
			continue;
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++) {
			plait_plan *plan;
			bool good = true;

			reset_trace();
			plan = make_plan(3, 2);
			for (uint32_t i = 1; i <= 50; i++)
				good = good &&
				       (i % 2 ? call_with : run_with)(
					       plan, run_flags[f]) == PLAIT_OK &&
				       in_order() && ran_each(i);
			OK_THAT(good, "%u workers, flags %u: %s",
				worker_counts[w], run_flags[f],
				rig.error.text);
			plait_plan_release(plan);
		}
		close_rig(&rig);
	}
}

static void first_failure_ends_it(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_plan *plan;

		if (!open_host(worker_counts[w]))
			continue;
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++) {
			reset_trace();
			marks[5].result = 7;
			plan = make_plan(3, 2);
			IS_INT(call_with(plan, run_flags[f]), PLAIT_E_FAILED);
			IS_INT(rig.error.origin, 7);
			HAS_STR(rig.error.text, "node 5 \"n5\" failed with 7");
			IS_UINT(trace.times[5], 1);
			IS_UINT(trace.times[6] + trace.times[7] +
				trace.times[10] + trace.times[11], 0);
			/* And the plan works again. */
			reset_trace();
			IS_INT(run_with(plan, run_flags[f]), PLAIT_OK);
			OK(ran_each(1) && in_order());
			plait_plan_release(plan);
		}
		close_rig(&rig);
	}
}

/* On a queue a failed run is a command that failed. */
static void failure_on_a_queue(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_run_info info = { .size = sizeof(info) };
		plait_run *run = NULL;
		plait_plan *plan;
		int behind = 0;

		if (!open_host(worker_counts[w]))
			continue;
		reset_trace();
		marks[0].result = -3;
		plan = make_plan(2, 2);
		IS_INT(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error),
		       PLAIT_OK);
		IS_INT(plait_queue_call(rig.queue, add_one, &behind,
					&rig.error), PLAIT_OK);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
		       PLAIT_E_FAILED);
		HAS_STR(rig.error.text, "node 0 \"n0\" failed with -3");
		IS_INT(plait_run_poll(run, NULL), PLAIT_E_FAILED);
		IS_INT(plait_run_query(run, &info, NULL), PLAIT_OK);
		IS_INT(info.status, PLAIT_E_FAILED);
		OK(info.failed_command != UINT64_MAX);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_E_FAILED);
		HAS_STR(rig.error.text, "node 0 \"n0\" failed with -3");
		IS_INT(behind, 0);
		/* Reported once; then the queue is usable again. */
		IS_INT(plait_queue_call(rig.queue, add_one, &behind, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(behind, 1);
		plait_run_release(run);
		plait_plan_release(plan);
		close_rig(&rig);
	}
}

/* Commands of the queue before and behind a plan are ordered with all of it. */
static void is_one_command_of_its_queue(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		struct mark before = { &trace, 20, 0 };
		struct mark behind = { &trace, 21, 0 };
		plait_plan *plan;
		bool good = true;

		if (!open_host(worker_counts[w]))
			continue;
		reset_trace();
		plan = make_plan(3, 2);
		for (uint32_t i = 0; i < 20; i++) {
			reset_trace();
			good = good &&
			       !plait_queue_call(rig.queue, put_mark, &before,
						 &rig.error) &&
			       !plait_plan_run(plan, rig.queue, NULL, NULL,
					       &rig.error) &&
			       !plait_queue_call(rig.queue, put_mark, &behind,
						 &rig.error) &&
			       !plait_queue_finish(rig.queue, PLAIT_FOREVER,
						   &rig.error) &&
			       in_order() && ran_each(1) && trace.at[20] == 1 &&
			       trace.at[21] == NODES + 2;
		}
		OK_THAT(good, "%u workers: %s", worker_counts[w],
			rig.error.text);
		/* A call comes behind the commands that are there. */
		IS_INT(plait_queue_call(rig.queue, return_it,
					(void *)(intptr_t)5, &rig.error),
		       PLAIT_OK);
		reset_trace();
		IS_INT(plait_plan_call(plan, rig.queue, NULL, &rig.error),
		       PLAIT_E_FAILED);
		OK(ran_each(0));
		IS_INT(plait_plan_call(plan, rig.queue, NULL, &rig.error),
		       PLAIT_OK);
		OK(ran_each(1));
		plait_plan_release(plan);
		close_rig(&rig);
	}
}

/* A run on a queue that has failed before never starts, and reports that. */
static void behind_a_failure(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_run *run = NULL;
		plait_plan *plan;

		if (!open_host(worker_counts[w]))
			continue;
		reset_trace();
		plan = make_plan(3, 2);
		IS_INT(plait_queue_wait(rig.queue, rig.gate, 1, &rig.error) ||
		       plait_queue_call(rig.queue, return_it,
					(void *)(intptr_t)9, &rig.error),
		       PLAIT_OK);
		IS_INT(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error),
		       PLAIT_OK);
		IS_INT(plait_run_poll(run, NULL), PLAIT_PENDING);
		IS_INT(plait_run_wait(run, 0, NULL), PLAIT_E_TIMEOUT);
		IS_INT(plait_signal_raise(rig.gate, 1, &rig.error), PLAIT_OK);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
		       PLAIT_E_FAILED);
		HAS_STR(rig.error.text, "not run");
		OK(ran_each(0));
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_E_FAILED);
		IS_INT(rig.error.origin, 9);
		plait_run_release(run);
		plait_plan_release(plan);
		close_rig(&rig);
	}
}

static int32_t wait_for_flag(void *user_data)
{
	while (__atomic_load_n((int *)user_data, __ATOMIC_SEQ_CST) == 0)
		pause_a_little();
	return 0;
}

/* The number of instances is fixed; a caller that may not wait gets an
 * error. */
static void instances_are_a_limit(void)
{
	const plait_run_desc hasty = { .size = sizeof(hasty),
				       .flags = PLAIT_RUN_NO_WAIT };
	plait_queue *queues[3] = { NULL };
	plait_graph *graph;
	plait_plan *plan;
	int flag = 0;

	if (!open_host(4))
		return;
	graph = new_graph();
	(void)add_call(graph, "slow", wait_for_flag, &flag, NULL, 0);
	plan = freeze(graph, 1, 2);
	for (int i = 0; i < 3; i++)
		OK(plait_queue_create(rig.device, NULL, &queues[i],
				      &rig.error) == PLAIT_OK);
	IS_INT(plait_plan_run(plan, queues[0], &hasty, NULL, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_plan_run(plan, queues[1], &hasty, NULL, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_plan_run(plan, queues[2], &hasty, NULL, &rig.error),
	       PLAIT_E_BUSY);
	HAS_STR(rig.error.text, "all 2 instances");
	__atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
	IS_INT(plait_plan_run(plan, queues[2], NULL, NULL, &rig.error),
	       PLAIT_OK);
	for (int i = 0; i < 3; i++)
		IS_INT(plait_queue_finish(queues[i], PLAIT_FOREVER,
					  &rig.error), PLAIT_OK);
	/* A finished run has returned its instance. */
	for (int i = 0; i < 100; i++) {
		if (plait_plan_run(plan, queues[0], &hasty, NULL, NULL) ||
		    plait_queue_finish(queues[0], PLAIT_FOREVER, NULL))
			OK_THAT(false, "round %d", i);
	}
	for (int i = 0; i < 3; i++)
		plait_queue_release(queues[i]);
	plait_graph_release(graph);
	plait_plan_release(plan);
	close_rig(&rig);
}

struct many {
	plait_plan *plan;
	int failures;
};

static void *call_many(void *arg)
{
	struct many *many = arg;
	plait_error error = { .size = sizeof(error) };

	for (int i = 0; i < 200; i++) {
		const plait_run_desc desc = {
			.size = sizeof(desc),
			.flags = i % 3 == 0 ? PLAIT_RUN_PARALLEL : 0,
		};

		if (plait_plan_call(many->plan, NULL, &desc, &error))
			many->failures++;
	}
	return NULL;
}

static void threads_share_a_plan(void)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	struct many many[THREADS];

	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_plan *plan;

		if (!open_host(worker_counts[w]))
			continue;
		reset_trace();
		trace.overlaps = true;
		plan = make_plan(3, 3);
		for (int i = 0; i < THREADS; i++) {
			many[i] = (struct many){ plan, 0 };
			OK(pthread_create(&threads[i], NULL, call_many,
					  &many[i]) == 0);
		}
		for (int i = 0; i < THREADS; i++) {
			(void)pthread_join(threads[i], NULL);
			IS_INT(many[i].failures, 0);
		}
		OK(ran_each(200 * THREADS));
		plait_plan_release(plan);
		close_rig(&rig);
	}
}

/* All is released while it runs. */
static void released_in_flight(void)
{
	for (uint32_t w = 1; w < WORKERS; w++) {
		plait_plan *plan;
		plait_run *run = NULL;

		if (!open_host(worker_counts[w]))
			continue;
		reset_trace();
		plan = make_plan(3, 2);
		IS_INT(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error),
		       PLAIT_OK);
		plait_plan_release(plan);
		plait_run_release(run);
		close_rig(&rig);
		OK(ran_each(1));
	}
}

static int32_t end_thread(void *user_data)
{
	(void)user_data;
	pthread_exit(NULL);
}

/* A function that ends its thread fails its node, and no more. */
static void thread_ends_inside(void)
{
	plait_graph *graph;
	plait_plan *plan;
	int after = 0;

	if (!open_host(2))
		return;
	graph = new_graph();
	plait_node bad = add_call(graph, "bad", end_thread, NULL, NULL, 0);

	(void)add_call(graph, "after", add_one, &after, &bad, 1);
	plan = freeze(graph, 2, 2);
	for (int i = 0; i < 5; i++) {
		plait_run *run = NULL;

		IS_INT(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error),
		       PLAIT_OK);
		/* Polled: a waiting thread may do the work itself. */
		while (plait_run_poll(run, &rig.error) == PLAIT_PENDING)
			pause_a_little();
		IS_INT(plait_run_poll(run, &rig.error), PLAIT_E_FAILED);
		HAS_STR(rig.error.text, "node 0 \"bad\" did not return");
		plait_run_release(run);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
		       PLAIT_E_FAILED);
	}
	IS_INT(after, 0);
	plait_graph_release(graph);
	plait_plan_release(plan);
	close_rig(&rig);
}

/* The mistake is named, and no instance is taken. */
static void bad_input(void)
{
	plait_run_desc desc = { .size = sizeof(desc) };
	plait_run *run = (plait_run *)&desc;
	plait_plan *plan;

	if (!open_host(1))
		return;
	reset_trace();
	plan = make_plan(2, 1);
	IS_INT(plait_plan_run(plan, NULL, NULL, &run, &rig.error),
	       PLAIT_E_INVALID);
	IS_PTR(run, NULL);
	IS_INT(plait_plan_run(NULL, rig.queue, NULL, NULL, NULL),
	       PLAIT_E_HANDLE);
	IS_INT(plait_plan_call((plait_plan *)rig.queue, NULL, NULL, NULL),
	       PLAIT_E_HANDLE);
	IS_INT(plait_plan_call(plan, (plait_queue *)plan, NULL, NULL),
	       PLAIT_E_HANDLE);
	desc.flags = PLAIT_RUN_SERIAL | PLAIT_RUN_PARALLEL;
	IS_INT(plait_plan_call(plan, NULL, &desc, NULL), PLAIT_E_INVALID);
	desc.flags = 1u << 30;
	IS_INT(plait_plan_call(plan, NULL, &desc, NULL), PLAIT_E_UNSUPPORTED);
	desc.flags = 0;
	desc.binding_count = 1;
	IS_INT(plait_plan_call(plan, NULL, &desc, NULL), PLAIT_E_INVALID);
	desc.size = 3;
	IS_INT(plait_plan_call(plan, NULL, &desc, NULL), PLAIT_E_INVALID);
	IS_INT(plait_run_wait(NULL, 0, NULL), PLAIT_E_HANDLE);
	IS_INT(plait_run_poll((plait_run *)plan, NULL), PLAIT_E_HANDLE);
	IS_INT(plait_run_cancel(NULL, NULL), PLAIT_E_HANDLE);
	IS_INT(plait_run_notify(NULL, NULL, NULL, NULL, NULL), PLAIT_E_HANDLE);
	plait_run_release(NULL);
	plait_run_retain(NULL);
	/* The one instance is still there. */
	IS_INT(plait_plan_call(plan, NULL, NULL, &rig.error), PLAIT_OK);
	OK(ran_each(1));
	plait_plan_release(plan);
	close_rig(&rig);
}

/* ---- cancelled by one of its own functions ---- */

struct stopper {
	plait_run *run;
	uint32_t at, called;
};

static int32_t stop_here(void *user_data)
{
	struct stopper *stopper = user_data;

	if (stopper->called++ == stopper->at)
		(void)plait_run_cancel(stopper->run, NULL);
	return 0;
}

/* No call of a sequence without waits follows it.  A gate holds the run until
 * its function can know it. */
static void check_stopped(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_graph *graph = new_graph();
	struct stopper stopper = { .run = NULL };
	plait_node last = 0;
	plait_plan *plan;
	uint64_t raised = 0;

	for (uint32_t i = 0; i < NODES - 1; i++)
		last = add_call(graph, NULL, stop_here, &stopper, &last,
				i > 0);
	plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	OK(plait_signal_query(rig.gate, &raised, NULL, NULL) == PLAIT_OK);
	for (stopper.at = 0; stopper.at < NODES; stopper.at++) {
		stopper.called = 0;
		OK(plait_queue_wait(rig.queue, rig.gate, ++raised, NULL) ==
		   PLAIT_OK);
		OK(plait_plan_run(plan, rig.queue, &desc, &stopper.run,
				  NULL) == PLAIT_OK);
		OK(plait_signal_raise(rig.gate, raised, NULL) == PLAIT_OK);
		IS_INT(plait_run_wait(stopper.run, PLAIT_FOREVER, NULL),
		       stopper.at < NODES - 1 ? PLAIT_E_CANCELLED : PLAIT_OK);
		IS_UINT(stopper.called, stopper.at < NODES - 1 ?
					stopper.at + 1 : NODES - 1);
		plait_run_release(stopper.run);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	}
	plait_plan_release(plan);
}

static void stopped_inside(void)
{
	everywhere(check_stopped);
}

static const struct tap_scenario all[] = {
	{ "runs all in order", runs_all_in_order },
	{ "first failure ends it", first_failure_ends_it },
	{ "failure on a queue", failure_on_a_queue },
	{ "is one command of its queue", is_one_command_of_its_queue },
	{ "behind a failure", behind_a_failure },
	{ "instances are a limit", instances_are_a_limit },
	{ "threads share a plan", threads_share_a_plan },
	{ "released in flight", released_in_flight },
	{ "thread ends inside", thread_ends_inside },
	{ "bad input", bad_input },
	{ "cancelled by its own functions", stopped_inside },
};
TAP_MAIN(all)
