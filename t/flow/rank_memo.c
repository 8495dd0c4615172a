/* SPDX-License-Identifier: MIT */
/*
 * Memos of launches by their descriptors: a flow keeps as many as there are places, in
 * whatever order they come, and the places of those of freed data.
 */
#include "lib/tap.h"

#include "flow/rank_memo.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { ROUNDS = 50, MANY = 3 * PLAIT__RANK_MEMOS };

static plait__flow_ranks *ranks;
static plait__world *world;
static plait__context *context;

static void begin(void)
{
	ranks = calloc(1, sizeof(*ranks));
	world = calloc(1, sizeof(*world));
	context = calloc(1, sizeof(*context));
	context->settings.allocator = *plait__alloc_default();
	world->object.context = context;
	ranks->world = world;
	plait__vector_init(&ranks->memo_key, plait__alloc_default(),
			   sizeof(uint64_t));
}

static void end(void)
{
	plait__rank_memo_free_all(ranks);
	free(ranks);
	free(world);
	free(context);
}

/* Find the memo of a launch that differs from others by its items alone. */
static plait__rank_memo *find(uint64_t items)
{
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				      .items = { items, 1, 1 } };
	const plait_task_desc desc = { .size = sizeof(desc), .split = 1,
				       .pieces = 2, .launch = &launch };
	plait__flow_kernel kernel = { .kernel = NULL };
	const plait__flow_task task = { .kernel = &kernel,
					.chunk = { .count = 2 } };

	return plait__rank_memo_find(ranks, &task, &desc);
}

/* The same, planned if it is new.  Returns true if it was not. */
static bool plan(uint64_t items)
{
	plait__rank_memo *memo = find(items);
	bool is_known = memo->is_whole;

	memo->is_whole = true;
	return is_known;
}

static uint32_t count_known(uint64_t first, uint32_t count)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < count; i++)
		known += plan(first + i);
	return known;
}

static void keeps_as_many_as_places(void)
{
	begin();
	for (uint64_t i = 0; i < ROUNDS; i++) {
		IS_UINT(count_known(1000 * i, PLAIT__RANK_MEMOS), 0);
		IS_UINT(count_known(1000 * i, PLAIT__RANK_MEMOS),
			PLAIT__RANK_MEMOS);
		plait__rank_memo_forget(ranks);
	}
	end();
}

/* Launches that come in turn, of which each takes the place of one only. */
static void keeps_some_of_many(void)
{
	begin();
	(void)count_known(0, MANY);
	OK(count_known(0, MANY) > 0);
	OK(count_known(0, MANY) > 0);
	end();
}

static const struct tap_scenario all[] = {
	{ "keeps as many as places", keeps_as_many_as_places },
	{ "keeps some of many", keeps_some_of_many },
};

TAP_MAIN(all)
