/* SPDX-License-Identifier: MIT */
/*
 * Collectives as nodes of graphs, with ranks that are threads: results bit by bit
 * between kernels, a kernel that runs during a collective, the order of several,
 * runs that fail or are cancelled, forms that a plan has and has not.
 */
#include "coll/project/collective_object.h"

#include "world/threads.h"

#include <sched.h>
#include <stdatomic.h>

enum { COUNT = 2500, RANKS = 3, RECORDS = 4096 };

static struct rank ranks[THREADS_MAX];
static plait_status statuses[THREADS_MAX];
static char texts[THREADS_MAX][PLAIT_ERROR_TEXT_BYTES];
static atomic_int flag;

static void begin(uint32_t workers)
{
	memset(ranks, 0, sizeof(ranks));
	memset(statuses, 0, sizeof(statuses));
	atomic_store(&flag, 0);
	for (uint32_t i = 0; i < THREADS_MAX; i++)
		ranks[i].workers = workers;
}

static void note(struct rank *rank, plait_status status)
{
	statuses[rank->rank] = status;
	memcpy(texts[rank->rank], rank->error.text, sizeof(rank->error.text));
}

static plait_collective *make(struct rank *rank)
{
	return rank_collective(rank, "ring", PLAIT_COLL_ALLREDUCE,
			       PLAIT_COLL_IN_PLACE);
}

/* ---- a rank's graph ---- */

/* One graph of a rank: a buffer of COUNT numbers. */
struct bench {
	struct rank *rank;
	plait_collective *collective;
	plait_device *device;
	plait_buffer *buffer;
	plait_graph *graph;
	plait_queue *queue;
	uint32_t *memory;	/* of the buffer, while it is mapped */
	uint32_t fails;		/* the function `maybe` fails */
};

static bool open_bench(struct bench *bench, struct rank *rank)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = 4 * COUNT, .label = "data" };

	*bench = (struct bench){ .rank = rank, .collective = make(rank) };
	return bench->collective != NULL &&
	       rank_did(rank, plait_context_device(rank->context, 0,
						   &bench->device,
						   &rank->error)) &&
	       rank_did(rank, plait_buffer_create(bench->device, &desc,
						  &bench->buffer,
						  &rank->error)) &&
	       rank_did(rank, plait_queue_create(bench->device, NULL,
						 &bench->queue,
						 &rank->error)) &&
	       rank_did(rank, plait_graph_create(rank->context, &bench->graph,
						 &rank->error));
}

static void close_bench(struct bench *bench)
{
	plait_graph_release(bench->graph);
	plait_buffer_release(bench->buffer);
	plait_queue_release(bench->queue);
	plait_collective_release(bench->collective);
}

static plait_collective_run run_of(const struct bench *bench)
{
	return (plait_collective_run){
		.size = sizeof(plait_collective_run), .count = COUNT,
		.element = PLAIT_ELEMENT_UINT, .element_bits = 32,
		.output = bench->buffer,
	};
}

static plait_node add(struct bench *bench, const char *label, plait_node after)
{
	const plait_collective_run run = run_of(bench);
	plait_node node = 0;

	rank_did(bench->rank, plait_graph_collective(
		bench->graph, bench->collective, &run, label, after, &node,
		&bench->rank->error));
	return node;
}

static plait_node add_fill(struct bench *bench, uint32_t value,
			   plait_node after)
{
	plait_node node = 0;

	rank_did(bench->rank, plait_graph_fill(bench->graph, bench->buffer, 0,
					       4 * COUNT, value, 4, after,
					       &node, &bench->rank->error));
	return node;
}

static plait_node add_call(struct bench *bench, plait_host_function function,
			   void *user_data, plait_node after)
{
	plait_node node = 0;

	rank_did(bench->rank, plait_graph_call(bench->graph, function,
					       user_data, after, &node,
					       &bench->rank->error));
	return node;
}

static plait_plan *freeze(struct bench *bench, uint32_t lanes)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .lanes = lanes,
					 .flags = PLAIT_FREEZE_CHECK };
	plait_plan *plan = NULL;

	rank_did(bench->rank, plait_graph_freeze(bench->graph, &desc, &plan,
						 &bench->rank->error));
	return plan;
}

static bool has(struct bench *bench, uint32_t value)
{
	void *memory = NULL;
	uint32_t wrong = 0;

	if (!rank_did(bench->rank, plait_buffer_map(
		    bench->buffer, 0, 4 * COUNT, PLAIT_MAP_READ, &memory,
		    &bench->rank->error)))
		return false;
	for (uint32_t i = 0; i < COUNT; i++)
		wrong += ((uint32_t *)memory)[i] != value;
	rank_did(bench->rank, plait_buffer_unmap(bench->buffer, memory,
						 &bench->rank->error));
	return wrong == 0;
}

/* ---- results ---- */

/* A fill, a sum, and another sum of it. */
static void run_chain(struct rank *rank)
{
	struct bench bench;
	plait_plan *plan = NULL;

	if (open_bench(&bench, rank)) {
		add(&bench, "second",
		    add(&bench, "first", add_fill(&bench, rank->rank + 1, 0)));
		plan = freeze(&bench, 0);
	}
	for (uint32_t i = 0; i < 60 && plan != NULL; i++)
		if (!rank_did(rank, i % 2 == 0 ?
			      plait_plan_call(plan, NULL, NULL, &rank->error) :
			      plait_plan_run(plan, bench.queue, NULL, NULL,
					     &rank->error)))
			break;
	if (plan != NULL)
		rank_did(rank, plait_queue_finish(bench.queue, TAP_PATIENCE_NS,
						  &rank->error));
	if (!has(&bench, rank->ranks * rank->ranks * (rank->ranks + 1) / 2))
		rank_did(rank, PLAIT_E_FAILED);
	plait_plan_release(plan);
	close_bench(&bench);
}

static void has_the_sums(void)
{
	static const char *const transports[] = { "loopback", "shm" };

	for (uint32_t i = 0; i < 4; i++) {
		begin(i / 2 * 2);
		OK_THAT(ranks_run(ranks, RANKS, transports[i % 2],
				  run_chain) == RANKS, "%s, %u workers: %s",
			transports[i % 2], i / 2 * 2, ranks[0].error.text);
	}
}

/* ---- overlap ---- */

static plait_collective *watched;

/* Begin when the collective of rank 0 has begun; then rank 1 may begin its
 * part. */
static int32_t run_during(void *user_data)
{
	plait__collective *collective =
		plait__handle_peek(watched, PLAIT_OBJECT_COLLECTIVE);

	(void)user_data;
	while (at_load_acquire_u64(&collective->begun) == 0)
		sched_yield();
	atomic_store(&flag, 1);
	return 0;
}

/* Returns true if the commands `one` and `other` ran at one time. */
static bool overlap(const plait_record *records, uint64_t count,
		    uint64_t one, uint64_t other)
{
	const plait_record *found[2] = { NULL };

	for (uint64_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < 2; k++)
			if (records[i].kind == PLAIT_RECORD_COMMAND &&
			    records[i].command == (k == 0 ? one : other))
				found[k] = &records[i];
	return found[0] != NULL && found[1] != NULL &&
	       found[0]->start_ns < found[1]->end_ns &&
	       found[1]->start_ns < found[0]->end_ns;
}

static uint64_t command_of(struct rank *rank, plait_plan *plan,
			   plait_node_kind kind)
{
	plait_command_info info = { .size = sizeof(info) };
	uint64_t command = 0;

	while (plait_plan_query_command(plan, command, &info, &rank->error) ==
		       PLAIT_OK && info.kind != kind)
		command++;
	return command;
}

static void run_recorded(struct rank *rank, plait_plan *plan,
			 plait_queue *queue)
{
	const plait_run_desc desc = { .size = sizeof(desc),
				      .flags = PLAIT_RUN_RECORD };
	static plait_record records[RECORDS];
	uint64_t count = 0;
	plait_run *run = NULL;

	records[0].size = sizeof(records[0]);
	rank_did(rank, plait_plan_record(plan, 0, &rank->error));
	rank_did(rank, plait_plan_run(plan, queue, &desc, &run, &rank->error));
	rank_did(rank, plait_run_wait(run, TAP_PATIENCE_NS, &rank->error));
	rank_did(rank, plait_run_records(run, records, RECORDS, &count, NULL,
					 &rank->error));
	/* Turns of other work have records, too. */
	if (!overlap(records, count < RECORDS ? count : RECORDS,
		     command_of(rank, plan, PLAIT_NODE_COLLECTIVE),
		     command_of(rank, plan, PLAIT_NODE_CALL)))
		rank_did(rank, PLAIT_E_INTERNAL);
	plait_run_release(run);
}

/* Rank 0 has one worker, and the function beside the collective ends before the
 * collective can. */
static void run_beside(struct rank *rank)
{
	struct bench bench;
	plait_plan *plan = NULL;

	if (open_bench(&bench, rank)) {
		add(&bench, "sum", add_fill(&bench, 1, 0));
		if (rank->rank == 0) {
			watched = bench.collective;
			add_call(&bench, run_during, NULL, 0);
		}
		plan = freeze(&bench, 2);
	}
	while (plan != NULL && rank->rank == 1 && atomic_load(&flag) == 0)
		sched_yield();
	if (plan != NULL && rank->rank == 0)
		run_recorded(rank, plan, bench.queue);
	else if (plan != NULL)
		rank_did(rank, plait_plan_call(plan, NULL, NULL,
					       &rank->error));
	if (!has(&bench, 2))
		rank_did(rank, PLAIT_E_FAILED);
	plait_plan_release(plan);
	close_bench(&bench);
}

static void runs_kernels_meanwhile(void)
{
	begin(2);
	OK_THAT(ranks_run(ranks, 2, "loopback", run_beside) == 2, "%d %s",
		(int)ranks[0].status, ranks[0].error.text);
}

/* ---- failures ---- */

static int32_t maybe(void *user_data)
{
	const uint32_t *fails = user_data;

	return *fails ? 7 : 0;
}

/* In the first run a function of rank 1 fails, in front of the two
 * collectives. */
static void run_failed(struct rank *rank)
{
	struct bench bench;
	plait_plan *plan = NULL;

	if (open_bench(&bench, rank)) {
		plait_node node = add_call(&bench, maybe, &bench.fails,
					   add_fill(&bench, 1, 0));

		add(&bench, "second", add(&bench, "first", node));
		plan = freeze(&bench, 0);
	}
	bench.fails = rank->rank == 1;
	if (plan != NULL)
		note(rank, plait_plan_call(plan, NULL, NULL, &rank->error));
	bench.fails = 0;
	for (uint32_t i = 0; i < 3 && plan != NULL; i++)
		rank_did(rank, plait_plan_call(plan, NULL, NULL,
					       &rank->error));
	if (!has(&bench, RANKS * RANKS))
		rank_did(rank, PLAIT_E_FAILED);
	plait_plan_release(plan);
	close_bench(&bench);
}

static void ends_the_runs_of_all_ranks(void)
{
	begin(1);
	OK_THAT(ranks_run(ranks, RANKS, "loopback", run_failed) == RANKS, "%s",
		ranks[0].error.text);
	IS_INT(statuses[1], PLAIT_E_FAILED);
	for (uint32_t i = 0; i < RANKS; i += 2) {
		HAS_STR(texts[i], "\"first\" failed: rank");
		HAS_STR(texts[i], "rank 1 left call 1: its run was stopped");
		IS_INT(statuses[i], PLAIT_E_CANCELLED);
	}
}

/* Rank 0 cancels its run before rank 1 begins. */
static void run_cancelled(struct rank *rank)
{
	struct bench bench;
	plait_plan *plan = NULL;
	plait_run *run = NULL;

	if (open_bench(&bench, rank)) {
		add(&bench, "sum", add_fill(&bench, 1, 0));
		plan = freeze(&bench, 0);
	}
	while (rank->rank == 1 && atomic_load(&flag) == 0)
		sched_yield();
	if (plan != NULL)
		rank_did(rank, plait_plan_run(plan, bench.queue, NULL, &run,
					      &rank->error));
	if (rank->rank == 0)
		rank_did(rank, plait_run_cancel(run, &rank->error));
	note(rank, plait_run_wait(run, TAP_PATIENCE_NS, &rank->error));
	atomic_store(&flag, 1);
	(void)plait_queue_finish(bench.queue, TAP_PATIENCE_NS, NULL);
	rank_did(rank, plait_plan_call(plan, NULL, NULL, &rank->error));
	if (!has(&bench, 2))
		rank_did(rank, PLAIT_E_FAILED);
	plait_run_release(run);
	plait_plan_release(plan);
	close_bench(&bench);
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

/* ---- rules and forms, in a world of one rank ---- */

static struct bench one;

static plait_status try_freeze(plait_freeze_flags flags, uint32_t instances,
			       plait_plan **out)
{
	const plait_freeze_desc desc = { .size = sizeof(desc), .flags = flags,
					 .instances = instances };

	return plait_graph_freeze(one.graph, &desc, out, &one.rank->error);
}

static void in_world_of_one(void (*check)(void))
{
	static struct rank rank;
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host" };

	rank = (struct rank){ .ranks = 1, .error.size = sizeof(rank.error) };
	rank.desc = (plait_world_desc){ .size = sizeof(rank.desc) };
	OK(plait_context_open(&desc, &rank.context, &rank.error) == PLAIT_OK);
	OK_THAT(plait_world_open(rank.context, &rank.desc, &rank.world,
				 &rank.error) == PLAIT_OK, "%s",
		rank.error.text);
	OK_THAT(open_bench(&one, &rank), "%s", rank.error.text);
	check();
	close_bench(&one);
	plait_world_release(rank.world);
	plait_context_release(rank.context);
}

static void check_order(void)
{
	plait_plan *plan = NULL;
	plait_node first = add(&one, "first", 0), second;
	plait_collective_run run = run_of(&one);
	static uint32_t memory[COUNT];

	run.output = NULL;
	run.output_memory = memory;
	OK(plait_graph_collective(one.graph, one.collective, &run, "second", 0,
				  &second, &one.rank->error) == PLAIT_OK);
	IS_INT(try_freeze(0, 0, &plan), PLAIT_E_INVALID);
	HAS_STR(one.rank->error.text, "'first'");
	HAS_STR(one.rank->error.text, "'second'");
	HAS_STR(one.rank->error.text, "no path orders");
	/* In the order of adding. */
	OK(try_freeze(PLAIT_FREEZE_PROGRAM_ORDER, 0, &plan) == PLAIT_OK);
	plait_plan_release(plan);
	OK(plait_graph_add_edge(one.graph, second, first, &one.rank->error) ==
	   PLAIT_OK);
	IS_INT(try_freeze(0, 2, &plan), PLAIT_E_INVALID);
	HAS_STR(one.rank->error.text, "2 instances");
	OK_THAT(try_freeze(PLAIT_FREEZE_CHECK, 1, &plan) == PLAIT_OK, "%s",
		one.rank->error.text);
	OK_THAT(plait_plan_call(plan, NULL, NULL, &one.rank->error) == 0, "%s",
		one.rank->error.text);
	plait_plan_release(plan);
	/* The proof of accesses sees the buffer. */
	(void)add_fill(&one, 3, 0);
	IS_INT(try_freeze(PLAIT_FREEZE_CHECK, 0, &plan), PLAIT_E_INVALID);
	HAS_STR(one.rank->error.text, "'first'");
}

static void orders_collectives(void)
{
	in_world_of_one(check_order);
}

static void check_bodies(void)
{
	const plait_node_desc loop = { .size = sizeof(loop), .times = 3,
				       .kind = PLAIT_NODE_REPEAT };
	plait_graph *whole = one.graph, *body = NULL;
	plait_plan *plan = NULL;
	plait_node node = 0;

	OK(plait_graph_add(whole, &loop, NULL, 0, &node, &one.rank->error) ==
	   PLAIT_OK);
	OK_THAT(plait_graph_body(whole, node, 0, &body, &one.rank->error) == 0,
		"%s", one.rank->error.text);
	one.graph = body;
	add(&one, "inside", 0);
	one.graph = whole;
	IS_INT(try_freeze(0, 0, &plan), PLAIT_E_INVALID);
	HAS_STR(one.rank->error.text, "'inside'");
	HAS_STR(one.rank->error.text, "in the body of a loop or branch");
	plait_graph_release(body);
}

static void refuses_bodies(void)
{
	in_world_of_one(check_bodies);
}

static void check_forms(void)
{
	static char text[1 << 16];
	plait_error *error = &one.rank->error;
	plait_graph *copy = NULL;
	plait_plan *plan = NULL;
	plait_node_desc desc = { .size = sizeof(desc), .label = "by hand",
				 .kind = PLAIT_NODE_COLLECTIVE };
	uint64_t bytes = 0;

	add(&one, "sum", 0);
	IS_INT(plait_graph_add(one.graph, &desc, NULL, 0, NULL, error),
	       PLAIT_E_INVALID);
	HAS_STR(error->text, "plait_graph_collective");
	/* A copy in another graph outlives the first one. */
	OK(plait_graph_create(one.rank->context, &copy, error) == PLAIT_OK);
	desc.kind = PLAIT_NODE_SUBGRAPH;
	desc.subgraph = one.graph;
	OK_THAT(plait_graph_add(copy, &desc, NULL, 0, NULL, error) == PLAIT_OK,
		"%s", error->text);
	plait_graph_release(one.graph);
	one.graph = copy;
	OK(try_freeze(PLAIT_FREEZE_CHECK, 0, &plan) == PLAIT_OK);
	OK_THAT(plait_plan_call(plan, NULL, NULL, error) == 0, "%s",
		error->text);
	OK(plait_plan_check(plan, error) == PLAIT_OK);
	for (int32_t format = 0; format < 4; format++) {
		plait_status status = plait_plan_write(
			plan, format, text, sizeof(text), &bytes, error);

		IS_INT(status, format == PLAIT_FORMAT_BINARY ?
		       PLAIT_E_UNSUPPORTED : PLAIT_OK);
		if (status == PLAIT_OK)
			HAS_STR(text, "sum");
		else
			HAS_STR(error->text, "collectives of a world");
	}
	plait_plan_release(plan);
}

static void has_forms(void)
{
	in_world_of_one(check_forms);
}

static void check_bad(void)
{
	const plait_buffer_desc small = { .size = sizeof(small), .bytes = 64 };
	plait_error *error = &one.rank->error;
	plait_collective_run run = run_of(&one);
	plait_buffer *buffer = NULL;
	plait_node node = 7;

	IS_INT(plait_graph_collective(NULL, one.collective, &run, NULL, 0,
				      &node, error), PLAIT_E_HANDLE);
	IS_UINT(node, 0);
	IS_INT(plait_graph_collective(one.graph, NULL, &run, NULL, 0, NULL,
				      error), PLAIT_E_HANDLE);
	IS_INT(plait_graph_collective(one.graph, one.collective, NULL, NULL, 0,
				      NULL, error), PLAIT_E_INVALID);
	IS_INT(plait_graph_collective(one.graph, one.collective, &run, "sum",
				      12345, NULL, error), PLAIT_E_INVALID);
	HAS_STR(error->text, "is not a node of this graph");
	OK(plait_buffer_create(one.device, &small, &buffer, error) == 0);
	run.output = buffer;
	IS_INT(plait_graph_collective(one.graph, one.collective, &run, "sum", 0,
				      NULL, error), PLAIT_E_INVALID);
	HAS_STR(error->text, "output");
	run.output_offset = 100;
	IS_INT(plait_graph_collective(one.graph, one.collective, &run, "sum", 0,
				      NULL, error), PLAIT_E_INVALID);
	plait_buffer_release(buffer);
	IS_INT(plait_graph_collective(one.graph, one.collective, &run, "sum", 0,
				      NULL, error), PLAIT_E_HANDLE);
	run.output_memory = &run;
	IS_INT(plait_graph_collective(one.graph, one.collective, &run, "sum", 0,
				      NULL, error), PLAIT_E_INVALID);
}

static void refuses_bad_input(void)
{
	in_world_of_one(check_bad);
}

static const struct tap_scenario all[] = {
	{ "sums", has_the_sums },
	{ "overlap", runs_kernels_meanwhile },
	{ "failed", ends_the_runs_of_all_ranks },
	{ "cancelled", tells_of_a_cancelled_run },
	{ "order", orders_collectives },
	{ "bodies", refuses_bodies },
	{ "forms", has_forms },
	{ "bad input", refuses_bad_input },
};
TAP_MAIN(all)
