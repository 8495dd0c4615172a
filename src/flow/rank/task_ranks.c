/* SPDX-License-Identifier: MIT */
/* Ranks of tasks, and transfers between ranks; see task_ranks.h. */
#include "flow/rank/task_ranks.h"

#include "flow/access/front_access.h"

static uint64_t bits_of(uint32_t ranks)
{
	return ranks >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << ranks) - 1;
}

/* ---- homes ---- */

/* The outermost dimension with more than one element. */
static uint32_t outermost(const plait_box *whole)
{
	for (uint32_t d = 2; d > 0; d--)
		if (whole->high[d] - whole->low[d] > 1)
			return d;
	return 0;
}

/* The first of `count` elements that is the rank's.  No overflow: the quotient
 * and the rest are cut one by one. */
static uint64_t cut(uint64_t count, uint32_t rank, uint32_t ranks)
{
	return count / ranks * rank + count % ranks * rank / ranks;
}

static plait_box home_of(const plait_box *whole, uint32_t rank, uint32_t ranks)
{
	uint32_t d = outermost(whole);
	uint64_t count = whole->high[d] - whole->low[d];
	plait_box home = *whole;

	/* Few elements: one each, for the first ranks. */
	if (count < ranks) {
		home.low[d] = whole->low[d] + (rank < count ? rank : count);
		home.high[d] = home.low[d] + (rank < count);
		return home;
	}
	home.low[d] = whole->low[d] + cut(count, rank, ranks);
	home.high[d] = whole->low[d] + cut(count, rank + 1, ranks);
	return home;
}

/* All ranks have the values of the box, which a task wrote, or none. */
static void set_all(plait__coherence *owners, const plait_box *whole,
		    const plait_box *box, uint32_t ranks, uint32_t writer)
{
	for (uint32_t i = 0; i < ranks; i++) {
		plait_box home = home_of(whole, i, ranks);
		plait__version version = { .valid = bits_of(ranks),
					   .writer = writer, .memory = i };

		if (plait__box_is_empty(&home) ||
		    !plait__box_overlap(&home, box))
			continue;
		version.box = plait__box_list_meet(&home, box);
		plait__coherence_set(owners, &version);
	}
}

bool plait__task_ranks_init(plait__coherence *owners,
			    const plait_allocator *allocator,
			    const plait_box *whole, uint32_t ranks)
{
	plait__coherence_init(owners, allocator, whole, bits_of(ranks));
	set_all(owners, whole, whole, ranks, 0);
	return !owners->failed;
}

/* ---- the rank of a task ---- */

static const plait__version *version_at(const plait__coherence *owners,
					uint32_t i)
{
	return plait__vector_at(&owners->versions, i);
}

static void count_bytes(const plait__rank_access *access,
			uint64_t bytes[PLAIT__TASK_RANKS_MOST])
{
	for (uint32_t i = 0; i < access->owners->versions.count; i++) {
		const plait__version *version = version_at(access->owners, i);
		plait_box part;

		if (!plait__box_overlap(&version->box, &access->box))
			continue;
		part = plait__box_list_meet(&version->box, &access->box);
		bytes[version->memory] +=
			plait__box_elements(&part) * access->each;
	}
}

uint32_t plait__task_ranks_choose(const plait__rank_access *accesses,
				  uint32_t count, uint32_t ranks)
{
	uint64_t bytes[PLAIT__TASK_RANKS_MOST] = { 0 };
	uint32_t best = 0;

	for (uint32_t i = 0; i < count; i++)
		if ((accesses[i].mode & PLAIT__ACCESS_WRITES) != 0)
			count_bytes(&accesses[i], bytes);
	for (uint32_t i = 1; i < ranks; i++)
		if (bytes[i] > bytes[best])
			best = i;
	return best;
}

/* ---- transfers ---- */

/* The owner, unless it does not have the value; else the lowest that has. */
static uint32_t source_of(const plait__version *version)
{
	return (version->valid >> version->memory & 1) != 0 ?
		       version->memory :
		       (uint32_t)__builtin_ctzll(version->valid);
}

/* The rank gets what it lacks of an access that reads. */
static bool supply(const plait__rank_access *accesses, uint32_t index,
		   uint32_t rank, plait__vector *room, plait__vector *out)
{
	const plait__rank_access *access = &accesses[index];

	plait__vector_truncate(room, 0);
	if (!plait__coherence_find(access->owners, &access->box, rank, false,
				   room))
		return false;
	for (uint32_t i = 0; i < room->count; i++) {
		const plait__version *lacking = plait__vector_at(room, i);
		const plait__rank_transfer transfer = {
			index, source_of(lacking), rank, lacking->box
		};

		if (PLAIT__VECTOR_ADD(out, &transfer) == NULL)
			return false;
	}
	if (room->count > 0)
		plait__coherence_add(access->owners, &access->box, rank);
	return !access->owners->failed;
}

static bool write(const plait__rank_access *access,
		  const plait__rank_task *task)
{
	if (task->rank == PLAIT__TASK_RANKS_ALL)
		set_all(access->owners, access->whole, &access->box,
			task->ranks, task->number);
	else
		plait__coherence_write(access->owners, &access->box,
				       task->number, task->rank);
	return !access->owners->failed;
}

bool plait__task_ranks_run(const plait__rank_access *accesses, uint32_t count,
			   const plait__rank_task *task, plait__vector *room,
			   plait__vector *out)
{
	bool is_all = task->rank == PLAIT__TASK_RANKS_ALL;
	uint32_t first = is_all ? 0 : task->rank;
	uint32_t end = is_all ? task->ranks : first + 1;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t r = first; r < end; r++)
			if ((accesses[i].mode & PLAIT__ACCESS_READS) != 0 &&
			    !supply(accesses, i, r, room, out))
				return false;
	for (uint32_t i = 0; i < count; i++)
		if ((accesses[i].mode & PLAIT__ACCESS_WRITES) != 0 &&
		    !write(&accesses[i], task))
			return false;
	return true;
}
