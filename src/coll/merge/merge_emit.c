/* SPDX-License-Identifier: MIT */
/* Operations of a merge: runs of neighbouring cells, and their edges. */
#include "coll/merge/merge_cells.h"

#include "base/error.h"

/* ---- edges ---- */

static plait__merge_op *op_at(const plait__merge_state *state, uint32_t op)
{
	return plait__vector_at(&state->merge->ops, op);
}

/* The operation at hand, the last one, comes after `before`. */
static plait_status add_edge(plait__merge_state *state, uint32_t before)
{
	uint32_t own = state->merge->ops.count - 1;

	if (before == PLAIT__MERGE_NONE || before == own ||
	    op_at(state, before)->mark == own)
		return PLAIT_OK;
	op_at(state, before)->mark = own;
	op_at(state, own)->before_count++;
	return PLAIT__VECTOR_ADD(&state->merge->befores, &before) ?
		       PLAIT_OK : plait__merge_no_memory(state);
}

static plait_status read_cell(plait__merge_state *state, uint32_t index)
{
	plait__merge_cell *cell = plait__merge_cells_at(state, index);
	const plait__merge_read read = { state->merge->ops.count - 1,
					 cell->readers };

	cell->readers = state->reads.count;
	if (!PLAIT__VECTOR_ADD(&state->reads, &read))
		return plait__merge_no_memory(state);
	return add_edge(state, cell->writer);
}

static plait_status write_cell(plait__merge_state *state, uint32_t index)
{
	plait__merge_cell *cell = plait__merge_cells_at(state, index);
	plait_status status = add_edge(state, cell->writer);

	for (uint32_t i = cell->readers; i != PLAIT__MERGE_NONE && !status;) {
		const plait__merge_read *read =
			plait__vector_at(&state->reads, i);

		status = add_edge(state, read->op);
		i = read->next;
	}
	cell->readers = PLAIT__MERGE_NONE;
	cell->writer = state->merge->ops.count - 1;
	return status;
}

/* ---- runs ---- */

static bool same_object(plait__merge_place one, plait__merge_place other)
{
	return one.object == other.object && one.number == other.number;
}

/* Returns true if cell `end` continues the run from cell `begin`. */
static bool continues(const plait__merge_state *state, const uint32_t *cells,
		      uint32_t begin, uint32_t end, uint64_t elements)
{
	plait__merge_place first, next;

	if (cells == NULL)
		return true;
	first = plait__merge_cells_at(state, cells[begin])->place;
	next = plait__merge_cells_at(state, cells[end])->place;
	return same_object(first, next) &&
	       next.offset == first.offset + elements;
}

/* Returns true if a run of this size reads what it writes. */
static bool meets(plait__merge_place target, plait__merge_place source,
		  uint64_t elements)
{
	return same_object(target, source) &&
	       target.offset < source.offset + elements &&
	       source.offset < target.offset + elements;
}

static uint64_t length_of(const plait__merge_state *state, uint32_t cell)
{
	return plait__merge_cells_length(
		state, plait__merge_cells_at(state, cell)->part);
}

/* Returns the end of the run from `begin`; *out is its size. */
static uint32_t find_end(const plait__merge_state *state,
			 const plait__merge_action *action, uint32_t begin,
			 uint64_t *out)
{
	uint32_t end = begin + 1;
	uint64_t elements = length_of(state, action->source[begin]);
	plait__merge_place target = plait__merge_cells_at(
		state, action->target[begin])->place;
	plait__merge_place source = plait__merge_cells_at(
		state, action->source[begin])->place;

	while (end < action->count &&
	       continues(state, action->target, begin, end, elements) &&
	       continues(state, action->source, begin, end, elements) &&
	       continues(state, action->other, begin, end, elements)) {
		uint64_t more = elements +
				length_of(state, action->source[end]);

		if (meets(target, source, more))
			break;
		elements = more;
		end++;
	}
	*out = elements;
	return end;
}

/* ---- operations ---- */

static plait_status refuse_sizes(const plait__merge_state *state,
				 const plait__merge_cell *target)
{
	return plait__fail(state->error, PLAIT_E_INVALID,
			   "%llu elements in %u chunks: chunks of unequal size "
			   "meet on rank %u; use a multiple of %u elements",
			   (unsigned long long)state->request->count,
			   state->share, target->rank, state->share);
}

/* Chunks that meet have one size, and fit. */
static plait_status check_sizes(const plait__merge_state *state,
				const plait__merge_action *action, uint32_t i)
{
	const plait__merge_cell *target =
		plait__merge_cells_at(state, action->target[i]);
	uint64_t length = length_of(state, action->source[i]);

	if (length > target->room ||
	    (action->kind == PLAIT__MERGE_REDUCE &&
	     length_of(state, action->target[i]) != length) ||
	    (action->other != NULL &&
	     length_of(state, action->other[i]) != length))
		return refuse_sizes(state, target);
	return PLAIT_OK;
}

static plait_status add_op(plait__merge_state *state,
			   const plait__merge_action *action, uint32_t begin,
			   uint64_t elements)
{
	const plait__merge_op op = {
		.kind = action->kind, .rank = action->rank,
		.step = state->step, .mark = PLAIT__MERGE_NONE,
		.first_before = state->merge->befores.count,
		.elements = elements,
		.target = plait__merge_cells_at(
			state, action->target[begin])->place,
		.source = plait__merge_cells_at(
			state, action->source[begin])->place,
		.other = action->other == NULL ? (plait__merge_place){ 0, 0, 0 } :
			plait__merge_cells_at(
				state, action->other[begin])->place,
	};

	return PLAIT__VECTOR_ADD(&state->merge->ops, &op) ?
		       PLAIT_OK : plait__merge_no_memory(state);
}

static plait_status link_cells(plait__merge_state *state,
			       const plait__merge_action *action, uint32_t i)
{
	plait_status status = read_cell(state, action->source[i]);

	if (status == PLAIT_OK && action->other != NULL)
		status = read_cell(state, action->other[i]);
	return status == PLAIT_OK ? write_cell(state, action->target[i]) :
				    status;
}

/* Emit one run; an empty one moves nothing but the size. */
static plait_status emit_run(plait__merge_state *state,
			     const plait__merge_action *action, uint32_t begin,
			     uint32_t end, uint64_t elements)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = begin; i < end && status == PLAIT_OK; i++)
		status = check_sizes(state, action, i);
	if (status == PLAIT_OK && elements > 0)
		status = add_op(state, action, begin, elements);
	for (uint32_t i = begin; i < end && status == PLAIT_OK; i++) {
		if (elements > 0)
			status = link_cells(state, action, i);
		plait__merge_cells_at(state, action->target[i])->part =
			plait__merge_cells_at(state, action->source[i])->part;
	}
	return status;
}

plait_status plait__merge_emit(plait__merge_state *state,
			       const plait__merge_action *action)
{
	plait_status status = PLAIT_OK;
	uint64_t elements;

	for (uint32_t begin = 0, end; begin < action->count && !status;
	     begin = end) {
		end = find_end(state, action, begin, &elements);
		status = emit_run(state, action, begin, end, elements);
	}
	return status;
}
