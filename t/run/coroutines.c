/* SPDX-License-Identifier: MIT */
/* Host functions that suspend themselves: awaits of signals, runs and plans,
 * turns, cancellation, failures, misuse; on all numbers of workers. */
#include "lib/runs.h"

#include "plait/plugin.h"

#include <pthread.h>
#include <string.h>

static plait_node add_coroutine(plait_graph *graph, const char *label,
				plait_host_function function, void *user_data,
				const plait_node *after)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_CALL, .label = label,
		.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE,
		.function = function, .user_data = user_data,
	};

	return add_node(graph, desc, after, after != NULL);
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

/* ---- signals ---- */

enum { STEPS = 5 };

struct walk {
	plait_signal *gate;
	plait_status status[STEPS];
	uint32_t step;		/* atomic */
	uint64_t behind;
};

static int32_t walk_gates(void *user_data)
{
	struct walk *walk = user_data;
	volatile double kept = 1.5;

	for (uint32_t i = 0; i < STEPS; i++) {
		walk->status[i] = plait_await_signal(walk->gate, i + 1,
						     PLAIT_FOREVER, NULL);
		kept *= 2;
		__atomic_add_fetch(&walk->step, 1, __ATOMIC_SEQ_CST);
	}
	return kept == 48 ? 0 : 99;
}

static uint32_t step_of(struct walk *walk)
{
	return __atomic_load_n(&walk->step, __ATOMIC_SEQ_CST);
}

/* The thread that raises the gate helps where there are no workers. */
static void let_walk(struct walk *walk, plait_run *run, uint32_t step)
{
	while (step_of(walk) < step)
		(void)plait_run_wait(run, 100000, NULL);
}

static void check_signals(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	struct walk walk = { .step = 0 };
	uint64_t beside = 0;
	plait_graph *graph = new_graph();
	plait_node node = add_coroutine(graph, "walk", walk_gates, &walk, NULL);
	plait_run *run = NULL;
	plait_plan *plan;

	(void)add_call(graph, "behind", bump, &walk.behind, &node, 1);
	(void)add_call(graph, "beside", bump, &beside, NULL, 0);
	plan = freeze(graph, 2, 1);
	for (uint32_t round = 0; round < 3; round++) {
		walk.gate = new_gate();
		walk.step = 0;
		memset(walk.status, 0x55, sizeof(walk.status));
		OK(plait_plan_run(plan, rig.queue, &desc, &run, &rig.error) ==
		   PLAIT_OK);
		for (uint32_t i = 0; i < STEPS; i++) {
			IS_INT(plait_run_wait(run, 200000, NULL),
			       PLAIT_E_TIMEOUT);
			IS_UINT(step_of(&walk), i);
			OK(plait_signal_raise(walk.gate, i + 1, NULL) ==
			   PLAIT_OK);
			if (i + 1 < STEPS)
				let_walk(&walk, run, i + 1);
		}
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error),
		       PLAIT_OK);
		for (uint32_t i = 0; i < STEPS; i++)
			IS_INT(walk.status[i], PLAIT_OK);
		IS_UINT(walk.behind, round + 1);
		plait_run_release(run);
		plait_signal_release(walk.gate);
	}
	plait_plan_release(plan);
	plait_graph_release(graph);
}

/* An emission that is submitted later, and one that fails. */
struct emission {
	plait_signal *signal;
	plait_status status;
	plait_error error;
};

static int32_t await_emission(void *user_data)
{
	struct emission *one = user_data;

	one->error.size = sizeof(one->error);
	one->status = plait_await_signal(one->signal, 1, PLAIT_FOREVER,
					 &one->error);
	return 0;
}

static int32_t refuse(void *user_data)
{
	(void)user_data;
	return 7;
}

static void check_emissions(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };

	for (int bad = 0; bad < 2; bad++) {
		struct emission one = { .status = -99 };
		plait_graph *graph = new_graph();
		plait_queue *other = NULL;
		plait_run *run = NULL;
		plait_plan *plan;

		OK(plait_signal_create(rig.device, NULL, &one.signal, NULL) ==
		   PLAIT_OK);
		OK(plait_queue_create(rig.device, NULL, &other, NULL) ==
		   PLAIT_OK);
		(void)add_coroutine(graph, "awaits", await_emission, &one,
				    NULL);
		plan = freeze(graph, 1, 1);
		OK(plait_plan_run(plan, rig.queue, &desc, &run, NULL) ==
		   PLAIT_OK);
		IS_INT(plait_run_wait(run, 100000, NULL), PLAIT_E_TIMEOUT);
		if (bad)
			OK(plait_queue_call(other, refuse, NULL, NULL) ==
			   PLAIT_OK);
		OK(plait_queue_emit(other, one.signal, NULL, NULL) ==
		   PLAIT_OK);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL), PLAIT_OK);
		IS_INT(one.status, bad ? PLAIT_E_FAILED : PLAIT_OK);
		(void)plait_queue_finish(other, PLAIT_FOREVER, NULL);
		plait_run_release(run);
		plait_plan_release(plan);
		plait_graph_release(graph);
		plait_queue_release(other);
		plait_signal_release(one.signal);
	}
}

static void signals(void)
{
	on_the_host(check_signals);
	on_the_host(check_emissions);
}

/* ---- runs and plans ---- */

struct tree {
	plait_plan *leaf;
	plait_queue *queue;
	uint64_t leaves;
	plait_status status;
	plait_error error;
};

static int32_t grow(void *user_data)
{
	struct tree *tree = user_data;

	tree->error.size = sizeof(tree->error);
	for (int i = 0; i < 20; i++) {
		tree->status = plait_await_plan(tree->leaf, tree->queue, NULL,
						PLAIT_FOREVER, &tree->error);
		if (tree->status != PLAIT_OK)
			return 5;
	}
	return 0;
}

static void check_plans(uint32_t flags)
{
	struct tree tree = { .status = -99 };
	plait_graph *graph = new_graph(), *leaf = new_graph();
	plait_plan *plan;

	OK(plait_queue_create(rig.device, NULL, &tree.queue, NULL) == PLAIT_OK);
	(void)add_call(leaf, "leaf", bump, &tree.leaves, NULL, 0);
	OK(plait_graph_freeze(leaf, NULL, &tree.leaf, NULL) == PLAIT_OK);
	(void)add_coroutine(graph, "grow", grow, &tree, NULL);
	plan = freeze(graph, 1, 1);
	for (uint64_t i = 1; i <= 3; i++) {
		IS_INT((i == 2 ? call_with : run_with)(plan, flags), PLAIT_OK);
		IS_UINT(tree.leaves, 20 * i);
	}
	plait_plan_release(tree.leaf);
	plait_graph_release(leaf);
	/* The failure of the inner run is the await's. */
	leaf = new_graph();
	(void)add_call(leaf, "bad leaf", refuse, NULL, NULL, 0);
	OK(plait_graph_freeze(leaf, NULL, &tree.leaf, NULL) == PLAIT_OK);
	IS_INT(run_with(plan, flags), PLAIT_E_FAILED);
	IS_INT(rig.error.origin, 5);
	IS_INT(tree.status, PLAIT_E_FAILED);
	HAS_STR(tree.error.text, "bad leaf");
	(void)plait_queue_finish(tree.queue, PLAIT_FOREVER, NULL);
	plait_plan_release(tree.leaf);
	plait_graph_release(leaf);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_queue_release(tree.queue);
}

static void plans(void)
{
	on_the_host(check_plans);
}

/* ---- many, in turns, in loops ---- */

struct turns {
	uint32_t count;		/* atomic */
	uint32_t wanted;
	uint32_t bad;
};

static int32_t take_turns(void *user_data)
{
	struct turns *turns = user_data;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 50; i++) {
		sum += i;
		if (plait_yield(NULL) != PLAIT_OK)
			return 3;
	}
	__atomic_add_fetch(&turns->count, 1, __ATOMIC_RELAXED);
	return sum == 1225 ? 0 : 4;
}

static void check_turns(uint32_t flags)
{
	struct turns turns = { 0, 0, 0 };
	plait_graph *graph = new_graph();
	plait_plan *plan;

	for (int i = 0; i < 12; i++)
		(void)add_coroutine(graph, "turn", take_turns, &turns, NULL);
	plan = freeze(graph, 4, 1);
	for (uint32_t i = 1; i <= 3; i++) {
		IS_INT(run_with(plan, flags), PLAIT_OK);
		IS_UINT(turns.count, 12 * i);
		IS_INT(call_with(plan, flags), PLAIT_OK);
		turns.count -= 12;
	}
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static int32_t few(void *user_data)
{
	uint32_t *left = user_data;

	return (*left)-- > 0;
}

static void check_loops(uint32_t flags)
{
	struct turns turns = { 0, 0, 0 };
	uint32_t left = 7;
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_WHILE, .label = "loop",
		.flags = PLAIT_CALL_ANY_THREAD, .function = few,
		.user_data = &left,
	};
	plait_graph *graph = new_graph(), *body;
	plait_node loop = add_node(graph, desc, NULL, 0);
	plait_plan *plan;

	body = body_of(graph, loop, 0);
	(void)add_coroutine(body, "x", take_turns, &turns, NULL);
	(void)add_coroutine(body, "y", take_turns, &turns, NULL);
	plan = freeze(graph, 2, 1);
	IS_INT(run_with(plan, flags), PLAIT_OK);
	IS_UINT(turns.count, 14);
	plait_plan_release(plan);
	plait_graph_release(body);
	plait_graph_release(graph);
}

static void turns_and_loops(void)
{
	on_the_host(check_turns);
	on_the_host(check_loops);
}

/* ---- the end of a run ---- */

#define AN_HOUR UINT64_C(3600000000000)

struct patient {
	plait_signal *gate;
	plait_run *other;
	uint64_t timeout_ns;
	plait_status first, second;
	uint32_t begun;
};

static int32_t wait_long(void *user_data)
{
	struct patient *patient = user_data;

	__atomic_store_n(&patient->begun, 1, __ATOMIC_SEQ_CST);
	patient->first = patient->other != NULL ?
		plait_await_run(patient->other, patient->timeout_ns, NULL) :
		plait_await_signal(patient->gate, 1, patient->timeout_ns,
				   NULL);
	patient->second = plait_yield(NULL);
	return 0;
}

/* Both kinds of await, a gate, and a run that waits for that gate; without and
 * with a deadline, which does not come. */
static void check_cancel(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };

	for (int kind = 0; kind < 4; kind++) {
		struct patient patient = {
			.first = -99, .second = -99,
			.timeout_ns = kind < 2 ? PLAIT_FOREVER : AN_HOUR,
		};
		plait_graph *graph = new_graph();
		plait_queue *other = NULL;
		uint64_t ran = 0, behind = 0;
		plait_plan *plan, *inner;
		plait_run *run = NULL;
		plait_node node;

		OK(plait_queue_create(rig.device, NULL, &other, NULL) ==
		   PLAIT_OK);
		patient.gate = new_gate();
		(void)add_call(graph, "inner", bump, &ran, NULL, 0);
		inner = freeze(graph, 1, 1);
		plait_graph_release(graph);
		OK(plait_queue_wait(other, patient.gate, 1, NULL) == PLAIT_OK);
		if (kind % 2 == 1)
			OK(plait_plan_run(inner, other, NULL, &patient.other,
					  NULL) == PLAIT_OK);
		graph = new_graph();
		node = add_coroutine(graph, "patient", wait_long, &patient,
				     NULL);
		(void)add_call(graph, "behind", bump, &behind, &node, 1);
		plan = freeze(graph, 1, 1);
		OK(plait_plan_run(plan, rig.queue, &desc, &run, NULL) ==
		   PLAIT_OK);
		while (!__atomic_load_n(&patient.begun, __ATOMIC_SEQ_CST))
			(void)plait_run_wait(run, 100000, NULL);
		IS_INT(plait_run_poll(run, NULL), PLAIT_PENDING);
		OK(plait_run_cancel(run, NULL) == PLAIT_OK);
		IS_INT(plait_run_wait(run, PLAIT_FOREVER, NULL),
		       PLAIT_E_CANCELLED);
		IS_INT(patient.first, PLAIT_E_CANCELLED);
		IS_INT(patient.second, PLAIT_E_CANCELLED);
		IS_UINT(behind, 0);
		OK(plait_signal_raise(patient.gate, 1, NULL) == PLAIT_OK);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
		(void)plait_queue_finish(other, PLAIT_FOREVER, NULL);
		/* The plan works again. */
		patient.begun = 0;
		IS_INT(run_with(plan, flags), PLAIT_OK);
		IS_INT(patient.first, PLAIT_OK);
		IS_INT(patient.second, PLAIT_OK);
		IS_UINT(behind, 1);
		plait_run_release(patient.other);
		plait_run_release(run);
		plait_plan_release(plan);
		plait_plan_release(inner);
		plait_graph_release(graph);
		plait_queue_release(other);
		plait_signal_release(patient.gate);
	}
}

static int32_t end_thread(void *user_data)
{
	(void)user_data;
	if (plait_yield(NULL) == PLAIT_OK && plait_worker_index() >= 0)
		pthread_exit(NULL);
	return 1;
}

static void thread_ends(void)
{
	plait_graph *graph;
	plait_run *run = NULL;
	plait_plan *plan;
	uint64_t ran = 0;

#ifdef __SANITIZE_ADDRESS__
	SKIP("AddressSanitizer does not see that the thread left the stack");
	return;
#endif
	if (PLAIT_SANITIZER_KIND == PLAIT_SANITIZER_THREAD) {
		SKIP("ThreadSanitizer refuses pthread_exit in a fiber");
		return;
	}
	if (!open_host(2))
		return;
	graph = new_graph();
	(void)add_coroutine(graph, "leaves", end_thread, NULL, NULL);
	plan = freeze(graph, 1, 1);
	for (int i = 0; i < 3; i++) {
		OK(plait_plan_run(plan, rig.queue, NULL, &run, NULL) ==
		   PLAIT_OK);
		while (plait_run_poll(run, NULL) == PLAIT_PENDING)
			pause_a_little();
		IS_INT(plait_run_poll(run, NULL), PLAIT_E_FAILED);
		plait_run_release(run);
		(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
	}
	plait_plan_release(plan);
	plait_graph_release(graph);
	/* The workers are replaced. */
	OK(plait_queue_call(rig.queue, bump, &ran, NULL) == PLAIT_OK);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	IS_UINT(ran, 1);
	close_rig(&rig);
}

static void ends(void)
{
	on_the_host(check_cancel);
	thread_ends();
}

/* ---- misuse ---- */

static int32_t await_in_plain(void *user_data)
{
	plait_status *status = user_data;

	*status = plait_yield(NULL);
	return 0;
}

/* A plain function of a plan that a coroutine calls is not in the coroutine. */
struct nested {
	plait_plan *plan;
	plait_status inner, own;
};

static int32_t call_plain(void *user_data)
{
	struct nested *nested = user_data;

	(void)plait_plan_call(nested->plan, NULL, NULL, NULL);
	nested->own = plait_yield(NULL);
	return 0;
}

static void refusals(void)
{
	struct nested nested = { .inner = -99, .own = -99 };
	const plait_freeze_desc queues = { .size = sizeof(queues),
					   .flags = PLAIT_FREEZE_QUEUES };
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_CALL, .function = bump,
				 .flags = PLAIT_CALL_COROUTINE,
				 .label = "wrong" };
	plait_graph *graph;
	plait_plan *plan = NULL;
	uint64_t ran = 0;

	if (!open_host(1))
		return;
	IS_INT(plait_yield(&rig.error), PLAIT_E_STATE);
	HAS_STR(rig.error.text, "PLAIT_CALL_COROUTINE");
	IS_INT(plait_await_signal(rig.gate, 1, 0, NULL), PLAIT_E_STATE);
	IS_INT(plait_await_signal(NULL, 1, 0, NULL), PLAIT_E_HANDLE);
	IS_INT(plait_await_run(NULL, 0, NULL), PLAIT_E_HANDLE);
	IS_INT(plait_await_plan(NULL, NULL, NULL, 0, NULL), PLAIT_E_STATE);
	graph = new_graph();
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &rig.error),
	       PLAIT_E_INVALID);
	desc.kind = PLAIT_NODE_WHILE;
	desc.flags |= PLAIT_CALL_ANY_THREAD;
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "PLAIT_CALL_COROUTINE");
	plait_graph_release(graph);
	graph = new_graph();
	(void)add_coroutine(graph, "queued", bump, &ran, NULL);
	OK(plait_graph_freeze(graph, &queues, &plan, NULL) == PLAIT_OK);
	IS_INT(plait_plan_prepare(plan, &rig.error), PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "\"queued\" is a coroutine");
	plait_plan_release(plan);
	plait_graph_release(graph);

	graph = new_graph();
	(void)add_call(graph, "plain", await_in_plain, &nested.inner, NULL, 0);
	nested.plan = freeze(graph, 1, 1);
	plait_graph_release(graph);
	graph = new_graph();
	(void)add_coroutine(graph, "outer", call_plain, &nested, NULL);
	plan = freeze(graph, 1, 1);
	IS_INT(run_with(plan, 0), PLAIT_OK);
	IS_INT(nested.inner, PLAIT_E_STATE);
	IS_INT(nested.own, PLAIT_OK);
	plait_plan_release(plan);
	plait_plan_release(nested.plan);
	plait_graph_release(graph);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "signals", signals },
	{ "plans", plans },
	{ "turns and loops", turns_and_loops },
	{ "ends", ends },
	{ "refusals", refusals },
};
TAP_MAIN(all)
