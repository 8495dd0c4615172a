/* SPDX-License-Identifier: MIT */
/* Chunk programs: creation, cells of chunks, scratch buffers, release. */
#include "coll/chunk/chunk_program.h"

#include "coll/chunk/collective.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* ---- creation ---- */

static plait_status check_request(const plait__chunk_request *request,
				  plait_error *error)
{
	if (plait__collective_name(request->kind) == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "collective %u is not known", request->kind);
	if (request->flags & ~(uint32_t)PLAIT__COLL_IN_PLACE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "unknown flags 0x%x of a collective",
				   request->flags);
	if (request->rank_count == 0 ||
	    request->rank_count > PLAIT__CHUNK_MAX_RANKS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u ranks; give 1 to %u",
				   request->rank_count, PLAIT__CHUNK_MAX_RANKS);
	if (request->root >= request->rank_count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "root %u of %u ranks, counted from 0",
				   request->root, request->rank_count);
	return PLAIT_OK;
}

static plait_status find_sizes(const plait__chunk_request *request,
			       uint64_t *input, uint64_t *output,
			       plait_error *error)
{
	uint64_t share = request->share != 0 ? request->share : 1;

	if (!plait__collective_sizes(request->kind, request->rank_count, share,
				     input, output)) {
		*input = request->input_chunks;
		*output = request->output_chunks;
	}
	if (*input == 0 || *output == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a custom collective needs input_chunks and "
				   "output_chunks");
	if (*input > PLAIT__CHUNK_MAX_CELLS || *output > PLAIT__CHUNK_MAX_CELLS ||
	    (*input + *output) * request->rank_count > PLAIT__CHUNK_MAX_CELLS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u ranks with %llu and %llu chunks; at most "
				   "2^28 chunks in all", request->rank_count,
				   (unsigned long long)*input,
				   (unsigned long long)*output);
	return PLAIT_OK;
}

static int compare_promises(const void *left, const void *right)
{
	const plait__coll_promise *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static plait_status check_promise(const plait__chunk_program *program,
				  const plait__coll_promise *promise,
				  const plait__coll_source *sources,
				  uint64_t source_count, plait_error *error)
{
	const plait__coll_rank *size = &program->shape->ranks[0];
	uint32_t ranks = program->shape->rank_count;

	if (promise->rank >= ranks || promise->index >= size->output_chunks)
		return plait__fail(error, PLAIT_E_INVALID,
				   "promise for output %u of rank %u; there are "
				   "%u ranks with %u", promise->index,
				   promise->rank, ranks, size->output_chunks);
	if (promise->source_count == 0 ||
	    promise->first_source > source_count ||
	    promise->source_count > source_count - promise->first_source)
		return plait__fail(error, PLAIT_E_INVALID,
				   "promise for output %u of rank %u: name at "
				   "least one source", promise->index,
				   promise->rank);
	for (uint64_t i = 0; i < promise->source_count; i++) {
		const plait__coll_source *source =
			&sources[promise->first_source + i];

		if (source->rank >= ranks ||
		    source->index >= size->input_chunks)
			return plait__fail(error, PLAIT_E_INVALID,
					   "promise for output %u of rank %u: "
					   "there is no input %u of rank %u",
					   promise->index, promise->rank,
					   source->index, source->rank);
	}
	return PLAIT_OK;
}

/* Sort copies of the promises; the sources keep their order. */
static plait_status sort_promises(plait__schedule *shape, plait_error *error)
{
	plait__vector sorted = {
		.items = shape->promises,
		.count = (uint32_t)shape->promise_count,
		.each = sizeof(plait__coll_promise),
	};

	plait__vector_sort(&sorted, compare_promises);
	for (uint64_t i = 1; i < shape->promise_count; i++)
		if (compare_promises(&shape->promises[i - 1],
				     &shape->promises[i]) == 0)
			return plait__fail(error, PLAIT_E_INVALID,
					   "two promises for output %u of rank "
					   "%u", shape->promises[i].index,
					   shape->promises[i].rank);
	return PLAIT_OK;
}

static plait_status copy_promises(plait__schedule *shape,
				  const plait__coll_promise *promises,
				  uint64_t promise_count,
				  const plait__coll_source *sources,
				  uint64_t source_count, plait_error *error)
{
	shape->promises = plait__alloc_array(shape->allocator, promise_count,
					     sizeof(*promises));
	if (shape->promises != NULL)
		shape->promise_count = promise_count;
	shape->promise_sources = plait__alloc_array(
		shape->allocator, source_count, sizeof(*sources));
	if (shape->promise_sources != NULL)
		shape->promise_source_count = source_count;
	if (shape->promises == NULL || shape->promise_sources == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %llu promises",
				   (unsigned long long)promise_count);
	memcpy(shape->promises, promises, promise_count * sizeof(*promises));
	memcpy(shape->promise_sources, sources,
	       source_count * sizeof(*sources));
	return sort_promises(shape, error);
}

plait_status plait__chunk_program_promise(plait__chunk_program *program,
					  const plait__coll_promise *promises,
					  uint64_t promise_count,
					  const plait__coll_source *sources,
					  uint64_t source_count,
					  plait_error *error)
{
	plait__schedule *shape = program->shape;

	if (shape->kind != PLAIT__COLL_CUSTOM)
		return plait__fail(error, PLAIT_E_INVALID,
				   "promises are for custom collectives; %s has "
				   "its own",
				   plait__collective_name(shape->kind));
	if (shape->promise_count != 0)
		return plait__fail(error, PLAIT_E_STATE,
				   "the program has its promises already");
	if (promise_count > PLAIT__CHUNK_MAX_CELLS ||
	    source_count > PLAIT__CHUNK_MAX_CELLS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "more than 2^28 promises or sources");
	for (uint64_t i = 0; i < promise_count; i++) {
		plait_status status = check_promise(program, &promises[i],
						    sources, source_count,
						    error);

		if (status != PLAIT_OK)
			return status;
	}
	return promise_count == 0 ? PLAIT_OK :
	       copy_promises(shape, promises, promise_count, sources,
			     source_count, error);
}

static plait_status make_shape(plait__chunk_program *program,
			       const plait__chunk_request *request,
			       uint64_t input, uint64_t output)
{
	plait__schedule *shape = plait__alloc(program->allocator,
					      sizeof(*shape));

	program->shape = shape;
	if (shape == NULL)
		return PLAIT_E_NOMEM;
	shape->allocator = program->allocator;
	shape->kind = request->kind;
	shape->flags = request->flags;
	shape->root = request->root;
	shape->chunks = (uint32_t)(input > output ? input : output);
	if (request->name != NULL)
		(void)snprintf(shape->name, sizeof(shape->name), "%.*s",
			       plait__text_fit(request->name, 63),
			       request->name);
	shape->ranks = plait__alloc_array(program->allocator,
					  request->rank_count,
					  sizeof(*shape->ranks));
	if (shape->ranks == NULL)
		return PLAIT_E_NOMEM;
	shape->rank_count = request->rank_count;
	for (uint32_t i = 0; i < request->rank_count; i++) {
		shape->ranks[i].input_chunks = (uint32_t)input;
		shape->ranks[i].output_chunks = (uint32_t)output;
	}
	return PLAIT_OK;
}

static plait_status make_cells(plait__chunk_program *program)
{
	const plait__schedule *shape = program->shape;
	const plait__coll_rank *size = &shape->ranks[0];
	uint64_t each = (uint64_t)size->input_chunks + size->output_chunks;
	plait__chunk_fragment whole = { .ways = 1, .product = 1 };

	program->cell_count = each * shape->rank_count;
	program->cells = plait__alloc_array(program->allocator,
					    program->cell_count,
					    sizeof(*program->cells));
	program->first_scratch =
		plait__alloc_array(program->allocator, shape->rank_count,
				   sizeof(*program->first_scratch));
	if (program->cells == NULL || program->first_scratch == NULL ||
	    PLAIT__VECTOR_ADD(&program->fragments, &whole) == NULL)
		return PLAIT_E_NOMEM;
	for (uint32_t rank = 0; rank < shape->rank_count; rank++) {
		program->first_scratch[rank] = PLAIT__COLL_NONE;
		if (plait__collective_has_input(shape, rank))
			for (uint32_t i = 0; i < size->input_chunks; i++)
				program->cells[rank * each + i] = 1;
	}
	return PLAIT_OK;
}

static plait_status fill(plait__chunk_program *program,
			 const plait__chunk_request *request,
			 plait_error *error)
{
	uint64_t input, output;
	plait_status status = find_sizes(request, &input, &output, error);

	if (status != PLAIT_OK)
		return status;
	status = make_shape(program, request, input, output);
	if (status == PLAIT_OK)
		status = make_cells(program);
	return status == PLAIT_E_NOMEM ?
	       plait__fail(error, status, "no memory for a chunk program") :
	       status;
}

plait_status plait__chunk_program_make(const plait_allocator *allocator,
				       const plait__chunk_request *request,
				       plait__chunk_program **out,
				       plait_error *error)
{
	plait__chunk_program *program;
	plait_status status = check_request(request, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	program = plait__alloc(allocator, sizeof(*program));
	if (program == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a chunk program");
	program->allocator = allocator;
	program->share = request->share != 0 ? request->share : 1;
	program->tag = request->tag;
	plait__vector_init(&program->scratch, allocator,
			   sizeof(plait__chunk_scratch));
	plait__vector_init(&program->ops, allocator, sizeof(plait__chunk_op));
	plait__vector_init(&program->references, allocator,
			   sizeof(plait__chunk_reference));
	plait__vector_init(&program->fragments, allocator,
			   sizeof(plait__chunk_fragment));
	status = fill(program, request, error);
	if (status == PLAIT_OK)
		*out = program;
	else
		plait__chunk_program_free(program);
	return status;
}

void plait__chunk_program_free(plait__chunk_program *program)
{
	const plait_allocator *allocator;

	if (program == NULL)
		return;
	allocator = program->allocator;
	for (uint32_t i = 0; i < program->scratch.count; i++) {
		plait__chunk_scratch *scratch =
			plait__vector_at(&program->scratch, i);

		plait__vector_fini(&scratch->cells);
	}
	plait__vector_fini(&program->scratch);
	plait__vector_fini(&program->ops);
	plait__vector_fini(&program->references);
	plait__vector_fini(&program->fragments);
	plait__free(allocator, program->cells,
		    program->cell_count * sizeof(*program->cells));
	if (program->shape != NULL)
		plait__free(allocator, program->first_scratch,
			    program->shape->rank_count *
				    sizeof(*program->first_scratch));
	plait__schedule_free(program->shape);
	plait__free(allocator, program, sizeof(*program));
}

/* ---- cells ---- */

static plait__chunk_scratch *find_scratch(const plait__chunk_program *program,
					  uint32_t rank, uint32_t buffer)
{
	uint32_t at = program->first_scratch[rank];

	while (at != PLAIT__COLL_NONE) {
		plait__chunk_scratch *scratch =
			plait__vector_at(&program->scratch, at);

		if (scratch->number == buffer - PLAIT__COLL_SCRATCH)
			return scratch;
		at = scratch->next;
	}
	return NULL;
}

uint32_t plait__chunk_program_length(const plait__chunk_program *program,
				     uint32_t rank, uint32_t buffer)
{
	const plait__coll_rank *size = &program->shape->ranks[rank];
	const plait__chunk_scratch *scratch;

	if (buffer == PLAIT__COLL_INPUT)
		return size->input_chunks;
	if (buffer == PLAIT__COLL_OUTPUT)
		return size->output_chunks;
	scratch = find_scratch(program, rank, buffer);
	return scratch != NULL ? scratch->cells.count : 0;
}

uint32_t *plait__chunk_program_cell(const plait__chunk_program *program,
				    const plait__chunk_range *range, uint32_t i)
{
	const plait__coll_rank *size = &program->shape->ranks[range->rank];
	uint64_t each = (uint64_t)size->input_chunks + size->output_chunks;

	if (range->buffer >= PLAIT__COLL_SCRATCH)
		return plait__vector_at(&find_scratch(program, range->rank,
						      range->buffer)->cells,
					range->index + i);
	return &program->cells[range->rank * each +
			       plait__schedule_memory_index(
				       program->shape, range->rank,
				       range->buffer, range->index + i)];
}

const char *plait__chunk_program_text(const plait__chunk_range *range,
				      char room[PLAIT__CHUNK_TEXT_BYTES])
{
	char scratch[24];
	const char *name = range->buffer == PLAIT__COLL_INPUT ? "input" :
			   range->buffer == PLAIT__COLL_OUTPUT ? "output" :
			   scratch;

	(void)snprintf(scratch, sizeof(scratch), "scratch%u",
		       range->buffer - PLAIT__COLL_SCRATCH);
	(void)snprintf(room, PLAIT__CHUNK_TEXT_BYTES,
		       range->count == 1 ? "rank %u %s[%u]" :
					   "rank %u %s[%u..%llu)",
		       range->rank, name, range->index,
		       (unsigned long long)range->index + range->count);
	return room;
}

static plait_status check_rank(const plait__chunk_program *program,
			       const plait__chunk_range *range,
			       plait_error *error)
{
	if (range->rank >= program->shape->rank_count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rank %u of %u ranks, counted from 0",
				   range->rank, program->shape->rank_count);
	if (range->buffer >= PLAIT__COLL_SCRATCH + PLAIT__CHUNK_MAX_BUFFERS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "buffer %u; the last one is scratch %u",
				   range->buffer, PLAIT__CHUNK_MAX_BUFFERS - 1);
	if (range->count == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "a range of no chunk");
	return PLAIT_OK;
}

plait_status plait__chunk_program_bounds(const plait__chunk_program *program,
					 const plait__chunk_range *range,
					 plait_error *error)
{
	char text[PLAIT__CHUNK_TEXT_BYTES];
	uint32_t length;
	plait_status status = check_rank(program, range, error);

	if (status != PLAIT_OK)
		return status;
	length = plait__chunk_program_length(program, range->rank,
					     range->buffer);
	if (range->index < length && range->count <= length - range->index)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "%s is out of range: the buffer has %u chunks",
			   plait__chunk_program_text(range, text), length);
}

static plait__chunk_scratch *make_scratch(plait__chunk_program *program,
					  const plait__chunk_range *range)
{
	plait__chunk_scratch scratch = {
		.rank = range->rank,
		.number = range->buffer - PLAIT__COLL_SCRATCH,
		.next = program->first_scratch[range->rank],
	};

	plait__vector_init(&scratch.cells, program->allocator,
			   sizeof(uint32_t));
	if (PLAIT__VECTOR_ADD(&program->scratch, &scratch) == NULL)
		return NULL;
	program->first_scratch[range->rank] = program->scratch.count - 1;
	return plait__vector_at(&program->scratch, program->scratch.count - 1);
}

plait_status plait__chunk_program_grow(plait__chunk_program *program,
				       const plait__chunk_range *range,
				       plait_error *error)
{
	plait__chunk_scratch *scratch;
	uint64_t end = (uint64_t)range->index + range->count;
	plait_status status = check_rank(program, range, error);

	if (status != PLAIT_OK || range->buffer < PLAIT__COLL_SCRATCH)
		return status;
	if (end > PLAIT__CHUNK_MAX_CELLS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "scratch chunk %llu; at most 2^28",
				   (unsigned long long)end - 1);
	scratch = find_scratch(program, range->rank, range->buffer);
	if (scratch == NULL)
		scratch = make_scratch(program, range);
	if (scratch == NULL ||
	    (end > scratch->cells.count &&
	     plait__vector_push(&scratch->cells, NULL,
				(uint32_t)end - scratch->cells.count) == NULL))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for scratch of rank %u",
				   range->rank);
	return PLAIT_OK;
}
