/* SPDX-License-Identifier: MIT */
/* Messages of a merge: references to the memory of their senders. */
#include "coll/merge/merge_cells.h"

#include "base/alloc.h"

plait_status plait__merge_message_send(plait__merge_state *state,
				       plait__merge_lane *lane,
				       const uint32_t *cells, uint32_t count)
{
	const plait__merge_message message = { state->words.count, count,
					       PLAIT__MERGE_NONE };
	uint32_t number = state->messages.count;

	if (!PLAIT__VECTOR_ADD(&state->messages, &message))
		return plait__merge_no_memory(state);
	for (uint32_t i = 0; i < count; i++) {
		plait__merge_cell *cell =
			plait__merge_cells_at(state, cells[i]);
		const plait__merge_word word = { cells[i], cell->words };

		cell->words = state->words.count;
		if (!PLAIT__VECTOR_ADD(&state->words, &word))
			return plait__merge_no_memory(state);
	}
	if (lane->oldest == PLAIT__MERGE_NONE)
		lane->oldest = number;
	else
		((plait__merge_message *)plait__vector_at(
			&state->messages, lane->newest))->next = number;
	lane->newest = number;
	return PLAIT_OK;
}

void plait__merge_message_receive(plait__merge_state *state,
				  plait__merge_lane *sender, uint32_t *cells)
{
	const plait__merge_message *message =
		plait__vector_at(&state->messages, sender->oldest);

	for (uint32_t i = 0; i < message->count; i++) {
		plait__merge_word *word = plait__merge_word_at(
			state, message->first_word + i);

		cells[i] = word->cell;
		word->cell = PLAIT__MERGE_NONE;
	}
	sender->oldest = message->next;
}

/* Returns true if a message refers to the cell; forgets those received. */
static bool is_awaited(const plait__merge_state *state, uint32_t index)
{
	plait__merge_cell *cell = plait__merge_cells_at(state, index);

	while (cell->words != PLAIT__MERGE_NONE) {
		const plait__merge_word *word =
			plait__merge_word_at(state, cell->words);

		if (word->cell == index)
			return true;
		cell->words = word->next;
	}
	return false;
}

bool plait__merge_message_refers(const plait__merge_state *state,
				 const uint32_t *cells, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_awaited(state, cells[i]))
			return true;
	return false;
}

/* Let the messages of a cell refer to another one. */
static void move_words(plait__merge_state *state, uint32_t from, uint32_t to)
{
	plait__merge_cell *old = plait__merge_cells_at(state, from);
	uint32_t next = old->words;

	plait__merge_cells_at(state, to)->words = next;
	old->words = PLAIT__MERGE_NONE;
	while (next != PLAIT__MERGE_NONE) {
		plait__merge_word *word = plait__merge_word_at(state, next);

		if (word->cell == from)
			word->cell = to;
		next = word->next;
	}
}

static plait_status save(plait__merge_state *state, const uint32_t *cells,
			 uint32_t *copies, uint32_t count)
{
	uint32_t rank = plait__merge_cells_at(state, cells[0])->rank, first;
	const plait__merge_action action = {
		.kind = PLAIT__MERGE_COPY, .rank = rank, .count = count,
		.target = copies, .source = cells,
	};
	plait_status status = plait__merge_cells_add(state, rank, cells, count,
						     &first);

	for (uint32_t i = 0; i < count; i++)
		copies[i] = first + i;
	if (status == PLAIT_OK)
		status = plait__merge_emit(state, &action);
	for (uint32_t i = 0; i < count && status == PLAIT_OK; i++)
		move_words(state, cells[i], copies[i]);
	return status;
}

plait_status plait__merge_message_save(plait__merge_state *state,
				       const uint32_t *cells, uint32_t count)
{
	uint32_t *room = plait__alloc_array(state->allocator, count,
					    2 * sizeof(*room));
	plait_status status = PLAIT_OK;
	uint32_t awaited = 0;

	if (room == NULL)
		return plait__merge_no_memory(state);
	for (uint32_t i = 0; i < count; i++)
		if (is_awaited(state, cells[i]))
			room[awaited++] = cells[i];
	if (awaited > 0)
		status = save(state, room, room + count, awaited);
	plait__free(state->allocator, room, count * 2ull * sizeof(*room));
	return status;
}
