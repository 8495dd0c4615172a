/* SPDX-License-Identifier: MIT */
/* Public calls of chunk programs: creation, operations, compilation. */
#include "plait/coll.h"

#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "coll/prove/prove.h"
#include "coll/text/chunk_text.h"
#include "coll/use/coll_object.h"
#include "coll/use/promise_tables.h"
#include "coll/use/schedule_object.h"
#include "base/error.h"
#include "base/sized_struct.h"

_Static_assert((int)PLAIT_CHUNK_SCRATCH == (int)PLAIT__COLL_SCRATCH &&
	       (int)PLAIT_CHUNK_APPEND == (int)PLAIT__CHUNK_APPEND &&
	       (int)PLAIT_CHUNK_HAS_LANES == (int)PLAIT__CHUNK_HAS_LANES &&
	       (int)PLAIT_COLL_IN_PLACE == (int)PLAIT__COLL_IN_PLACE,
	       "buffers and flags are those of chunk_program.h");
_Static_assert((int)PLAIT_PROTOCOL_LL128 == (int)PLAIT__PROTOCOL_LL128 &&
	       (int)PLAIT_COMPILE_NO_FUSION ==
		       (int)PLAIT__COMPILE_NO_FUSION &&
	       (int)PLAIT_COMPILE_SEPARATE_LANES ==
		       (int)PLAIT__COMPILE_SEPARATE_LANES &&
	       (int)PLAIT_COMPILE_AGGREGATE == (int)PLAIT__COMPILE_AGGREGATE,
	       "protocols and flags are those of coll_compile.h");

/* ---- creation ---- */

/* Make a program of a descriptor: empty, or of an algorithm. */
static plait_status make_program(plait__context *context, const char *algorithm,
				 const plait_coll_desc *desc,
				 plait__chunk_program **out, plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__chunk_request request = {
		.kind = desc->kind, .flags = desc->flags,
		.rank_count = desc->ranks, .root = desc->root,
		.share = desc->chunks, .tag = plait__coll_object_tag(),
		.input_chunks = desc->input_chunks,
		.output_chunks = desc->output_chunks, .name = desc->label,
	};

	if (algorithm == NULL)
		return plait__chunk_program_make(allocator, &request, out,
						 error);
	return plait__known_make(allocator, algorithm, &request, out, error);
}

static plait_status add_promises(plait__chunk_program *program,
				 const plait_coll_desc *desc,
				 plait_error *error)
{
	plait__promise_tables tables = { .allocator = program->allocator };
	plait_status status = plait__promise_tables_read(
		&tables, desc->promises, desc->promise_count, error);

	if (status == PLAIT_OK && desc->promise_count > 0)
		status = plait__chunk_program_promise(
			program, tables.promises, tables.promise_count,
			tables.sources, tables.source_count, error);
	plait__promise_tables_free(&tables);
	return status;
}

static plait_status create(plait__context *context, const char *algorithm,
			   const plait_coll_desc *given, plait_coll **out,
			   plait_error *error)
{
	plait__chunk_program *program;
	plait_coll_desc desc;
	plait_status status = PLAIT__STRUCT_READ(plait_coll_desc, &desc, given,
						 error);

	if (status == PLAIT_OK)
		status = make_program(context, algorithm, &desc, &program,
				      error);
	if (status != PLAIT_OK)
		return status;
	status = add_promises(program, &desc, error);
	if (status == PLAIT_OK)
		return plait__coll_object_create(context, program, out, error);
	plait__chunk_program_free(program);
	return status;
}

PLAIT_API plait_status plait_coll_create(plait_context *context,
					 const plait_coll_desc *desc,
					 plait_coll **out, plait_error *error)
{
	plait__context *entered;
	plait_status status;

	if (out == NULL || desc == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s is null",
				   out == NULL ? "out" : "desc");
	*out = NULL;
	status = plait__context_enter(context, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = create(entered, NULL, desc, out, error);
	plait__object_leave(&entered->object);
	return status;
}

PLAIT_API plait_status plait_coll_known(plait_context *context,
					const char *name,
					const plait_coll_desc *desc,
					plait_coll **out, plait_error *error)
{
	plait__context *entered;
	plait_status status;

	if (out == NULL || desc == NULL || name == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s is null",
				   out == NULL ? "out" : desc == NULL ?
				   "desc" : "name");
	*out = NULL;
	status = plait__context_enter(context, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = create(entered, name, desc, out, error);
	plait__object_leave(&entered->object);
	return status;
}

PLAIT_API plait_status plait_coll_read(plait_context *context, const char *text,
				       uint64_t bytes, const char *name,
				       uint32_t ranks, uint32_t chunks,
				       plait_coll **out, plait_error *error)
{
	plait__chunk_text_options options = { .ranks = ranks,
					      .chunks = chunks };
	plait__chunk_program *program;
	plait__context *entered;
	plait_status status;

	if (out == NULL || text == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "%s is null",
				   out == NULL ? "out" : "text");
	*out = NULL;
	status = plait__context_enter(context, &entered, error);
	if (status != PLAIT_OK)
		return status;
	options.tag = plait__coll_object_tag();
	status = plait__chunk_text_read(plait__context_allocator(entered), text,
					bytes, name, &options, &program, error);
	if (status == PLAIT_OK)
		status = plait__coll_object_create(entered, program, out,
						   error);
	plait__object_leave(&entered->object);
	return status;
}

/* ---- operations ---- */

/* Enter, and clear the caller's result; `must` tells that it is needed. */
static plait_status enter(plait_coll *coll, plait_chunk **out,
			  plait_chunk *room, bool must,
			  plait__coll_object **entered, plait_error *error)
{
	if (*out == NULL && must)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	if (*out == NULL)
		*out = room;
	**out = 0;
	return plait__coll_object_enter(coll, entered, error);
}

static plait_status read_place(const plait_chunk_place *given,
			       plait__chunk_place *out, plait_error *error)
{
	plait_chunk_place place;
	plait_status status = PLAIT__STRUCT_READ(plait_chunk_place, &place,
						 given, error);

	if (status != PLAIT_OK)
		return status;
	*out = (plait__chunk_place){
		.flags = place.flags, .rank = place.rank,
		.buffer = place.buffer, .channel = place.channel,
		.send_lane = place.send_lane, .recv_lane = place.recv_lane,
		.index = place.index,
	};
	return PLAIT_OK;
}

PLAIT_API plait_status plait_coll_chunk(plait_coll *coll, uint32_t rank,
					plait_chunk_buffer buffer,
					uint64_t index, uint64_t count,
					plait_chunk *out, plait_error *error)
{
	plait__chunk_range range = { rank, buffer, (uint32_t)index,
				     (uint32_t)count };
	plait__coll_object *entered;
	plait_status status = enter(coll, &out, NULL, true, &entered, error);

	if (status != PLAIT_OK)
		return status;
	if (index > UINT32_MAX || count > UINT32_MAX)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "%llu chunks from chunk %llu",
				     (unsigned long long)count,
				     (unsigned long long)index);
	else
		status = plait__chunk_get(entered->program, &range, out, error);
	plait__coll_object_leave(entered);
	return status;
}

PLAIT_API plait_status plait_coll_copy(plait_coll *coll, plait_chunk chunk,
				       const plait_chunk_place *place,
				       plait_chunk *out, plait_error *error)
{
	plait_chunk room;
	plait__chunk_place ours;
	plait__coll_object *entered;
	plait_status status = enter(coll, &out, &room, false, &entered, error);

	if (status != PLAIT_OK)
		return status;
	if (place == NULL)
		status = plait__fail(error, PLAIT_E_INVALID, "place is null");
	else
		status = read_place(place, &ours, error);
	if (status == PLAIT_OK)
		status = plait__chunk_copy(entered->program, chunk, &ours, out,
					   error);
	plait__coll_object_leave(entered);
	return status;
}

PLAIT_API plait_status plait_coll_reduce(plait_coll *coll, plait_chunk target,
					 plait_chunk source,
					 const plait_chunk_place *place,
					 plait_chunk *out, plait_error *error)
{
	plait_chunk room;
	plait__chunk_place ours = { .flags = 0 };
	plait__coll_object *entered;
	plait_status status = enter(coll, &out, &room, false, &entered, error);

	if (status != PLAIT_OK)
		return status;
	if (place != NULL)
		status = read_place(place, &ours, error);
	if (status == PLAIT_OK)
		status = plait__chunk_reduce(entered->program, target, source,
					     &ours, out, error);
	plait__coll_object_leave(entered);
	return status;
}

PLAIT_API plait_status plait_coll_part(plait_coll *coll, plait_chunk chunk,
				       uint64_t first, uint64_t count,
				       plait_chunk *out, plait_error *error)
{
	plait__coll_object *entered;
	plait_status status = enter(coll, &out, NULL, true, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__chunk_part(entered->program, chunk, first, count, out,
				   error);
	plait__coll_object_leave(entered);
	return status;
}

PLAIT_API plait_status plait_coll_join(plait_coll *coll, plait_chunk one,
				       plait_chunk other, plait_chunk *out,
				       plait_error *error)
{
	plait__coll_object *entered;
	plait_status status = enter(coll, &out, NULL, true, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__chunk_join(entered->program, one, other, out, error);
	plait__coll_object_leave(entered);
	return status;
}

PLAIT_API plait_status plait_coll_parallel(plait_coll *coll, uint32_t ways,
					   plait_error *error)
{
	plait__coll_object *entered;
	plait_status status = plait__coll_object_enter(coll, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__chunk_parallel(entered->program, ways, error);
	plait__coll_object_leave(entered);
	return status;
}

PLAIT_API plait_status plait_coll_end(plait_coll *coll, plait_error *error)
{
	plait__coll_object *entered;
	plait_status status = plait__coll_object_enter(coll, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__chunk_parallel_end(entered->program, error);
	plait__coll_object_leave(entered);
	return status;
}

/* ---- compilation ---- */

static plait_status read_compile(const plait_compile_desc *given,
				 plait__compile_request *out,
				 plait_error *error)
{
	plait_compile_desc desc;
	plait_status status;

	*out = (plait__compile_request){ .flags = 0 };
	if (given == NULL)
		return PLAIT_OK;
	status = PLAIT__STRUCT_READ(plait_compile_desc, &desc, given, error);
	if (status != PLAIT_OK)
		return status;
	if (desc.reserved0 != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_compile_desc.reserved0 is not 0");
	*out = (plait__compile_request){
		.flags = desc.flags, .target = desc.target,
		.protocol = desc.protocol, .instances = desc.instances,
		.depth = desc.depth, .lanes = desc.lanes,
		.channels = desc.channels, .slot_bytes = desc.slot_bytes,
		.min_bytes = desc.min_bytes, .max_bytes = desc.max_bytes,
		.message_chunks = desc.message_chunks,
	};
	return PLAIT_OK;
}

/* Compile and prove; nothing unproved is returned. */
static plait_status compile(const plait__coll_object *entered,
			    const plait_compile_desc *desc,
			    plait__schedule **out, plait_error *error)
{
	plait__compile_request request;
	plait__proof proof;
	plait_status status = read_compile(desc, &request, error);

	*out = NULL;
	if (status == PLAIT_OK)
		status = plait__compile_program(
			plait__context_allocator(entered->object.context),
			entered->program, &request, out, error);
	if (status != PLAIT_OK)
		return status;
	status = plait__prove_schedule(*out, NULL, &proof, error);
	if (status == PLAIT_OK)
		return status;
	plait__schedule_free(*out);
	*out = NULL;
	return status;
}

PLAIT_API plait_status plait_coll_compile(plait_coll *coll,
					  const plait_compile_desc *desc,
					  plait_schedule **out,
					  plait_error *error)
{
	plait__schedule_object *made;
	plait__coll_object *entered;
	plait__schedule *schedule;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__coll_object_enter(coll, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = compile(entered, desc, &schedule, error);
	if (status == PLAIT_OK)
		status = plait__schedule_object_create(entered->object.context,
						       schedule, &made, error);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&made->object);
	plait__coll_object_leave(entered);
	return status;
}
