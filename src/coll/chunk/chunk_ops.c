/* SPDX-License-Identifier: MIT */
/* Operations of chunk programs: references, copies, reductions, fragments. */
#include "coll/chunk/chunk_program.h"

#include "base/error.h"

/* ---- references ---- */

static plait_status refer(plait__chunk_program *program,
			  const plait__chunk_range *range, uint64_t *out,
			  plait_error *error)
{
	plait__chunk_reference reference = {
		.range = *range, .version = program->ops.count
	};

	if (PLAIT__VECTOR_ADD(&program->references, &reference) == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a chunk");
	*out = (uint64_t)program->tag << 32 | program->references.count;
	return PLAIT_OK;
}

static const plait__chunk_op *op_at(const plait__chunk_program *program,
				    uint32_t number)
{
	return plait__vector_at(&program->ops, number);
}

static plait_status fail_stale(const plait__chunk_program *program,
			       const plait__chunk_range *range, uint32_t number,
			       plait_error *error)
{
	const plait__chunk_op *op = op_at(program, number);
	char text[PLAIT__CHUNK_TEXT_BYTES], from[PLAIT__CHUNK_TEXT_BYTES];

	return plait__fail(error, PLAIT_E_INVALID,
			   "%s is stale: a %s of %s has overwritten it since "
			   "(operation %u); refer to it again",
			   plait__chunk_program_text(range, text),
			   op->is_reduce ? "reduction" : "copy",
			   plait__chunk_program_text(&op->source, from),
			   number);
}

/* Check that all chunks have values, and none newer than `version`. */
static plait_status check_cells(const plait__chunk_program *program,
				const plait__chunk_range *range,
				uint32_t version, plait_error *error)
{
	for (uint32_t i = 0; i < range->count; i++) {
		uint32_t cell = *plait__chunk_program_cell(program, range, i);
		plait__chunk_range one = { range->rank, range->buffer,
					   range->index + i, 1 };
		char text[PLAIT__CHUNK_TEXT_BYTES];

		if (cell == 0)
			return plait__fail(error, PLAIT_E_INVALID,
					   "%s has no value yet: copy one there "
					   "first", plait__chunk_program_text(
							    &one, text));
		if (cell > (uint64_t)version + 1)
			return fail_stale(program, &one, cell - 2, error);
	}
	return PLAIT_OK;
}

plait_status plait__chunk_find(const plait__chunk_program *program,
			       uint64_t reference, plait__chunk_range *out,
			       plait_error *error)
{
	const plait__chunk_reference *found;
	uint64_t index = (reference & UINT32_MAX) - 1;

	if (reference >> 32 != program->tag ||
	    index >= program->references.count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "0x%llx is not a chunk of this program",
				   (unsigned long long)reference);
	found = plait__vector_at(&program->references, (uint32_t)index);
	*out = found->range;
	return check_cells(program, out, found->version, error);
}

plait_status plait__chunk_get(plait__chunk_program *program,
			      const plait__chunk_range *range, uint64_t *out,
			      plait_error *error)
{
	plait_status status = plait__chunk_program_bounds(program, range,
							  error);

	if (status == PLAIT_OK)
		status = check_cells(program, range, program->ops.count, error);
	return status == PLAIT_OK ? refer(program, range, out, error) : status;
}

plait_status plait__chunk_part(plait__chunk_program *program, uint64_t whole,
			       uint64_t first, uint64_t count, uint64_t *out,
			       plait_error *error)
{
	plait__chunk_range range;
	char text[PLAIT__CHUNK_TEXT_BYTES];
	plait_status status = plait__chunk_find(program, whole, &range, error);

	if (status != PLAIT_OK)
		return status;
	if (first >= range.count || count == 0 || count > range.count - first)
		return plait__fail(error, PLAIT_E_INVALID,
				   "part of %llu chunks from %llu of %s",
				   (unsigned long long)count,
				   (unsigned long long)first,
				   plait__chunk_program_text(&range, text));
	range.index += (uint32_t)first;
	range.count = (uint32_t)count;
	return refer(program, &range, out, error);
}

plait_status plait__chunk_join(plait__chunk_program *program, uint64_t one,
			       uint64_t other, uint64_t *out,
			       plait_error *error)
{
	plait__chunk_range a, b;
	char left[PLAIT__CHUNK_TEXT_BYTES], right[PLAIT__CHUNK_TEXT_BYTES];
	plait_status status = plait__chunk_find(program, one, &a, error);

	if (status == PLAIT_OK)
		status = plait__chunk_find(program, other, &b, error);
	if (status != PLAIT_OK)
		return status;
	if (a.index > b.index) {
		plait__chunk_range swapped = a;

		a = b;
		b = swapped;
	}
	if (a.rank != b.rank || a.buffer != b.buffer ||
	    a.index + a.count != b.index)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s and %s are not neighbours",
				   plait__chunk_program_text(&a, left),
				   plait__chunk_program_text(&b, right));
	a.count += b.count;
	return refer(program, &a, out, error);
}

/* ---- operations ---- */

/* Number of a chunk of its rank's memory, the same for chunks that share
 * memory.  Scratch buffers are apart. */
static uint64_t memory_of(const plait__chunk_program *program,
			  const plait__chunk_range *range)
{
	if (range->buffer >= PLAIT__COLL_SCRATCH)
		return (uint64_t)(range->buffer - PLAIT__COLL_SCRATCH + 1)
			       << 32 | range->index;
	return plait__schedule_memory_index(program->shape, range->rank,
					    range->buffer, range->index);
}

/* A range of the output may lie partly in the memory of the input. */
static bool overlaps(const plait__chunk_program *program,
		     const plait__chunk_range *a, const plait__chunk_range *b,
		     bool *same)
{
	uint64_t from, to;

	*same = false;
	if (a->rank != b->rank)
		return false;
	from = memory_of(program, a);
	to = memory_of(program, b);
	*same = from == to;
	return from < to + b->count && to < from + a->count;
}

static plait_status check_place(const plait__chunk_place *place,
				uint32_t allowed, plait_error *error)
{
	if (place->flags & ~allowed)
		return plait__fail(error, PLAIT_E_INVALID,
				   "flags 0x%x of a place; allowed here: 0x%x",
				   place->flags, allowed);
	if (place->flags & PLAIT__CHUNK_HAS_CHANNEL &&
	    place->channel >= PLAIT__CHUNK_MAX_BUFFERS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "channel %u; the last one is %u",
				   place->channel,
				   PLAIT__CHUNK_MAX_BUFFERS - 1);
	if (place->flags & PLAIT__CHUNK_HAS_LANES &&
	    (place->send_lane >= PLAIT__CHUNK_MAX_BUFFERS ||
	     place->recv_lane >= PLAIT__CHUNK_MAX_BUFFERS))
		return plait__fail(error, PLAIT_E_INVALID,
				   "lanes %u and %u; the last one is %u",
				   place->send_lane, place->recv_lane,
				   PLAIT__CHUNK_MAX_BUFFERS - 1);
	return PLAIT_OK;
}

/* Append the operation, mark its target as written, refer to the target. */
static plait_status add_op(plait__chunk_program *program,
			   const plait__chunk_range *source,
			   const plait__chunk_range *target, bool is_reduce,
			   const plait__chunk_place *place, uint64_t *out,
			   plait_error *error)
{
	plait__chunk_op op = {
		.source = *source, .target = *target, .is_reduce = is_reduce,
		.fragment = program->fragment,
		.flags = place->flags & (PLAIT__CHUNK_HAS_CHANNEL |
					 PLAIT__CHUNK_HAS_LANES),
		.channel = place->channel, .send_lane = place->send_lane,
		.recv_lane = place->recv_lane,
	};
	plait_status status;

	if (PLAIT__VECTOR_ADD(&program->ops, &op) == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an operation");
	status = refer(program, target, out, error);
	if (status != PLAIT_OK) {
		plait__vector_truncate(&program->ops, program->ops.count - 1);
		return status;
	}
	for (uint32_t i = 0; i < target->count; i++)
		*plait__chunk_program_cell(program, target, i) =
			program->ops.count + 1;
	return PLAIT_OK;
}

static plait_status find_target(plait__chunk_program *program,
				const plait__chunk_range *source,
				const plait__chunk_place *place,
				plait__chunk_range *target, plait_error *error)
{
	uint64_t index = place->index;

	*target = *source;
	target->rank = place->rank;
	if (place->rank >= program->shape->rank_count)
		return plait__chunk_program_bounds(program, target, error);
	if (place->flags & (PLAIT__CHUNK_HAS_BUFFER | PLAIT__CHUNK_APPEND)) {
		target->buffer = place->buffer;
		if (place->flags & PLAIT__CHUNK_APPEND) {
			if (place->buffer < PLAIT__COLL_SCRATCH)
				return plait__fail(error, PLAIT_E_INVALID,
						   "only scratch buffers can "
						   "be appended to");
			index = plait__chunk_program_length(
				program, place->rank, place->buffer);
		}
		if (index > PLAIT__CHUNK_MAX_CELLS)
			return plait__fail(error, PLAIT_E_INVALID,
					   "chunk index %llu is above 2^28",
					   (unsigned long long)index);
		target->index = (uint32_t)index;
	}
	if (target->buffer >= PLAIT__COLL_SCRATCH)
		return plait__chunk_program_grow(program, target, error);
	return plait__chunk_program_bounds(program, target, error);
}

plait_status plait__chunk_copy(plait__chunk_program *program, uint64_t source,
			       const plait__chunk_place *place, uint64_t *out,
			       plait_error *error)
{
	plait__chunk_range from, to;
	char text[PLAIT__CHUNK_TEXT_BYTES], other[PLAIT__CHUNK_TEXT_BYTES];
	bool same;
	plait_status status = check_place(
		place, PLAIT__CHUNK_HAS_BUFFER | PLAIT__CHUNK_HAS_CHANNEL |
		PLAIT__CHUNK_HAS_LANES | PLAIT__CHUNK_APPEND, error);

	if (status == PLAIT_OK)
		status = plait__chunk_find(program, source, &from, error);
	if (status == PLAIT_OK)
		status = find_target(program, &from, place, &to, error);
	if (status != PLAIT_OK)
		return status;
	if (overlaps(program, &from, &to, &same)) {
		if (same)
			return refer(program, &to, out, error);
		return plait__fail(error, PLAIT_E_INVALID,
				   "copy of %s to %s: they overlap",
				   plait__chunk_program_text(&from, text),
				   plait__chunk_program_text(&to, other));
	}
	return add_op(program, &from, &to, false, place, out, error);
}

plait_status plait__chunk_reduce(plait__chunk_program *program, uint64_t target,
				 uint64_t source,
				 const plait__chunk_place *place, uint64_t *out,
				 plait_error *error)
{
	plait__chunk_range to, from;
	char text[PLAIT__CHUNK_TEXT_BYTES], other[PLAIT__CHUNK_TEXT_BYTES];
	bool same;
	plait_status status = check_place(place, PLAIT__CHUNK_HAS_CHANNEL |
					  PLAIT__CHUNK_HAS_LANES, error);

	if (status == PLAIT_OK)
		status = plait__chunk_find(program, target, &to, error);
	if (status == PLAIT_OK)
		status = plait__chunk_find(program, source, &from, error);
	if (status != PLAIT_OK)
		return status;
	if (to.count != from.count || overlaps(program, &from, &to, &same))
		return plait__fail(error, PLAIT_E_INVALID,
				   "reduction of %s with %s: %s",
				   plait__chunk_program_text(&to, text),
				   plait__chunk_program_text(&from, other),
				   to.count != from.count ?
				   "the sizes differ" : "they overlap");
	return add_op(program, &from, &to, true, place, out, error);
}

/* ---- fragments ---- */

plait_status plait__chunk_parallel(plait__chunk_program *program, uint32_t ways,
				   plait_error *error)
{
	const plait__chunk_fragment *around =
		plait__vector_at(&program->fragments, program->fragment);
	plait__chunk_fragment fragment = { .parent = program->fragment,
					   .ways = ways };

	if (ways == 0 || (uint64_t)ways * around->product >
				 PLAIT__CHUNK_MAX_WAYS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u parallel ways in %u; at least 1 and in "
				   "all at most %u", ways, around->product,
				   PLAIT__CHUNK_MAX_WAYS);
	fragment.product = ways * around->product;
	if (PLAIT__VECTOR_ADD(&program->fragments, &fragment) == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a fragment");
	program->fragment = program->fragments.count - 1;
	return PLAIT_OK;
}

plait_status plait__chunk_parallel_end(plait__chunk_program *program,
				       plait_error *error)
{
	const plait__chunk_fragment *fragment =
		plait__vector_at(&program->fragments, program->fragment);

	if (program->fragment == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "no fragment of parallel ways is open");
	program->fragment = fragment->parent;
	return PLAIT_OK;
}
