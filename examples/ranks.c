/* SPDX-License-Identifier: MIT */
/*
 * Ranks: a program of two processes that sum an array, and do other work
 * meanwhile.
 *
 * Each rank has its own graph: a host function writes the rank's numbers, a
 * collective sums them over all ranks, a function behind it adds them up; a fourth
 * one runs beside the collective.  Without PLAIT_TRANSPORT the program starts
 * its second rank itself, over shared memory; under a launcher:
 *
 *     PLAIT_TRANSPORT=shm,mpi mpirun -n 2 examples/ranks
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plait/plait.h"

enum { COUNT = 100000, RUNS = 3 };

/* What the functions of a rank's graph work on. */
struct work {
	uint32_t rank;
	float numbers[COUNT];
	double total;
	uint64_t others;
};

static plait_error error = { .size = sizeof(error) };
static struct work work;

/* Exit with the text of `error` if a call has failed. */
static void must(plait_status status)
{
	if (status == PLAIT_OK)
		return;
	fprintf(stderr, "ranks: %s: %s\n", plait_status_name(status), error.text);
	exit(1);
}

static int32_t write_numbers(void *user_data)
{
	struct work *mine = user_data;

	for (int i = 0; i < COUNT; i++)
		mine->numbers[i] = (float)(mine->rank + 1);
	return 0;
}

static int32_t add_up(void *user_data)
{
	struct work *mine = user_data;

	mine->total = 0;
	for (int i = 0; i < COUNT; i++)
		mine->total += mine->numbers[i];
	return 0;
}

/* Needs nothing of the other ranks. */
static int32_t do_other_work(void *user_data)
{
	struct work *mine = user_data;

	mine->others++;
	return 0;
}

/* ---- this rank ---- */

static plait_collective *make_sum(plait_context *context, plait_world *world, uint32_t ranks)
{
	const plait_coll_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_COLL_ALLREDUCE, .flags = PLAIT_COLL_IN_PLACE,
		.ranks = ranks,
	};
	plait_collective *sum;
	plait_schedule *schedule;
	plait_coll *coll;

	must(plait_coll_known(context, "ring", &desc, &coll, &error));
	must(plait_coll_compile(coll, NULL, &schedule, &error));
	must(plait_collective_create(world, &schedule, 1, &sum, &error));
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return sum;
}

static plait_plan *make_plan(plait_context *context, plait_collective *sum)
{
	const plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_FLOAT, .element_bits = 32,
		.count = COUNT,
		.output_memory = work.numbers,
	};
	const plait_freeze_desc lanes = { .size = sizeof(lanes), .lanes = 2 };
	plait_graph *graph;
	plait_plan *plan;
	plait_node node;

	must(plait_graph_create(context, &graph, &error));
	must(plait_graph_call(graph, write_numbers, &work, 0, &node, &error));
	must(plait_graph_collective(graph, sum, &run, "sum", node, &node, &error));
	must(plait_graph_call(graph, add_up, &work, node, NULL, &error));
	must(plait_graph_call(graph, do_other_work, &work, 0, NULL, &error));
	must(plait_graph_freeze(graph, &lanes, &plan, &error));
	plait_graph_release(graph);
	return plan;
}

static void run_rank(void)
{
	plait_world_info info = { .size = sizeof(info) };
	plait_context *context;
	plait_world *world;
	plait_collective *sum;
	plait_plan *plan;

	must(plait_context_open(NULL, &context, &error));
	must(plait_world_open(context, NULL, &world, &error));
	must(plait_world_query(world, &info, &error));
	work.rank = info.rank;
	sum = make_sum(context, world, info.ranks);
	plan = make_plan(context, sum);
	for (int i = 0; i < RUNS; i++)
		must(plait_plan_call(plan, NULL, NULL, &error));
	printf("rank %u of %u: %.0f, other work %u times\n", info.rank, info.ranks, work.total,
	       (unsigned)work.others);
	plait_plan_release(plan);
	plait_collective_release(sum);
	plait_world_release(world);
	plait_context_release(context);
}

/* Without a launcher: become rank 1 in a second process, and rank 0 in this one.
 * Returns the second process. */
static pid_t start_second(void)
{
	long first = (long)getpid();
	pid_t second = fork();
	char options[96];

	if (second < 0) {
		perror("ranks: fork");
		exit(1);
	}
	snprintf(options, sizeof(options), "shm:rank=%d,ranks=2,name=ranks%ld", second == 0, first);
	setenv("PLAIT_OPTIONS", options, 1);
	setenv("PLAIT_TRANSPORT", "shm", 1);
	return second;
}

int main(void)
{
	const char *launched = getenv("PLAIT_TRANSPORT");
	pid_t second = 0;
	int state = 0;

	if (launched == NULL || *launched == '\0')
		second = start_second();
	run_rank();
	if (second > 0 && (waitpid(second, &state, 0) != second || state != 0))
		return 1;
	return 0;
}
