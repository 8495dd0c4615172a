/* SPDX-License-Identifier: MIT */
/*
 * Runs in flight while the objects around them are released: handles in any
 * order, other threads, other plans, the end of the program; and many more runs
 * than memory would hold if each left something.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "lib/runs.h"

/* ---- handles are released in any order ---- */

enum { GRAPH, PLAN, QUEUE, RUN, CONTEXT, HANDLES };

static void release_one(void *handles[HANDLES], uint32_t which)
{
	switch (which) {
	case GRAPH:
		plait_graph_release(handles[GRAPH]);
		break;
	case PLAN:
		plait_plan_release(handles[PLAN]);
		break;
	case QUEUE:
		plait_queue_release(handles[QUEUE]);
		break;
	case RUN:
		plait_run_release(handles[RUN]);
		break;
	default:
		plait_context_release(handles[CONTEXT]);
		break;
	}
}

/* Permutation number `order` of the handles. */
static void release_all(void *handles[HANDLES], uint32_t order)
{
	uint32_t left[HANDLES] = { GRAPH, PLAN, QUEUE, RUN, CONTEXT };

	for (uint32_t count = HANDLES; count > 0; count--) {
		uint32_t which = order % count;

		order /= count;
		release_one(handles, left[which]);
		left[which] = left[count - 1];
	}
}

static void release_in_order(uint32_t workers, uint32_t order)
{
	static int counts[2];
	void *handles[HANDLES];
	plait_run *run = NULL;
	plait_graph *graph;
	plait_plan *plan;

	if (!open_host(workers))
		return;
	graph = new_graph();
	(void)add_call(graph, "x", add_one, &counts[0], NULL, 0);
	(void)add_call(graph, "y", add_one, &counts[1], NULL, 0);
	plan = freeze(graph, 2, 2);
	for (int i = 0; i < 2; i++) {
		plait_run_release(run);
		OK(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error) ==
		   PLAIT_OK);
	}
	handles[GRAPH] = graph;
	handles[PLAN] = plan;
	handles[QUEUE] = rig.queue;
	handles[RUN] = run;
	handles[CONTEXT] = rig.context;
	release_all(handles, order);
	rig.queue = NULL;
	rig.context = NULL;
	/* The gate and the signal of the rig go last. */
	close_rig(&rig);
}

static void any_order(void)
{
	/* All 120 with a worker; without one, no thread may be left to run
	 * them. */
	for (uint32_t order = 0; order < 120; order++)
		release_in_order(1, order);
	for (uint32_t order = 0; order < 120; order += 17)
		release_in_order(0, order);
}

/* ---- many threads, one plan; many plans, one queue ---- */

enum { THREADS = 4, CALLS = 100, PLANS = 3 };

struct user {
	plait_plan *plans[PLANS];
	plait_queue *queue; /* that all share */
	pthread_t thread;
	uint32_t number;
	uint32_t failed;
};

static void *use(void *arg)
{
	struct user *user = arg;

	for (uint32_t i = 0; i < CALLS; i++) {
		plait_plan *plan = user->plans[(i + user->number) % PLANS];
		plait_run *run = NULL;
		plait_status status;

		if (i % 2 == 0) {
			status = plait_plan_call(plan, NULL, NULL, NULL);
		} else {
			status = plait_plan_run(plan, user->queue, NULL, &run,
						NULL);
			if (status == PLAIT_OK)
				status = plait_run_wait(run, PLAIT_FOREVER,
							NULL);
			plait_run_release(run);
		}
		user->failed += status != PLAIT_OK;
	}
	return NULL;
}

static plait_plan *count_plan(int counts[3])
{
	plait_graph *graph = new_graph();
	plait_node nodes[2];
	plait_plan *plan;

	nodes[0] = add_call(graph, "x", add_one, &counts[0], NULL, 0);
	nodes[1] = add_call(graph, "y", add_one, &counts[1], NULL, 0);
	(void)add_call(graph, "z", add_one, &counts[2], nodes, 2);
	plan = freeze(graph, 2, 2);
	plait_graph_release(graph);
	return plan;
}

static void share(uint32_t workers)
{
	int counts[PLANS][3] = { { 0 } };
	struct user users[THREADS];
	int sum = 0;

	if (!open_host(workers))
		return;
	memset(users, 0, sizeof(users));
	for (uint32_t p = 0; p < PLANS; p++)
		users[0].plans[p] = count_plan(counts[p]);
	for (uint32_t i = 0; i < THREADS; i++) {
		memcpy(users[i].plans, users[0].plans,
		       sizeof(users[i].plans));
		users[i].queue = rig.queue;
		users[i].number = i;
	}
	for (uint32_t i = 0; i < THREADS; i++)
		OK(pthread_create(&users[i].thread, NULL, use, &users[i]) ==
		   0);
	for (uint32_t i = 0; i < THREADS; i++) {
		(void)pthread_join(users[i].thread, NULL);
		IS_UINT(users[i].failed, 0);
	}
	for (uint32_t p = 0; p < PLANS; p++) {
		sum += counts[p][2];
		IS_INT(counts[p][0], counts[p][2]);
		IS_INT(counts[p][1], counts[p][2]);
		plait_plan_release(users[0].plans[p]);
	}
	IS_INT(sum, THREADS * CALLS);
	close_rig(&rig);
}

static void shared(void)
{
	share(0);
	share(2);
}

/* ---- the program ends ---- */

static int32_t for_ever(void *user_data)
{
	__atomic_store_n((int *)user_data, 1, __ATOMIC_RELEASE);
	return 1;
}

/* A child has no threads but this one, and no context yet. */
static void leave_with_runs(void)
{
	static int began;
	const plait_node_desc loop = { .size = sizeof(loop),
				       .kind = PLAIT_NODE_WHILE,
				       .flags = PLAIT_CALL_ANY_THREAD,
				       .function = for_ever,
				       .user_data = &began };
	const plait_node_desc empty = { .size = sizeof(empty) };
	plait_graph *graph = NULL, *body = NULL;
	plait_plan *plan = NULL;
	plait_node node;

	rig = settings[0];
	if (plait_context_open(&(plait_context_desc){
			.size = sizeof(plait_context_desc), .workers = 2,
			.backends = "host" }, &rig.context, NULL) != PLAIT_OK ||
	    plait_context_device(rig.context, 0, &rig.device, NULL) !=
		    PLAIT_OK ||
	    plait_queue_create(rig.device, NULL, &rig.queue, NULL) !=
		    PLAIT_OK ||
	    plait_graph_create(rig.context, &graph, NULL) != PLAIT_OK ||
	    plait_graph_add(graph, &loop, NULL, 0, &node, NULL) != PLAIT_OK ||
	    plait_graph_body(graph, node, 0, &body, NULL) != PLAIT_OK ||
	    plait_graph_add(body, &empty, NULL, 0, NULL, NULL) != PLAIT_OK ||
	    plait_graph_freeze(graph, NULL, &plan, NULL) != PLAIT_OK ||
	    plait_plan_run(plan, rig.queue, NULL, NULL, NULL) != PLAIT_OK)
		_exit(2);
	while (__atomic_load_n(&began, __ATOMIC_ACQUIRE) == 0)
		(void)sched_yield();
	/* A run that never ends stays allocated, since its owner never released
	 * it. */
	exit(7);
}

static void program_ends(void)
{
	pid_t child;
	int status = 0;

	(void)fflush(stdout);
	child = fork();
	if (child == 0)
		leave_with_runs();
	OK(child > 0 && waitpid(child, &status, 0) == child);
	OK_THAT(WIFEXITED(status) && WEXITSTATUS(status) == 7,
		"the child ended with 0x%x", (unsigned)status);
}

/* ---- memory stays flat ---- */

static uint64_t live_bytes;

static void *count_bytes(void *user_data, void *pointer, uint64_t old_bytes,
			 uint64_t new_bytes)
{
	(void)user_data;
	__atomic_add_fetch(&live_bytes, new_bytes - old_bytes,
			   __ATOMIC_RELAXED);
	if (new_bytes == 0) {
		free(pointer);
		return NULL;
	}
	return realloc(pointer, new_bytes);
}

static bool run_many(plait_plan *plan, uint32_t count)
{
	bool good = true;

	for (uint32_t i = 0; i < count; i++)
		good = good && (i % 2 ? run_with : call_with)(plan, 0) ==
				       PLAIT_OK;
	return good;
}

/* A byte left by each run would be more than the normal variation. */
static void flat(void)
{
	enum { SLACK = 15000 };
	const plait_allocator allocator = { .size = sizeof(allocator),
					    .resize = count_bytes };
	const plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
					  .backends = "host",
					  .allocator = &allocator };
	uint32_t count = tap_soak() ? 1000000 : 20000;
	int counts[3] = { 0 };
	plait_plan *plan;
	uint64_t before, since = 0;

	rig = settings[0];
	rig.error = (plait_error){ .size = sizeof(rig.error) };
	OK(plait_context_open(&desc, &rig.context, &rig.error) == PLAIT_OK);
	OK(plait_context_device(rig.context, 0, &rig.device, &rig.error) ==
	   PLAIT_OK);
	OK(plait_queue_create(rig.device, NULL, &rig.queue, &rig.error) ==
	   PLAIT_OK);
	plan = count_plan(counts);
	OK(run_many(plan, 2));
	before = __atomic_load_n(&live_bytes, __ATOMIC_RELAXED);
	OK(run_many(plan, count));
	OK_THAT(__atomic_load_n(&live_bytes, __ATOMIC_RELAXED) <
		before + SLACK, "%llu bytes, then %llu",
		(unsigned long long)before,
		(unsigned long long)__atomic_load_n(&live_bytes,
						    __ATOMIC_RELAXED));
	IS_UINT(counts[2], count + 2);
	plait_plan_release(plan);
	close_rig(&rig);
	/* An object is uncounted before its memory is freed. */
	while (__atomic_load_n(&live_bytes, __ATOMIC_RELAXED) != 0 &&
	       !tap_late(&since))
		pause_a_little();
	IS_UINT(__atomic_load_n(&live_bytes, __ATOMIC_RELAXED), 0);
}

static const struct tap_scenario all[] = {
	{ "the program ends", program_ends },
	{ "any order", any_order },
	{ "shared", shared },
	{ "flat", flat },
};
TAP_MAIN(all)
