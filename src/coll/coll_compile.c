/* SPDX-License-Identifier: MIT */
/* The passes of the compiler, in their order; see coll_compile.h. */
#include "coll/coll_compile.h"

#include "coll/place/placement.h"
#include "base/error.h"

static plait_status check_request(const plait__chunk_program *program,
				  const plait__compile_request *request,
				  plait_error *error)
{
	uint32_t flags = PLAIT__COMPILE_NO_FUSION |
			 PLAIT__COMPILE_SEPARATE_LANES |
			 PLAIT__COMPILE_AGGREGATE;

	if (request->target > PLAIT__TARGET_RCCL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "target %u is not known", request->target);
	if (request->protocol > PLAIT__PROTOCOL_LL128)
		return plait__fail(error, PLAIT_E_INVALID,
				   "protocol %u is not known",
				   request->protocol);
	if (request->flags & ~flags)
		return plait__fail(error, PLAIT_E_INVALID,
				   "unknown flags 0x%x of the compiler",
				   request->flags);
	if (request->message_chunks != 0 &&
	    !(request->flags & PLAIT__COMPILE_AGGREGATE))
		return plait__fail(error, PLAIT_E_INVALID,
				   "message_chunks %u without AGGREGATE",
				   request->message_chunks);
	if (request->instances > PLAIT__CHUNK_MAX_WAYS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u instances; at most %u",
				   request->instances, PLAIT__CHUNK_MAX_WAYS);
	if (request->max_bytes != 0 && request->max_bytes < request->min_bytes)
		return plait__fail(error, PLAIT_E_INVALID,
				   "min_bytes is above max_bytes");
	if (program->fragment != 0)
		return plait__fail(error, PLAIT_E_STATE,
				   "a fragment of parallel ways is open; end it "
				   "before compiling");
	return PLAIT_OK;
}

static uint32_t lower_of(uint32_t limit, uint32_t wish)
{
	return wish != 0 && wish < limit ? wish : limit;
}

/* Returns the most chunks of a message that AGGREGATE makes; 0: any number. */
static uint32_t most_joined(const plait__compile_request *request,
			    const plait__placement_limits *limits)
{
	return limits->count == 0 ?
		       request->message_chunks :
		       lower_of(limits->count, request->message_chunks);
}

/* Collectives of processes choose by themselves. */
static uint32_t protocol_of(const plait__compile_request *request)
{
	return request->protocol == PLAIT__PROTOCOL_AUTO &&
			       request->target != PLAIT__TARGET_PLAIT ?
		       PLAIT__PROTOCOL_SIMPLE : request->protocol;
}

static void find_limits(const plait__compile_request *request,
			plait__placement_limits *limits, uint64_t *slot_bytes)
{
	plait__limits_of(request->target, protocol_of(request), limits,
			 slot_bytes);
	if (request->depth != 0)
		limits->depth = request->depth;
	limits->few_lanes = lower_of(limits->lanes, request->lanes);
	limits->channels = lower_of(limits->channels, request->channels);
	if (request->flags & PLAIT__COMPILE_SEPARATE_LANES)
		limits->flags |= PLAIT__PLACEMENT_SEPARATE_LANES;
	if (request->lanes != 0)
		limits->flags |= PLAIT__PLACEMENT_FILL_LANES;
	if (request->slot_bytes != 0)
		*slot_bytes = request->slot_bytes;
}

static plait_status place_all(plait__dag *dag,
			      const plait__placement_limits *limits,
			      plait_error *error)
{
	plait__placement place;
	plait_status status;

	plait__placement_init(&place, dag, limits);
	status = plait__channels_assign(&place, error);
	if (status == PLAIT_OK)
		status = plait__lanes_make(&place, error);
	if (status == PLAIT_OK)
		status = plait__order_steps(&place, error);
	if (status == PLAIT_OK)
		status = plait__waits_emit(&place, error);
	plait__placement_fini(&place);
	return status;
}

static plait_status compile(plait__dag *dag,
			    const plait__chunk_program *program,
			    const plait__compile_request *request,
			    const plait__placement_limits *limits,
			    plait_error *error)
{
	uint32_t instances = request->instances != 0 ? request->instances : 1;
	plait_status status = plait__expand_program(dag, program, instances,
						    limits->count, error);

	if (status == PLAIT_OK)
		status = plait__deps_trace(dag, error);
	if (status == PLAIT_OK && request->flags & PLAIT__COMPILE_AGGREGATE)
		status = plait__aggregate_transfers(
			dag, most_joined(request, limits), error);
	if (status != PLAIT_OK)
		return status;
	if (!(request->flags & PLAIT__COMPILE_NO_FUSION))
		plait__fuse_nodes(dag);
	status = place_all(dag, limits, error);
	if (status == PLAIT_OK)
		status = plait__limits_check(dag->schedule, limits, error);
	return status;
}

plait_status plait__compile_program(const plait_allocator *allocator,
				    const plait__chunk_program *program,
				    const plait__compile_request *request,
				    plait__schedule **out, plait_error *error)
{
	plait__placement_limits limits;
	plait__dag dag;
	uint64_t slot_bytes;
	plait_status status = check_request(program, request, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	find_limits(request, &limits, &slot_bytes);
	plait__dag_init(&dag, allocator);
	status = compile(&dag, program, request, &limits, error);
	if (status == PLAIT_OK) {
		*out = dag.schedule;
		dag.schedule = NULL;
		(*out)->protocol = protocol_of(request);
		(*out)->target = request->target;
		(*out)->depth = limits.depth;
		(*out)->slot_bytes = slot_bytes;
		(*out)->min_bytes = request->min_bytes;
		(*out)->max_bytes = request->max_bytes;
	}
	plait__dag_fini(&dag);
	return status;
}
