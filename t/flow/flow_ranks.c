/* SPDX-License-Identifier: MIT */
/*
 * Flows over ranks that are threads: which rank runs what, failures that reach
 * other ranks, programs that differ, ranks that end, and calls that are refused.
 */
#include "world/threads.h"

enum { N = 64, MANY = 1000 };

/* Results of a rank; checked by the main thread. */
struct seen {
	plait_flow *flow;
	plait_data *data[2];
	uint64_t host[N];
	uint32_t calls;
	plait_status status[8];
	plait_error error[8];
	plait_task task[4];
};

static struct rank ranks[THREADS_MAX];
static struct seen all_seen[THREADS_MAX];
static plait_error error = { .size = sizeof(error) };

static void run(uint32_t count, void (*function)(struct rank *rank))
{
	memset(ranks, 0, sizeof(ranks));
	memset(all_seen, 0, sizeof(all_seen));
	for (uint32_t i = 0; i < THREADS_MAX; i++)
		for (int e = 0; e < 8; e++)
			all_seen[i].error[e].size = sizeof(error);
	IS_UINT(ranks_run(ranks, count, "loopback", function), count);
	for (uint32_t i = 0; i < count; i++)
		IS_STR(ranks[i].error.text, "");
}

static struct seen *begin(struct rank *rank, uint32_t horizon)
{
	struct seen *seen = &all_seen[rank->rank];
	const plait_flow_desc desc = { .size = sizeof(desc), .horizon = horizon,
				       .world = rank->world };
	const plait_data_desc data = { .size = sizeof(data), .dimensions = 1,
				       .element_bytes = 8, .extent = { N } };

	(void)(rank_did(rank, plait_flow_create(rank->context, &desc,
						&seen->flow, &rank->error)) &&
	       rank_did(rank, plait_data_create(seen->flow, &data,
						&seen->data[0],
						&rank->error)) &&
	       rank_did(rank, plait_data_create(seen->flow, &data,
						&seen->data[1],
						&rank->error)));
	return seen;
}

/* No task is left that would write to `seen` behind the main thread's look. */
static void end(struct seen *seen)
{
	while (plait_flow_wait(seen->flow, 0, PLAIT_FOREVER, NULL) != PLAIT_OK)
		;
	plait_data_release(seen->data[0]);
	plait_data_release(seen->data[1]);
	plait_flow_release(seen->flow);
}

static plait_status call(struct seen *seen, const char *label,
			 plait_host_function function, void *user_data,
			 const plait_access *accesses, uint64_t count,
			 plait_task *out, plait_error *why)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL, .label = label,
		.function = function, .user_data = user_data,
		.accesses = accesses, .access_count = count };

	return plait_flow_submit(seen->flow, &desc, out, why);
}

static plait_access access_of(plait_data *data, plait_access_mode mode,
			      const plait_box *box)
{
	return (plait_access){ .size = sizeof(plait_access), .mode = mode,
			       .data = data, .box = box };
}

static int32_t count_call(void *user_data)
{
	struct seen *seen = user_data;

	seen->calls++;
	return 0;
}

static int32_t fail_with_9(void *user_data)
{
	(void)user_data;
	return 9;
}

/* ---- places ---- */

/* Data that nothing wrote has its homes: equal parts.  A task runs once, on the
 * rank that owns most of what it writes; without a write on rank 0. */
static void submit_to_homes(struct rank *rank)
{
	struct seen *seen = begin(rank, 0);

	for (uint64_t i = 0; i < rank->ranks; i++) {
		const plait_box box = {
			{ i * N / rank->ranks, 0, 0 },
			{ (i + 1) * N / rank->ranks, 1, 1 } };
		const plait_access writes = access_of(
			seen->data[0], PLAIT_ACCESS_READ_WRITE, &box);

		for (uint64_t k = 0; k <= i; k++)
			(void)rank_did(rank, call(seen, "home", count_call,
						  seen, &writes, 1,
						  &seen->task[i],
						  &rank->error));
	}
	(void)rank_did(rank, call(seen, "none", count_call, seen, NULL, 0,
				  NULL, &rank->error));
	for (uint64_t i = 0; i < rank->ranks; i++)
		(void)rank_did(rank, plait_flow_wait(seen->flow, seen->task[i],
						     PLAIT_FOREVER,
						     &rank->error));
	(void)rank_did(rank, plait_flow_wait(seen->flow, 0, PLAIT_FOREVER,
					     &rank->error));
	end(seen);
}

static void runs_a_task_once_where_its_data_is(void)
{
	run(3, submit_to_homes);
	IS_UINT(all_seen[0].calls, 2);
	IS_UINT(all_seen[1].calls, 2);
	IS_UINT(all_seen[2].calls, 3);
	for (int i = 0; i < 3; i++)
		OK(all_seen[i].task[0] > 0 &&
		   all_seen[i].task[1] > all_seen[i].task[0] &&
		   all_seen[i].task[2] > all_seen[i].task[1]);
}

/* More tasks than the window and many horizons, in a chain from rank to rank. */
static int32_t add_one(void *user_data)
{
	uint64_t *at = user_data;

	at[0] = at[N - 1] + 1;
	at[N - 1] = at[0];
	return 0;
}

static void submit_many(struct rank *rank)
{
	static const plait_box first = { { 0, 0, 0 }, { 1, 1, 1 } };
	static const plait_box last = { { N - 1, 0, 0 }, { N, 1, 1 } };
	struct seen *seen = begin(rank, 8);
	plait_data_info info = { .size = sizeof(info) };

	(void)plait_data_query(seen->data[0], &info, NULL);
	for (uint64_t i = 0; i < MANY; i++) {
		const plait_access both[2] = {
			access_of(seen->data[0], PLAIT_ACCESS_READ_WRITE,
				  &first),
			access_of(seen->data[0], PLAIT_ACCESS_READ_WRITE,
				  &last) };
		plait_access moved = access_of(seen->data[0],
					       PLAIT_ACCESS_READ_WRITE,
					       i % 2 == 0 ? &last : &first);

		(void)rank_did(rank, call(seen, "add", add_one, info.pointer,
					  both, 2, NULL, &rank->error));
		(void)rank_did(rank, call(seen, "move", count_call, seen,
					  &moved, 1, NULL, &rank->error));
	}
	(void)rank_did(rank, plait_data_read(seen->data[0], NULL, seen->host,
					     &rank->error));
	end(seen);
}

static void passes_many_horizons(void)
{
	run(3, submit_many);
	for (int i = 0; i < 3; i++) {
		IS_UINT(all_seen[i].host[0], MANY);
		IS_UINT(all_seen[i].host[N - 1], MANY);
	}
}

/* ---- collective tasks ---- */

/* Arguments of the function of a rank. */
struct together {
	plait_collective *collective;
	plait_error *error;
	uint64_t *shared; /* of the flow: equal on all ranks */
	int32_t own; /* of the rank, then the sum */
};

static int32_t add_up(void *user_data)
{
	struct together *at = user_data;
	const plait_collective_run run = { .size = sizeof(run), .count = 1,
					   .element = PLAIT_ELEMENT_INT,
					   .element_bits = 32,
					   .output_memory = &at->own };

	if (plait_collective_call(at->collective, &run, at->error) != PLAIT_OK)
		return 1;
	at->shared[0] += (uint64_t)at->own;
	return 0;
}

static int32_t triple(void *user_data)
{
	uint64_t *at = user_data;

	at[0] *= 3;
	return 0;
}

/* A task of one rank changes what collective ones before and behind it add to. */
static void submit_together(struct rank *rank)
{
	struct seen *seen = begin(rank, 0);
	struct together at[4];
	plait_data_info info = { .size = sizeof(info) };
	const plait_box first = { { 0, 0, 0 }, { 1, 1, 1 } };
	const plait_access both = access_of(seen->data[0],
					    PLAIT_ACCESS_READ_WRITE, &first);
	plait_collective *sum = rank_collective(rank, "ring",
						PLAIT_COLL_ALLREDUCE,
						PLAIT_COLL_IN_PLACE);

	(void)plait_data_query(seen->data[0], &info, NULL);
	for (int i = 0; i < 4; i++) {
		const plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.flags = PLAIT_TASK_COLLECTIVE, .function = add_up,
			.user_data = &at[i], .accesses = &both,
			.access_count = 1, .label = "together" };

		at[i] = (struct together){ sum, &rank->error, info.pointer,
					   (int32_t)rank->rank + 1 };
		(void)rank_did(rank, plait_flow_submit(seen->flow, &desc, NULL,
						       &rank->error));
		(void)rank_did(rank, call(seen, "triple", triple, info.pointer,
					  &both, 1, NULL, &rank->error));
	}
	(void)rank_did(rank, plait_data_read(seen->data[0], NULL, seen->host,
					     &rank->error));
	end(seen);
	plait_collective_release(sum);
}

/* Nothing but functions. */
static void submit_collective_fill(struct rank *rank)
{
	struct seen *seen = begin(rank, 0);
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_FILL,
		.flags = PLAIT_TASK_COLLECTIVE, .target = seen->data[0] };

	seen->status[0] = plait_flow_submit(seen->flow, &desc, NULL,
					    &seen->error[0]);
	end(seen);
}

static void runs_collective_tasks_on_every_rank(void)
{
	run(3, submit_together);
	/* 6 = 1 + 2 + 3 is added, and all tripled, four times. */
	for (int i = 0; i < 3; i++)
		IS_UINT(all_seen[i].host[0], 6 * (3 + 9 + 27 + 81));
	run(2, submit_collective_fill);
	for (int i = 0; i < 2; i++) {
		IS_INT(all_seen[i].status[0], PLAIT_E_INVALID);
		HAS_STR(all_seen[i].error[0].text, "only functions");
	}
}

/* ---- failures ---- */

/* Task 1 fails on rank 1; its reader is not run on rank 0, and a read by the
 * program fails on all ranks.  An overwrite cures. */
static void submit_failure(struct rank *rank)
{
	static const plait_box upper = { { N / 2, 0, 0 }, { N, 1, 1 } };
	static const plait_box lower = { { 0, 0, 0 }, { N / 2, 1, 1 } };
	struct seen *seen = begin(rank, 0);
	const plait_access from = access_of(seen->data[0],
					    PLAIT_ACCESS_READ_WRITE, &upper);
	const plait_access both[2] = {
		access_of(seen->data[0], PLAIT_ACCESS_READ, &upper),
		access_of(seen->data[1], PLAIT_ACCESS_WRITE, &lower) };
	const plait_task_desc fill = {
		.size = sizeof(fill), .kind = PLAIT_TASK_FILL, .pattern = 5,
		.target = seen->data[0], .target_box = &upper };

	(void)rank_did(rank, call(seen, "bad", fail_with_9, NULL, &from, 1,
				  NULL, &rank->error));
	(void)rank_did(rank, call(seen, "behind", count_call, seen, both, 2,
				  NULL, &rank->error));
	seen->status[0] = plait_data_read(seen->data[0], &upper, seen->host,
					  &seen->error[0]);
	seen->status[1] = plait_data_read(seen->data[1], &lower, seen->host,
					  &seen->error[1]);
	(void)rank_did(rank, plait_data_read(seen->data[0], &lower, seen->host,
					     &rank->error));
	(void)rank_did(rank, plait_flow_submit(seen->flow, &fill, NULL,
					       &rank->error));
	(void)rank_did(rank, plait_data_read(seen->data[0], &upper, seen->host,
					     &rank->error));
	end(seen);
}

static void poisons_over_ranks(void)
{
	run(2, submit_failure);
	for (int i = 0; i < 2; i++) {
		IS_UINT(all_seen[i].calls, 0);
		for (int k = 0; k < 2; k++) {
			IS_INT(all_seen[i].status[k], PLAIT_E_FAILED);
			IS_INT(all_seen[i].error[k].origin, 9);
			HAS_STR(all_seen[i].error[k].text, "\"bad\"");
		}
		IS_UINT(all_seen[i].host[0], 5);
	}
	HAS_STR(all_seen[0].error[0].text, "\"from rank 1\" failed there: ");
}

/* ---- programs that differ ---- */

static void submit_other(struct rank *rank)
{
	struct seen *seen = begin(rank, 4);
	const plait_access one = access_of(seen->data[0],
					   PLAIT_ACCESS_READ_WRITE, NULL);
	const plait_access two = access_of(seen->data[1],
					   PLAIT_ACCESS_READ_WRITE, NULL);

	for (uint64_t i = 0; i < MANY && seen->status[0] == PLAIT_OK; i++)
		seen->status[0] = call(seen, rank->rank == 1 ? "other" : "same",
				       count_call, seen,
				       rank->rank == 1 && i == 6 ? &two : &one,
				       1, NULL, &seen->error[0]);
	/* No call hangs, or goes on. */
	seen->status[1] = plait_data_read(seen->data[0], NULL, seen->host,
					  &seen->error[1]);
	end(seen);
}

static void finds_a_difference(void)
{
	run(3, submit_other);
	for (int i = 0; i < 3; i++) {
		IS_INT(all_seen[i].status[0], PLAIT_E_INVALID);
		IS_INT(all_seen[i].status[1], PLAIT_E_INVALID);
		HAS_STR(all_seen[i].error[0].text, "submission 7, \"");
		HAS_STR(all_seen[i].error[0].text, "(horizon 2)");
		HAS_STR(all_seen[i].error[0].text, "rank 1");
	}
}

/* Rank 1 ends its flow; rank 0 waits for what would come from there. */
static void submit_less(struct rank *rank)
{
	static const plait_box upper = { { N / 2, 0, 0 }, { N, 1, 1 } };
	struct seen *seen = begin(rank, 0);
	const plait_access from = access_of(seen->data[0],
					    PLAIT_ACCESS_READ_WRITE, &upper);

	(void)rank_did(rank, call(seen, "call", count_call, seen, &from, 1,
				  NULL, &rank->error));
	if (rank->rank == 0)
		seen->status[0] = plait_data_read(seen->data[0], &upper,
						  seen->host, &seen->error[0]);
	end(seen);
}

static void names_a_rank_that_ended_its_flow(void)
{
	run(2, submit_less);
	OK(all_seen[0].status[0] < 0);
	HAS_STR(all_seen[0].error[0].text, "rank 1 has ended");
}

/* ---- refusals ---- */

static int32_t submit_inside(void *user_data)
{
	struct seen *seen = user_data;

	seen->status[3] = call(seen, "inside", count_call, seen, NULL, 0, NULL,
			       &seen->error[3]);
	return 0;
}

static void refuse(struct rank *rank)
{
	struct seen *seen = begin(rank, 0);
	plait_flow_desc bad = { .size = sizeof(bad), .world = rank->world,
				.flags = PLAIT_FLOW_RECORD };
	plait_task_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_TASK_CALL, .user_data = seen,
				 .function = count_call,
				 .flags = PLAIT_TASK_BARRIER };
	plait_graph *graph = NULL;
	plait_flow *none = NULL;

	seen->status[0] = plait_flow_submit(seen->flow, &desc, NULL,
					    &seen->error[0]);
	desc.flags = PLAIT_TASK_NO_WAIT;
	seen->status[1] = plait_flow_submit(seen->flow, &desc, NULL,
					    &seen->error[1]);
	(void)rank_did(rank, plait_graph_create(rank->context, &graph,
						&rank->error));
	seen->status[2] = plait_flow_capture(seen->flow, graph,
					     &seen->error[2]);
	plait_graph_release(graph);
	(void)rank_did(rank, call(seen, "outside", submit_inside, seen, NULL,
				  0, NULL, &rank->error));
	(void)rank_did(rank, plait_flow_wait(seen->flow, 0, PLAIT_FOREVER,
					     &rank->error));
	seen->status[4] = plait_flow_create(rank->context, &bad, &none,
					    &seen->error[4]);
	bad.flags = 0;
	bad.horizon = 65;
	seen->status[5] = plait_flow_create(rank->context, &bad, &none,
					    &seen->error[5]);
	bad.horizon = 8 + rank->rank;
	seen->status[6] = plait_flow_create(rank->context, &bad, &none,
					    &seen->error[6]);
	end(seen);
}

static void refuses_what_one_rank_would_do(void)
{
	static const char *const texts[] = {
		"let tasks name a token instead", "leave PLAIT_TASK_NO_WAIT out",
		"submit the tasks each time", "all ranks submit the same tasks",
		"leave flags 0",
		"a horizon of 65 tasks; over a world at most 64",
		"horizon is " };
	static const plait_status statuses[] = {
		PLAIT_E_UNSUPPORTED, PLAIT_E_UNSUPPORTED, PLAIT_E_UNSUPPORTED,
		PLAIT_E_STATE, PLAIT_E_UNSUPPORTED, PLAIT_E_INVALID,
		PLAIT_E_INVALID };

	run(2, refuse);
	for (int k = 0; k < 7; k++) {
		IS_INT(all_seen[0].status[k], statuses[k]);
		HAS_STR(all_seen[0].error[k].text, texts[k]);
	}
}

/* ---- a mapping before many tasks ---- */

static void map_for_long(struct rank *rank)
{
	struct seen *seen = begin(rank, 0);
	const plait_access access = access_of(seen->data[1],
					      PLAIT_ACCESS_READ_WRITE, NULL);
	void *mapped = NULL;

	for (int k = 0; k < 2; k++) {
		(void)rank_did(rank, plait_data_map(
			seen->data[0], NULL, PLAIT_MAP_READ, &mapped,
			&rank->error));
		for (seen->task[k] = 0; seen->task[k] < MANY; seen->task[k]++)
			if ((seen->status[k] = call(seen, "one", count_call,
						    seen, &access, 1, NULL,
						    &seen->error[k])) !=
			    PLAIT_OK)
				break;
		(void)rank_did(rank, plait_data_unmap(seen->data[0], mapped,
						      &rank->error));
	}
	(void)rank_did(rank, plait_data_read(seen->data[1], NULL, seen->host,
					     &rank->error));
	end(seen);
}

/* The tasks run on rank 0 only, but no rank takes more of them. */
static void refuses_tasks_behind_a_mapping(void)
{
	run(2, map_for_long);
	for (uint32_t i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++) {
			IS_INT(all_seen[i].status[k], PLAIT_E_DEADLOCK);
			HAS_STR(all_seen[i].error[k].text, "unmap it first");
			IS_UINT(all_seen[i].task[k], 128);
		}
}

/* ---- a rank that does not go on ---- */

static pthread_barrier_t all_have_seen;

/* Rank 0 creates the flow, and submits nothing until the others have ended. */
static void wait_for_silent(struct rank *rank, uint32_t tasks)
{
	struct seen *seen = begin(rank, 8);
	const plait_box first = { { 0, 0, 0 }, { 1, 1, 1 } };
	const plait_access writes = access_of(
		seen->data[0], PLAIT_ACCESS_READ_WRITE, &first);

	for (uint32_t i = 0; rank->rank != 0 && i < tasks; i++) {
		seen->status[0] = call(seen, "on rank 0", count_call, seen,
				       tasks > 1 ? NULL : &writes,
				       tasks > 1 ? 0 : 1, NULL,
				       &seen->error[0]);
		if (seen->status[0] != PLAIT_OK)
			break;
	}
	if (rank->rank != 0 && seen->status[0] == PLAIT_OK)
		seen->status[0] = plait_data_read(seen->data[0], NULL,
						  seen->host, &seen->error[0]);
	(void)pthread_barrier_wait(&all_have_seen);
	end(seen);
}

static void wait_for_data(struct rank *rank)
{
	wait_for_silent(rank, 1);
}

static void wait_for_horizon(struct rank *rank)
{
	wait_for_silent(rank, MANY);
}

static void names_a_silent_rank(void)
{
	void (*const functions[])(struct rank *) = { wait_for_data,
						     wait_for_horizon };

	for (size_t k = 0; k < TAP_COUNT(functions); k++) {
		memset(ranks, 0, sizeof(ranks));
		memset(all_seen, 0, sizeof(all_seen));
		(void)pthread_barrier_init(&all_have_seen, NULL, 3);
		for (uint32_t i = 0; i < 3; i++) {
			all_seen[i].error[0].size = sizeof(error);
			ranks[i].desc.silence_ns = 50000000;
		}
		IS_UINT(ranks_run(ranks, 3, "loopback", functions[k]), 3);
		(void)pthread_barrier_destroy(&all_have_seen);
		for (uint32_t i = 1; i < 3; i++) {
			IS_INT(all_seen[i].status[0], PLAIT_E_TIMEOUT);
			HAS_STR(all_seen[i].error[0].text,
				"rank 0 is silent: it");
		}
	}
}

/* ---- one rank ---- */

static void takes_a_world_of_one_rank(void)
{
	const plait_context_desc one = { .size = sizeof(one),
					 .backends = "host" };
	plait_context *context = NULL;
	plait_world *world = NULL;
	struct seen *seen = &all_seen[0];
	plait_flow_desc desc = { .size = sizeof(desc) };

	memset(seen, 0, sizeof(*seen));
	OK(plait_context_open(&one, &context, &error) == PLAIT_OK);
	OK(plait_world_open(context, NULL, &world, &error) == PLAIT_OK);
	desc.world = world;
	OK(plait_flow_create(context, &desc, &seen->flow, &error) == PLAIT_OK);
	OK(call(seen, "call", count_call, seen, NULL, 0, NULL, &error) == 0);
	OK(plait_flow_wait(seen->flow, 0, PLAIT_FOREVER, &error) == PLAIT_OK);
	IS_UINT(seen->calls, 1);
	plait_flow_release(seen->flow);
	plait_world_release(world);
	IS_INT(plait_flow_create(context, &desc, &seen->flow, &error),
	       PLAIT_E_HANDLE);
	plait_context_release(context);
}

static const struct tap_scenario all[] = {
	{ "runs a task once where its data is",
	  runs_a_task_once_where_its_data_is },
	{ "passes many horizons", passes_many_horizons },
	{ "runs collective tasks on every rank",
	  runs_collective_tasks_on_every_rank },
	{ "poisons over ranks", poisons_over_ranks },
	{ "finds a difference", finds_a_difference },
	{ "names a rank that ended its flow",
	  names_a_rank_that_ended_its_flow },
	{ "refuses what one rank would do", refuses_what_one_rank_would_do },
	{ "refuses tasks behind a mapping", refuses_tasks_behind_a_mapping },
	{ "names a silent rank", names_a_silent_rank },
	{ "takes a world of one rank", takes_a_world_of_one_rank },
};

TAP_MAIN(all)
