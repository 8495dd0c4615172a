/* SPDX-License-Identifier: MIT */
/*
 * Ranks that are processes over shm: a task kills the one that it runs on.  The
 * others name it in the error of what it alone had, go on with what they have, and
 * end.  One whose task is not done 10 s after its end tells the others.  Each rank
 * says by its exit status what went wrong.
 */
#include "lib/tap.h"
#include "plait/plait.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 4, KILLED = 2, N = 64, PART = N / RANKS };

/* ---- a rank ---- */

/* Exits: the number says where. */
static void must(int number, bool good, const plait_error *error)
{
	if (good)
		return;
	fprintf(stderr, "# check %d: %s\n", number, error->text);
	_exit(number);
}

static int32_t count(void *user_data)
{
	++*(uint32_t *)user_data;
	return 0;
}

static int32_t end_process(void *user_data)
{
	(void)user_data;
	return raise(SIGKILL);
}

static plait_status call(plait_flow *flow, plait_host_function function,
			 uint32_t *calls, const plait_access *access,
			 plait_error *error)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL, .label = "call",
		.function = function, .user_data = calls, .accesses = access,
		.access_count = 1 };

	return plait_flow_submit(flow, &desc, NULL, error);
}

/* Part `rank` of the data is that rank's. */
static void submit(plait_flow *flow, plait_data *data, plait_error *error)
{
	uint64_t host[N];
	uint32_t calls = 0;

	for (uint64_t i = 0; i < RANKS; i++) {
		const plait_box box = { { i * PART, 0, 0 },
					{ (i + 1) * PART, 1, 1 } };
		const plait_access writes = {
			.size = sizeof(writes), .data = data, .box = &box,
			.mode = PLAIT_ACCESS_READ_WRITE };
		plait_status status;

		must(4, call(flow, i == KILLED ? end_process : count, &calls,
			     &writes, error) == PLAIT_OK, error);
		status = plait_data_read(data, &box, host, error);
		if (i != KILLED)
			must(5, status == PLAIT_OK, error);
		else
			must(6, status == PLAIT_E_LOST &&
			     strstr(error->text, "rank 2") != NULL, error);
		/* Not the whole: it has the part of the lost rank. */
		status = plait_data_read(data, NULL, host, error);
		must(7, i < KILLED ? status == PLAIT_OK :
				     status == PLAIT_E_LOST, error);
	}
}

static void run_rank(uint32_t rank, long name)
{
	char options[96];
	plait_error error = { .size = sizeof(error) };
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host",
					  .options = options };
	const plait_world_desc shm = { .size = sizeof(shm),
				       .transports = "shm",
				       .open_ns = TAP_PATIENCE_NS };
	plait_flow_desc over = { .size = sizeof(over) };
	const plait_data_desc numbers = { .size = sizeof(numbers),
					  .dimensions = 1, .element_bytes = 8,
					  .extent = { N } };
	plait_context *context = NULL;
	plait_flow *flow = NULL;
	plait_data *data = NULL;

	snprintf(options, sizeof(options), "shm:rank=%u,ranks=%d,name=f%ld",
		 rank, RANKS, name);
	must(1, plait_context_open(&desc, &context, &error) == PLAIT_OK &&
	     plait_world_open(context, &shm, &over.world, &error) == PLAIT_OK,
	     &error);
	must(2, plait_flow_create(context, &over, &flow, &error) == PLAIT_OK,
	     &error);
	must(3, plait_data_create(flow, &numbers, &data, &error) == PLAIT_OK,
	     &error);
	submit(flow, data, &error);
	plait_data_release(data);
	plait_flow_release(flow);
	plait_world_release(over.world);
	/* The others take what this rank has sent. */
	must(8, plait_context_close(context, PLAIT_FOREVER, &error) ==
		PLAIT_OK, &error);
	_exit(0);
}

/* ---- a rank that leaves ---- */

/* Pipes: a byte says that the task has begun; nothing ends it. */
static int begun[2], silent[2];

static int32_t wait_for_ever(void *user_data)
{
	char byte = 0;

	(void)user_data;
	return write(begun[1], &byte, 1) + read(silent[0], &byte, 1) > 1;
}

static plait_flow *flow_left;

/* Rank 1 ends its process, and its task is not done; rank 0 waits for the values. */
static void leave_rank(uint32_t rank, long name)
{
	char options[96];
	plait_error error = { .size = sizeof(error) };
	const plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
					  .backends = "host",
					  .options = options };
	const plait_world_desc shm = { .size = sizeof(shm),
				       .transports = "shm",
				       .open_ns = TAP_PATIENCE_NS };
	plait_flow_desc over = { .size = sizeof(over) };
	const plait_data_desc numbers = { .size = sizeof(numbers),
					  .dimensions = 1, .element_bytes = 8,
					  .extent = { N } };
	const plait_box last = { { N - 1, 0, 0 }, { N, 1, 1 } };
	plait_access writes = { .size = sizeof(writes), .box = &last,
				.mode = PLAIT_ACCESS_WRITE };
	plait_task_desc task = {
		.size = sizeof(task), .kind = PLAIT_TASK_CALL,
		.function = wait_for_ever, .label = "silent",
		.accesses = &writes, .access_count = 1 };
	plait_context *context = NULL;
	plait_data *data = NULL;
	uint64_t host[N];
	char byte;

	snprintf(options, sizeof(options), "shm:rank=%u,ranks=2,name=l%ld",
		 rank, name);
	must(1, plait_context_open(&desc, &context, &error) == PLAIT_OK &&
	     plait_world_open(context, &shm, &over.world, &error) == PLAIT_OK,
	     &error);
	must(2, plait_flow_create(context, &over, &flow_left, &error) ==
		PLAIT_OK, &error);
	must(3, plait_data_create(flow_left, &numbers, &data, &error) ==
		PLAIT_OK, &error);
	writes.data = data;
	must(4, plait_flow_submit(flow_left, &task, NULL, &error) == PLAIT_OK,
	     &error);
	if (rank == 1 && read(begun[0], &byte, 1) == 1)
		exit(0);
	must(5, plait_data_read(data, NULL, host, &error) == PLAIT_E_LOST,
	     &error);
	must(6, strstr(error.text, "failed on rank 1: its process ends, and "
				   "task 1 is not done") != NULL, &error);
	_exit(0);
}

static void tells_of_a_rank_that_leaves(void)
{
	const long name = (long)getpid();
	pid_t ranks[2];
	int status;

	OK(pipe(silent) == 0 && pipe(begun) == 0);
	for (uint32_t i = 0; i < 2; i++) {
		ranks[i] = fork();
		if (ranks[i] == 0)
			leave_rank(i, name);
	}
	for (uint32_t i = 0; i < 2; i++) {
		OK(ranks[i] > 0 && waitpid(ranks[i], &status, 0) == ranks[i]);
		OK_THAT(WIFEXITED(status) && WEXITSTATUS(status) == 0,
			"rank %u: status 0x%x", i, (unsigned)status);
	}
	for (int i = 0; i < 2; i++) {
		close(silent[i]);
		close(begun[i]);
	}
}

/* ---- the ranks ---- */

static void names_a_killed_rank(void)
{
	const long name = (long)getpid();
	pid_t ranks[RANKS];
	int status;

	for (uint32_t i = 0; i < RANKS; i++) {
		ranks[i] = fork();
		if (ranks[i] == 0)
			run_rank(i, name);
	}
	for (uint32_t i = 0; i < RANKS; i++) {
		OK(ranks[i] > 0 && waitpid(ranks[i], &status, 0) == ranks[i]);
		if (i == KILLED)
			OK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		else
			OK_THAT(WIFEXITED(status) && WEXITSTATUS(status) == 0,
				"rank %u: status 0x%x", i, (unsigned)status);
	}
}

static const struct tap_scenario all[] = {
	{ "names a killed rank", names_a_killed_rank },
	{ "tells of a rank that leaves", tells_of_a_rank_that_leaves },
};

TAP_MAIN(all)
