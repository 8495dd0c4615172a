/* SPDX-License-Identifier: MIT */
/*
 * Functions that end their thread (pthread_exit) while that thread is inside of
 * a call of the library: the call leaves everything that it had entered, so
 * that objects end with their last reference, and plans can be used again.
 */
#include "lib/runs.h"

static int leaving; /* the next one that asks leaves */
static int counted;

static int32_t maybe_leave(void *user_data)
{
	(void)user_data;
	__atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST);
	if (__atomic_exchange_n(&leaving, 0, __ATOMIC_SEQ_CST))
		pthread_exit(NULL);
	return 0;
}

/* The action of the thread that may end. */
struct attempt {
	plait_status (*act)(struct attempt *attempt);
	plait_plan *plan;
	plait_queue *queue;
	plait_run *run;
	plait_inbox *inbox;
	uint32_t flags;
	plait_status status; /* PLAIT_PENDING: it did not come back */
};

static void *act(void *arg)
{
	struct attempt *attempt = arg;

	if (attempt->inbox != NULL)
		IS_INT(plait_inbox_adopt(attempt->inbox, NULL), PLAIT_OK);
	attempt->status = attempt->act(attempt);
	return NULL;
}

static void try_out(struct attempt *attempt)
{
	pthread_t thread;

	attempt->status = PLAIT_PENDING;
	__atomic_store_n(&leaving, 1, __ATOMIC_SEQ_CST);
	if (pthread_create(&thread, NULL, act, attempt) != 0)
		abort();
	pthread_join(thread, NULL);
	/* A worker may have run it: then the call came back. */
	OK_THAT(attempt->status == PLAIT_PENDING ||
		attempt->status == PLAIT_E_FAILED, "ends or fails: %s",
		plait_status_name(attempt->status));
	if (rig.flags == PLAIT_CONTEXT_NO_WORKERS || attempt->inbox != NULL)
		IS_INT(attempt->status, PLAIT_PENDING);
}

/* ---- plans ---- */

enum { NODES = 9 };

static bool asks; /* the function that may end its thread decides a loop */

static plait_node add_leaving(plait_graph *graph)
{
	plait_node_desc desc = { .kind = PLAIT_NODE_WHILE, .label = "a",
				 .function = maybe_leave,
				 .flags = PLAIT_CALL_ANY_THREAD };

	return asks ? add_node(graph, desc, NULL, 0) :
		      add_call(graph, "a", maybe_leave, &counted, NULL, 0);
}

/* The first of three chains may end its thread; all meet in the last node. */
static plait_plan *make_plan(uint32_t lanes, uint32_t instances)
{
	plait_graph *graph = new_graph();
	plait_node last[3];
	plait_plan *plan;

	for (int i = 0; i < 3; i++) {
		last[i] = i == 0 ? add_leaving(graph) :
			  add_call(graph, "a", add_one, &counted, NULL, 0);
		last[i] = add_call(graph, "b", add_one, &counted, &last[i], 1);
	}
	last[0] = add_call(graph, "c", add_one, &counted, &last[0], 1);
	last[0] = add_call(graph, "d", add_one, &counted, last, 3);
	(void)add_call(graph, "e", add_one, &counted, last, 1);
	plan = freeze(graph, lanes, instances);
	plait_graph_release(graph);
	return plan;
}

static plait_status call_plan(struct attempt *attempt)
{
	return call_with(attempt->plan, attempt->flags);
}

static plait_status wait_for_run(struct attempt *attempt)
{
	return plait_run_wait(attempt->run, PLAIT_FOREVER, NULL);
}

static plait_status call_behind(struct attempt *attempt)
{
	return plait_plan_call(attempt->plan, attempt->queue, NULL, NULL);
}

static plait_status finish(struct attempt *attempt)
{
	return plait_queue_finish(attempt->queue, PLAIT_FOREVER, NULL);
}

/*
 * The plan works again, as often as it has instances.  Of a run that lost its
 * caller one function may still be active in each of the other two chains.
 */
static void is_usable(plait_plan *plan, uint32_t flags)
{
	for (int i = 0; i < 3; i++) {
		int got;

		__atomic_store_n(&counted, 0, __ATOMIC_SEQ_CST);
		IS_INT((i % 2 ? run_with : call_with)(plan, flags), PLAIT_OK);
		got = __atomic_load_n(&counted, __ATOMIC_SEQ_CST);
		OK_THAT(got >= NODES && got <= NODES + 2, "%d counted", got);
	}
}

static void end_rig(plait_plan *plan)
{
	plait_plan_release(plan);
	close_rig(&rig); /* and all objects are destroyed */
}

/* With some workers, or none; behind those the simulated system. */
static bool open_setting(uint32_t number)
{
	if (number < 3)
		return open_host(worker_counts[number]);
	rig = settings[2];
	return open_rig(&rig);
}

static void in_every_setting(void (*check)(uint32_t lanes, uint32_t instances,
					   uint32_t flags))
{
	/* Lanes of the library do not query the progress of the queue. */
	const uint32_t count = RUN_FREEZE == 0 ? 3 : 4;

	for (uint32_t s = 0; s < count; s++)
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++)
			for (uint32_t i = 0; i < 4; i++)
				if (open_setting(s))
					check(1 + i / 2 * 2, 1 + i % 2,
					      run_flags[f]);
}

static void check_call(uint32_t lanes, uint32_t instances, uint32_t flags)
{
	struct attempt attempt = { .act = call_plan, .flags = flags };

	attempt.plan = make_plan(lanes, instances);
	for (int i = 0; i < 3; i++) {
		try_out(&attempt);
		is_usable(attempt.plan, flags);
	}
	/* The function is not run again. */
	try_out(&attempt);
	end_rig(attempt.plan);
}

static void in_a_call(void)
{
	in_every_setting(check_call);
}

static void check_run(uint32_t lanes, uint32_t instances, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	struct attempt attempt = { .act = wait_for_run, .queue = rig.queue };

	attempt.plan = make_plan(lanes, instances);
	for (int i = 0; i < 4; i++) {
		attempt.act = i % 2 ? finish : wait_for_run;
		__atomic_store_n(&leaving, 1, __ATOMIC_SEQ_CST);
		IS_INT(plait_plan_run(attempt.plan, rig.queue, &desc,
				      &attempt.run, &rig.error), PLAIT_OK);
		try_out(&attempt);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
		IS_INT(plait_run_poll(attempt.run, &rig.error),
		       PLAIT_E_FAILED);
		HAS_STR(rig.error.text, "did not return but ended its thread");
		/* On every engine and backend. */
		IS_INT(rig.error.origin, -1);
		plait_run_release(attempt.run);
		__atomic_store_n(&leaving, 0, __ATOMIC_SEQ_CST);
		is_usable(attempt.plan, flags);
	}
	end_rig(attempt.plan);
}

static void in_a_run(void)
{
	in_every_setting(check_run);
}

static void in_a_predicate(void)
{
	asks = true;
	in_every_setting(check_call);
	in_every_setting(check_run);
	asks = false;
}

/* The plan is behind a gate; its waiter serves an inbox meanwhile. */
static void check_inbox(uint32_t lanes, uint32_t instances, uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	struct attempt attempt = { .flags = flags, .queue = rig.queue };
	plait_queue *other = NULL;

	IS_INT(plait_queue_create(rig.device, NULL, &other, &rig.error),
	       PLAIT_OK);
	IS_INT(plait_inbox_create(rig.context, &attempt.inbox, &rig.error),
	       PLAIT_OK);
	attempt.plan = make_plan(lanes, instances);
	for (int i = 0; i < 3; i++) {
		const plait_command call = {
			.size = sizeof(call), .kind = PLAIT_COMMAND_CALL,
			.function = maybe_leave, .inbox = attempt.inbox,
		};

		IS_INT(plait_queue_submit(other, &call, 1, NULL, &rig.error),
		       PLAIT_OK);
		IS_INT(plait_queue_wait(rig.queue, rig.gate, i + 1,
					&rig.error), PLAIT_OK);
		attempt.act = i == 0 ? wait_for_run : i == 1 ? finish :
							       call_behind;
		attempt.run = NULL;
		if (i < 2)
			IS_INT(plait_plan_run(attempt.plan, rig.queue, &desc,
					      &attempt.run, &rig.error),
			       PLAIT_OK);
		try_out(&attempt);
		IS_INT(plait_signal_raise(rig.gate, i + 1, &rig.error),
		       PLAIT_OK);
		/* The waiting thread has ended; the run has not. */
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_OK);
		IS_INT(plait_queue_finish(other, PLAIT_FOREVER, NULL),
		       PLAIT_E_FAILED);
		plait_run_release(attempt.run);
		is_usable(attempt.plan, flags);
	}
	plait_queue_release(other);
	plait_inbox_release(attempt.inbox);
	end_rig(attempt.plan);
}

static void in_the_inbox(void)
{
	in_every_setting(check_inbox);
}

static const struct tap_scenario all[] = {
	{ "in an inbox that is served meanwhile", in_the_inbox },
	{ "in a call of a plan", in_a_call },
	{ "in a run that is waited for", in_a_run },
	{ "in a predicate", in_a_predicate },
};

TAP_MAIN(all)
