/* SPDX-License-Identifier: MIT */
/*
 * Ranks of tasks and transfers against brute force: per element and rank the
 * version that the rank has, and the task that wrote the newest one.
 */
#include "lib/tap.h"

#include "flow/access/front_access.h"
#include "flow/rank/task_ranks.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { WIDE = 13, TALL = 7, CELLS = WIDE * TALL, RANKS = 5 };
enum { STEPS = 60, DATA = 2 };

static const plait_box whole = { { 0, 0, 0 }, { WIDE, TALL, 1 } };

/* One data as brute force knows it. */
static struct model {
	plait__coherence owners;
	uint32_t newest[CELLS]; /* the task that wrote the element; 0: none */
	uint32_t owner[CELLS];
	bool has[RANKS][CELLS];
} models[DATA];

static plait__vector versions, transfers;
static uint64_t state;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static plait_box random_box(void)
{
	uint64_t a = below(WIDE), b = below(WIDE), c = below(TALL);
	uint64_t d = below(TALL);
	plait_box box = { { a < b ? a : b, c < d ? c : d, 0 },
			  { (a < b ? b : a) + 1, (c < d ? d : c) + 1, 1 } };

	return box;
}

static bool is_in(const plait_box *box, uint32_t cell)
{
	return cell % WIDE >= box->low[0] && cell % WIDE < box->high[0] &&
	       cell / WIDE >= box->low[1] && cell / WIDE < box->high[1];
}

/* The rank whose equal part of the rows has the element's. */
static uint32_t home_of(uint32_t cell, uint32_t ranks)
{
	uint32_t row = cell / WIDE, rank = 0;

	while ((uint64_t)TALL * (rank + 1) / ranks <= row)
		rank++;
	return rank;
}

static void begin(uint32_t ranks)
{
	const plait_allocator *allocator = plait__alloc_default();

	plait__vector_init(&versions, allocator, sizeof(plait__version));
	plait__vector_init(&transfers, allocator,
			   sizeof(plait__rank_transfer));
	memset(models, 0, sizeof(models));
	for (int m = 0; m < DATA; m++) {
		OK(plait__task_ranks_init(&models[m].owners, allocator, &whole,
					  ranks));
		for (uint32_t c = 0; c < CELLS; c++)
			models[m].owner[c] = home_of(c, ranks);
		memset(models[m].has, 1, sizeof(models[m].has));
	}
}

static void end(void)
{
	for (int m = 0; m < DATA; m++)
		plait__coherence_fini(&models[m].owners);
	plait__vector_fini(&versions);
	plait__vector_fini(&transfers);
}

static struct model *model_of(const plait__rank_access *access)
{
	return access->owners == &models[0].owners ? &models[0] : &models[1];
}

static uint32_t choose(const plait__rank_access *accesses, uint32_t count,
		       uint32_t ranks)
{
	uint64_t bytes[RANKS] = { 0 };
	uint32_t best = 0;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t c = 0; c < CELLS; c++)
			if ((accesses[i].mode & PLAIT__ACCESS_WRITES) != 0 &&
			    is_in(&accesses[i].box, c))
				bytes[model_of(&accesses[i])->owner[c]] +=
					accesses[i].each;
	for (uint32_t r = 1; r < ranks; r++)
		if (bytes[r] > bytes[best])
			best = r;
	return best;
}

/* Each transfer goes from a rank that has the values of one task to one that
 * lacks them; behind all of them none is lacking. */
static uint32_t check_transfers(const plait__rank_access *accesses,
				uint32_t count, const plait__rank_task *task)
{
	uint32_t wrong = 0;

	for (uint32_t t = 0; t < transfers.count; t++) {
		const plait__rank_transfer *at = plait__vector_at(&transfers,
								  t);
		struct model *model = model_of(&accesses[at->access]);
		uint32_t writer = UINT32_MAX;

		wrong += at->from == at->to ||
			 (task->rank != PLAIT__TASK_RANKS_ALL &&
			  at->to != task->rank);
		for (uint32_t c = 0; c < CELLS; c++) {
			if (!is_in(&at->box, c))
				continue;
			wrong += !is_in(&accesses[at->access].box, c) ||
				 !model->has[at->from][c] ||
				 model->has[at->to][c];
			if (writer == UINT32_MAX)
				writer = model->newest[c];
			wrong += writer != model->newest[c];
			model->has[at->to][c] = true;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t r = 0; r < task->ranks; r++)
			for (uint32_t c = 0; c < CELLS; c++)
				wrong += (r == task->rank || task->rank ==
					  PLAIT__TASK_RANKS_ALL) &&
					 (accesses[i].mode &
					  PLAIT__ACCESS_READS) != 0 &&
					 is_in(&accesses[i].box, c) &&
					 !model_of(&accesses[i])->has[r][c];
	return wrong;
}

static void write(const plait__rank_access *access,
		  const plait__rank_task *task)
{
	bool is_all = task->rank == PLAIT__TASK_RANKS_ALL;
	struct model *model = model_of(access);

	for (uint32_t c = 0; c < CELLS; c++) {
		if ((access->mode & PLAIT__ACCESS_WRITES) == 0 ||
		    !is_in(&access->box, c))
			continue;
		model->newest[c] = task->number;
		model->owner[c] = is_all ? home_of(c, task->ranks) :
					   task->rank;
		for (uint32_t r = 0; r < RANKS; r++)
			model->has[r][c] = is_all || r == task->rank;
	}
}

static void run_task(uint32_t ranks, uint32_t number)
{
	plait__rank_access accesses[3];
	plait__rank_task task = { .ranks = ranks, .number = number };
	uint32_t count = 1 + (uint32_t)below(3), wrong;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t data = below(DATA);

		accesses[i] = (plait__rank_access){
			.owners = &models[data].owners, .whole = &whole,
			.box = random_box(), .each = data * 8,
			.mode = 1 + (uint32_t)below(3) };
	}
	task.rank = plait__task_ranks_choose(accesses, count, ranks);
	IS_UINT(task.rank, choose(accesses, count, ranks));
	if (below(4) == 0)
		task.rank = below(2) == 0 ? PLAIT__TASK_RANKS_ALL :
					    (uint32_t)below(ranks);
	plait__vector_truncate(&transfers, 0);
	OK(plait__task_ranks_run(accesses, count, &task, &versions,
				 &transfers));
	wrong = check_transfers(accesses, count, &task);
	for (uint32_t i = 0; i < count; i++)
		write(&accesses[i], &task);
	IS_UINT(wrong, 0);
}

static void moves_as_brute_force_does(void)
{
	uint64_t seed = tap_seed();

	for (uint64_t round = 0; round < 40; round++) {
		uint32_t ranks = 1 + (uint32_t)(round % RANKS);

		state = (seed + round) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		begin(ranks);
		for (uint32_t i = 1; i <= STEPS && tap_failed() == 0; i++)
			run_task(ranks, i);
		end();
	}
}

/* A transfer has the values of one task: if it failed all of them are poison. */
static void cuts_by_writer(void)
{
	plait__rank_access access = { .owners = &models[0].owners,
				      .whole = &whole, .box = whole,
				      .each = 8,
				      .mode = PLAIT__ACCESS_WRITES };
	plait__rank_task task = { .rank = 1, .ranks = 2, .number = 1 };

	begin(2);
	access.box.high[1] = 3;
	OK(plait__task_ranks_run(&access, 1, &task, &versions, &transfers));
	access.box.low[1] = 3;
	access.box.high[1] = TALL;
	task.number = 2;
	OK(plait__task_ranks_run(&access, 1, &task, &versions, &transfers));
	access.box = whole;
	access.mode = PLAIT__ACCESS_READS;
	task = (plait__rank_task){ .rank = 0, .ranks = 2, .number = 3 };
	OK(plait__task_ranks_run(&access, 1, &task, &versions, &transfers));
	IS_UINT(transfers.count, 2);
	end();
}

static void takes_64_ranks_and_few_elements(void)
{
	const plait_box one = { { 0, 0, 0 }, { 1, 1, 1 } };
	plait__coherence owners;
	plait__rank_access access = { .owners = &owners, .whole = &one,
				      .box = one,
				      .mode = PLAIT__ACCESS_READS | PLAIT__ACCESS_WRITES };
	plait__rank_task task = { .rank = 63, .ranks = 64, .number = 1 };
	const plait__rank_transfer *last;

	begin(2);
	OK(plait__task_ranks_init(&owners, plait__alloc_default(), &one, 64));
	IS_UINT(plait__task_ranks_choose(&access, 1, 64), 0);
	OK(plait__task_ranks_run(&access, 1, &task, &versions, &transfers));
	IS_UINT(transfers.count, 0);
	task.rank = PLAIT__TASK_RANKS_ALL;
	access.mode = PLAIT__ACCESS_READS;
	OK(plait__task_ranks_run(&access, 1, &task, &versions, &transfers));
	IS_UINT(transfers.count, 63);
	last = plait__vector_at(&transfers, 62);
	IS_UINT(last->from, 63);
	IS_UINT(last->to, 62);
	plait__coherence_fini(&owners);
	end();
}

static const struct tap_scenario all[] = {
	{ "moves as brute force does", moves_as_brute_force_does },
	{ "cuts by writer", cuts_by_writer },
	{ "takes 64 ranks and few elements", takes_64_ranks_and_few_elements },
};

TAP_MAIN(all)
