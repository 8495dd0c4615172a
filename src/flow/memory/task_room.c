/* SPDX-License-Identifier: MIT */
/* Room for the blocks of a task; see task_room.h. */
#include "flow/memory/task_room.h"

#include "flow/memory/block_maker.h"
#include "flow/memory/eviction.h"

static plait__task_need *need_at(const plait__task_room *room, uint32_t i)
{
	return plait__vector_at(&room->needs, i);
}

static plait__blocks *blocks_of(const plait__task_room *room, uint32_t data)
{
	return &plait__memory_state_place(room->state, data, room->memory)
			->blocks;
}

static uint64_t bytes_of(const plait__task_room *room, uint32_t data,
			 const plait_box *box)
{
	return plait__memory_state_bytes(room->state, data, box);
}

static uint64_t capacity_of(const plait__task_room *room)
{
	return plait__memory_system_capacity(room->state->system,
					     room->memory);
}

/* ---- needs ---- */

static const plait__record_access *access_at(const plait__task_room *room,
					     uint32_t i)
{
	const plait__record *record = room->state->record;

	return plait__record_access_at(
		record, plait__record_task_at(record, room->task)->first_access
			+ i);
}

static uint32_t access_count(const plait__task_room *room)
{
	return plait__record_task_at(room->state->record, room->task)
		->access_count;
}

static bool has_needs_of(const plait__task_room *room, uint32_t data)
{
	for (uint32_t i = room->needs.count; i-- > 0;)
		if (need_at(room, i)->data == data)
			return true;
	return false;
}

/* A block for each part of the data that is connected. */
static void list_data(plait__task_room *room, uint32_t data,
		      plait__vector *boxes)
{
	bool failed = false;

	plait__vector_truncate(boxes, 0);
	for (uint32_t i = 0; i < access_count(room); i++)
		if (access_at(room, i)->data == data)
			failed |= PLAIT__VECTOR_ADD(boxes,
						    &access_at(room, i)->box) ==
				  NULL;
	plait__box_list_connect(boxes, true);
	for (uint32_t i = 0; i < boxes->count; i++) {
		const plait__task_need need = {
			.box = *(plait_box *)plait__vector_at(boxes, i),
			.data = data };

		failed |= PLAIT__VECTOR_ADD(&room->needs, &need) == NULL;
	}
	room->state->failed |= failed;
}

static void list_needs(plait__task_room *room)
{
	plait__vector boxes = plait__memory_state_take_list(
		room->state, PLAIT__SCRATCH_BOXES, sizeof(plait_box));

	for (uint32_t i = 0; !room->state->failed && i < access_count(room);
	     i++) {
		uint32_t data = access_at(room, i)->data;

		if (!plait__memory_state_is_token(room->state, data) &&
		    !has_needs_of(room, data))
			list_data(room, data, &boxes);
	}
	plait__memory_state_give_list(room->state, PLAIT__SCRATCH_BOXES,
				      &boxes);
}

static uint64_t needed_bytes(const plait__task_room *room)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < room->needs.count; i++)
		sum += bytes_of(room, need_at(room, i)->data,
				&need_at(room, i)->box);
	return sum;
}

/* ---- pinned blocks ---- */

static bool is_pinned(const plait__task_room *room, uint32_t block)
{
	for (uint32_t i = 0; i < room->needs.count; i++)
		if (need_at(room, i)->block == block)
			return true;
	return false;
}

static void unpin(plait__task_room *room, uint32_t block)
{
	for (uint32_t i = 0; i < room->needs.count; i++)
		if (need_at(room, i)->block == block)
			need_at(room, i)->block = 0;
}

/* A block that a missing need meets will be replaced.  Returns true if one was
 * pinned. */
static bool unpin_met(plait__task_room *room)
{
	bool changed = false;

	for (uint32_t i = 0; i < room->needs.count; i++) {
		const plait__task_need *need = need_at(room, i);
		const plait__blocks *blocks = blocks_of(room, need->data);

		for (uint32_t k = 0; need->block == 0 &&
		     k < blocks->items.count; k++) {
			const plait__block *at = plait__blocks_at(blocks, k);

			if (!plait__box_overlap(&at->box, &need->box) ||
			    !is_pinned(room, at->number))
				continue;
			unpin(room, at->number);
			changed = true;
		}
	}
	return changed;
}

static void pin(plait__task_room *room)
{
	for (uint32_t i = 0; i < room->needs.count; i++) {
		plait__task_need *need = need_at(room, i);
		const plait__block *block = plait__blocks_find(
			blocks_of(room, need->data), &need->box);

		need->block = block != NULL ? block->number : 0;
	}
	while (unpin_met(room))
		continue;
}

/* The bytes of pinned blocks, and of the needs that are to be made. */
struct sums {
	uint64_t pinned;
	uint64_t missing;
	uint64_t largest; /* of the pinned blocks */
	uint32_t block;	  /* that one */
};

static bool is_first_of_block(const plait__task_room *room, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (need_at(room, k)->block == need_at(room, i)->block)
			return false;
	return true;
}

static struct sums sum_up(const plait__task_room *room)
{
	struct sums sums = { 0 };

	for (uint32_t i = 0; i < room->needs.count; i++) {
		const plait__task_need *need = need_at(room, i);
		uint64_t bytes;

		if (need->block == 0) {
			sums.missing += bytes_of(room, need->data, &need->box);
			continue;
		}
		if (!is_first_of_block(room, i))
			continue;
		bytes = bytes_of(room, need->data,
				 &plait__blocks_find(blocks_of(room,
							       need->data),
						     &need->box)->box);
		sums.pinned += bytes;
		if (bytes > sums.largest) {
			sums.largest = bytes;
			sums.block = need->block;
		}
	}
	return sums;
}

/* Blocks that are larger than the needs may be in the way of the others: the
 * largest ones are replaced. */
static void unpin_large(plait__task_room *room)
{
	struct sums sums = sum_up(room);

	while (sums.pinned > 0 &&
	       sums.pinned + sums.missing > capacity_of(room)) {
		unpin(room, sums.block);
		while (unpin_met(room))
			continue;
		sums = sum_up(room);
	}
}

bool plait__task_room_open(plait__task_room *room, plait__memory_state *state,
			   uint32_t task, uint32_t device, uint32_t memory)
{
	uint64_t bytes;

	*room = (plait__task_room){ .state = state, .task = task,
				    .device = device, .memory = memory };
	room->needs = plait__memory_state_take_list(
		state, PLAIT__SCRATCH_NEEDS, sizeof(plait__task_need));
	room->pinned = plait__memory_state_take_list(
		state, PLAIT__SCRATCH_PINNED, sizeof(uint32_t));
	list_needs(room);
	if (state->failed || !plait__memory_state_is_bounded(state, memory))
		return true;
	bytes = needed_bytes(room);
	if (bytes > capacity_of(room)) {
		state->refusal = (plait__refusal){ task, memory, bytes };
		return false;
	}
	pin(room);
	unpin_large(room);
	return true;
}

void plait__task_room_close(plait__task_room *room)
{
	plait__memory_state_give_list(room->state, PLAIT__SCRATCH_NEEDS,
				      &room->needs);
	plait__memory_state_give_list(room->state, PLAIT__SCRATCH_PINNED,
				      &room->pinned);
}

/* ---- one block ---- */

/* A block that is to be made, in a memory with a capacity. */
struct making {
	plait__task_room *room;
	plait__task_need *need;
	plait__block_need block;
	uint64_t old_bytes; /* of the blocks that the need meets */
	uint64_t budget;    /* for these and the new one */
};

static void add_old(const struct making *making, bool evicts,
		    const plait__block *block)
{
	plait__task_room *room = making->room;
	const plait__eviction eviction = { room->state, room->task,
					   room->device, room->memory,
					   &room->pinned };

	if (evicts)
		plait__eviction_evict(&eviction, making->need->data,
				      block->number);
	else if (PLAIT__VECTOR_ADD(&room->pinned, &block->number) == NULL)
		room->state->failed = true;
}

/* Evict the blocks that the need meets, or pin them: backwards, since an evicted
 * one is replaced by the last. */
static void settle_old(const struct making *making, bool evicts)
{
	const plait__blocks *blocks = blocks_of(making->room,
						making->need->data);

	for (uint32_t i = blocks->items.count; i-- > 0;) {
		const plait__block block = *plait__blocks_at(blocks, i);

		if (plait__box_overlap(&block.box, &making->need->box))
			add_old(making, evicts, &block);
	}
}

static uint64_t old_bytes(const plait__task_room *room,
			  const plait__task_need *need)
{
	const plait__blocks *blocks = blocks_of(room, need->data);
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < blocks->items.count; i++) {
		const plait__block *block = plait__blocks_at(blocks, i);

		if (plait__box_overlap(&block->box, &need->box))
			bytes += bytes_of(room, need->data, &block->box);
	}
	return bytes;
}

/* Returns true if the box contains each other need of the data, or has none of
 * its elements: a block in part would be replaced for that need. */
static bool spares_others(const struct making *making, const plait_box *box)
{
	const plait__task_room *room = making->room;

	for (uint32_t i = 0; i < room->needs.count; i++) {
		const plait__task_need *other = need_at(room, i);

		if (other->data == making->need->data &&
		    plait__box_overlap(box, &other->box) &&
		    !plait__box_contains(box, &other->box))
			return false;
	}
	return true;
}

/* Returns true if a block of the box fits beside all that is there. */
static bool fits(const struct making *making, const plait_box *box)
{
	const plait__task_room *room = making->room;
	uint64_t bytes = bytes_of(room, making->need->data, box);
	uint64_t capacity = capacity_of(room);

	return bytes <= capacity && spares_others(making, box) &&
	       room->state->bytes[room->memory] <= capacity - bytes &&
	       bytes + making->old_bytes <= making->budget;
}

/* As large as tasks to come need it; else with the blocks that it meets; else
 * the need alone. */
static plait_box choose_box(const struct making *making)
{
	const plait__task_room *room = making->room;
	plait_box box = plait__block_maker_plan(room->state, &making->block);

	if (fits(making, &box))
		return box;
	box = plait__blocks_plan(blocks_of(room, making->need->data), NULL,
				 &making->need->box);
	return fits(making, &box) ? box : making->need->box;
}

/* Values that the task overwrites are lost without a copy. */
static void drop_overwritten(const struct making *making)
{
	const plait__vector *boxes = making->block.overwritten;

	for (uint32_t i = 0; i < boxes->count; i++)
		plait__coherence_drop(
			&plait__memory_state_data(making->room->state,
						  making->need->data)
				 ->coherence,
			plait__vector_at(boxes, i), making->room->memory);
}

/* Copy away what the old blocks have, and the new one will not. */
static void save_rests(const struct making *making)
{
	const plait__task_room *room = making->room;
	const plait__eviction eviction = { room->state, room->task,
					   room->device, room->memory,
					   &room->pinned };
	const plait__blocks *blocks = blocks_of(room, making->need->data);
	plait_box parts[PLAIT__BOX_LIST_PARTS];

	for (uint32_t i = 0; i < blocks->items.count; i++) {
		const plait__block *block = plait__blocks_at(blocks, i);
		uint32_t count = 0;

		if (plait__box_overlap(&block->box, &making->block.box))
			count = plait__box_list_without(
				&block->box, &making->block.box, parts);
		for (uint32_t k = 0; k < count; k++)
			plait__eviction_save(&eviction, making->need->data,
					     &parts[k]);
	}
}

static void list_pinned(plait__task_room *room)
{
	plait__vector_truncate(&room->pinned, 0);
	for (uint32_t i = 0; i < room->needs.count; i++)
		if (need_at(room, i)->block != 0 &&
		    PLAIT__VECTOR_ADD(&room->pinned,
				      &need_at(room, i)->block) == NULL)
			room->state->failed = true;
}

/* The new block has the need, and others that are inside. */
static void repin(const struct making *making, uint32_t block)
{
	const plait__task_room *room = making->room;

	for (uint32_t i = 0; i < room->needs.count; i++)
		if (need_at(room, i)->data == making->need->data &&
		    plait__box_contains(&making->block.box,
					&need_at(room, i)->box))
			need_at(room, i)->block = block;
}

static void make(struct making *making)
{
	plait__task_room *room = making->room;
	const plait__eviction eviction = { room->state, room->task,
					   room->device, room->memory,
					   &room->pinned };
	uint64_t bytes;

	list_pinned(room);
	making->block.box = choose_box(making);
	bytes = bytes_of(room, making->need->data, &making->block.box);
	drop_overwritten(making);
	settle_old(making, bytes + making->old_bytes > making->budget);
	save_rests(making);
	if (!plait__eviction_make_room(&eviction, bytes))
		room->state->failed = true;
	if (!room->state->failed)
		plait__block_maker_make(room->state, &making->block);
	repin(making, room->state->blocks);
}

/* ---- one data ---- */

/* A block that has the need counts if it is pinned: others are too large. */
static bool find_block(const plait__task_room *room, plait__task_need *need)
{
	plait__block *block = plait__blocks_find(blocks_of(room, need->data),
						 &need->box);

	if (block == NULL || !is_pinned(room, block->number))
		return false;
	need->block = block->number;
	return true;
}

static void ensure_bounded(plait__task_room *room, plait__task_need *need,
			   const plait__block_need *block)
{
	struct making making = { room, need, *block, 0, 0 };
	struct sums sums;

	if (find_block(room, need))
		return;
	sums = sum_up(room);
	making.old_bytes = old_bytes(room, need);
	making.budget = capacity_of(room) - sums.pinned -
			(sums.missing -
			 bytes_of(room, need->data, &need->box));
	make(&making);
}

static void ensure(plait__task_room *room, plait__task_need *need,
		   const plait__vector *overwritten)
{
	const plait__block_need block = {
		.task = room->task, .device = room->device, .data = need->data,
		.memory = room->memory, .box = need->box,
		.overwritten = overwritten };
	plait__block *made;

	if (room->state->anticipates ||
	    !plait__memory_state_is_bounded(room->state, room->memory))
		plait__block_maker_ensure(room->state, &block);
	else if (!room->state->failed)
		ensure_bounded(room, need, &block);
	made = plait__blocks_find(blocks_of(room, need->data), &need->box);
	if (made != NULL)
		made->last_use = room->task;
}

void plait__task_room_ensure(plait__task_room *room, uint32_t data,
			     const plait__vector *overwritten)
{
	for (uint32_t i = 0; i < room->needs.count; i++)
		if (need_at(room, i)->data == data)
			ensure(room, need_at(room, i), overwritten);
}
