/* SPDX-License-Identifier: MIT */
/* Instructions that make blocks; see block_maker.h. */
#include "flow/memory/block_maker.h"

#include "flow/memory/block_fronts.h"

/* A new block, the ones that it replaces, and the resizes into it. */
struct growth {
	plait__memory_state *state;
	const plait__block_need *need;
	plait__block block;
	plait__vector old;     /* plait__block */
	plait__vector resizes; /* numbers: uint32_t */
};

static plait__instruction instruct(const struct growth *growth, uint32_t kind,
				   const plait_box *box, uint32_t block)
{
	const plait__block_need *need = growth->need;

	return (plait__instruction){
		.kind = kind, .why = PLAIT__WHY_BLOCK,
		.lane = PLAIT__INSTRUCTION_NONE, .task = need->task,
		.device = need->memory == PLAIT__MEMORY_HOST ?
				  PLAIT__INSTRUCTION_NONE : need->device,
		.data = need->data, .memory = need->memory, .block = block,
		.source = need->memory, .source_block = block, .box = *box,
		.bytes = plait__memory_state_bytes(growth->state, need->data,
						   box),
	};
}

static void count_bytes(const struct growth *growth, uint64_t more,
			uint64_t less)
{
	uint64_t *bytes = &growth->state->bytes[growth->need->memory];
	uint64_t *peak = &growth->state->peak[growth->need->memory];

	*bytes += more - less;
	if (*peak < *bytes)
		*peak = *bytes;
}

/* ---- accounts of memories with a capacity ---- */

static const plait__freed *freed_at(const plait__memory_account *account,
				    uint32_t i)
{
	return plait__vector_at(&account->frees, i);
}

/* Forget the first frees: those before `first` are followed by what an alloc
 * follows. */
static void forget_frees(plait__memory_account *account, uint32_t first)
{
	plait__vector *frees = &account->frees;

	if (first == 0)
		return;
	memmove(frees->items, freed_at(account, first),
		(frees->count - first) * sizeof(plait__freed));
	plait__vector_truncate(frees, frees->count - first);
}

/* Let an alloc follow the free that makes room for it and all before it: then
 * the memory has room in any order of execution. */
static void follow_free(const struct growth *growth, uint64_t bytes)
{
	plait__memory_state *state = growth->state;
	uint32_t memory = growth->need->memory, i = 0;
	plait__memory_account *account = &state->accounts[memory];
	uint64_t capacity = plait__memory_system_capacity(state->system,
							  memory);

	if (capacity == UINT64_MAX)
		return;
	account->allocated += bytes;
	if (account->allocated <= capacity)
		return;
	while (i < account->frees.count &&
	       freed_at(account, i)->bytes < account->allocated - capacity)
		i++;
	if (i == account->frees.count)
		return;
	plait__instructions_follow(state->list, freed_at(account, i)->number,
				   PLAIT__PRED_ROOM);
	forget_frees(account, i);
}

static void follow_frees(plait__memory_state *state, uint32_t memory)
{
	if (plait__memory_state_is_bounded(state, memory))
		plait__instructions_follow(
			state->list, state->accounts[memory].newest.number,
			PLAIT__PRED_FREED);
}

static void add_free(plait__memory_state *state, uint32_t memory,
		     uint32_t number, uint64_t bytes)
{
	plait__memory_account *account = &state->accounts[memory];

	if (!plait__memory_state_is_bounded(state, memory))
		return;
	account->newest.number = number;
	account->newest.bytes += bytes;
	if (PLAIT__VECTOR_ADD(&account->frees, &account->newest) == NULL)
		state->failed = true;
}

/* Returns the number of the alloc. */
static uint32_t make_block(const struct growth *growth)
{
	plait__instruction alloc = instruct(growth, PLAIT__INSTRUCTION_ALLOC,
					    &growth->block.box,
					    growth->block.number);
	uint32_t number = plait__instructions_open(growth->state->list, &alloc);

	follow_free(growth, alloc.bytes);
	plait__instructions_close(growth->state->list);
	count_bytes(growth, alloc.bytes, 0);
	return number;
}

/* ---- contents of the old blocks ---- */

static void resize(struct growth *growth, const plait__block *old,
		   const plait_box *box, uint32_t alloc)
{
	plait__memory_state *state = growth->state;
	const plait__block_need *need = growth->need;
	plait__instruction copy = instruct(growth, PLAIT__INSTRUCTION_RESIZE,
					   box, growth->block.number);
	uint32_t number;

	copy.source_block = old->number;
	copy.lane = need->memory == PLAIT__MEMORY_HOST ? 0 :
		    plait__memory_system_copy_lane(need->device);
	number = plait__instructions_open(state->list, &copy);
	plait__block_fronts_gather(state, need->data, need->memory, box,
				   PLAIT__ACCESS_READS);
	plait__instructions_follow(state->list, alloc, PLAIT__PRED_BLOCK);
	plait__instructions_close(state->list);
	plait__block_fronts_record(state, need->data, need->memory, box,
				   PLAIT__ACCESS_READS, number);
	if (PLAIT__VECTOR_ADD(&growth->resizes, &number) == NULL)
		state->failed = true;
}

/* List the boxes of an old block that are valid, and will be. */
static void list_kept(const struct growth *growth, const plait__block *old,
		      plait__vector *versions, plait__vector *boxes)
{
	const plait__block_need *need = growth->need;
	plait__coherence *coherence =
		&plait__memory_state_data(growth->state, need->data)->coherence;
	uint32_t count = need->overwritten != NULL ? need->overwritten->count :
						     0;

	for (uint32_t i = 0; i < count; i++) {
		const plait_box *hole = plait__vector_at(need->overwritten, i);
		plait_box lost = plait__box_list_meet(hole, &old->box);

		if (!plait__box_is_empty(&lost))
			plait__coherence_drop(coherence, &lost, need->memory);
	}
	if (!plait__coherence_find(coherence, &old->box, need->memory, true,
				   versions))
		growth->state->failed = true;
	for (uint32_t i = 0; i < versions->count; i++) {
		const plait__version *version = plait__vector_at(versions, i);

		if (PLAIT__VECTOR_ADD(boxes, &version->box) == NULL)
			growth->state->failed = true;
	}
}

/* Neighbours need one copy, though several tasks wrote them. */
static void join_boxes(plait__vector *boxes)
{
	for (uint32_t i = 0; i < boxes->count; i++)
		for (uint32_t j = i + 1; j < boxes->count; j++) {
			plait_box *one = plait__vector_at(boxes, i);
			plait_box *other = plait__vector_at(boxes, j);

			if (!plait__box_list_joins(one, other))
				continue;
			*one = plait__box_list_bound(one, other);
			*other = *(plait_box *)plait__vector_at(
				boxes, boxes->count - 1);
			plait__vector_truncate(boxes, boxes->count - 1);
			j = i;
		}
}

static void end_block(const struct growth *growth, const plait__block *old,
		      uint32_t why)
{
	plait__memory_state *state = growth->state;
	const plait__block_need *need = growth->need;
	plait__instruction end = instruct(growth, PLAIT__INSTRUCTION_FREE,
					  &old->box, old->number);
	uint32_t number;

	end.why = why;
	number = plait__instructions_open(state->list, &end);
	plait__block_fronts_gather_uses(state, need->data, need->memory,
					&old->box);
	follow_frees(state, need->memory);
	plait__instructions_close(state->list);
	add_free(state, need->memory, number, end.bytes);
	count_bytes(growth, 0, end.bytes);
}

void plait__block_maker_end(plait__memory_state *state,
			    const plait__block_need *need, uint32_t number)
{
	const struct growth growth = { .state = state, .need = need };
	const plait__block block = { need->box, number, 0 };

	end_block(&growth, &block, PLAIT__WHY_ROOM);
	plait__blocks_remove(&plait__memory_state_place(state, need->data,
							need->memory)
				      ->blocks, number);
}

/* The part of an old block that the new one has too. */
static void resize_part(struct growth *growth, const plait__block *old,
			const plait_box *box, uint32_t alloc)
{
	plait_box part = plait__box_list_meet(box, &growth->block.box);

	if (plait__box_overlap(box, &growth->block.box))
		resize(growth, old, &part, alloc);
}

/* The memory loses what the new block has not. */
static void drop_rest(struct growth *growth, const plait__block *old)
{
	plait_box parts[PLAIT__BOX_LIST_PARTS];
	uint32_t count = plait__box_list_without(&old->box, &growth->block.box,
						 parts);

	for (uint32_t i = 0; i < count; i++)
		plait__coherence_drop(
			&plait__memory_state_data(growth->state,
						  growth->need->data)
				 ->coherence,
			&parts[i], growth->need->memory);
}

static void take_over(struct growth *growth, const plait__block *old,
		      uint32_t alloc)
{
	plait__vector versions, boxes;

	plait__vector_init(&versions, growth->state->allocator,
			   sizeof(plait__version));
	plait__vector_init(&boxes, growth->state->allocator, sizeof(plait_box));
	list_kept(growth, old, &versions, &boxes);
	join_boxes(&boxes);
	for (uint32_t i = 0; i < boxes.count; i++)
		resize_part(growth, old, plait__vector_at(&boxes, i), alloc);
	drop_rest(growth, old);
	end_block(growth, old, PLAIT__WHY_BLOCK);
	plait__vector_fini(&versions);
	plait__vector_fini(&boxes);
}

/* ---- the block ---- */

static void grow(struct growth *growth)
{
	plait__memory_state *state = growth->state;
	const plait__block_need *need = growth->need;
	uint32_t alloc = make_block(growth);

	for (uint32_t i = 0; i < growth->old.count; i++)
		take_over(growth, plait__vector_at(&growth->old, i), alloc);
	/* The fronts are those of the new block from here on. */
	plait__block_fronts_record(state, need->data, need->memory,
				   &growth->block.box, PLAIT__ACCESS_WRITES,
				   alloc);
	for (uint32_t i = 0; i < growth->resizes.count; i++) {
		uint32_t number = *(uint32_t *)plait__vector_at(
			&growth->resizes, i);

		if (!state->list->failed)
			plait__block_fronts_record(
				state, need->data, need->memory,
				&plait__instructions_at(state->list, number)
					 ->box,
				PLAIT__ACCESS_WRITES, number);
	}
}

/* Returns the boxes that tasks to come need, or null. */
static const plait__vector *to_come(const plait__memory_state *state,
				    const plait__block_need *need)
{
	return state->ahead == NULL || state->ahead->failed ||
			       need->data >= state->ahead->data.count ?
		       NULL :
	       &plait__memory_state_place(state->ahead, need->data,
					  need->memory)->blocks.anticipated;
}

void plait__block_maker_make(plait__memory_state *state,
			     const plait__block_need *need)
{
	plait__blocks *blocks =
		&plait__memory_state_place(state, need->data, need->memory)
			 ->blocks;
	struct growth growth = { .state = state, .need = need,
				 .block = { need->box, ++state->blocks, 0 } };

	plait__vector_init(&growth.old, state->allocator, sizeof(plait__block));
	plait__vector_init(&growth.resizes, state->allocator, sizeof(uint32_t));
	if (plait__blocks_take(blocks, &growth.block.box, &growth.old))
		grow(&growth);
	else
		state->failed = true;
	if (!plait__blocks_add(blocks, &growth.block.box, growth.block.number))
		state->failed = true;
	plait__vector_fini(&growth.old);
	plait__vector_fini(&growth.resizes);
}

plait_box plait__block_maker_plan(const plait__memory_state *state,
				  const plait__block_need *need)
{
	return plait__blocks_plan(
		&plait__memory_state_place(state, need->data, need->memory)
			 ->blocks,
		to_come(state, need), &need->box);
}

void plait__block_maker_ensure(plait__memory_state *state,
			       const plait__block_need *need)
{
	plait__blocks *blocks =
		&plait__memory_state_place(state, need->data, need->memory)
			 ->blocks;
	plait__block_need planned = *need;

	if (state->failed || plait__blocks_find(blocks, &need->box) != NULL)
		return;
	if (state->anticipates) {
		state->failed |= !plait__blocks_anticipate(blocks, &need->box);
		return;
	}
	planned.box = plait__block_maker_plan(state, need);
	plait__block_maker_make(state, &planned);
}
