/* SPDX-License-Identifier: MIT */
/* Random programs of coroutines: each suspends at every step, with an await or a
 * wait that is drawn, some of which pass their deadline, and some stay on their first worker;
 * some runs are cancelled.
 * The program opens the gates that they ask for. */
#include "lib/runs.h"

#include "plait/flow.h"

#include <pthread.h>

enum { ACTORS = 10, STEPS = 12, ROUNDS = 4 };

#define SHORT_NS UINT64_C(50000)

struct actor {
	uint32_t random;
	plait_signal *gates[2];
	uint64_t wanted;	/* atomic: the value that both gates are to
				 * come to */
	plait_queue *queue;
	plait_plan *leaf;	/* bumps `leaves` */
	plait_plan *late;	/* then waits for the first gate */
	plait_flow *flow;
	plait_data *data;
	uint64_t leaves, want_leaves, tasks, want_tasks;
	uint32_t steps, bad;
	bool bound;		/* stays on its first worker */
	uint32_t moves;		/* steps after which it was on another thread */
	plait_status last;
	char text[PLAIT_ERROR_TEXT_BYTES];
};

static struct actor actors[ACTORS];
static uint32_t seed;

static uint32_t draw(struct actor *actor, uint32_t below)
{
	actor->random = actor->random * 1664525 + 1013904223;
	return (actor->random >> 16) % below;
}

/* Ask the program for the next value of the gates. */
static uint64_t ask(struct actor *actor)
{
	return __atomic_add_fetch(&actor->wanted, 1, __ATOMIC_SEQ_CST);
}

static plait_status await_gate(struct actor *actor, plait_error *error)
{
	uint64_t next = ask(actor);

	return draw(actor, 2) ?
		plait_await_signal(actor->gates[0], next, PLAIT_FOREVER,
				   error) :
		plait_signal_wait(actor->gates[1], next, PLAIT_FOREVER, error);
}

static plait_status await_both(struct actor *actor, plait_error *error)
{
	uint64_t next = ask(actor);
	const plait_point points[] = { { actor->gates[0], next },
				       { actor->gates[1], next } };
	int32_t mode = draw(actor, 2) ? PLAIT_WAIT_ANY : PLAIT_WAIT_ALL;

	return draw(actor, 2) ?
		plait_await_points(points, 2, mode, PLAIT_FOREVER, NULL,
				   error) :
		plait_signal_wait_points(points, 2, mode, PLAIT_FOREVER, NULL,
					 error);
}

/* A value that the gates do not come to. */
static plait_status await_deadline(struct actor *actor, plait_error *error)
{
	const plait_point points[] = { { actor->gates[0], UINT32_MAX },
				       { actor->gates[1], UINT32_MAX } };
	uint64_t timeout_ns = draw(actor, 2) ? SHORT_NS : 0;
	plait_status status = draw(actor, 2) ?
		plait_await_signal(actor->gates[0], UINT32_MAX, timeout_ns,
				   error) :
		plait_await_points(points, 2, PLAIT_WAIT_ANY, timeout_ns, NULL,
				   error);

	return status == PLAIT_E_TIMEOUT ? PLAIT_OK :
	       status == PLAIT_OK ? PLAIT_E_FAILED : status;
}

static plait_status await_run(struct actor *actor, plait_error *error)
{
	plait_run *run = NULL;
	plait_status status = plait_plan_run(actor->leaf, actor->queue, NULL,
					     &run, error);

	if (status != PLAIT_OK)
		return status;
	status = draw(actor, 2) ?
		plait_await_run(run, PLAIT_FOREVER, error) :
		plait_run_wait(run, PLAIT_FOREVER, error);
	plait_run_release(run);
	actor->want_leaves++;
	return status;
}

static plait_status await_plan(struct actor *actor, plait_error *error)
{
	bool late = draw(actor, 2);
	plait_plan *plan = late ? actor->late : actor->leaf;
	plait_status status;

	actor->want_leaves++;
	if (late)
		(void)ask(actor);
	switch (draw(actor, 3)) {
	case 0:
		status = plait_await_plan(plan, actor->queue, NULL,
					  PLAIT_FOREVER, error);
		break;
	case 1:
		status = plait_plan_call(plan, actor->queue, NULL, error);
		break;
	default:
		status = plait_plan_call(plan, NULL, NULL, error);
		break;
	}
	return status;
}

static plait_status await_queue(struct actor *actor, plait_error *error)
{
	plait_status status = plait_queue_wait(actor->queue, actor->gates[0],
					       ask(actor), error);

	if (status == PLAIT_OK)
		status = plait_queue_call(actor->queue, bump, &actor->leaves,
					  error);
	actor->want_leaves++;
	return status != PLAIT_OK ? status :
	       plait_queue_finish(actor->queue, PLAIT_FOREVER, error);
}

static plait_status submit(struct actor *actor, plait_error *error)
{
	const plait_access access = { .size = sizeof(access),
				      .mode = PLAIT_ACCESS_READ_WRITE,
				      .data = actor->data };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = bump, .user_data = &actor->tasks,
		.accesses = &access, .access_count = 1,
	};

	actor->want_tasks++;
	return plait_flow_submit(actor->flow, &desc, NULL, error);
}

/* More tasks than the window has, behind one that waits for a gate. */
static plait_status await_tasks(struct actor *actor, plait_error *error)
{
	const plait_task_desc gate = {
		.size = sizeof(gate), .kind = PLAIT_TASK_WAIT,
		.signal = actor->gates[1], .sequence = ask(actor),
		.flags = PLAIT_TASK_BARRIER,
	};
	uint64_t values[2];
	plait_task task = 0;
	plait_status status = plait_flow_submit(actor->flow, &gate, &task,
						error);

	for (uint32_t i = draw(actor, 40); status == PLAIT_OK && i > 0; i--)
		status = submit(actor, error);
	if (status != PLAIT_OK)
		return status;
	switch (draw(actor, 4)) {
	case 0:
		return plait_await_task(actor->flow, task, PLAIT_FOREVER,
					error);
	case 1:
		return plait_await_task(actor->flow, 0, PLAIT_FOREVER, error);
	case 2:
		return plait_flow_wait(actor->flow, 0, PLAIT_FOREVER, error);
	default:
		return plait_data_read(actor->data, NULL, values, error);
	}
}

static plait_status take_turn(struct actor *actor, plait_error *error)
{
	(void)actor;
	return plait_yield(error);
}

static int32_t act(void *user_data)
{
	static plait_status (*const kinds[])(struct actor *actor,
					     plait_error *error) = {
		take_turn, await_gate, await_both, await_deadline, await_run,
		await_plan, await_queue, await_tasks,
	};
	struct actor *actor = user_data;
	plait_error error = { .size = sizeof(error) };
	const pthread_t first = pthread_self();

	for (actor->steps = 0; actor->steps < STEPS; actor->steps++) {
		uint32_t kind = draw(actor, TAP_COUNT(kinds));

		actor->last = kinds[kind](actor, &error);
		actor->moves += !pthread_equal(first, pthread_self());
		if (actor->last == PLAIT_OK)
			continue;
		(void)snprintf(actor->text, sizeof(actor->text),
			       "step %u, kind %u: %d %.300s", actor->steps, kind,
			       (int)actor->last, error.text);
		return actor->last == PLAIT_E_CANCELLED ? 0 : 1;
	}
	return 0;
}

/* ---- the program ---- */

static plait_plan *leaf_of(struct actor *actor, bool late)
{
	const plait_node_desc wait = { .kind = PLAIT_NODE_WAIT, .sequence = 0,
				       .signal = actor->gates[0] };
	plait_graph *graph = new_graph();
	plait_node node = add_call(graph, "leaf", bump, &actor->leaves, NULL, 0);
	plait_plan *plan;

	if (late)
		(void)add_node(graph, wait, &node, 1);
	plan = freeze(graph, 1, 4);
	plait_graph_release(graph);
	return plan;
}

static void open_actor(struct actor *actor, uint32_t number)
{
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };
	const plait_flow_desc flow = { .size = sizeof(flow), .window = 16 };
	const plait_data_desc data = { .size = sizeof(data), .dimensions = 1,
				       .element_bytes = 8, .extent = { 2 } };

	*actor = (struct actor){ .random = seed * 2654435761u + number };
	actor->bound = rig.workers != 0 && draw(actor, 2) != 0;
	for (int i = 0; i < 2; i++)
		OK(plait_signal_create(rig.device, &gate, &actor->gates[i],
				       NULL) == PLAIT_OK);
	OK(plait_queue_create(rig.device, NULL, &actor->queue, NULL) ==
	   PLAIT_OK);
	OK(plait_flow_create(rig.context, &flow, &actor->flow, NULL) ==
	   PLAIT_OK);
	OK(plait_data_create(actor->flow, &data, &actor->data, NULL) ==
	   PLAIT_OK);
	actor->leaf = leaf_of(actor, false);
	actor->late = leaf_of(actor, true);
}

static void open_gates(struct actor *actor)
{
	uint64_t wanted = __atomic_load_n(&actor->wanted, __ATOMIC_SEQ_CST);

	for (int i = 0; i < 2; i++)
		(void)plait_signal_raise(actor->gates[i], wanted, NULL);
}

static void close_actor(struct actor *actor)
{
	open_gates(actor);
	(void)plait_flow_wait(actor->flow, 0, PLAIT_FOREVER, NULL);
	(void)plait_queue_finish(actor->queue, PLAIT_FOREVER, NULL);
	plait_data_release(actor->data);
	plait_flow_release(actor->flow);
	plait_plan_release(actor->late);
	plait_plan_release(actor->leaf);
	plait_queue_release(actor->queue);
	for (int i = 0; i < 2; i++)
		plait_signal_release(actor->gates[i]);
}

static plait_plan *plan_of_actors(void)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;

	for (uint32_t i = 0; i < ACTORS; i++) {
		const plait_node_desc desc = {
			.kind = PLAIT_NODE_CALL, .label = "actor",
			.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE |
				 (actors[i].bound ? PLAIT_CALL_FIRST_WORKER :
						    0),
			.function = act, .user_data = &actors[i],
		};

		(void)add_node(graph, desc, NULL, 0);
	}
	plan = freeze(graph, ACTORS, 1);
	plait_graph_release(graph);
	return plan;
}

/* `turns`: how often the program looks before it cancels the run; 0: never. */
static void run_round(plait_plan *plan, uint32_t flags, uint32_t turns)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_run *run = NULL;
	plait_status status = PLAIT_E_TIMEOUT;

	OK(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
	   PLAIT_OK);
	for (uint32_t turn = 1; status == PLAIT_E_TIMEOUT; turn++) {
		for (uint32_t i = 0; i < ACTORS; i++)
			open_gates(&actors[i]);
		status = plait_run_wait(run, 20000, &rig.error);
		if (turn == turns)
			(void)plait_run_cancel(run, NULL);
	}
	OK_THAT(status == PLAIT_OK ||
		(turns != 0 && status == PLAIT_E_CANCELLED), "run: %d %s",
		(int)status, rig.error.text);
	for (uint32_t i = 0; i < ACTORS; i++)
		OK_THAT(actors[i].last == PLAIT_OK ||
			(turns != 0 && actors[i].last == PLAIT_E_CANCELLED),
			"actor %u: %s", i, actors[i].text);
	for (uint32_t i = 0; i < ACTORS; i++)
		OK(!actors[i].bound || actors[i].moves == 0);
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
}

static void check_counts(void)
{
	for (uint32_t i = 0; i < ACTORS; i++) {
		IS_UINT(actors[i].steps, STEPS);
		IS_UINT(actors[i].leaves, actors[i].want_leaves);
		IS_UINT(actors[i].tasks, actors[i].want_tasks);
	}
}

static void check_actors(uint32_t flags)
{
	for (uint32_t round = 0; round < ROUNDS; round++) {
		bool cancels = round % 2 == 1;
		plait_plan *plan;

		seed++;
		for (uint32_t i = 0; i < ACTORS; i++)
			open_actor(&actors[i], i);
		plan = plan_of_actors();
		run_round(plan, flags, cancels ? 1 + seed % 40 : 0);
		for (uint32_t i = 0; i < ACTORS; i++)
			close_actor(&actors[i]);
		if (!cancels)
			check_counts();
		plait_plan_release(plan);
	}
}

static void programs(void)
{
	seed = (uint32_t)tap_seed();
	on_the_host(check_actors);
}

static const struct tap_scenario all[] = {
	{ "programs", programs },
};
TAP_MAIN(all)
