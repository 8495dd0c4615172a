/* SPDX-License-Identifier: MIT */
/* Eviction of blocks; see eviction.h. */
#include "flow/memory/eviction.h"

#include "flow/memory/block_maker.h"
#include "flow/memory/copy_maker.h"

/* ---- one block ---- */

void plait__eviction_save(const plait__eviction *eviction, uint32_t data,
			  const plait_box *box)
{
	plait__vector boxes;
	const plait__copy_need need = { .task = eviction->task,
					.device = eviction->device,
					.data = data,
					.memory = eviction->memory,
					.boxes = &boxes };

	plait__vector_init(&boxes, eviction->state->allocator,
			   sizeof(plait_box));
	if (PLAIT__VECTOR_ADD(&boxes, box) != NULL)
		plait__copy_maker_save(eviction->state, &need);
	else
		eviction->state->failed = true;
	plait__vector_fini(&boxes);
}

static plait__blocks *blocks_of(const plait__eviction *eviction, uint32_t data)
{
	return &plait__memory_state_place(eviction->state, data,
					  eviction->memory)->blocks;
}

void plait__eviction_evict(const plait__eviction *eviction, uint32_t data,
			   uint32_t block)
{
	plait__memory_state *state = eviction->state;
	const plait__blocks *blocks = blocks_of(eviction, data);
	plait__block_need need = { .task = eviction->task,
				   .device = eviction->device, .data = data,
				   .memory = eviction->memory };
	uint32_t i = 0;

	while (plait__blocks_at(blocks, i)->number != block)
		i++;
	need.box = plait__blocks_at(blocks, i)->box;
	plait__eviction_save(eviction, data, &need.box);
	plait__coherence_drop(&plait__memory_state_data(state, data)->coherence,
			      &need.box, eviction->memory);
	if (!state->failed)
		plait__block_maker_end(state, &need, block);
}

/* ---- the choice ---- */

/* A block that may go. */
struct victim {
	uint32_t data;
	uint32_t block; /* number; 0: none */
	uint32_t next_use; /* index of the task; UINT32_MAX: none is known */
	uint32_t last_use;
	bool is_known; /* tasks to come are */
	bool is_clean;
};

static bool is_pinned(const plait__eviction *eviction, uint32_t block)
{
	for (uint32_t i = 0; i < eviction->pinned->count; i++)
		if (*(uint32_t *)plait__vector_at(eviction->pinned, i) == block)
			return true;
	return false;
}

static bool is_clean(const plait__eviction *eviction, uint32_t data,
		     const plait_box *box)
{
	const plait__vector *versions =
		&plait__memory_state_data(eviction->state, data)
			 ->coherence.versions;

	for (uint32_t i = 0; i < versions->count; i++) {
		const plait__version *version = plait__vector_at(versions, i);

		if (version->valid == UINT64_C(1) << eviction->memory &&
		    plait__box_overlap(&version->box, box))
			return false;
	}
	return true;
}

/* Returns the index of the first use behind a task. */
static uint32_t find_use(const plait__vector *uses, uint32_t task)
{
	uint32_t low = 0, high = uses->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const plait__next_use *use = plait__vector_at(uses, middle);

		if (use->task > task)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static uint32_t next_use(const plait__eviction *eviction, uint32_t data,
			 const plait_box *box)
{
	const plait__vector *uses =
		&plait__memory_state_data(eviction->state->ahead, data)->uses;

	for (uint32_t i = find_use(uses, eviction->task); i < uses->count; i++) {
		const plait__next_use *use = plait__vector_at(uses, i);

		if (use->memory == eviction->memory &&
		    plait__box_overlap(&use->box, box))
			return use->task;
	}
	return UINT32_MAX;
}

/* Returns true if `one` is to go before `other`. */
static bool goes_first(const struct victim *one, const struct victim *other)
{
	if (other->block == 0 || one->next_use != other->next_use)
		return other->block == 0 || one->next_use > other->next_use;
	if (one->is_known && one->is_clean != other->is_clean)
		return one->is_clean;
	if (one->last_use != other->last_use)
		return one->last_use < other->last_use;
	return one->is_clean != other->is_clean ? one->is_clean :
						  one->block < other->block;
}

static void consider(const plait__eviction *eviction, uint32_t data,
		     const plait__block *block, struct victim *best)
{
	const plait__memory_state *ahead = eviction->state->ahead;
	struct victim victim = { .data = data, .block = block->number,
				 .next_use = UINT32_MAX,
				 .last_use = block->last_use };

	if (is_pinned(eviction, block->number))
		return;
	victim.is_known = ahead != NULL && data < ahead->data.count;
	if (victim.is_known)
		victim.next_use = next_use(eviction, data, &block->box);
	victim.is_clean = is_clean(eviction, data, &block->box);
	if (goes_first(&victim, best))
		*best = victim;
}

static struct victim choose(const plait__eviction *eviction)
{
	struct victim best = { .block = 0 };

	for (uint32_t d = 0; d < eviction->state->data.count; d++) {
		const plait__blocks *blocks = blocks_of(eviction, d);

		for (uint32_t i = 0; i < blocks->items.count; i++)
			consider(eviction, d, plait__blocks_at(blocks, i),
				 &best);
	}
	return best;
}

bool plait__eviction_make_room(const plait__eviction *eviction,
			       uint64_t bytes)
{
	plait__memory_state *state = eviction->state;
	uint64_t capacity = plait__memory_system_capacity(state->system,
							  eviction->memory);

	while (!state->failed &&
	       state->bytes[eviction->memory] > capacity - bytes) {
		struct victim victim = choose(eviction);

		if (victim.block == 0)
			return false;
		plait__eviction_evict(eviction, victim.data, victim.block);
	}
	return true;
}
