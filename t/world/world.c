/* SPDX-License-Identifier: MIT */
/* Worlds: rank and ranks, report, ranks that do not come or differ, bad input. */
#include "world/threads.h"

static plait_error error = { .size = sizeof(error) };
static struct rank ranks[THREADS_MAX];
static plait_world_info infos[THREADS_MAX];
static char reports[THREADS_MAX][512];

static void begin(void)
{
	memset(ranks, 0, sizeof(ranks));
	memset(infos, 0, sizeof(infos));
}

static void ask(struct rank *rank)
{
	plait_world_info *info = &infos[rank->rank];

	info->size = sizeof(*info);
	rank_did(rank, plait_world_query(rank->world, info, &rank->error));
	rank_did(rank, plait_world_report(rank->world, reports[rank->rank],
					  sizeof(reports[0]), NULL,
					  &rank->error));
}

static void tells_ranks(void)
{
	begin();
	IS_UINT(ranks_run(ranks, 4, "loopback", ask), 4);
	for (uint32_t i = 0; i < 4; i++) {
		IS_UINT(infos[i].rank, i);
		IS_UINT(infos[i].ranks, 4);
		IS_UINT(infos[i].machines, 1);
		IS_STR(ranks[i].error.text, "");
	}
	IS_STR(reports[1], "rank 1 of 4, machines: 1\nrank 0: loopback\n"
			   "rank 2: loopback\nrank 3: loopback\n");
}

/* The second transport learns rank and ranks from the first. */
static void asks_further_transports(void)
{
	begin();
	for (uint32_t i = 0; i < 3; i++)
		ranks[i].desc.transports = "shm,loopback";
	IS_UINT(ranks_run(ranks, 3, "loopback", ask), 3);
	IS_STR(reports[0], "rank 0 of 3, machines: 1\nrank 1: shm\n"
			   "rank 2: shm\n");
}

static void needs_one_list(void)
{
	begin();
	ranks[1].desc.transports = "loopback,shm";
	IS_UINT(ranks_run(ranks, 2, "loopback", ask), 0);
	HAS_STR(ranks[0].error.text, "rank 1 has 2 transports");
	HAS_STR(ranks[1].error.text, "rank 0 has 1 transports");
	IS_INT(ranks[0].status, PLAIT_E_INVALID);
}

/* Rank 1 does not come. */
static void names_ranks_that_do_not_come(void)
{
	begin();
	ranks[0].desc.open_ns = 20000000;
	ranks[1].desc.transports = "";
	(void)ranks_run(ranks, 2, "loopback", ask);
	IS_INT(ranks[1].status, PLAIT_OK);
	IS_UINT(infos[1].ranks, 1);
	IS_INT(ranks[0].status, PLAIT_E_TIMEOUT);
	HAS_STR(ranks[0].error.text, "rank 1 did not open the world within 20 "
				     "ms");
}

static void opens_again(void)
{
	for (uint32_t i = 0; i < 5; i++) {
		begin();
		IS_UINT(ranks_run(ranks, 3, i % 2 ? "shm" : "loopback", ask),
			3);
	}
}

/* Keeps two worlds open; each rank releases another one before the next. */
static void take_turns(struct rank *rank)
{
	plait_world *worlds[2] = { rank->world, NULL };

	rank->world = NULL;
	for (uint32_t i = 0; i < 20 && rank->status == PLAIT_OK; i++) {
		uint32_t at = i == 0 ? 1 : (rank->rank + i / 2) % 2;

		plait_world_release(worlds[at]);
		worlds[at] = NULL;
		rank_did(rank, plait_world_open(rank->context, &rank->desc,
						&worlds[at], &rank->error));
	}
	plait_world_release(worlds[0]);
	plait_world_release(worlds[1]);
}

static void closes_in_other_orders(void)
{
	static const char *const transports[] = { "loopback", "shm" };

	for (uint32_t i = 0; i < 2; i++) {
		begin();
		OK_THAT(ranks_run(ranks, 3, transports[i], take_turns) == 3,
			"%s: %s%s%s", transports[i], ranks[0].error.text,
			ranks[1].error.text, ranks[2].error.text);
	}
}

/* ---- bad input, one rank ---- */

static plait_context *open_context(void)
{
	const plait_context_desc how = { .size = sizeof(how),
					 .backends = "host" };
	plait_context *context = NULL;

	OK(plait_context_open(&how, &context, &error) == PLAIT_OK);
	return context;
}

static void refuses_bad_descriptors(void)
{
	plait_world_desc desc = { .size = sizeof(desc), .transports = "" };
	plait_context *context = open_context();
	plait_world *world = NULL;

	IS_INT(plait_world_open(context, &desc, NULL, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_world_open(NULL, &desc, &world, &error), PLAIT_E_HANDLE);
	desc.flags = 1;
	IS_INT(plait_world_open(context, &desc, &world, &error),
	       PLAIT_E_INVALID);
	desc.flags = 0;
	desc.rank = desc.ranks = 2;
	IS_INT(plait_world_open(context, &desc, &world, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "rank 2 of 2 ranks");
	desc.rank = 0;
	IS_INT(plait_world_open(context, &desc, &world, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "PLAIT_TRANSPORT");
	desc.ranks = 0;
	desc.transports = "carrierpigeon";
	IS_INT(plait_world_open(context, &desc, &world, &error),
	       PLAIT_E_UNAVAILABLE);
	HAS_STR(error.text, "carrierpigeon");
	desc.transports = "a,,b";
	IS_INT(plait_world_open(context, &desc, &world, &error),
	       PLAIT_E_INVALID);
	OK(world == NULL);
	plait_context_release(context);
}

static void refuses_bad_input(void)
{
	const plait_world_desc desc = { .size = sizeof(desc),
					.transports = "" };
	plait_world_info info = { .size = sizeof(info) };
	plait_collective *collective = NULL;
	plait_context *context = open_context();
	plait_world *world = NULL;
	uint64_t bytes = 0;

	OK_THAT(plait_world_open(context, &desc, &world, &error) == PLAIT_OK,
		"%s", error.text);
	IS_INT(plait_world_query(world, NULL, &error), PLAIT_E_INVALID);
	IS_INT(plait_world_query(NULL, &info, &error), PLAIT_E_HANDLE);
	IS_INT(plait_world_query(world, &info, &error), PLAIT_OK);
	IS_UINT(info.ranks, 1);
	IS_INT(plait_world_report(world, NULL, 0, &bytes, &error), PLAIT_OK);
	IS_UINT(bytes, sizeof("rank 0 of 1, machines: 1\n"));
	IS_INT(plait_world_report(NULL, NULL, 0, &bytes, &error),
	       PLAIT_E_HANDLE);
	IS_INT(plait_collective_create(world, NULL, 1, &collective, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_collective_create(world, (plait_schedule *[]){ NULL }, 1,
				       &collective, &error), PLAIT_E_HANDLE);
	IS_INT(plait_collective_create(world, (plait_schedule *[]){ NULL }, 65,
				       &collective, &error), PLAIT_E_INVALID);
	IS_INT(plait_collective_create(world, (plait_schedule *[]){ NULL }, 1,
				       NULL, &error), PLAIT_E_INVALID);
	IS_INT(plait_collective_call(NULL, NULL, &error), PLAIT_E_HANDLE);
	plait_world_retain(world);
	plait_world_release(world);
	plait_world_release(world);
	IS_INT(plait_world_query(world, &info, &error), PLAIT_E_HANDLE);
	plait_context_release(context);
}

/* A world of one rank computes alone. */
static void calls_alone(void)
{
	struct rank rank = { .ranks = 1, .error.size = sizeof(rank.error),
			     .context = open_context() };
	const plait_world_desc desc = { .size = sizeof(desc),
					.transports = "" };
	float input[] = { 1, 2, 3 }, output[3] = { 0 };
	plait_collective_run run = {
		.size = sizeof(run), .element = PLAIT_ELEMENT_FLOAT,
		.element_bits = 32, .count = 3, .input_memory = input,
		.output_memory = output,
	};
	plait_collective *collective;

	OK(plait_world_open(rank.context, &desc, &rank.world, &error) ==
	   PLAIT_OK);
	collective = rank_collective(&rank, "ring", PLAIT_COLL_ALLREDUCE, 0);
	OK_THAT(plait_collective_call(collective, &run, &error) == PLAIT_OK,
		"%s", error.text);
	OK(memcmp(input, output, sizeof(input)) == 0);
	run.output_memory = input;
	IS_INT(plait_collective_call(collective, &run, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "input and output overlap");
	run.output_memory = output;
	run.element_bits = 31;
	IS_INT(plait_collective_call(collective, &run, &error),
	       PLAIT_E_INVALID);
	run.element_bits = 32;
	run.count = UINT64_MAX;
	IS_INT(plait_collective_call(collective, &run, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "is too large");
	run.count = 3;
	run.flags = 1;
	IS_INT(plait_collective_call(collective, &run, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_collective_call(collective, NULL, &error),
	       PLAIT_E_INVALID);
	plait_collective_retain(collective);
	plait_collective_release(collective);
	plait_collective_release(collective);
	plait_world_release(rank.world);
	plait_context_release(rank.context);
}

static const struct tap_scenario all[] = {
	{ "ranks", tells_ranks },
	{ "further transports", asks_further_transports },
	{ "one list", needs_one_list },
	{ "ranks that do not come", names_ranks_that_do_not_come },
	{ "again", opens_again },
	{ "closed in other orders", closes_in_other_orders },
	{ "bad descriptors", refuses_bad_descriptors },
	{ "bad input", refuses_bad_input },
	{ "one rank", calls_alone },
};

TAP_MAIN(all)
