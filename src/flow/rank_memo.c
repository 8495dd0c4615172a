/* SPDX-License-Identifier: MIT */
/* Memos of launches; see rank_memo.h. */
#include "flow/rank_memo.h"

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

static bool put_words(plait__vector *key, const uint64_t words[3])
{
	return put(key, words[0]) && put(key, words[1]) && put(key, words[2]);
}

static bool put_box(plait__vector *key, const plait_box *box)
{
	return put(key, box != NULL) &&
	       (box == NULL ||
		(put_words(key, box->low) && put_words(key, box->high)));
}

/* Not of mappers with boxes or functions of the caller. */
static bool put_mapper(plait__vector *key, const plait_mapper *mapper)
{
	if (mapper == NULL)
		return put(key, 0);
	return mapper->size == sizeof(*mapper) && mapper->boxes == NULL &&
	       mapper->function == NULL && put(key, 1) &&
	       put(key, (uint64_t)mapper->kind << 32 | mapper->dimension) &&
	       put(key, mapper->flags) && put_words(key, mapper->extent);
}

static bool put_access(plait__vector *key, const plait_access *access)
{
	return access != NULL && access->size == sizeof(*access) &&
	       put(key, (uint64_t)access->mode << 32 | access->flags) &&
	       put_pointer(key, access->data) && put_box(key, access->box) &&
	       put_mapper(key, access->mapper) &&
	       put_pointer(key, access->combine);
}

static bool put_argument(plait__vector *key, const plait_argument *at)
{
	if (at->size != sizeof(*at) || !put(key, at->kind))
		return false;
	switch (at->kind) {
	case PLAIT_ARGUMENT_ACCESS:
		return put_access(key, at->value);
	case PLAIT_ARGUMENT_DATA:
		return put_pointer(key, at->value);
	default:
		return true;
	}
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

static bool put_launch(plait__vector *key, const plait__flow_task *task,
		       const plait_task_desc *desc)
{
	const plait_launch *launch = desc->launch;

	return desc->size == sizeof(*desc) && desc->access_count == 0 &&
	       launch != NULL && launch->size == sizeof(*launch) &&
	       put_pointer(key, desc->kernel) &&
	       put_pointer(key, task->kernel->kernel) &&
	       put(key, (uint64_t)desc->flags << 32 | desc->split) &&
	       put(key, (uint64_t)desc->pieces << 32 | launch->dimensions) &&
	       put_words(key, launch->items) && put_words(key, launch->group);
}

/* Returns false for a launch without memo, and without memory. */
static bool make_key(plait__vector *key, const plait__flow_task *task,
		     const plait_task_desc *desc)
{
	bool holds = task->chunk.count > 1 && !task->has_own_boxes &&
		     task->weights == NULL && task->kernel != NULL;

	plait__vector_truncate(key, 0);
	holds = holds && put_launch(key, task, desc);
	for (uint64_t i = 0; holds && i < desc->argument_count; i++)
		holds = put_argument(key, &desc->arguments[i]);
	return holds && put_reductions(key, task);
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

/* The memo of the key; else a place for one: free or stale, the next behind that of
 * the key; else that, so that of more launches than places some keep theirs. */
static plait__rank_memo **find_place(plait__flow_ranks *ranks,
				     const plait__vector *key, uint32_t freed)
{
	const uint32_t place = place_of(key);
	plait__rank_memo **free_place = NULL;

	for (uint32_t i = 0; i < PLAIT__RANK_MEMOS; i++) {
		plait__rank_memo **at = &ranks->memos[(place + i) &
						      (PLAIT__RANK_MEMOS - 1)];

		if (*at != NULL && is_of(*at, key, freed))
			return at;
		if (free_place == NULL && (*at == NULL || is_stale(*at, freed)))
			free_place = at;
	}
	return free_place != NULL ? free_place : &ranks->memos[place];
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
		plait__free(plait__rank_allocator(ranks), memo, sizeof(*memo));
	}
	plait__vector_fini(&ranks->memo_key);
}
