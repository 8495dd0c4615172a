/* SPDX-License-Identifier: MIT */
/* Memos of launches; see rank_memo.h. */
#include "flow/rank_memo.h"

#include "flow/access/task_fields.h"
#include "flow/array_arguments.h"
#include "flow/flow_kernels.h"
#include "flow/launch_key.h"
#include "flow/reduction.h"

#include "base/alloc.h"

#include <string.h>

/* ---- keys ---- */

static bool put(plait__vector *key, uint64_t word)
{
	uint64_t *place = plait__vector_extend(key, 1);

	if (place != NULL)
		*place = word;
	return place != NULL;
}

static bool put_pointer(plait__vector *key, const void *pointer)
{
	return put(key, (uintptr_t)pointer);
}

/* The rows of a reduction alternate. */
static bool put_reductions(plait__vector *key, const plait__flow_task *task)
{
	bool holds = put(key, task->reduction_count);

	for (uint32_t i = 0; holds && i < task->reduction_count; i++) {
		const plait__reduction *at = plait__reduction_at(task->flow, i);

		/* The handle: none that was released comes again, as memory may. */
		holds = put_pointer(key, at->partials == NULL ?
						 NULL : at->partials->handle) &&
			put(key, at->first);
	}
	return holds;
}

/* Returns false for a launch without memo, and without memory. */
static bool make_key(plait__vector *key, const plait__flow_task *task,
		     const plait_task_desc *desc)
{
	return task->chunk.count > 1 && !task->has_own_boxes &&
	       task->weights == NULL && task->kernel != NULL &&
	       plait__launch_key_make(key, task->kernel->kernel, desc) &&
	       put_reductions(key, task);
}

/* ---- memos ---- */

static plait__rank_memo *allocate(plait__flow_ranks *ranks)
{
	const plait_allocator *allocator = plait__rank_allocator(ranks);
	plait__rank_memo *memo = plait__alloc(allocator, sizeof(*memo));

	if (memo == NULL)
		return NULL;
	plait__vector_init(&memo->key, allocator, sizeof(uint64_t));
	plait__vector_init(&memo->accesses, allocator,
			   sizeof(plait__rank_access));
	plait__vector_init(&memo->steps, allocator,
			   sizeof(plait__rank_memo_step));
	plait__owner_memo_init(&memo->owners, allocator);
	plait__vector_init(&memo->own, allocator, sizeof(plait__rank_step));
	plait__vector_init(&memo->ops, allocator, sizeof(uint64_t));
	plait__launch_copies_init(&memo->copies, allocator);
	return memo;
}

/* Returns true if no launch finds the memo any more. */
static bool is_stale(const plait__rank_memo *memo, uint32_t freed)
{
	return !memo->is_whole || memo->freed != freed;
}

static bool is_of(const plait__rank_memo *memo, const plait__vector *key,
		  uint32_t freed)
{
	return !is_stale(memo, freed) && memo->key.count == key->count &&
	       memcmp(memo->key.items, key->items,
		      key->count * sizeof(uint64_t)) == 0;
}

static bool restart(plait__rank_memo *memo, const plait__vector *key,
		    uint32_t freed)
{
	memo->is_whole = false;
	memo->freed = freed;
	memo->misses = 0;
	plait__owner_memo_restart(&memo->owners);
	plait__launch_copies_restart(&memo->copies);
	plait__vector_truncate(&memo->key, 0);
	plait__vector_truncate(&memo->accesses, 0);
	plait__vector_truncate(&memo->steps, 0);
	return plait__vector_push(&memo->key, key->items, key->count) != NULL;
}

static uint32_t place_of(const plait__vector *key)
{
	uint64_t word = 0;

	for (uint32_t i = 0; i < key->count; i++)
		word = plait__program_hash_mix(
			word, *(uint64_t *)plait__vector_at(key, i));
	return word & (PLAIT__RANK_MEMOS - 1);
}

static bool is_at(const plait__flow_ranks *ranks, uint32_t place,
		  const plait__vector *key, uint32_t freed)
{
	return ranks->memos[place] != NULL &&
	       is_of(ranks->memos[place], key, freed);
}

/* The place of the memo of the key; else one for it: free or stale, the next behind
 * that of the key; else that, so that of more launches than places some keep theirs. */
static uint32_t search_place(const plait__flow_ranks *ranks,
			     const plait__vector *key, uint32_t freed)
{
	const uint32_t place = place_of(key);
	uint32_t free_place = PLAIT__RANK_MEMOS;

	for (uint32_t i = 0; i < PLAIT__RANK_MEMOS; i++) {
		uint32_t at = (place + i) & (PLAIT__RANK_MEMOS - 1);

		if (is_at(ranks, at, key, freed))
			return at;
		if (free_place == PLAIT__RANK_MEMOS &&
		    (ranks->memos[at] == NULL ||
		     is_stale(ranks->memos[at], freed)))
			free_place = at;
	}
	return free_place != PLAIT__RANK_MEMOS ? free_place : place;
}

/* The same; most launches come in the order of the last time.  A launch without copies is
 * recalled, then found. */
static plait__rank_memo **find_place(plait__flow_ranks *ranks,
				     const plait__vector *key, uint32_t freed)
{
	uint8_t *next = &ranks->memo_next[ranks->memo_last];
	uint32_t place = *next;

	if (is_at(ranks, ranks->memo_last, key, freed))
		return &ranks->memos[ranks->memo_last];
	if (!is_at(ranks, place, key, freed)) {
		place = search_place(ranks, key, freed);
		if (!is_at(ranks, place, key, freed))
			return &ranks->memos[place];
	}
	*next = ranks->memo_last = (uint8_t)place;
	return &ranks->memos[place];
}

plait__rank_memo *plait__rank_memo_find(plait__flow_ranks *ranks,
					const plait__flow_task *task,
					const plait_task_desc *desc)
{
	plait__rank_memo **at;
	uint32_t freed;

	if (!make_key(&ranks->memo_key, task, desc))
		return NULL;
	/* Acquire: pairs with plait__rank_memo_forget. */
	freed = at_load_acquire_u32(&ranks->freed);
	at = find_place(ranks, &ranks->memo_key, freed);
	if (*at == NULL)
		*at = allocate(ranks);
	if (*at == NULL || is_of(*at, &ranks->memo_key, freed))
		return *at;
	return restart(*at, &ranks->memo_key, freed) ? *at : NULL;
}

/* Make the key of a launch in pieces as if its kernel had taken it.  Returns false if it may
 * not have: the arguments are not to be read then. */
static bool make_raw_key(plait__flow_ranks *ranks, const plait_task_desc *desc)
{
	const plait__flow_kernel *kernel;
	const plait__signature *signature;

	if (desc->kind != PLAIT_TASK_LAUNCH || desc->split == 0 ||
	    !plait__task_fields_fit(desc))
		return false;
	kernel = plait__flow_kernels_find(ranks->flow, desc->kernel);
	if (kernel == NULL)
		return false;
	signature = kernel->kernel->signature;
	return plait__array_arguments_check(signature, desc->argument_count,
					    NULL) == PLAIT_OK &&
	       (desc->argument_count == 0 || desc->arguments != NULL) &&
	       plait__launch_key_make(&ranks->memo_key, kernel->kernel, desc) &&
	       !plait__launch_key_reduces(desc) &&
	       put(&ranks->memo_key, 0); /* as put_reductions */
}

plait__rank_memo *plait__rank_memo_recall(plait__flow_ranks *ranks,
					  const plait_task_desc *desc)
{
	plait__rank_memo *memo;
	uint32_t freed;

	if (!make_raw_key(ranks, desc))
		return NULL;
	/* Acquire: pairs with plait__rank_memo_forget. */
	freed = at_load_acquire_u32(&ranks->freed);
	memo = *find_place(ranks, &ranks->memo_key, freed);
	return memo != NULL && memo->copies.is_whole &&
			       is_of(memo, &ranks->memo_key, freed) &&
			       plait__launch_copies_fit(&memo->copies,
							ranks->flow, desc) ?
		       memo : NULL;
}

bool plait__rank_memo_add(plait__rank_memo *memo,
			  const plait__rank_memo_step *step,
			  const plait__vector *accesses)
{
	plait__rank_memo_step own = *step;

	own.first = memo->accesses.count;
	own.count = accesses->count;
	return (own.count == 0 ||
		plait__vector_push(&memo->accesses, accesses->items,
				   own.count) != NULL) &&
	       PLAIT__VECTOR_ADD(&memo->steps, &own) != NULL;
}

/* ---- changes by planning ---- */

/* A launch whose maps are seldom as before is not kept each time. */
enum { MISSES = 8, MISS_PERIOD = 64 };

bool plait__rank_memo_begin(plait__rank_memo *memo,
			    const plait__flow_ranks *ranks,
			    plait__rank_counts *out)
{
	memo->misses++;
	if (memo->misses > MISSES && memo->misses % MISS_PERIOD != 0)
		return false;
	plait__owner_memo_restart(&memo->owners);
	for (uint32_t i = 0; i < memo->accesses.count; i++) {
		const plait__rank_access *access =
			plait__vector_at(&memo->accesses, i);

		if (!plait__owner_memo_add(&memo->owners, access->owners))
			return false;
	}
	out->transfers = ranks->transfers;
	out->tasks = ranks->tasks;
	memcpy(out->ops, ranks->ops, sizeof(out->ops));
	return true;
}

void plait__rank_memo_end(plait__rank_memo *memo,
			  const plait__flow_ranks *ranks,
			  const plait__rank_counts *before, uint64_t word)
{
	plait__vector *own = &memo->own, *ops = &memo->ops;
	bool holds;

	memo->tasks = ranks->tasks - before->tasks;
	memo->transfers = ranks->transfers - before->transfers;
	memo->word = word;
	plait__vector_truncate(own, 0);
	plait__vector_truncate(ops, 0);
	holds = (ranks->steps.count == 0 ||
		 plait__vector_push(own, ranks->steps.items,
				    ranks->steps.count) != NULL) &&
		plait__vector_push(ops, ranks->ops, ranks->count) != NULL;
	for (uint32_t i = 0; holds && i < own->count; i++)
		((plait__rank_step *)plait__vector_at(own, i))->transfer -=
			before->transfers;
	for (uint32_t i = 0; holds && i < ranks->count; i++)
		*(uint64_t *)plait__vector_at(ops, i) -= before->ops[i];
	if (holds)
		(void)plait__owner_memo_end(&memo->owners, before->tasks,
					    memo->tasks);
}

bool plait__rank_memo_replay(plait__rank_memo *memo, plait__flow_ranks *ranks)
{
	if (plait__vector_reserve(&ranks->steps, memo->own.count) != 0 ||
	    !plait__owner_memo_replay(&memo->owners, ranks->tasks))
		return false;
	memo->misses = 0;
	for (uint32_t i = 0; i < memo->own.count; i++) {
		plait__rank_step *step = PLAIT__VECTOR_ADD(
			&ranks->steps,
			(plait__rank_step *)plait__vector_at(&memo->own, i));

		step->transfer += ranks->transfers;
		if (step->data != NULL)
			plait__object_hold(&step->data->object);
	}
	for (uint32_t i = 0; i < ranks->count; i++)
		ranks->ops[i] += *(uint64_t *)plait__vector_at(&memo->ops, i);
	ranks->transfers += memo->transfers;
	ranks->tasks += memo->tasks;
	return true;
}

void plait__rank_memo_forget(plait__flow_ranks *ranks)
{
	/* Release: pairs with the acquire in plait__rank_memo_find. */
	(void)at_add_u32(&ranks->freed, 1);
}

void plait__rank_memo_free_all(plait__flow_ranks *ranks)
{
	for (uint32_t i = 0; i < PLAIT__RANK_MEMOS; i++) {
		plait__rank_memo *memo = ranks->memos[i];

		if (memo == NULL)
			continue;
		plait__vector_fini(&memo->key);
		plait__vector_fini(&memo->accesses);
		plait__vector_fini(&memo->steps);
		plait__owner_memo_fini(&memo->owners);
		plait__vector_fini(&memo->own);
		plait__vector_fini(&memo->ops);
		plait__launch_copies_fini(&memo->copies);
		plait__free(plait__rank_allocator(ranks), memo, sizeof(*memo));
	}
	plait__vector_fini(&ranks->memo_key);
}
