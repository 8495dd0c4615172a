/* SPDX-License-Identifier: MIT */
/*
 * From a chunk program to nodes of sub-chunks.
 *
 * Each chunk is cut into R sub-chunks, R the least common multiple of the
 * products of ways and instances.  An operation of c chunks in f ways becomes f
 * operations on contiguous f-ths of its c * R sub-chunks.
 *
 * Where the k-th element of each output depends on k-th elements alone, instance
 * i has the i-th part of each buffer instead of a part of each chunk, so that
 * operations of different counts do not make instances depend on each other.
 */
#include "coll/dag/dag.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* ---- sizes ---- */

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
	uint64_t x = a, y = b;

	while (y != 0) {
		uint64_t rest = x % y;

		x = y;
		y = rest;
	}
	return a / x * b;
}

/* Directives of ways: way w of channel c becomes c + w * stride. */
typedef struct plait__expand {
	plait__dag *dag;
	const plait__chunk_program *program;
	uint32_t instances, max_count;
	uint32_t channel_stride, lane_stride;
	uint32_t blocks;	/* instances with parts of buffers, else 1 */
	uint32_t *scratch_offset; /* of each scratch buffer, in chunks */
} plait__expand;

/* Find the sub-chunks of a chunk: a common multiple of the ways of all
 * operations, times the instances; and the largest directives. */
static plait_status find_factor(plait__expand *expand, plait_error *error)
{
	const plait__vector *ops = &expand->program->ops;
	const plait__vector *fragments = &expand->program->fragments;
	uint64_t factor = expand->instances;
	uint32_t last = PLAIT__COLL_NONE;

	for (uint32_t i = 0; i < ops->count; i++) {
		const plait__chunk_op *op = plait__vector_at(ops, i);
		const plait__chunk_fragment *fragment;

		if (op->flags & PLAIT__CHUNK_HAS_CHANNEL &&
		    op->channel >= expand->channel_stride)
			expand->channel_stride = op->channel + 1;
		if (op->flags & PLAIT__CHUNK_HAS_LANES) {
			uint32_t most = op->send_lane > op->recv_lane ?
						op->send_lane : op->recv_lane;

			if (most >= expand->lane_stride)
				expand->lane_stride = most + 1;
		}
		if (op->fragment == last)
			continue;
		last = op->fragment;
		fragment = plait__vector_at(fragments, last);
		factor = common_multiple(factor, (uint64_t)fragment->product *
							 expand->instances);
		if (factor > PLAIT__CHUNK_MAX_CELLS)
			break;
	}
	if (factor * expand->program->shape->chunks *
		    expand->program->shape->rank_count >
	    PLAIT__CHUNK_MAX_CELLS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "ways and instances cut each chunk into %llu "
				   "parts; %u ranks with %u chunks are then more "
				   "than 2^28 parts", (unsigned long long)factor,
				   expand->program->shape->rank_count,
				   expand->program->shape->chunks);
	expand->dag->factor = (uint32_t)factor;
	return PLAIT_OK;
}

/* Copy the promises for each of the sub-chunks; sub-chunk i of an output has
 * sub-chunks i of its inputs. */
static plait_status copy_promises(plait__schedule *schedule,
				  const plait__schedule *shape, uint32_t factor)
{
	uint64_t sources = shape->promise_source_count;

	if (shape->promise_count == 0)
		return PLAIT_OK;
	schedule->promises = plait__alloc_array(
		schedule->allocator, shape->promise_count * factor,
		sizeof(*schedule->promises));
	if (schedule->promises == NULL)
		return PLAIT_E_NOMEM;
	schedule->promise_count = shape->promise_count * factor;
	schedule->promise_sources = plait__alloc_array(
		schedule->allocator, sources * factor,
		sizeof(*schedule->promise_sources));
	if (schedule->promise_sources == NULL)
		return PLAIT_E_NOMEM;
	schedule->promise_source_count = sources * factor;
	for (uint64_t i = 0; i < sources * factor; i++) {
		const plait__coll_source *from =
			&shape->promise_sources[i % sources];

		schedule->promise_sources[i].rank = from->rank;
		schedule->promise_sources[i].index =
			from->index * factor + (uint32_t)(i / sources);
	}
	for (uint64_t i = 0; i < schedule->promise_count; i++) {
		const plait__coll_promise *from = &shape->promises[i / factor];
		plait__coll_promise *to = &schedule->promises[i];

		*to = *from;
		to->index = from->index * factor + (uint32_t)(i % factor);
		to->first_source += i % factor * sources;
	}
	return PLAIT_OK;
}

/* Lay the scratch buffers of each rank one after another. */
static void place_scratch(plait__expand *expand, plait__schedule *schedule)
{
	const plait__vector *scratch = &expand->program->scratch;

	for (uint32_t i = 0; i < scratch->count; i++) {
		const plait__chunk_scratch *at = plait__vector_at(scratch, i);
		uint32_t *length = &schedule->ranks[at->rank].scratch_chunks;

		expand->scratch_offset[i] = *length;
		*length += at->cells.count;
	}
}

static plait_status scale_ranks(plait__expand *expand, plait_error *error)
{
	plait__schedule *schedule = expand->dag->schedule;
	const plait__schedule *shape = expand->program->shape;
	uint32_t factor = expand->dag->factor;
	uint64_t total = 0;

	for (uint32_t i = 0; i < shape->rank_count; i++) {
		plait__coll_rank *to = &schedule->ranks[i];

		total += (uint64_t)to->scratch_chunks * factor;
		if (total > PLAIT__CHUNK_MAX_CELLS)
			return plait__fail(error, PLAIT_E_INVALID,
					   "scratch of more than 2^28 parts");
		to->input_chunks = shape->ranks[i].input_chunks * factor;
		to->output_chunks = shape->ranks[i].output_chunks * factor;
		to->scratch_chunks *= factor;
	}
	return PLAIT_OK;
}

/* Make the schedule of the dag, which owns it also after a failure: sizes, name
 * and promises. */
static plait_status make_schedule(plait__expand *expand, plait_error *error)
{
	const plait__schedule *shape = expand->program->shape;
	const plait_allocator *allocator = expand->dag->allocator;
	plait__schedule *schedule = plait__alloc(allocator, sizeof(*schedule));

	expand->dag->schedule = schedule;
	if (schedule == NULL)
		return PLAIT_E_NOMEM;
	schedule->allocator = allocator;
	schedule->kind = shape->kind;
	schedule->flags = shape->flags;
	schedule->root = shape->root;
	schedule->chunks = shape->chunks * expand->dag->factor;
	memcpy(schedule->name, shape->name, sizeof(schedule->name));
	schedule->ranks = plait__alloc_array(allocator, shape->rank_count,
					     sizeof(*schedule->ranks));
	if (schedule->ranks == NULL)
		return PLAIT_E_NOMEM;
	schedule->rank_count = shape->rank_count;
	place_scratch(expand, schedule);
	if (copy_promises(schedule, shape, expand->dag->factor) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	return scale_ranks(expand, error);
}

/* ---- nodes ---- */

/* Part of an operation: the instance, and the sub-chunks in it. */
typedef struct plait__expand_part {
	uint32_t block, first, count;
} plait__expand_part;

/* Returns the sub-chunks of a buffer of a rank. */
static uint32_t length_of(const plait__expand *expand,
			  const plait__chunk_range *range)
{
	const plait__coll_rank *rank =
		&expand->dag->schedule->ranks[range->rank];

	return range->buffer == PLAIT__COLL_INPUT ? rank->input_chunks :
	       range->buffer == PLAIT__COLL_OUTPUT ? rank->output_chunks :
						     rank->scratch_chunks;
}

/* Set buffer and first sub-chunk of a part of a range. */
static void locate(const plait__expand *expand, const plait__chunk_range *range,
		   const plait__expand_part *part, uint8_t *buffer,
		   uint32_t *index)
{
	const plait__chunk_program *program = expand->program;
	uint32_t offset = 0;

	*buffer = (uint8_t)range->buffer;
	if (range->buffer >= PLAIT__COLL_SCRATCH) {
		uint32_t at = program->first_scratch[range->rank];
		const plait__chunk_scratch *scratch =
			plait__vector_at(&program->scratch, at);

		while (scratch->number != range->buffer - PLAIT__COLL_SCRATCH) {
			at = scratch->next;
			scratch = plait__vector_at(&program->scratch, at);
		}
		offset = expand->scratch_offset[at];
		*buffer = PLAIT__COLL_SCRATCH;
	}
	*index = part->block * (length_of(expand, range) / expand->blocks) +
		 (offset + range->index) *
			 (expand->dag->factor / expand->blocks) + part->first;
}

static void set_directives(const plait__expand *expand,
			   const plait__chunk_op *op, plait__dag_node *node)
{
	bool receives = node->kind == PLAIT__STEP_RECV ||
			node->kind == PLAIT__STEP_RECV_REDUCE;

	if (op->flags & PLAIT__CHUNK_HAS_CHANNEL) {
		node->flags |= PLAIT__DAG_HAS_CHANNEL;
		node->channel = op->channel +
				node->way * expand->channel_stride;
	}
	if (op->flags & PLAIT__CHUNK_HAS_LANES) {
		node->flags |= PLAIT__DAG_HAS_LANE;
		node->lane = (receives ? op->recv_lane : op->send_lane) +
			     node->way * expand->lane_stride;
	}
}

/* Append the nodes of a part. */
static plait_status add_nodes(const plait__expand *expand,
			      const plait__chunk_op *op, uint32_t way,
			      const plait__expand_part *part)
{
	plait__dag *dag = expand->dag;
	uint32_t number = dag->nodes.count;
	bool is_local = op->source.rank == op->target.rank;
	plait__dag_node node = {
		.kind = is_local ? (op->is_reduce ? PLAIT__STEP_REDUCE :
						    PLAIT__STEP_COPY) :
				   PLAIT__STEP_SEND,
		.rank = op->source.rank, .count = part->count, .way = way,
		.match = is_local ? PLAIT__COLL_NONE : number + 1,
		.unit = number, .send = PLAIT__COLL_NONE,
		.local = PLAIT__COLL_NONE, .reader = PLAIT__COLL_NONE,
		.first_next = PLAIT__COLL_NONE,
	};

	locate(expand, &op->source, part, &node.source_buffer, &node.source);
	if (is_local)
		locate(expand, &op->target, part, &node.target_buffer,
		       &node.target);
	set_directives(expand, op, &node);
	if (PLAIT__VECTOR_ADD(&dag->nodes, &node) == NULL)
		return PLAIT_E_NOMEM;
	if (is_local)
		return PLAIT_OK;
	node.kind = op->is_reduce ? PLAIT__STEP_RECV_REDUCE : PLAIT__STEP_RECV;
	node.rank = op->target.rank;
	node.match = number;
	node.unit = number + 1;
	node.flags = 0;
	locate(expand, &op->target, part, &node.target_buffer, &node.target);
	node.source = node.target;
	node.source_buffer = node.target_buffer;
	set_directives(expand, op, &node);
	return PLAIT__VECTOR_ADD(&dag->nodes, &node) != NULL ? PLAIT_OK :
							       PLAIT_E_NOMEM;
}

/* Add the nodes of an operation for each way, cut to max_count. */
static plait_status expand_op(const plait__expand *expand,
			      const plait__chunk_op *op)
{
	const plait__chunk_fragment *fragment = plait__vector_at(
		&expand->program->fragments, op->fragment);
	uint32_t ways = fragment->product * expand->instances;
	uint32_t block_ways = ways / expand->blocks;
	uint32_t share = (uint32_t)((uint64_t)op->source.count *
				    expand->dag->factor / ways);
	uint32_t most = expand->max_count != 0 ? expand->max_count : share;

	for (uint32_t way = 0; way < ways; way++)
		for (uint32_t done = 0; done < share; done += most) {
			uint32_t left = share - done;
			const plait__expand_part part = {
				way / block_ways,
				way % block_ways * share + done,
				left < most ? left : most
			};

			if (add_nodes(expand, op, way, &part) != PLAIT_OK)
				return PLAIT_E_NOMEM;
		}
	return PLAIT_OK;
}

/* Returns true if an output has, of each element, the sum or the value of
 * elements with its number. */
static bool is_elementwise(uint32_t kind)
{
	return kind == PLAIT__COLL_ALLREDUCE || kind == PLAIT__COLL_BROADCAST ||
	       kind == PLAIT__COLL_REDUCE || kind == PLAIT__COLL_ALLTONEXT;
}

static plait_status expand_all(plait__expand *expand, plait_error *error)
{
	const plait__vector *ops = &expand->program->ops;
	plait_status status = find_factor(expand, error);

	if (status == PLAIT_OK)
		status = make_schedule(expand, error);
	for (uint32_t i = 0; status == PLAIT_OK && i < ops->count; i++)
		status = expand_op(expand, plait__vector_at(ops, i));
	return status;
}

plait_status plait__expand_program(plait__dag *dag,
				   const plait__chunk_program *program,
				   uint32_t instances, uint32_t max_count,
				   plait_error *error)
{
	plait__expand expand = {
		.dag = dag, .program = program, .instances = instances,
		.max_count = max_count,
		.blocks = is_elementwise(program->shape->kind) ? instances : 1,
	};
	uint32_t buffers = program->scratch.count;
	plait_status status = PLAIT_E_NOMEM;

	expand.scratch_offset = plait__alloc_array(
		dag->allocator, buffers, sizeof(*expand.scratch_offset));
	if (buffers == 0 || expand.scratch_offset != NULL)
		status = expand_all(&expand, error);
	plait__free(dag->allocator, expand.scratch_offset,
		    buffers * sizeof(*expand.scratch_offset));
	return status == PLAIT_E_NOMEM ?
	       plait__fail(error, status, "no memory to expand a program") :
	       status;
}
