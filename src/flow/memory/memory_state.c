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
	state->peak[PLAIT__MEMORY_HOST] = *bytes;
	if (!plait__blocks_add(
		    &state->data[i].places[PLAIT__MEMORY_HOST].blocks,
		    whole_of(state, i), ++state->blocks))
		state->failed = true;
}

static void begin_data(plait__memory_state *state, uint32_t i)
{
	bool has_contents =
		plait__record_data_at(state->record, i)->has_contents &&
		!plait__memory_state_is_token(state, i);
	plait__data_state *data = &state->data[i];

	plait__coherence_init(&data->coherence, state->allocator,
			      whole_of(state, i), has_contents);
	if (has_contents)
		begin_block(state, i);
}

static bool make_places(plait__memory_state *state, uint32_t i)
{
	plait__data_state *data = &state->data[i];

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
					.list = list };
	if (record->data.count == 0)
		return;
	state->data = plait__alloc_array(state->allocator, record->data.count,
					 sizeof(*state->data));
	state->failed = state->data == NULL;
	for (uint32_t i = 0; !state->failed && i < record->data.count; i++)
		if (make_places(state, i))
			begin_data(state, i);
		else
			state->failed = true;
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
}

void plait__memory_state_fini(plait__memory_state *state)
{
	uint32_t count = state->record->data.count;

	for (uint32_t i = 0; state->data != NULL && i < count; i++)
		end_data(state, &state->data[i]);
	plait__free(state->allocator, state->data,
		    count * sizeof(*state->data));
}

void plait__memory_state_rewind(plait__memory_state *state)
{
	uint32_t count = state->record->data.count;

	if (state->failed)
		return;
	state->anticipates = false;
	state->blocks = 0;
	memset(state->tasks, 0, sizeof(state->tasks));
	memset(state->bytes, 0, sizeof(state->bytes));
	memset(state->peak, 0, sizeof(state->peak));
	for (uint32_t i = 0; i < count; i++) {
		plait__blocks *host =
			&state->data[i].places[PLAIT__MEMORY_HOST].blocks;

		state->failed |= state->data[i].coherence.failed;
		plait__vector_truncate(&host->items, 0);
		plait__coherence_fini(&state->data[i].coherence);
		begin_data(state, i);
	}
}
