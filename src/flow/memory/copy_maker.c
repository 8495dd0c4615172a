/* SPDX-License-Identifier: MIT */
/* Copies between memories; see copy_maker.h. */
#include "flow/memory/copy_maker.h"

#include "flow/memory/block_fronts.h"
#include "flow/memory/block_maker.h"

struct copy {
	plait__memory_state *state;
	const plait__copy_need *need;
	uint32_t source;
	uint32_t target;
	uint32_t why;
};

/* Of its target's device, or of its source's if the target is the host. */
static uint32_t device_of(const struct copy *copy)
{
	if (copy->target == PLAIT__MEMORY_HOST)
		return plait__memory_system_device(copy->state->system,
						   copy->source);
	return copy->need->device;
}

/* Copy out of one block of the source. */
static void copy_part(const struct copy *copy, const plait_box *box,
		      uint32_t source_block, uint32_t block)
{
	plait__memory_state *state = copy->state;
	uint32_t data = copy->need->data, number;
	plait__instruction ours = {
		.kind = PLAIT__INSTRUCTION_COPY, .why = copy->why,
		.device = device_of(copy), .task = copy->need->task,
		.data = data, .memory = copy->target, .block = block,
		.source = copy->source, .source_block = source_block,
		.box = *box,
		.bytes = plait__memory_state_bytes(state, data, box),
	};

	ours.lane = plait__memory_system_copy_lane(ours.device);
	number = plait__instructions_open(state->list, &ours);
	plait__block_fronts_gather(state, data, copy->source, box,
				   PLAIT__ACCESS_READS);
	plait__block_fronts_gather(state, data, copy->target, box,
				   PLAIT__ACCESS_WRITES);
	plait__instructions_close(state->list);
	plait__block_fronts_record(state, data, copy->source, box,
				   PLAIT__ACCESS_READS, number);
	plait__block_fronts_record(state, data, copy->target, box,
				   PLAIT__ACCESS_WRITES, number);
}

static void copy_box(const struct copy *copy, const plait_box *box)
{
	plait__memory_state *state = copy->state;
	uint32_t data = copy->need->data;
	const plait__blocks *from =
		&plait__memory_state_place(state, data, copy->source)->blocks;
	const plait__block *to = plait__blocks_find(
		&plait__memory_state_place(state, data, copy->target)->blocks,
		box);

	for (uint32_t i = 0; !state->anticipates && to != NULL &&
	     i < from->items.count; i++) {
		const plait__block *block = plait__blocks_at(from, i);
		plait_box part = plait__box_list_meet(&block->box, box);

		if (plait__box_overlap(&block->box, box))
			copy_part(copy, &part, block->number, to->number);
	}
	plait__coherence_add(&plait__memory_state_data(state, data)->coherence,
			     box, copy->target);
}

/* ---- sources ---- */

/* Keep, of the memories that have a version, the one to copy from: directly, or
 * to the host. */
static void choose_source(const plait__memory_state *state,
			  plait__version *version, uint32_t target)
{
	uint32_t source;

	if (version->valid == 0)
		return;
	source = plait__memory_system_source(state->system, version->valid,
					     version->memory, target);
	if (source == UINT32_MAX)
		source = plait__memory_system_source(
			state->system, version->valid, version->memory,
			PLAIT__MEMORY_HOST);
	version->memory = source;
	version->valid = UINT64_C(1) << source;
}

/* Copy to the host first. */
static void stage(plait__memory_state *state, const plait__copy_need *need,
		  const plait__version *version)
{
	const plait__block_need block = { .task = need->task,
					  .device = PLAIT__INSTRUCTION_NONE,
					  .data = need->data,
					  .memory = PLAIT__MEMORY_HOST,
					  .box = version->box };
	const struct copy copy = { state, need, version->memory,
				   PLAIT__MEMORY_HOST, PLAIT__WHY_STAGE };

	plait__block_maker_ensure(state, &block);
	copy_box(&copy, &version->box);
}

static void fetch_version(plait__memory_state *state,
			  const plait__copy_need *need,
			  const plait__version *version)
{
	struct copy copy = { state, need, version->memory, need->memory,
			     PLAIT__WHY_READ };

	if (version->valid == 0)
		return;
	if ((version->valid & state->system->reaching[need->memory]) == 0) {
		stage(state, need, version);
		copy.source = PLAIT__MEMORY_HOST;
	}
	copy_box(&copy, &version->box);
}

void plait__copy_maker_fetch(plait__memory_state *state,
			     const plait__copy_need *need)
{
	plait__coherence *coherence =
		&plait__memory_state_data(state, need->data)->coherence;
	plait__vector versions = plait__memory_state_take_list(
		state, PLAIT__SCRATCH_VERSIONS, sizeof(plait__version));

	for (uint32_t i = 0; i < need->boxes->count; i++)
		if (!plait__coherence_find(coherence,
					   plait__vector_at(need->boxes, i),
					   need->memory, false, &versions))
			state->failed = true;
	for (uint32_t i = 0; i < versions.count; i++)
		choose_source(state, plait__vector_at(&versions, i),
			      need->memory);
	plait__coherence_join(&versions);
	for (uint32_t i = 0; !state->failed && i < versions.count; i++)
		fetch_version(state, need, plait__vector_at(&versions, i));
	plait__memory_state_give_list(state, PLAIT__SCRATCH_VERSIONS,
				      &versions);
}

/* ---- values that are about to be lost ---- */

/* Returns true if a memory has room for a box without an eviction, in a block
 * that it has, or in a new one that meets no other. */
static bool has_room(const plait__memory_state *state, uint32_t data,
		     uint32_t memory, const plait_box *box)
{
	const plait__blocks *blocks =
		&plait__memory_state_place(state, data, memory)->blocks;
	plait_box planned = plait__blocks_plan(blocks, NULL, box);

	return plait__blocks_find(blocks, box) != NULL ||
	       (plait__box_contains(box, &planned) &&
		plait__memory_state_bytes(state, data, box) <=
			plait__memory_system_capacity(state->system, memory) -
				state->bytes[memory]);
}

/* Returns the memory with the fastest link from `source` that has room: the
 * host's, unless another one is faster. */
static uint32_t choose_target(const plait__memory_state *state, uint32_t data,
			      uint32_t source, const plait_box *box)
{
	const plait__memory_system *system = state->system;
	uint32_t best = PLAIT__MEMORY_HOST;

	for (uint32_t m = 1; system->links != NULL && m < system->memories; m++)
		if (m != source && (system->reaching[m] >> source & 1) != 0 &&
		    plait__links_get(system->links, source, m)->rate >
			    plait__links_get(system->links, source, best)
				    ->rate &&
		    has_room(state, data, m, box))
			best = m;
	return best;
}

static void save_version(plait__memory_state *state,
			 const plait__copy_need *need, const plait_box *box)
{
	struct copy copy = { state, need, need->memory,
			     choose_target(state, need->data, need->memory,
					   box),
			     PLAIT__WHY_ROOM };
	plait__copy_need moved = *need;
	plait__block_need block = { .task = need->task,
				    .device = PLAIT__INSTRUCTION_NONE,
				    .data = need->data,
				    .memory = copy.target, .box = *box };

	if (copy.target == PLAIT__MEMORY_HOST) {
		plait__block_maker_ensure(state, &block);
	} else {
		moved.device = plait__memory_system_device(state->system,
							   copy.target);
		block.device = moved.device;
		copy.need = &moved;
		if (plait__blocks_find(&plait__memory_state_place(
						state, need->data,
						copy.target)->blocks,
				       box) == NULL)
			plait__block_maker_make(state, &block);
	}
	copy_box(&copy, box);
}

/* Neighbours are one copy, though several tasks wrote them. */
static void keep_sole(plait__vector *versions, uint32_t memory)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < versions->count; i++) {
		plait__version version = *(plait__version *)plait__vector_at(
			versions, i);

		if (version.valid != UINT64_C(1) << memory)
			continue;
		version.writer = 0;
		version.memory = memory;
		*(plait__version *)plait__vector_at(versions, kept++) = version;
	}
	plait__vector_truncate(versions, kept);
	plait__coherence_join(versions);
}

void plait__copy_maker_save(plait__memory_state *state,
			    const plait__copy_need *need)
{
	plait__vector versions;

	plait__vector_init(&versions, state->allocator,
			   sizeof(plait__version));
	for (uint32_t i = 0; i < need->boxes->count; i++)
		if (!plait__coherence_find(
			    &plait__memory_state_data(state, need->data)
				     ->coherence,
			    plait__vector_at(need->boxes, i), need->memory,
			    true, &versions))
			state->failed = true;
	keep_sole(&versions, need->memory);
	for (uint32_t i = 0; !state->failed && i < versions.count; i++)
		save_version(state, need,
			     &((plait__version *)plait__vector_at(&versions, i))
				      ->box);
	plait__vector_fini(&versions);
}
