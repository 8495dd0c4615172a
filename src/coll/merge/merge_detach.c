/* SPDX-License-Identifier: MIT */
/* Detached merges: copies between temporaries and the buffers of a run. */
#include "coll/merge/merge_cells.h"

#include "base/alloc.h"

/* Returns true if the input of the rank holds values at the start. */
static bool has_input(const plait__schedule *schedule, uint32_t rank)
{
	return (schedule->kind != PLAIT__COLL_BROADCAST &&
		schedule->kind != PLAIT__COLL_SCATTER) ||
	       rank == schedule->root;
}

/* Add a cell at the home of another cell. */
static plait_status add_home(plait__merge_state *state, uint32_t index)
{
	plait__merge_cell home = *plait__merge_cells_at(state, index);

	home.place = home.home;
	home.writer = home.readers = home.words = PLAIT__MERGE_NONE;
	return PLAIT__VECTOR_ADD(&state->cells, &home) ?
		       PLAIT_OK : plait__merge_no_memory(state);
}

/* List the cells of a buffer that are to be copied, then their homes. */
static plait_status list_cells(plait__merge_state *state, uint32_t rank,
			       uint32_t buffer, uint32_t chunks,
			       uint32_t *cells, uint32_t *out)
{
	bool load = buffer == PLAIT__COLL_INPUT;
	plait_status status = PLAIT_OK;
	uint32_t count = 0;

	for (uint32_t i = 0; i < chunks; i++) {
		uint32_t index = plait__merge_cells_find(state, rank, buffer,
							 i);

		if (load || plait__merge_cells_at(state, index)->writer !=
				    PLAIT__MERGE_NONE)
			cells[count++] = index;
	}
	for (uint32_t i = 0; i < count && status == PLAIT_OK; i++) {
		cells[count + i] = state->cells.count;
		status = add_home(state, cells[i]);
	}
	*out = count;
	return status;
}

static plait_status copy_buffer(plait__merge_state *state, uint32_t rank,
				uint32_t buffer, uint32_t chunks)
{
	bool load = buffer == PLAIT__COLL_INPUT;
	uint32_t *cells = plait__alloc_array(state->allocator, chunks,
					     2 * sizeof(*cells));
	plait__merge_action action = { .kind = PLAIT__MERGE_COPY,
				       .rank = rank };
	plait_status status;

	if (cells == NULL)
		return chunks == 0 ? PLAIT_OK : plait__merge_no_memory(state);
	status = list_cells(state, rank, buffer, chunks, cells,
			    &action.count);
	action.target = load ? cells : cells + action.count;
	action.source = load ? cells + action.count : cells;
	if (status == PLAIT_OK)
		status = plait__merge_emit(state, &action);
	plait__free(state->allocator, cells, chunks * 2ull * sizeof(*cells));
	return status;
}

plait_status plait__merge_detach_load(plait__merge_state *state)
{
	const plait__schedule *schedule = state->schedule;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < schedule->rank_count && !status; i++)
		if (has_input(schedule, i))
			status = copy_buffer(state, i, PLAIT__COLL_INPUT,
					     schedule->ranks[i].input_chunks);
	return status;
}

plait_status plait__merge_detach_store(plait__merge_state *state)
{
	const plait__schedule *schedule = state->schedule;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < schedule->rank_count && !status; i++)
		status = copy_buffer(state, i, PLAIT__COLL_OUTPUT,
				     schedule->ranks[i].output_chunks);
	return status;
}
