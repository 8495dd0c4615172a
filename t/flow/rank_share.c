/* SPDX-License-Identifier: MIT */
/*
 * Ready tasks beside one that is long all at once, in a flow over ranks: its function
 * was brief before, so the worker that begins it wakes no other one.  Another worker has
 * to run the next task all the same, since the long one waits for it.
 */
#include "lib/objects.h"
#include "world/threads.h"

#include <stdatomic.h>

enum { RANKS = 2, PART = 8, BRIEF = 18, ROUNDS = 3 };

static struct rank ranks[RANKS];
static plait_flow *flows[RANKS];
static plait_data *lines[RANKS];
static atomic_int submitted; /* by all ranks */
static atomic_int let_go, ended; /* rounds */
static atomic_int stuck;

static void await(atomic_int *count, int least)
{
	uint64_t since = 0;

	while (atomic_load(count) < least && !tap_late(&since))
		pause_a_little();
	if (atomic_load(count) < least)
		atomic_fetch_add(&stuck, 1);
}

/* Until all ranks have submitted the round. */
static int32_t begin_round(void *user_data)
{
	await(&submitted, *(const int *)user_data * RANKS);
	return 0;
}

/* Brief, but for the one that waits for let_others_go. */
static int32_t run_turn(void *user_data)
{
	const int *round = user_data;

	if (round == NULL)
		return 0;
	await(&let_go, *round);
	atomic_store(&ended, *round);
	return 0;
}

static int32_t let_others_go(void *user_data)
{
	atomic_store(&let_go, *(const int *)user_data);
	return 0;
}

/* A task on rank 0, behind those that write `from`. */
static void submit(struct rank *rank, plait_host_function function,
		   uint64_t from, uint64_t to, int *user_data)
{
	const plait_box read = { { from, 0, 0 }, { from + 1, 1, 1 } };
	const plait_box written = { { to, 0, 0 }, { to + 1, 1, 1 } };
	const plait_access accesses[] = {
		{ .size = sizeof(accesses[0]), .mode = PLAIT_ACCESS_READ_WRITE,
		  .data = lines[rank->rank], .box = &written },
		{ .size = sizeof(accesses[0]), .mode = PLAIT_ACCESS_READ,
		  .data = lines[rank->rank], .box = &read },
	};
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = function, .user_data = user_data,
		.accesses = accesses, .access_count = from == to ? 1 : 2,
	};

	(void)rank_did(rank, plait_flow_submit(flows[rank->rank], &desc, NULL,
					       &rank->error));
}

static void run_round(struct rank *rank, int *round)
{
	submit(rank, begin_round, 0, 0, round);
	for (int i = 0; i < BRIEF; i++)
		submit(rank, run_turn, 0, 0, NULL);
	submit(rank, run_turn, 0, 1, round);
	submit(rank, let_others_go, 0, 2, round);
	atomic_fetch_add(&submitted, 1);
	/* A wait for the flow would run tasks. */
	await(&ended, *round);
	(void)rank_did(rank, plait_flow_wait(flows[rank->rank], 0, PLAIT_FOREVER,
					     &rank->error));
}

static void run(struct rank *rank)
{
	static int rounds[ROUNDS] = { 1, 2, 3 };
	const plait_flow_desc over = { .size = sizeof(over),
				       .world = rank->world,
				       .horizon = 64 }; /* no submission waits */
	const plait_data_desc line = { .size = sizeof(line), .dimensions = 1,
				       .element_bytes = 8,
				       .extent = { RANKS * PART } };

	if (!rank_did(rank, plait_flow_create(rank->context, &over,
					      &flows[rank->rank],
					      &rank->error)) ||
	    !rank_did(rank, plait_data_create(flows[rank->rank], &line,
					      &lines[rank->rank], &rank->error)))
		return;
	for (int i = 0; i < ROUNDS; i++)
		run_round(rank, &rounds[i]);
	plait_data_release(lines[rank->rank]);
	plait_flow_release(flows[rank->rank]);
}

static void shares_beside_a_long_one(void)
{
	for (uint32_t i = 0; i < RANKS; i++)
		ranks[i].workers = 2;
	IS_UINT(ranks_run(ranks, RANKS, "shm", run), RANKS);
	for (uint32_t i = 0; i < RANKS; i++)
		IS_STR(ranks[i].error.text, "");
	IS_INT(atomic_load(&stuck), 0);
	IS_INT(atomic_load(&let_go), ROUNDS);
}

static const struct tap_scenario all[] = {
	{ "shares ready tasks beside a long one", shares_beside_a_long_one },
};

TAP_MAIN(all)
