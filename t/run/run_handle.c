/* SPDX-License-Identifier: MIT */
/* Failed loops and cancelled runs: no command starts any more, in any body, and
 * the plan works again. */
#include "lib/runs.h"

#include <poll.h>

struct fuse {
	uint64_t left;
	uint64_t ran;
};

static int32_t burn(void *user_data)
{
	struct fuse *fuse = user_data;

	fuse->ran++;
	return --fuse->left == 0 ? 42 : 0;
}

static int32_t always(void *user_data)
{
	(void)user_data;
	return 1;
}

static plait_node add_endless(plait_graph *graph)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_WHILE, .label = "endless",
		.flags = PLAIT_CALL_ANY_THREAD, .function = always,
	};

	return add_node(graph, desc, NULL, 0);
}

/* In iteration 30, in a loop in a loop; then the plan works again. */
static void check_failure(uint32_t flags)
{
	struct fuse fuse = { 30, 0 };
	uint64_t beside = 0, behind = 0;
	plait_graph *graph = new_graph();
	plait_node outer = add_endless(graph);
	plait_graph *body = body_of(graph, outer, 0);
	plait_node inner = add_endless(body);
	plait_graph *deep = body_of(body, inner, 0);
	plait_plan *plan;

	(void)add_call(deep, "burn", burn, &fuse, NULL, 0);
	(void)add_call(deep, "beside", bump, &beside, NULL, 0);
	(void)add_call(graph, "behind", bump, &behind, &outer, 1);
	plan = freeze(graph, 2, 1);
	for (int i = 0; i < 3; i++) {
		fuse = (struct fuse){ 30, 0 };
		IS_INT((i % 2 ? run_with : call_with)(plan, flags),
		       PLAIT_E_FAILED);
		IS_INT(rig.error.origin, 42);
		HAS_STR(rig.error.text, "\"burn\" failed with 42");
		IS_UINT(fuse.ran, 30);
	}
	IS_UINT(behind, 0);
	plait_plan_release(plan);
	plait_graph_release(deep);
	plait_graph_release(body);
	plait_graph_release(graph);
}

static void failures(void)
{
	everywhere(check_failure);
}

static int32_t count_up(void *user_data)
{
	__atomic_add_fetch((uint64_t *)user_data, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* At any iteration, also of a loop in a loop, on several lanes. */
static void cancels(void)
{
	for (uint32_t w = 1; w < WORKERS; w++) {
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++) {
			const plait_run_desc desc = { .size = sizeof(desc),
						      .flags = run_flags[f] };
			uint64_t rounds = 0;
			plait_graph *graph, *body, *deep;
			plait_run *run = NULL;
			plait_plan *plan;
			plait_node node;

			if (!open_host(worker_counts[w]))
				continue;
			graph = new_graph();
			node = add_endless(graph);
			body = body_of(graph, node, 0);
			node = add_endless(body);
			deep = body_of(body, node, 0);
			(void)add_call(deep, "x", count_up, &rounds, NULL, 0);
			(void)add_call(deep, "y", count_up, &rounds, NULL, 0);
			plan = freeze(graph, 2, 1);
			for (int i = 0; i < 5; i++) {
				uint64_t from = __atomic_load_n(
					&rounds, __ATOMIC_SEQ_CST);

				IS_INT(plait_plan_run(plan, rig.queue, &desc,
						      &run, &rig.error),
				       PLAIT_OK);
				while (__atomic_load_n(&rounds,
						       __ATOMIC_SEQ_CST) <
				       from + 10 * (uint64_t)i)
					pause_a_little();
				IS_INT(plait_run_cancel(run, NULL), PLAIT_OK);
				IS_INT(plait_run_wait(run, PLAIT_FOREVER,
						      &rig.error),
				       PLAIT_E_CANCELLED);
				IS_INT(plait_run_cancel(run, NULL), PLAIT_OK);
				IS_INT(plait_run_poll(run, NULL),
				       PLAIT_E_CANCELLED);
				plait_run_release(run);
				(void)plait_queue_finish(
					rig.queue, PLAIT_FOREVER, NULL);
			}
			plait_plan_release(plan);
			plait_graph_release(deep);
			plait_graph_release(body);
			plait_graph_release(graph);
			close_rig(&rig);
		}
	}
}

/* Ends before it started, when cancelled behind a command that waits. */
static void cancels_waiting_runs(void)
{
	uint64_t ran = 0;
	plait_graph *graph;
	plait_run *run = NULL;
	plait_plan *plan;

	if (!open_host(1))
		return;
	graph = new_graph();
	(void)add_call(graph, "x", bump, &ran, NULL, 0);
	plan = freeze(graph, 1, 1);
	OK(plait_queue_wait(rig.queue, rig.gate, 1, &rig.error) == PLAIT_OK);
	IS_INT(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_run_cancel(run, NULL), PLAIT_OK);
	IS_INT(plait_signal_raise(rig.gate, 1, NULL), PLAIT_OK);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_E_CANCELLED);
	IS_UINT(ran, 0);
	plait_run_release(run);
	plait_graph_release(graph);
	plait_plan_release(plan);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	close_rig(&rig);
}

/* The queue that a run finds: so many calls in front of it. */
struct front {
	uint64_t calls;
	uint64_t expected;
	uint64_t runs;
};

static int32_t look_in_front(void *user_data)
{
	struct front *front = user_data;

	front->runs++;
	return front->calls == front->expected ? 0 : 1;
}

static int32_t refuse(void *user_data)
{
	++*(uint64_t *)user_data;
	return 7;
}

static plait_plan *plan_of(plait_host_function function, void *user_data)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_call(graph, "x", function, user_data, NULL, 0);
	plan = freeze(graph, 1, 2);
	plait_graph_release(graph);
	return plan;
}

/* Waits for the run alone: its queue may not have gone past it. */
static plait_status run_alone(plait_plan *plan, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_run *run = NULL;
	plait_status status;

	status = plait_plan_run(plan, rig.queue, &desc, &run, &rig.error);
	if (status == PLAIT_OK)
		status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);
	plait_run_release(run);
	return status;
}

static void check_order(uint32_t flags)
{
	struct front front = { 0 };
	plait_plan *plan = plan_of(look_in_front, &front);
	bool good = true;

	for (uint32_t i = 0; i < 200; i++) {
		/* One, two, many runs between two calls. */
		if (i % 7 == 0 || i % 3 == 0) {
			front.expected++;
			good = good && plait_queue_call(rig.queue, bump,
							&front.calls,
							&rig.error) == PLAIT_OK;
		}
		good = good && run_alone(plan, flags) == PLAIT_OK;
		good = good && plait_plan_call(plan, rig.queue, NULL,
					       &rig.error) == PLAIT_OK;
	}
	OK_THAT(good, "%s", rig.error.text);
	IS_UINT(front.runs, 400);
	plait_plan_release(plan);
}

static void check_failures(uint32_t flags)
{
	struct front front = { 0 };
	uint64_t refused = 0;
	plait_plan *plan = plan_of(look_in_front, &front);
	plait_plan *bad = plan_of(refuse, &refused);

	for (int i = 0; i < 3; i++) {
		IS_INT(run_alone(plan, flags), PLAIT_OK);
		IS_INT(run_alone(bad, flags), PLAIT_E_FAILED);
		IS_INT(run_alone(plan, flags), PLAIT_E_FAILED);
		IS_INT(run_alone(plan, flags), PLAIT_E_FAILED);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
		       PLAIT_E_FAILED);
		IS_INT(run_alone(plan, flags), PLAIT_OK);
		IS_INT(plait_queue_call(rig.queue, refuse, &refused, NULL),
		       PLAIT_OK);
		IS_INT(run_alone(plan, flags), PLAIT_E_FAILED);
		IS_INT(run_alone(plan, flags), PLAIT_E_FAILED);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
		       PLAIT_E_FAILED);
	}
	IS_UINT(refused, 6);
	IS_UINT(front.runs, 6);
	plait_plan_release(bad);
	plait_plan_release(plan);
}

static void queues_without_finish(void)
{
	everywhere(check_order);
	everywhere(check_failures);
}

static bool is_readable(plait_inbox *inbox, int patience_ms)
{
	struct pollfd at = { .events = POLLIN };

	return OK(plait_inbox_descriptor(inbox, &at.fd, NULL) == PLAIT_OK) &&
	       poll(&at, 1, patience_ms) == 1;
}

/* A thread that sleeps on a descriptor wakes when a run is over, and not
 * before. */
static void ends_are_polled(void)
{
	const int patience_ms = (int)(TAP_PATIENCE_NS / 1000000);
	plait_event event = { .size = sizeof(event) };
	plait_inbox *inbox = NULL;
	plait_run *run = NULL;
	uint64_t ran = 0;
	plait_plan *plan;

	if (!open_host(1))
		return;
	OK(plait_inbox_create(rig.context, &inbox, NULL) == PLAIT_OK);
	plan = plan_of(bump, &ran);
	for (uint64_t i = 1; i <= 3; i++) {
		OK(plait_queue_wait(rig.queue, rig.gate, i, NULL) == PLAIT_OK);
		OK(plait_plan_run(plan, rig.queue, NULL, &run, NULL) ==
		   PLAIT_OK);
		OK(plait_run_notify(run, inbox, NULL, &ran, NULL) == PLAIT_OK);
		OK(!is_readable(inbox, 0));
		OK(plait_signal_raise(rig.gate, i, NULL) == PLAIT_OK);
		OK(is_readable(inbox, patience_ms));
		IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_OK);
		OK(event.kind == PLAIT_EVENT_RUN && event.run == run &&
		   event.status == PLAIT_OK && event.user_data == &ran);
		IS_UINT(ran, i);
		OK(!is_readable(inbox, 0));
		plait_run_release(run);
	}
	plait_plan_release(plan);
	plait_inbox_release(inbox);
	close_rig(&rig);
}

/* A function that is called at the end is called for a cancelled run, too. */
static void ends_are_heard(void)
{
	plait_command wait = { .size = sizeof(wait),
			       .kind = PLAIT_COMMAND_WAIT, .sequence = 1 };
	uint64_t ran = 0, heard = 0, count = 0;
	plait_inbox *inbox = NULL;
	plait_graph *graph;
	plait_run *run = NULL;
	plait_plan *plan;

	if (!open_host(1))
		return;
	wait.signal = rig.gate;
	OK(plait_inbox_create(rig.context, &inbox, NULL) == PLAIT_OK);
	graph = new_graph();
	(void)add_call(graph, "x", bump, &ran, NULL, 0);
	plan = freeze(graph, 1, 1);
	OK(plait_queue_submit(rig.queue, &wait, 1, NULL, NULL) == PLAIT_OK);
	OK(plait_plan_run(plan, rig.queue, NULL, &run, NULL) == PLAIT_OK);
	OK(plait_run_notify(run, inbox, bump, &heard, NULL) == PLAIT_OK);
	OK(plait_run_cancel(run, NULL) == PLAIT_OK);
	OK(plait_signal_raise(rig.gate, 1, NULL) == PLAIT_OK);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	while (plait_inbox_wait(inbox, heard == 0 ? TAP_PATIENCE_NS : 0,
				NULL) == PLAIT_OK && count == 0)
		IS_INT(plait_inbox_pump(inbox, 0, &count, NULL), PLAIT_OK);
	IS_INT(plait_run_poll(run, NULL), PLAIT_E_CANCELLED);
	IS_UINT(heard, 1);
	IS_UINT(ran, 0);
	plait_run_release(run);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_inbox_release(inbox);
	close_rig(&rig);
}

static int32_t note_thread(void *user_data)
{
	*(pthread_t *)user_data = pthread_self();
	return 0;
}

/* The user has nothing but a run, which makes progress only while a thread
 * waits: it is done in such a wait. */
static void only_a_run_is_left(void)
{
	pthread_t where = pthread_self();
	plait_graph *graph;
	plait_plan *plan;
	plait_run *run = NULL;

	if (!open_host(0))
		return;
	graph = new_graph();
	(void)add_call(graph, "x", note_thread, &where, NULL, 0);
	plan = freeze(graph, 1, 1);
	OK(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) == PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_signal_release(rig.gate);
	plait_signal_release(rig.signal);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	for (int i = 0; i < 50; i++)
		pause_a_little();
	IS_INT(plait_run_poll(run, &rig.error), PLAIT_PENDING);
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), PLAIT_OK);
	OK(pthread_equal(where, pthread_self()));
	plait_run_release(run);
	OK(all_gone());
}

static const struct tap_scenario all[] = {
	{ "failure in a body", failures },
	{ "cancel", cancels },
	{ "cancel waiting runs", cancels_waiting_runs },
	{ "queues without a finish", queues_without_finish },
	{ "ends are heard", ends_are_heard },
	{ "ends are polled", ends_are_polled },
	{ "only a run is left", only_a_run_is_left },
};
TAP_MAIN(all)
