/* SPDX-License-Identifier: MIT */
/* Coroutines that continue only on the worker that began them: the thread over
 * thousands of suspensions, a worker that is busy meanwhile, kernels and
 * refusals. */
#include "first_worker.h"

#include <pthread.h>

enum { ACTORS = 8, ROUNDS = 400 };

/* ---- the thread ---- */

struct actor {
	plait_signal *gate;
	uint64_t wanted;	/* atomic */
	uint64_t moves;		/* suspensions after which the thread was
				 * another one */
	uint64_t strangers;	/* begun on a thread that is no worker */
	plait_status status;
};

static struct actor actors[ACTORS];

/* A deadline, an event of the program, or a turn. */
static plait_status suspend(struct actor *actor, uint32_t round)
{
	plait_status status;

	if (round % 16 == 0) {
		status = plait_await_signal(actor->gate, UINT32_MAX, 1000,
					    NULL);
		return status == PLAIT_E_TIMEOUT ? PLAIT_OK : status;
	}
	if (round % 2 == 0)
		return plait_yield(NULL);
	count(&actor->wanted);
	return plait_await_signal(actor->gate, count_of(&actor->wanted),
				  PLAIT_FOREVER, NULL);
}

static int32_t act(void *user_data)
{
	struct actor *actor = user_data;
	const pthread_t first = pthread_self();
	const int32_t worker = plait_worker_index();

	actor->strangers += worker < 0;
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		actor->status = suspend(actor, round);
		if (actor->status != PLAIT_OK)
			return 1;
		actor->moves += !pthread_equal(first, pthread_self()) ||
				worker != plait_worker_index();
	}
	return 0;
}

static void open_gates(void)
{
	for (uint32_t i = 0; i < ACTORS; i++)
		(void)plait_signal_raise(actors[i].gate,
					 count_of(&actors[i].wanted), NULL);
}

static void *raise_gates(void *arg)
{
	const uint64_t *over = arg;

	while (count_of(over) == 0) {
		open_gates();
		pause_a_little();
	}
	return NULL;
}

/* In a queue, and as a call, whose thread would take the first lane. */
static void check_threads(uint32_t flags)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;
	pthread_t raiser;
	uint64_t over = 0;

	for (uint32_t i = 0; i < ACTORS; i++) {
		actors[i] = (struct actor){ .gate = new_gate() };
		(void)add_bound(graph, act, &actors[i]);
	}
	plan = freeze(graph, ACTORS, 1);
	OK(pthread_create(&raiser, NULL, raise_gates, &over) == 0);
	IS_INT(call_with(plan, flags), PLAIT_OK);
	IS_INT(run_with(plan, flags), PLAIT_OK);
	count(&over);
	OK(pthread_join(raiser, NULL) == 0);
	for (uint32_t i = 0; i < ACTORS; i++) {
		IS_INT(actors[i].status, PLAIT_OK);
		IS_UINT(actors[i].moves, 0);
		IS_UINT(actors[i].strangers, 0);
		plait_signal_release(actors[i].gate);
	}
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void threads(void)
{
	on_workers(check_threads);
}

/* ---- a worker that is busy ---- */

struct blocker {
	int32_t worker;
	uint64_t begun, released;	/* atomic */
};

static int32_t block(void *user_data)
{
	struct blocker *self = user_data;
	uint64_t since = 0;

	self->worker = plait_worker_index();
	count(&self->begun);
	while (count_of(&self->released) == 0 && !tap_late(&since))
		pause_a_little();
	return 0;
}

/* One function on each of two workers. */
static void block_both(plait_queue *queues[2], struct blocker blockers[2])
{
	uint64_t since = 0;

	for (int i = 0; i < 2; i++) {
		queues[i] = new_queue();
		blockers[i] = (struct blocker){ .worker = -1 };
		OK(plait_queue_call(queues[i], block, &blockers[i], NULL) ==
		   PLAIT_OK);
	}
	while ((count_of(&blockers[0].begun) == 0 ||
		count_of(&blockers[1].begun) == 0) && !tap_late(&since))
		pause_a_little();
}

/* The other worker is free, but the function waits for its own. */
static void busy(void)
{
	struct blocker blockers[2];
	plait_queue *queues[2], *later;
	struct steps self;
	plait_plan *plan;
	plait_run *run;
	uint64_t beside = 0;
	int other;

	if (!open_host(2))
		return;
	later = new_queue();
	plan = plan_of(await_gate, &self);
	run = begin(plan, &self);
	block_both(queues, blockers);
	other = blockers[0].worker == self.worker;
	OK(blockers[other].worker != self.worker);
	OK(plait_signal_raise(self.gate, 1, NULL) == PLAIT_OK);
	count(&blockers[other].released);
	/* In the ready queue it would be behind the function. */
	OK(plait_queue_call(later, bump, &beside, NULL) == PLAIT_OK);
	OK(plait_queue_finish(later, PLAIT_FOREVER, NULL) == PLAIT_OK);
	IS_UINT(beside, 1);
	IS_UINT(count_of(&self.ended), 0);
	count(&blockers[1 - other].released);
	end(run, &self, PLAIT_OK);
	IS_INT(self.first, PLAIT_OK);
	for (int i = 0; i < 2; i++) {
		OK(plait_queue_finish(queues[i], PLAIT_FOREVER, NULL) ==
		   PLAIT_OK);
		plait_queue_release(queues[i]);
	}
	plait_queue_release(later);
	plait_plan_release(plan);
	close_rig(&rig);
}

/* ---- kernels ---- */

static int32_t launch_here(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	struct actor *actor = user_data;

	(void)arguments;
	(void)launch;
	return act(actor);
}

static plait_kernel *new_kernel(uint32_t flags, plait_status want)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .flags = flags, .signature = "here()",
		.function = launch_here, .user_data = &actors[0],
	};
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(rig.context, &desc, &kernel, &rig.error),
	       want);
	return kernel;
}

static plait_plan *plan_of_kernel(plait_kernel *kernel)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;

	OK_THAT(plait_graph_launch(graph, kernel, NULL, NULL, 0, 0, NULL,
				   &rig.error) == PLAIT_OK, "launch: %s",
		rig.error.text);
	plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	return plan;
}

static void check_kernels(uint32_t flags)
{
	const uint32_t both = PLAIT_KERNEL_COROUTINE |
			      PLAIT_KERNEL_FIRST_WORKER;
	plait_kernel *bound = new_kernel(both, PLAIT_OK);
	plait_kernel *next = new_kernel(both, PLAIT_OK);
	plait_kernel *free = new_kernel(PLAIT_KERNEL_COROUTINE, PLAIT_OK);
	plait_plan *plan = plan_of_kernel(bound);
	pthread_t raiser;
	uint64_t over = 0;

	for (uint32_t i = 0; i < ACTORS; i++)
		actors[i] = (struct actor){ .gate = new_gate() };
	OK(pthread_create(&raiser, NULL, raise_gates, &over) == 0);
	IS_INT(call_with(plan, flags), PLAIT_OK);
	IS_INT(plait_plan_exchange(plan, bound, next, &rig.error), PLAIT_OK);
	IS_INT(run_with(plan, flags), PLAIT_OK);
	IS_INT(plait_plan_exchange(plan, next, free, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "PLAIT_KERNEL_FIRST_WORKER");
	count(&over);
	OK(pthread_join(raiser, NULL) == 0);
	IS_UINT(actors[0].moves, 0);
	IS_UINT(actors[0].strangers, 0);
	for (uint32_t i = 0; i < ACTORS; i++)
		plait_signal_release(actors[i].gate);
	plait_plan_release(plan);
	plait_kernel_release(bound);
	plait_kernel_release(next);
	plait_kernel_release(free);
}

static void kernels(void)
{
	on_workers(check_kernels);
}

/* ---- refusals ---- */

static void refuse_node(plait_node_desc desc, const char *text)
{
	plait_graph *graph = new_graph();

	desc.size = sizeof(desc);
	desc.function = act;
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, text);
	plait_graph_release(graph);
}

/* A thread that waits is no worker. */
static void refuse_without_workers(void)
{
	struct steps self = { .first = -99 };
	plait_kernel *kernel;
	plait_plan *plan;

	if (!open_host(0))
		return;
	plan = plan_of(await_gate, &self);
	IS_INT(plait_plan_prepare(plan, &rig.error), PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "\"bound\" continues only on its first worker");
	IS_INT(call_with(plan, 0), PLAIT_E_UNSUPPORTED);
	IS_UINT(self.begun, 0);
	plait_plan_release(plan);
	kernel = new_kernel(PLAIT_KERNEL_COROUTINE | PLAIT_KERNEL_FIRST_WORKER,
			    PLAIT_OK);
	plan = plan_of_kernel(kernel);
	IS_INT(plait_plan_prepare(plan, &rig.error), PLAIT_E_UNSUPPORTED);
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	close_rig(&rig);
}

static void refusals(void)
{
	refuse_without_workers();
	if (!open_host(1))
		return;
	refuse_node((plait_node_desc){
			    .kind = PLAIT_NODE_CALL,
			    .flags = PLAIT_CALL_ANY_THREAD |
				     PLAIT_CALL_FIRST_WORKER },
		    "set PLAIT_CALL_COROUTINE");
	refuse_node((plait_node_desc){
			    .kind = PLAIT_NODE_WHILE,
			    .flags = PLAIT_CALL_ANY_THREAD |
				     PLAIT_CALL_FIRST_WORKER },
		    "PLAIT_CALL_FIRST_WORKER");
	plait_kernel_release(new_kernel(PLAIT_KERNEL_FIRST_WORKER,
					PLAIT_E_INVALID));
	HAS_STR(rig.error.text, "set PLAIT_KERNEL_COROUTINE");
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "threads", threads },
	{ "busy", busy },
	{ "kernels", kernels },
	{ "refusals", refusals },
};
TAP_MAIN(all)
