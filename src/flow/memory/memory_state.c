/* SPDX-License-Identifier: MIT */
/* State of the generator of instructions; see memory_state.h. */
#include "flow/memory/memory_state.h"

#include "base/alloc.h"

static const plait_box *whole_of(const plait__memory_state *state,
				 uint32_t data)
{
	return &plait__record_data_at(state->record, data)->map.whole;
}

/* Data with contents has a block of the host already. */
static void begin_block(plait__memory_state *state, uint32_t i)
{
	uint64_t *bytes = &state->bytes[PLAIT__MEMORY_HOST];

	*bytes += plait__memory_state_bytes(state, i, whole_of(state, i));
	if (state->peak[PLAIT__MEMORY_HOST] < *bytes)
		state->peak[PLAIT__MEMORY_HOST] = *bytes;
	if (!plait__blocks_add(
		    &plait__memory_state_place(state, i, PLAIT__MEMORY_HOST)
			     ->blocks,
		    whole_of(state, i), ++state->blocks))
		state->failed = true;
}

static void begin_data(plait__memory_state *state, uint32_t i)
{
	bool has_contents =
		plait__record_data_at(state->record, i)->has_contents &&
		!plait__memory_state_is_token(state, i);
	plait__data_state *data = plait__memory_state_data(state, i);

	plait__vector_init(&data->uses, state->allocator,
			   sizeof(plait__next_use));
	plait__coherence_init(&data->coherence, state->allocator,
			      whole_of(state, i), has_contents);
	if (has_contents)
		begin_block(state, i);
}

static bool make_places(plait__memory_state *state, uint32_t i)
{
	plait__data_state *data = plait__memory_state_data(state, i);

	data->places = plait__alloc_array(state->allocator,
					  state->system->memories,
					  sizeof(*data->places));
	for (uint32_t m = 0; data->places != NULL && m < state->system->memories;
	     m++) {
		plait__front_map_init(&data->places[m].fronts, state->allocator,
				      whole_of(state, i));
		plait__blocks_init(&data->places[m].blocks, state->allocator);
	}
	return data->places != NULL;
}

void plait__memory_state_init(plait__memory_state *state,
			      const plait__record *record,
			      const plait__memory_system *system,
			      plait__instructions *list)
{
	*state = (plait__memory_state){ .allocator = record->allocator,
					.record = record, .system = system,
					.list = list,
					.anticipates = list == NULL };
	state->refusal.task = PLAIT__INSTRUCTION_NONE;
	plait__vector_init(&state->data, state->allocator,
			   sizeof(plait__data_state));
	for (uint32_t m = 0; m <= PLAIT__MEMORY_DEVICES; m++)
		plait__vector_init(&state->accounts[m].frees, state->allocator,
				   sizeof(plait__freed));
}

void plait__memory_state_grow(plait__memory_state *state)
{
	uint32_t count = state->record->data.count;

	for (uint32_t i = state->data.count; !state->failed && i < count; i++) {
		state->failed = plait__vector_push(&state->data, NULL, 1) ==
					NULL || !make_places(state, i);
		if (!state->failed)
			begin_data(state, i);
	}
}

static void end_data(plait__memory_state *state, plait__data_state *data)
{
	for (uint32_t m = 0; data->places != NULL && m < state->system->memories;
	     m++) {
		plait__front_map_fini(&data->places[m].fronts);
		plait__blocks_fini(&data->places[m].blocks);
	}
	plait__free(state->allocator, data->places,
		    state->system->memories * sizeof(*data->places));
	if (data->coherence.versions.each != 0)
		plait__coherence_fini(&data->coherence);
	if (data->uses.each != 0)
		plait__vector_fini(&data->uses);
}

void plait__memory_state_fini(plait__memory_state *state)
{
	for (uint32_t i = 0; i < state->data.count; i++)
		end_data(state, plait__memory_state_data(state, i));
	for (uint32_t m = 0; m <= PLAIT__MEMORY_DEVICES; m++)
		plait__vector_fini(&state->accounts[m].frees);
	plait__vector_fini(&state->data);
	for (uint32_t i = 0; i < PLAIT__SCRATCH_LISTS; i++)
		if (state->scratch[i].each != 0)
			plait__vector_fini(&state->scratch[i]);
}
