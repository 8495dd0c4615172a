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

/* Returns the number of the alloc. */
static uint32_t make_block(const struct growth *growth)
{
	plait__instruction alloc = instruct(growth, PLAIT__INSTRUCTION_ALLOC,
					    &growth->block.box,
					    growth->block.number);
	uint32_t number = plait__instructions_open(growth->state->list, &alloc);

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
	plait__coherence_find(coherence, &old->box, need->memory, true,
			      versions);
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

static void end_block(struct growth *growth, const plait__block *old)
{
	plait__memory_state *state = growth->state;
	const plait__block_need *need = growth->need;
	plait__instruction end = instruct(growth, PLAIT__INSTRUCTION_FREE,
					  &old->box, old->number);

	plait__instructions_open(state->list, &end);
	plait__block_fronts_gather_uses(state, need->data, need->memory,
					&old->box);
	plait__instructions_close(state->list);
	count_bytes(growth, 0, end.bytes);
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
		resize(growth, old, plait__vector_at(&boxes, i), alloc);
	end_block(growth, old);
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

void plait__block_maker_ensure(plait__memory_state *state,
			       const plait__block_need *need)
{
	plait__blocks *blocks =
		&plait__memory_state_place(state, need->data, need->memory)
			 ->blocks;
	struct growth growth = { .state = state, .need = need };

	if (state->failed || plait__blocks_find(blocks, &need->box) != NULL)
		return;
	if (state->anticipates) {
		state->failed |= !plait__blocks_anticipate(blocks, &need->box);
		return;
	}
	growth.block.box = plait__blocks_plan(
		blocks, to_come(state, need), &need->box);
	growth.block.number = ++state->blocks;
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
