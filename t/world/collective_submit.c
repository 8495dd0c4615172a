/* SPDX-License-Identifier: MIT */
/*
 * Collectives of queues: results in the order of a queue; other work while ranks
 * are late; failures, cancellation and silence, which the other ranks learn of.
 * Ranks are threads.
 */
#include "world/threads.h"

#include <sched.h>
#include <stdatomic.h>

enum { COUNT = 3000, RANKS = 3 };

static struct rank ranks[THREADS_MAX];
static float numbers[THREADS_MAX][COUNT];
static plait_status statuses[THREADS_MAX];
static char texts[THREADS_MAX][PLAIT_ERROR_TEXT_BYTES];
static uint32_t successes[THREADS_MAX];
static atomic_int flag, released;

static void begin(uint32_t workers)
{
	memset(ranks, 0, sizeof(ranks));
	memset(statuses, 0, sizeof(statuses));
	memset(successes, 0, sizeof(successes));
	atomic_store(&flag, 0);
	atomic_store(&released, 0);
	for (uint32_t i = 0; i < THREADS_MAX; i++)
		ranks[i].workers = workers;
}

static void note(struct rank *rank, plait_status status)
{
	statuses[rank->rank] = status;
	memcpy(texts[rank->rank], rank->error.text, sizeof(rank->error.text));
}

static void note_run(struct rank *rank, plait_run *run)
{
	plait_status status = plait_run_wait(run, TAP_PATIENCE_NS,
					     &rank->error);

	successes[rank->rank] += status == PLAIT_OK;
	if (status != PLAIT_OK)
		note(rank, status);
}

static plait_queue *make_queue(struct rank *rank)
{
	plait_device *device = NULL;
	plait_queue *queue = NULL;

	rank_did(rank, plait_context_device(rank->context, 0, &device,
					    &rank->error));
	rank_did(rank, plait_queue_create(device, NULL, &queue, &rank->error));
	return queue;
}

static plait_collective *make(struct rank *rank)
{
	return rank_collective(rank, "ring", PLAIT_COLL_ALLREDUCE,
			       PLAIT_COLL_IN_PLACE);
}

static plait_collective_run sum_of(const struct rank *rank, uint64_t count)
{
	return (plait_collective_run){
		.size = sizeof(plait_collective_run), .count = count,
		.element = PLAIT_ELEMENT_FLOAT, .element_bits = 32,
		.output_memory = numbers[rank->rank],
	};
}

static bool submit(struct rank *rank, plait_collective *collective,
		   plait_queue *queue, uint64_t count, plait_run **out)
{
	const plait_collective_run run = sum_of(rank, count);

	return rank_did(rank, plait_collective_submit(collective, queue, &run,
						      out, &rank->error));
}

static bool finish(struct rank *rank, plait_queue *queue)
{
	return rank_did(rank, plait_queue_finish(queue, TAP_PATIENCE_NS,
						 &rank->error));
}

static void end(plait_collective *collective, plait_queue *queue)
{
	plait_collective_release(collective);
	plait_queue_release(queue);
}

/* ---- order ---- */

enum { TURNS = 150 };

static int32_t halve(void *user_data)
{
	const struct rank *rank = user_data;

	for (uint32_t i = 0; i < COUNT; i++)
		numbers[rank->rank][i] /= 2;
	return 0;
}

/* Two ranks: a sum of equal numbers is twice one, so each turn changes
 * nothing unless a command overtakes one. */
static void run_turns(struct rank *rank)
{
	plait_collective *collective = make(rank);
	plait_queue *queue = make_queue(rank);
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < COUNT; i++)
		numbers[rank->rank][i] = (float)i;
	for (uint32_t i = 0; i < TURNS && collective != NULL; i++)
		if (!submit(rank, collective, queue, COUNT, NULL) ||
		    !rank_did(rank, plait_queue_call(queue, halve, rank,
						     &rank->error)))
			break;
	finish(rank, queue);
	for (uint32_t i = 0; i < COUNT; i++)
		wrong += numbers[rank->rank][i] != (float)i;
	if (wrong > 0)
		rank_did(rank, PLAIT_E_FAILED);
	end(collective, queue);
}

static void keeps_the_order_of_the_queue(void)
{
	static const char *const transports[] = { "loopback", "shm" };

	for (uint32_t i = 0; i < 2; i++) {
		begin(i + 1);
		OK_THAT(ranks_run(ranks, 2, transports[i], run_turns) == 2,
			"%s: %s", transports[i], ranks[0].error.text);
	}
}

/* The last references go before the work is done. */
static void run_released(struct rank *rank)
{
	plait_collective *collective = make(rank);
	plait_queue *queue = make_queue(rank);

	numbers[rank->rank][7] = 1;
	if (collective != NULL && submit(rank, collective, queue, 8, NULL))
		plait_collective_release(collective);
	finish(rank, queue);
	if (numbers[rank->rank][7] != (float)rank->ranks)
		rank_did(rank, PLAIT_E_FAILED);
	plait_queue_release(queue);
}

static void holds_what_it_uses(void)
{
	begin(1);
	OK_THAT(ranks_run(ranks, RANKS, "loopback", run_released) == RANKS,
		"%s", ranks[0].error.text);
}

static int32_t fail(void *user_data)
{
	(void)user_data;
	return 7;
}

/* Without workers no thread has executed the run when all handles are gone. */
static void run_forgotten(struct rank *rank)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = 4 * COUNT };
	plait_collective_run run = sum_of(rank, COUNT);
	plait_collective *collective = make(rank);
	plait_queue *queue = make_queue(rank);
	plait_device *device = NULL;

	run.output_memory = NULL;
	rank_did(rank, plait_context_device(rank->context, 0, &device,
					    &rank->error));
	rank_did(rank, plait_buffer_create(device, &desc, &run.output,
					   &rank->error));
	rank_did(rank, plait_queue_call(queue, fail, NULL, &rank->error));
	rank_did(rank, plait_collective_submit(collective, queue, &run, NULL,
					       &rank->error));
	plait_buffer_release(run.output);
	note(rank, plait_queue_finish(queue, TAP_PATIENCE_NS, &rank->error));
	end(collective, queue);
}

static void ends_with_its_context(void)
{
	uint64_t since = 0;

	begin(0);
	OK_THAT(ranks_run(ranks, 1, "loopback", run_forgotten) == 1, "%s",
		ranks[0].error.text);
	IS_INT(statuses[0], PLAIT_E_FAILED);
	while (plait_live_count(0) != 0 && !tap_late(&since))
		sched_yield();
	IS_UINT(plait_live_count(0), 0);
}

/* ---- other work meanwhile ---- */

static int32_t raise_flag(void *user_data)
{
	(void)user_data;
	atomic_store(&flag, 1);
	return 0;
}

/* Rank 1 calls when a function of rank 0 has run, which has one worker and a
 * collective in front of it. */
static void run_late(struct rank *rank)
{
	plait_collective *collective = make(rank);
	plait_queue *first = make_queue(rank), *second = make_queue(rank);

	if (collective == NULL)
		return;
	if (rank->rank == 1)
		while (atomic_load(&flag) == 0)
			sched_yield();
	submit(rank, collective, first, COUNT, NULL);
	if (rank->rank == 0) {
		rank_did(rank, plait_queue_call(second, raise_flag, NULL,
						&rank->error));
		while (atomic_load(&flag) == 0)
			sched_yield();
	}
	finish(rank, first);
	plait_queue_release(second);
	end(collective, first);
}

static void holds_no_thread(void)
{
	begin(1);
	OK_THAT(ranks_run(ranks, 2, "loopback", run_late) == 2, "%s",
		ranks[0].error.text);
}

/* ---- failures ---- */

/* Fails when the collective behind it is in the queue. */
static int32_t fail_behind_flag(void *user_data)
{
	(void)user_data;
	while (atomic_load(&flag) == 0)
		sched_yield();
	return 7;
}

/* On rank 1 the command before the collective fails. */
static void run_failed(struct rank *rank)
{
	plait_collective *collective = make(rank);
	plait_queue *queue = make_queue(rank);
	plait_run *run = NULL;

	if (collective == NULL)
		return;
	if (rank->rank == 1)
		rank_did(rank, plait_queue_call(queue, fail_behind_flag,
						NULL, &rank->error));
	submit(rank, collective, queue, COUNT, &run);
	if (rank->rank == 1)
		atomic_store(&flag, 1);
	note(rank, plait_queue_finish(queue, TAP_PATIENCE_NS, &rank->error));
	plait_run_release(run);
	numbers[rank->rank][0] = 1;
	submit(rank, collective, queue, COUNT, NULL);
	finish(rank, queue);
	if (numbers[rank->rank][0] != (float)rank->ranks)
		rank_did(rank, PLAIT_E_FAILED);
	end(collective, queue);
}

static void tells_of_a_failed_queue(void)
{
	begin(1);
	OK_THAT(ranks_run(ranks, RANKS, "loopback", run_failed) == RANKS, "%s",
		ranks[0].error.text);
	IS_INT(statuses[1], PLAIT_E_FAILED);
	/* The next call of rank 1 may be there before its mail. */
	for (uint32_t i = 0; i < RANKS; i += 2) {
		IS_INT(statuses[i], PLAIT_E_CANCELLED);
		HAS_STR(texts[i], "rank 1 ");
		HAS_STR(texts[i], " call 1");
	}
}

/* Fails in each turn when the collective behind it is in the queue. */
static int32_t fail_in_turn(void *user_data)
{
	const int *turn = user_data;

	while (atomic_load(&flag) < *turn)
		sched_yield();
	return 7;
}

enum { HOLD_YIELDS = 100000 };

/* Keeps the only worker from the run that is skipped, but not for ever. */
static int32_t hold_worker(void *user_data)
{
	const int *turn = user_data;

	for (int i = 0; i < HOLD_YIELDS && atomic_load(&released) < *turn; i++)
		sched_yield();
	return 0;
}

/* A plan that calls the collective twice. */
static plait_plan *make_plan(struct rank *rank, plait_collective *collective)
{
	const plait_collective_run run = sum_of(rank, 8);
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node node = 0;

	rank_did(rank, plait_graph_create(rank->context, &graph,
					  &rank->error));
	for (uint32_t i = 0; i < 2; i++)
		rank_did(rank, plait_graph_collective(graph, collective, &run,
						      "sum", node, &node,
						      &rank->error));
	rank_did(rank, plait_graph_freeze(graph, NULL, &plan, &rank->error));
	plait_graph_release(graph);
	return plan;
}

/* Behind the failed queue of rank 1 each rank calls at once: the skipped run, which
 * the worker has still to end, has its number already. */
static void run_behind(struct rank *rank)
{
	plait_collective *collective = make(rank);
	const plait_collective_run run = sum_of(rank, 8);
	plait_queue *queue = make_queue(rank), *other = make_queue(rank);
	plait_plan *plan = make_plan(rank, collective);
	int turn = 0;

	while (collective != NULL && turn++ < TURNS) {
		if (rank->rank == 1)
			rank_did(rank, plait_queue_call(queue, fail_in_turn,
							&turn, &rank->error));
		if (turn % 2 == 0)
			submit(rank, collective, queue, 8, NULL);
		else
			rank_did(rank, plait_plan_run(plan, queue, NULL, NULL,
						      &rank->error));
		if (rank->rank == 1) {
			rank_did(rank, plait_queue_call(other, hold_worker,
							&turn, &rank->error));
			atomic_store(&flag, turn);
		}
		note(rank, plait_queue_finish(queue, TAP_PATIENCE_NS,
					      &rank->error));
		numbers[rank->rank][7] = 1;
		if (!rank_did(rank, plait_collective_call(collective, &run,
							  &rank->error)))
			break;
		if (rank->rank == 1) {
			atomic_store(&released, turn);
			finish(rank, other);
		}
		if (statuses[rank->rank] == PLAIT_OK ||
		    numbers[rank->rank][7] != (float)rank->ranks)
			rank_did(rank, PLAIT_E_FAILED);
	}
	plait_plan_release(plan);
	plait_queue_release(other);
	end(collective, queue);
}

static void counts_a_skipped_run_at_once(void)
{
	for (uint32_t workers = 1; workers <= 2; workers++) {
		begin(workers);
		OK_THAT(ranks_run(ranks, 2, "loopback", run_behind) == 2,
			"%u workers: %s, %s", workers, ranks[0].error.text,
			ranks[1].error.text);
	}
}

/* Rank 0 cancels its call, for which rank 1 has not come yet. */
static void run_cancelled(struct rank *rank)
{
	plait_collective *collective = make(rank);
	plait_queue *queue = make_queue(rank);
	plait_run *run = NULL;

	if (collective == NULL)
		return;
	if (rank->rank == 1)
		while (atomic_load(&flag) == 0)
			sched_yield();
	submit(rank, collective, queue, COUNT, &run);
	if (rank->rank == 0)
		rank_did(rank, plait_run_cancel(run, &rank->error));
	note(rank, plait_run_wait(run, TAP_PATIENCE_NS, &rank->error));
	atomic_store(&flag, 1);
	(void)plait_queue_finish(queue, TAP_PATIENCE_NS, NULL);
	submit(rank, collective, queue, COUNT, NULL);
	finish(rank, queue);
	plait_run_release(run);
	end(collective, queue);
}

static void tells_of_a_cancelled_run(void)
{
	begin(1);
	OK_THAT(ranks_run(ranks, 2, "loopback", run_cancelled) == 2, "%s",
		ranks[0].error.text);
	IS_INT(statuses[0], PLAIT_E_CANCELLED);
	IS_INT(statuses[1], PLAIT_E_CANCELLED);
	HAS_STR(texts[1], "rank 0 left call 1: its run was stopped");
}

/* Rank 1 does not come until rank 0 has given up. */
static void run_silent(struct rank *rank)
{
	plait_collective *collective = make(rank);
	plait_queue *queue = make_queue(rank);

	if (collective == NULL)
		return;
	if (rank->rank == 1)
		while (atomic_load(&flag) == 0)
			sched_yield();
	submit(rank, collective, queue, COUNT, NULL);
	note(rank, plait_queue_finish(queue, TAP_PATIENCE_NS, &rank->error));
	atomic_store(&flag, 1);
	end(collective, queue);
}

static void names_a_silent_rank(void)
{
	begin(1);
	ranks[0].desc.silence_ns = 20000000;
	(void)ranks_run(ranks, 2, "loopback", run_silent);
	IS_INT(statuses[0], PLAIT_E_TIMEOUT);
	HAS_STR(texts[0], "rank 1 is silent");
	IS_INT(statuses[1], PLAIT_E_CANCELLED);
	HAS_STR(texts[1], "rank 0 left call 1");
}

/* Rank 0 has two calls at once, one of which is refused; rank 1 then makes two,
 * one after the other. */
static void run_twice(struct rank *rank)
{
	plait_collective *collective = make(rank);
	plait_queue *queues[2] = { make_queue(rank), make_queue(rank) };
	plait_run *runs[2] = { NULL };
	bool late = rank->rank == 1;

	for (uint32_t i = 0; i < 2 && collective != NULL; i++) {
		while (late && atomic_load(&flag) == 0)
			sched_yield();
		submit(rank, collective, queues[late ? 0 : i], COUNT,
		       &runs[i]);
		if (late)
			note_run(rank, runs[i]);
	}
	while (!late && plait_run_poll(runs[0], NULL) == PLAIT_PENDING &&
	       plait_run_poll(runs[1], NULL) == PLAIT_PENDING)
		sched_yield();
	atomic_store(&flag, 1);
	for (uint32_t i = 0; i < 2; i++) {
		if (!late)
			note_run(rank, runs[i]);
		(void)plait_queue_finish(queues[i], TAP_PATIENCE_NS, NULL);
		plait_run_release(runs[i]);
		plait_queue_release(queues[i]);
	}
	plait_collective_release(collective);
}

static void refuses_a_call_in_a_call(void)
{
	begin(1);
	OK_THAT(ranks_run(ranks, 2, "loopback", run_twice) == 2, "%s",
		ranks[1].error.text);
	for (uint32_t i = 0; i < 2; i++) {
		IS_UINT(successes[i], 1);
		IS_INT(statuses[i], i == 0 ? PLAIT_E_STATE :
					     PLAIT_E_CANCELLED);
		HAS_STR(texts[i], i == 0 ? "another call of this collective is "
					   "in progress" : "rank 0 left call");
	}
}

/* ---- bad input ---- */

static void check_bad(struct rank *rank, plait_collective *collective,
		      plait_queue *queue)
{
	const plait_buffer_desc small = { .size = sizeof(small), .bytes = 64 };
	plait_collective_run run = sum_of(rank, COUNT);
	plait_buffer *buffer = NULL;
	plait_device *device = NULL;
	plait_run *out = (plait_run *)&run;
	plait_error *error = &rank->error;

	IS_INT(plait_collective_submit(NULL, queue, &run, NULL, error),
	       PLAIT_E_HANDLE);
	IS_INT(plait_collective_submit(collective, NULL, &run, &out, error),
	       PLAIT_E_INVALID);
	IS_PTR(out, NULL);
	IS_INT(plait_collective_submit(collective, queue, NULL, NULL, error),
	       PLAIT_E_INVALID);
	HAS_STR(error->text, "run is null");
	run.output_memory = NULL;
	IS_INT(plait_collective_submit(collective, queue, &run, NULL, error),
	       PLAIT_E_INVALID);
	HAS_STR(error->text, "the output of rank 0 is null");
	OK(plait_context_device(rank->context, 0, &device, error) == 0);
	OK(plait_buffer_create(device, &small, &buffer, error) == PLAIT_OK);
	run.output = buffer;
	IS_INT(plait_collective_submit(collective, queue, &run, NULL, error),
	       PLAIT_E_INVALID);
	HAS_STR(error->text, "output");
	plait_buffer_release(buffer);
	run.output_memory = NULL;
	IS_INT(plait_collective_submit(collective, queue, &run, NULL, error),
	       PLAIT_E_HANDLE);
	HAS_STR(error->text, "output");
}

/* A refused submission counts on no rank. */
static void run_bad(struct rank *rank)
{
	plait_collective *collective = make(rank);
	plait_queue *queue = make_queue(rank);

	if (collective == NULL)
		return;
	if (rank->rank == 0)
		check_bad(rank, collective, queue);
	submit(rank, collective, queue, COUNT, NULL);
	finish(rank, queue);
	end(collective, queue);
}

static void refuses_bad_input_at_the_call(void)
{
	begin(1);
	OK_THAT(ranks_run(ranks, 2, "loopback", run_bad) == 2, "%s",
		ranks[0].error.text);
}

static const struct tap_scenario all[] = {
	{ "order", keeps_the_order_of_the_queue },
	{ "released", holds_what_it_uses },
	{ "forgotten", ends_with_its_context },
	{ "late", holds_no_thread },
	{ "failed queue", tells_of_a_failed_queue },
	{ "skipped", counts_a_skipped_run_at_once },
	{ "cancelled", tells_of_a_cancelled_run },
	{ "silent", names_a_silent_rank },
	{ "two at once", refuses_a_call_in_a_call },
	{ "bad input", refuses_bad_input_at_the_call },
};
TAP_MAIN(all)
