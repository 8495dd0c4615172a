/* SPDX-License-Identifier: MIT */
/* Coroutines that continue only on the worker that began them: the thread over
 * thousands of suspensions, a worker that is busy meanwhile, work that shares
 * it, ends and refusals. */
#include "lib/runs.h"

#include <pthread.h>

enum { ACTORS = 8, ROUNDS = 400 };

static uint64_t count_of(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void count(uint64_t *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST);
}

static plait_node add_bound(plait_graph *graph, plait_host_function function,
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

static plait_signal *new_gate(void)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;

	OK(plait_signal_create(rig.device, &desc, &gate, &rig.error) ==
	   PLAIT_OK);
	return gate;
}

/* All numbers of workers but none. */
static void on_workers(void (*check)(uint32_t flags))
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

struct steps {
	plait_signal *gate;
	int32_t worker;
	plait_status first;
	uint64_t begun, ended;	/* atomic */
};

static int32_t await_gate(void *user_data)
{
	struct steps *self = user_data;

	self->worker = plait_worker_index();
	count(&self->begun);
	self->first = plait_await_signal(self->gate, 1, PLAIT_FOREVER, NULL);
	count(&self->ended);
	return 0;
}

static plait_plan *plan_of(plait_host_function function, void *user_data)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_bound(graph, function, user_data);
	plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	return plan;
}

static plait_run *begin(plait_plan *plan, struct steps *self)
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

static void end(plait_run *run, const struct steps *self, plait_status want)
{
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), want);
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	plait_signal_release(self->gate);
}

static plait_queue *new_queue(void)
{
	plait_queue *queue = NULL;

	OK(plait_queue_create(rig.device, NULL, &queue, NULL) == PLAIT_OK);
	return queue;
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
	pthread_exit(NULL);
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
	plan = plan_of(exit_inside, &self);
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
	lose_worker();
	close_around();
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
	{ "shares", shares },
	{ "ends", ends },
	{ "kernels", kernels },
	{ "refusals", refusals },
};
TAP_MAIN(all)
