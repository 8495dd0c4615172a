/* SPDX-License-Identifier: MIT */
/* Geometry of a merge: chunks to elements, and the memory of ranks as cells. */
#include "coll/merge/merge_cells.h"

#include "base/alloc.h"
#include "base/error.h"

plait_status plait__merge_no_memory(const plait__merge_state *state)
{
	return plait__fail(state->error, PLAIT_E_NOMEM,
			   "no memory to merge a schedule of %llu steps",
			   (unsigned long long)state->schedule->step_count);
}

/* ---- geometry ---- */

uint32_t plait__merge_share(const plait__schedule *schedule)
{
	const plait__coll_rank *first = &schedule->ranks[0];

	switch (schedule->kind) {
	case PLAIT__COLL_ALLGATHER:
	case PLAIT__COLL_GATHER:
		return first->input_chunks;
	case PLAIT__COLL_REDUCE_SCATTER:
	case PLAIT__COLL_SCATTER:
		return first->output_chunks;
	case PLAIT__COLL_ALLTOALL:
		return first->input_chunks / schedule->rank_count;
	default:
		return schedule->chunks;
	}
}

/* Element at which a chunk starts.  The share's quotient and remainder avoid a
 * product of 128 bits. */
static uint64_t chunk_start(uint64_t chunk, uint32_t share, uint64_t count)
{
	uint64_t part = chunk % share;

	return chunk / share * count + part * (count / share) +
	       part * (count % share) / share;
}

/* Returns the elements of the longest piece.  All pieces but the last of a
 * sub-chunk have them, so a sub-chunk that fits another one does so by piece. */
static uint64_t piece_length(const plait__merge_state *state)
{
	uint64_t count = state->request->count;
	uint64_t most = count / state->share + (count % state->share != 0);

	return most / state->pieces + (most % state->pieces != 0);
}

/* Element of a sub-chunk of a share at which a piece of it starts. */
static uint64_t piece_start(const plait__merge_state *state, uint32_t part,
			    uint32_t piece)
{
	uint64_t count = state->request->count;
	uint64_t length = chunk_start(part + 1ull, state->share, count) -
			  chunk_start(part, state->share, count);
	uint64_t start = piece * piece_length(state);

	return start < length ? start : length;
}

uint64_t plait__merge_cells_length(const plait__merge_state *state,
				   uint32_t part)
{
	return piece_start(state, part, state->piece + 1) -
	       piece_start(state, part, state->piece);
}

uint64_t plait__merge_elements(const plait__schedule *schedule, uint32_t rank,
			       uint32_t buffer, uint64_t count)
{
	const plait__coll_rank *at = &schedule->ranks[rank];
	uint32_t share = plait__merge_share(schedule);
	uint64_t chunks = buffer == PLAIT__COLL_INPUT ? at->input_chunks :
							at->output_chunks;
	uint64_t most;

	if (share == 0 || chunks == 0)
		return 0;
	if (__builtin_mul_overflow(chunks / share + 1, count, &most))
		return UINT64_MAX;
	return chunk_start(chunks, share, count);
}

/* ---- cells ---- */

uint32_t plait__merge_cells_find(const plait__merge_state *state, uint32_t rank,
				 uint32_t buffer, uint32_t index)
{
	return (uint32_t)(state->first_cell[rank] +
			  plait__schedule_memory_index(state->schedule, rank,
						       buffer, index));
}

static plait_status add_temporary(plait__merge_state *state, uint32_t rank,
				  uint64_t elements, uint32_t *out)
{
	const plait__merge_temporary temporary = { rank, 0, elements };

	*out = state->merge->temporaries.count;
	return PLAIT__VECTOR_ADD(&state->merge->temporaries, &temporary) ?
		       PLAIT_OK : plait__merge_no_memory(state);
}

plait_status plait__merge_cells_add(plait__merge_state *state, uint32_t rank,
				    const uint32_t *like, uint32_t count,
				    uint32_t *out)
{
	plait__merge_cell cell = { .rank = rank,
				   .writer = PLAIT__MERGE_NONE,
				   .readers = PLAIT__MERGE_NONE,
				   .words = PLAIT__MERGE_NONE };
	uint64_t offset = 0;

	*out = state->cells.count;
	cell.place.object = PLAIT__MERGE_TEMPORARY;
	cell.place.number = state->merge->temporaries.count;
	for (uint32_t i = 0; i < count; i++) {
		cell.part = plait__merge_cells_at(state, like[i])->part;
		cell.room = plait__merge_cells_length(state, cell.part);
		cell.place.offset = offset;
		offset += cell.room;
		if (!PLAIT__VECTOR_ADD(&state->cells, &cell))
			return plait__merge_no_memory(state);
	}
	return add_temporary(state, rank, offset, &cell.place.number);
}

/* Set the cells of one buffer, from its last chunk down, so that where input
 * and output share memory the larger one decides in the end. */
static void place_cells(plait__merge_state *state, uint32_t rank,
			uint32_t buffer, uint32_t chunks)
{
	for (uint32_t i = 0; i < chunks; i++) {
		plait__merge_cell *cell = plait__merge_cells_at(
			state, plait__merge_cells_find(state, rank, buffer, i));

		cell->part = i % state->share;
		cell->place = (plait__merge_place){
			buffer, rank,
			chunk_start(i, state->share, state->request->count) +
				piece_start(state, cell->part, state->piece)
		};
		cell->room = plait__merge_cells_length(state, cell->part);
	}
}

/* Scratch chunks have room for the piece of any sub-chunk. */
static plait_status place_scratch(plait__merge_state *state, uint32_t rank)
{
	uint32_t chunks = state->schedule->ranks[rank].scratch_chunks, number;
	uint64_t room = piece_length(state);
	plait_status status;

	if (chunks == 0)
		return PLAIT_OK;
	status = add_temporary(state, rank, room * chunks, &number);
	for (uint32_t i = 0; i < chunks && status == PLAIT_OK; i++) {
		plait__merge_cell *cell = plait__merge_cells_at(
			state, plait__merge_cells_find(
				       state, rank, PLAIT__COLL_SCRATCH, i));

		cell->place = (plait__merge_place){ PLAIT__MERGE_TEMPORARY,
						    number, room * i };
		cell->room = room;
	}
	return status;
}

/* Detached: a temporary stands for each buffer of the user. */
static plait_status detach(plait__merge_state *state, uint32_t rank,
			   uint64_t end)
{
	uint32_t stands[2] = { PLAIT__MERGE_NONE, PLAIT__MERGE_NONE };
	plait_status status = PLAIT_OK;

	for (uint64_t i = state->first_cell[rank]; i < end && !status; i++) {
		plait__merge_cell *cell =
			plait__merge_cells_at(state, (uint32_t)i);
		uint32_t object = cell->place.object;

		if (object == PLAIT__MERGE_TEMPORARY)
			continue;
		if (stands[object] == PLAIT__MERGE_NONE)
			status = add_temporary(
				state, rank, plait__merge_elements(
					state->schedule, rank, object,
					state->request->count),
				&stands[object]);
		cell->home = cell->place;
		cell->place.object = PLAIT__MERGE_TEMPORARY;
		cell->place.number = stands[object];
	}
	return status;
}

static plait_status make_rank(plait__merge_state *state, uint32_t rank)
{
	const plait__coll_rank *at = &state->schedule->ranks[rank];
	const plait__merge_cell none = { .rank = rank,
					 .writer = PLAIT__MERGE_NONE,
					 .readers = PLAIT__MERGE_NONE,
					 .words = PLAIT__MERGE_NONE };
	uint64_t count = (uint64_t)at->input_chunks + at->output_chunks +
			 at->scratch_chunks;
	bool input_last = at->input_chunks > at->output_chunks;
	plait_status status;

	state->first_cell[rank] = state->cells.count;
	for (uint64_t i = 0; i < count; i++)
		if (!PLAIT__VECTOR_ADD(&state->cells, &none))
			return plait__merge_no_memory(state);
	if (!input_last)
		place_cells(state, rank, PLAIT__COLL_INPUT, at->input_chunks);
	place_cells(state, rank, PLAIT__COLL_OUTPUT, at->output_chunks);
	if (input_last)
		place_cells(state, rank, PLAIT__COLL_INPUT, at->input_chunks);
	status = place_scratch(state, rank);
	if (status == PLAIT_OK && state->request->detached)
		status = detach(state, rank, state->cells.count);
	return status;
}

plait_status plait__merge_cells_make(plait__merge_state *state)
{
	plait_status status = PLAIT_OK;

	state->share = plait__merge_share(state->schedule);
	if (state->share == 0)
		return plait__fail(state->error, PLAIT_E_INVALID,
				   "the schedule has no chunks");
	for (uint32_t i = 0; i < state->schedule->rank_count && !status; i++)
		status = make_rank(state, i);
	state->buffer_cells = state->cells.count;
	return status;
}
