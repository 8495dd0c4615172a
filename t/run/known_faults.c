/* SPDX-License-Identifier: MIT */
/*
 * Known faults of other schedulers of graphs on streams, one scenario each:
 * effects of a control node on its neighbours, on the next run and on threads.
 */
#include <dirent.h>

#include "lib/runs.h"

/* True `left` more times; then set for the next visit. */
struct countdown {
	int64_t start;
	int64_t left;
};

static int32_t count_down(void *user_data)
{
	struct countdown *countdown = user_data;

	if (countdown->left > 0)
		return countdown->left-- > 0;
	countdown->left = countdown->start;
	return 0;
}

static plait_node add_loop(plait_graph *graph, struct countdown *countdown,
			   const plait_node *after, uint64_t count)
{
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_WHILE, .label = "loop",
		.flags = PLAIT_CALL_ANY_THREAD, .function = count_down,
		.user_data = countdown,
	};

	countdown->left = countdown->start;
	return add_node(graph, desc, after, count);
}

static void add_in(plait_graph *graph, plait_node loop, const char *label,
		   plait_host_function function, void *user_data)
{
	plait_graph *body = body_of(graph, loop, 0);

	(void)add_call(body, label, function, user_data, NULL, 0);
	plait_graph_release(body);
}

static bool both_ways(plait_plan *plan, uint32_t flags)
{
	return OK(call_with(plan, flags) == PLAIT_OK) &&
	       OK(run_with(plan, flags) == PLAIT_OK);
}

static void end(plait_graph *graph, plait_plan *plan)
{
	plait_plan_release(plan);
	plait_graph_release(graph);
}

/* ---- two control nodes active at once, and a third that needs both ---- */

static void check_two(uint32_t flags)
{
	struct countdown counts[3] = { { 5, 5 }, { 9, 9 }, { 2, 2 } };
	uint64_t ran[3] = { 0 };
	plait_graph *graph = new_graph();
	plait_node loops[2];
	plait_plan *plan;

	for (int i = 0; i < 2; i++) {
		loops[i] = add_loop(graph, &counts[i], NULL, 0);
		add_in(graph, loops[i], "x", bump, &ran[i]);
	}
	add_in(graph, add_loop(graph, &counts[2], loops, 2), "x", bump,
	       &ran[2]);
	plan = freeze(graph, 3, 1);
	(void)both_ways(plan, flags);
	IS_UINT(ran[0], 10);
	IS_UINT(ran[1], 18);
	IS_UINT(ran[2], 4);
	end(graph, plan);
}

static void two(void)
{
	everywhere(check_two);
}

/* ---- a loop without a successor, run again and again ---- */

static void check_twice(uint32_t flags)
{
	struct countdown countdown = { 3, 3 };
	uint64_t ran = 0;
	plait_graph *graph = new_graph();
	plait_plan *plan;
	bool good = true;

	add_in(graph, add_loop(graph, &countdown, NULL, 0), "x", bump, &ran);
	plan = freeze(graph, 2, 1);
	for (int i = 0; i < 20; i++)
		good = good && (i % 2 ? call_with : run_with)(plan, flags) ==
				       PLAIT_OK;
	OK(good);
	IS_UINT(ran, 60);
	end(graph, plan);
}

static void twice(void)
{
	everywhere(check_twice);
}

/* ---- the successor of several loops runs once ---- */

static void check_dup(uint32_t flags)
{
	struct countdown counts[3] = { { 2, 2 }, { 4, 4 }, { 0, 0 } };
	uint64_t ran[3] = { 0 }, once = 0;
	plait_graph *graph = new_graph();
	plait_node loops[3];
	plait_plan *plan;

	for (int i = 0; i < 3; i++) {
		loops[i] = add_loop(graph, &counts[i], NULL, 0);
		add_in(graph, loops[i], "x", bump, &ran[i]);
	}
	(void)add_call(graph, "once", bump, &once, loops, 3);
	plan = freeze(graph, 4, 1);
	(void)both_ways(plan, flags);
	IS_UINT(once, 2);
	end(graph, plan);
}

static void dup_(void)
{
	everywhere(check_dup);
}

/* ---- a control node waits for other lanes, and other lanes wait for it ---- */

struct chain {
	uint64_t before[3];
	uint64_t in;
	uint64_t behind[3];
	uint64_t wrong;
};

static int32_t look_before(void *user_data)
{
	struct chain *chain = user_data;

	for (int i = 0; i < 3; i++)
		chain->wrong += chain->before[i] != chain->before[0] ||
				chain->before[i] == chain->behind[0];
	chain->in++;
	return 0;
}

static int32_t look_behind(void *user_data)
{
	struct chain *chain = user_data;

	/* Seven iterations a run. */
	chain->wrong += chain->in != 7 * chain->before[0];
	chain->behind[0]++;
	return 0;
}

static void check_ctl(uint32_t flags)
{
	struct countdown countdown = { 7, 7 };
	struct chain chain;
	plait_graph *graph = new_graph();
	plait_node nodes[3], loop;
	plait_plan *plan;

	memset(&chain, 0, sizeof(chain));
	for (int i = 0; i < 3; i++)
		nodes[i] = add_call(graph, "before", bump, &chain.before[i],
				    NULL, 0);
	loop = add_loop(graph, &countdown, nodes, 3);
	add_in(graph, loop, "in", look_before, &chain);
	(void)add_call(graph, "tail", look_behind, &chain, &loop, 1);
	for (int i = 1; i < 3; i++)
		(void)add_call(graph, "behind", bump, &chain.behind[i], &loop,
			       1);
	plan = freeze(graph, 4, 1);
	(void)both_ways(plan, flags);
	IS_UINT(chain.wrong, 0);
	IS_UINT(chain.in, 14);
	for (int i = 0; i < 3; i++)
		IS_UINT(chain.behind[i], 2);
	end(graph, plan);
}

static void ctl_and_tail(void)
{
	everywhere(check_ctl);
}

/* ---- bodies on several lanes, iteration after iteration ---- */

enum { WIDTH = 3 };

struct ring {
	uint64_t at[WIDTH][2]; /* of this iteration and the last one */
	uint64_t start;
	uint64_t wrong;
};

struct seat {
	struct ring *ring;
	uint64_t times;
	uint32_t number;
	uint32_t reserved0;
};

/* Uses the numbers that all left in the last iteration, and leaves its own. */
static int32_t sit(void *user_data)
{
	struct seat *seat = user_data;
	struct ring *ring = seat->ring;
	uint64_t now = seat->times++;

	if (ring->start == 0)
		return 1;
	for (uint32_t i = 0; i < WIDTH && now > 0; i++)
		if (ring->at[i][(now + 1) & 1] != now)
			return 2;
	ring->at[seat->number][now & 1] = now + 1;
	return 0;
}

static void check_body(uint32_t flags)
{
	struct countdown countdown = { 20, 20 };
	struct ring ring;
	struct seat seats[WIDTH];
	plait_graph *graph = new_graph();
	plait_node loop, start;
	plait_plan *plan;

	memset(&ring, 0, sizeof(ring));
	start = add_call(graph, "start", bump, &ring.start, NULL, 0);
	loop = add_loop(graph, &countdown, &start, 1);
	for (uint32_t i = 0; i < WIDTH; i++) {
		seats[i] = (struct seat){ .ring = &ring, .number = i };
		add_in(graph, loop, "sit", sit, &seats[i]);
	}
	plan = freeze(graph, WIDTH, 1);
	(void)both_ways(plan, flags);
	for (uint32_t i = 0; i < WIDTH; i++)
		IS_UINT(seats[i].times, 40);
	end(graph, plan);
}

static void body(void)
{
	everywhere(check_body);
}

/* ---- runs leave no threads ---- */

static uint32_t count_threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	const struct dirent *entry;
	uint32_t count = 0;

	while (folder != NULL && (entry = readdir(folder)) != NULL)
		count += entry->d_name[0] != '.';
	if (folder != NULL)
		(void)closedir(folder);
	return count;
}

/* A thread for each run, or for each wait, would be hundreds. */
static void leak(void)
{
	struct countdown countdown = { 2, 2 };
	uint64_t ran = 0;
	uint32_t threads;
	plait_graph *graph;
	plait_plan *plan;
	bool good = true;

	if (!open_host(2))
		return;
	graph = new_graph();
	add_in(graph, add_loop(graph, &countdown, NULL, 0), "x", bump, &ran);
	plan = freeze(graph, 2, 2);
	(void)both_ways(plan, PLAIT_RUN_PARALLEL);
	threads = count_threads();
	for (int i = 0; i < 500; i++)
		good = good && run_with(plan, PLAIT_RUN_PARALLEL) == PLAIT_OK;
	OK(good);
	OK_THAT(count_threads() < threads + 10, "%u threads, then %u",
		threads, count_threads());
	end(graph, plan);
	close_rig(&rig);
}

/* ---- many wait, one works: each wait ends ---- */

enum { WAITERS = 3, ROUNDS = 60 };

struct waiter {
	plait_plan *plan;
	plait_queue *queue;
	pthread_t thread;
	uint32_t failed;
	uint32_t reserved0;
};

static void *wait_again_and_again(void *arg)
{
	struct waiter *waiter = arg;

	for (int i = 0; i < ROUNDS; i++) {
		plait_run *run = NULL;

		if (plait_plan_run(waiter->plan, waiter->queue, NULL, &run,
				   NULL) != PLAIT_OK ||
		    plait_run_wait(run, PLAIT_FOREVER, NULL) != PLAIT_OK)
			waiter->failed++;
		plait_run_release(run);
	}
	return NULL;
}

static void wait_with(uint32_t workers)
{
	const plait_queue_desc desc = { .size = sizeof(desc) };
	struct waiter waiters[WAITERS];
	int counts[2] = { 0, 0 };
	plait_graph *graph;
	plait_plan *plan;

	if (!open_host(workers))
		return;
	graph = new_graph();
	(void)add_call(graph, "x", add_one, &counts[0], NULL, 0);
	(void)add_call(graph, "y", add_one, &counts[1], NULL, 0);
	plan = freeze(graph, 2, 2);
	for (int i = 0; i < WAITERS; i++) {
		waiters[i] = (struct waiter){ .plan = plan };
		OK(plait_queue_create(rig.device, &desc, &waiters[i].queue,
				      &rig.error) == PLAIT_OK);
	}
	for (int i = 0; i < WAITERS; i++)
		OK(pthread_create(&waiters[i].thread, NULL,
				  wait_again_and_again, &waiters[i]) == 0);
	for (int i = 0; i < WAITERS; i++) {
		(void)pthread_join(waiters[i].thread, NULL);
		IS_UINT(waiters[i].failed, 0);
		plait_queue_release(waiters[i].queue);
	}
	IS_INT(counts[0], WAITERS * ROUNDS);
	IS_INT(counts[1], WAITERS * ROUNDS);
	end(graph, plan);
	close_rig(&rig);
}

static void hang(void)
{
	wait_with(0);
	wait_with(2);
}

/* ---- cancelled inside, at its fifth iteration ---- */

struct fifth {
	plait_run *run;
	uint64_t times;
};

static int32_t cancel_the_fifth(void *user_data)
{
	struct fifth *fifth = user_data;

	if (++fifth->times < 5)
		return 0;
	return plait_run_cancel(fifth->run, NULL) != PLAIT_OK;
}

static void check_cancel(uint32_t flags)
{
	const plait_run_desc desc = { .size = sizeof(desc), .flags = flags };
	struct countdown outer = { 1000, 1000 }, inner = { 1000, 1000 };
	struct fifth fifth = { NULL, 0 };
	uint64_t behind = 0, raised = 0;
	plait_graph *graph = new_graph();
	plait_node loop = add_loop(graph, &outer, NULL, 0);
	plait_graph *deep = body_of(graph, loop, 0);
	plait_plan *plan;

	add_in(deep, add_loop(deep, &inner, NULL, 0), "x", cancel_the_fifth,
	       &fifth);
	plait_graph_release(deep);
	(void)add_call(graph, "behind", bump, &behind, &loop, 1);
	plan = freeze(graph, 2, 1);
	(void)plait_signal_query(rig.gate, NULL, &raised, &rig.error);
	OK(plait_queue_wait(rig.queue, rig.gate, raised + 1, &rig.error) ==
	   PLAIT_OK);
	OK(plait_plan_run(plan, rig.queue, &desc, &fifth.run, &rig.error) ==
	   PLAIT_OK);
	OK(plait_signal_raise(rig.gate, raised + 1, &rig.error) == PLAIT_OK);
	IS_INT(plait_run_wait(fifth.run, PLAIT_FOREVER, NULL),
	       PLAIT_E_CANCELLED);
	IS_UINT(fifth.times, 5);
	IS_UINT(behind, 0);
	plait_run_release(fifth.run);
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
	       PLAIT_E_CANCELLED);
	end(graph, plan);
}

static void cancel(void)
{
	everywhere(check_cancel);
}

/* ---- more predecessors than 16 bits count ---- */

enum { FAN_IN = 65536 + 100 };

struct fan {
	uint64_t sum;
	uint8_t ran[FAN_IN];
};

static int32_t mark(void *user_data)
{
	++*(uint8_t *)user_data;
	return 0;
}

static int32_t sum_up(void *user_data)
{
	struct fan *fan = user_data;

	for (uint32_t i = 0; i < FAN_IN; i++)
		fan->sum += fan->ran[i];
	return 0;
}

static bool add_fan(plait_graph *graph, struct fan *fan)
{
	plait_node_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_NODE_CALL,
				 .flags = PLAIT_CALL_ANY_THREAD,
				 .function = mark };
	plait_node *nodes = malloc(FAN_IN * sizeof(*nodes));
	bool good = nodes != NULL;

	for (uint32_t i = 0; good && i < FAN_IN; i++) {
		desc.user_data = &fan->ran[i];
		good = plait_graph_add(graph, &desc, NULL, 0, &nodes[i],
				       &rig.error) == PLAIT_OK;
	}
	desc.function = sum_up;
	desc.user_data = fan;
	good = good && plait_graph_add(graph, &desc, nodes, FAN_IN, NULL,
				       &rig.error) == PLAIT_OK;
	free(nodes);
	return good;
}

static void fan_in(void)
{
	static const uint32_t flags[] = { PLAIT_RUN_SERIAL,
					  PLAIT_RUN_PARALLEL };
	struct fan *fan = calloc(1, sizeof(*fan));
	plait_graph *graph;
	plait_plan *plan;

	if (!OK(fan != NULL) || !open_host(2)) {
		free(fan);
		return;
	}
	graph = new_graph();
	OK(add_fan(graph, fan));
	plan = freeze(graph, 3, 1);
	for (uint64_t i = 0; i < 2; i++) {
		IS_INT(call_with(plan, flags[i]), PLAIT_OK);
		/* Once, and twice more. */
		IS_UINT(fan->sum, (i == 0 ? 1 : 3) * (uint64_t)FAN_IN);
	}
	end(graph, plan);
	close_rig(&rig);
	free(fan);
}

static const struct tap_scenario all[] = {
	{ "two", two },
	{ "twice", twice },
	{ "dup", dup_ },
	{ "ctl and tail", ctl_and_tail },
	{ "body", body },
	{ "leak", leak },
	{ "hang", hang },
	{ "cancel", cancel },
	{ "fan-in", fan_in },
};
TAP_MAIN(all)
