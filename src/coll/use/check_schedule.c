/* SPDX-License-Identifier: MIT */
/* Public proof of schedules: descriptors, promises, results. */
#include "coll/prove/prove.h"
#include "coll/use/schedule_object.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"

_Static_assert((int)PLAIT_COLL_ALLTONEXT == (int)PLAIT__COLL_ALLTONEXT &&
	       (int)PLAIT_COLL_SCATTER == (int)PLAIT__COLL_SCATTER,
	       "kinds are those of schedule.h");
_Static_assert((int)PLAIT_TARGET_RCCL == (int)PLAIT__TARGET_RCCL,
	       "targets are those of schedule.h");
_Static_assert((int)PLAIT_PROOF_VALUE == (int)PLAIT__PROOF_VALUE &&
	       (int)PLAIT_PROOF_HAS_PROMISES == (int)PLAIT__PROVE_PROMISES &&
	       (int)PLAIT_PROOF_SAME_BITS == (int)PLAIT__PROOF_SAME_BITS &&
	       (int)PLAIT_PROOF_EXPORTS_RCCL ==
		       (int)PLAIT__PROOF_EXPORTS_RCCL,
	       "reasons and flags are those of prove.h");

/* Promises of the caller in the form of a request. */
typedef struct promise_tables {
	const plait_allocator *allocator;
	plait__coll_promise *promises;
	plait__coll_source *sources;
	uint64_t promise_count, source_count;
} promise_tables;

static void free_promises(promise_tables *tables)
{
	plait__free(tables->allocator, tables->promises,
		    tables->promise_count * sizeof(*tables->promises));
	plait__free(tables->allocator, tables->sources,
		    tables->source_count * sizeof(*tables->sources));
}

/* Elements of the caller's array have the size that the first one says. */
static plait_status read_promise(const plait_proof_desc *desc, uint64_t index,
				 plait_coll_promise *out, plait_error *error)
{
	uint64_t stride = desc->promises->size;
	const char *given = (const char *)desc->promises + index * stride;
	plait_status status = PLAIT__STRUCT_READ(plait_coll_promise, out, given,
						 error);

	if (status != PLAIT_OK)
		return status;
	if (out->source_count > 0 &&
	    (out->source_ranks == NULL || out->source_indices == NULL))
		return plait__fail(error, PLAIT_E_INVALID,
				   "promise %llu: source_ranks or "
				   "source_indices is null",
				   (unsigned long long)index);
	if (out->index > UINT32_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "promise %llu: chunk %llu",
				   (unsigned long long)index,
				   (unsigned long long)out->index);
	return PLAIT_OK;
}

static plait_status count_sources(const plait_proof_desc *desc,
				  uint64_t *out_count, plait_error *error)
{
	for (uint64_t i = 0; i < desc->promise_count; i++) {
		plait_coll_promise promise;
		plait_status status = read_promise(desc, i, &promise, error);

		if (status != PLAIT_OK)
			return status;
		if (__builtin_add_overflow(*out_count, promise.source_count,
					   out_count))
			return plait__fail(error, PLAIT_E_INVALID,
					   "too many sources of promises");
	}
	return PLAIT_OK;
}

static plait_status copy_sources(promise_tables *tables,
				 const plait_coll_promise *promise,
				 uint64_t first, plait_error *error)
{
	for (uint64_t i = 0; i < promise->source_count; i++) {
		if (promise->source_indices[i] > UINT32_MAX)
			return plait__fail(error, PLAIT_E_INVALID,
					   "a promise of rank %u: source chunk "
					   "%llu", promise->rank,
					   (unsigned long long)
						   promise->source_indices[i]);
		tables->sources[first + i] = (plait__coll_source){
			promise->source_ranks[i],
			(uint32_t)promise->source_indices[i]
		};
	}
	return PLAIT_OK;
}

static plait_status copy_promises(promise_tables *tables,
				  const plait_proof_desc *desc,
				  plait_error *error)
{
	uint64_t first = 0;

	for (uint64_t i = 0; i < desc->promise_count; i++) {
		plait_coll_promise promise;
		plait_status status = read_promise(desc, i, &promise, error);

		if (status == PLAIT_OK)
			status = copy_sources(tables, &promise, first, error);
		if (status != PLAIT_OK)
			return status;
		tables->promises[i] = (plait__coll_promise){
			promise.rank, (uint32_t)promise.index, first,
			promise.source_count
		};
		first += promise.source_count;
	}
	return PLAIT_OK;
}

static plait_status read_promises(promise_tables *tables,
				  const plait_proof_desc *desc,
				  plait_error *error)
{
	uint64_t source_count = 0;
	plait_status status;

	if (!(desc->flags & PLAIT_PROOF_HAS_PROMISES) ||
	    desc->promise_count == 0)
		return PLAIT_OK;
	if (desc->promises == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "promises is null");
	status = count_sources(desc, &source_count, error);
	if (status != PLAIT_OK)
		return status;
	tables->promises = plait__alloc_array(tables->allocator,
					      desc->promise_count,
					      sizeof(*tables->promises));
	tables->promise_count = desc->promise_count;
	tables->sources = plait__alloc_array(tables->allocator, source_count,
					     sizeof(*tables->sources));
	tables->source_count = source_count;
	if (tables->promises == NULL ||
	    (source_count > 0 && tables->sources == NULL))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %llu promises",
				   (unsigned long long)desc->promise_count);
	return copy_promises(tables, desc, error);
}

static plait_status read_desc(const plait_proof_desc *desc,
			      promise_tables *tables,
			      plait__prove_request *request,
			      plait_error *error)
{
	const uint32_t known = PLAIT_PROOF_HAS_TARGET | PLAIT_PROOF_HAS_KIND |
			       PLAIT_PROOF_HAS_PROMISES;
	plait_proof_desc ours;
	plait_status status;

	if (desc == NULL)
		return PLAIT_OK;
	status = PLAIT__STRUCT_READ(plait_proof_desc, &ours, desc, error);
	if (status != PLAIT_OK)
		return status;
	if ((ours.flags & ~known) != 0 || ours.target > PLAIT_TARGET_RCCL ||
	    ours.kind > PLAIT_COLL_ALLTONEXT)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_proof_desc: flags %#x, target %u, kind "
				   "%u", ours.flags, ours.target, ours.kind);
	status = read_promises(tables, &ours, error);
	*request = (plait__prove_request){
		.flags = ours.flags, .target = ours.target,
		.depth = ours.depth, .kind = ours.kind, .root = ours.root,
		.slot_bytes = ours.slot_bytes,
		.promises = tables->promises,
		.promise_sources = tables->sources,
		.promise_count = tables->promise_count,
		.promise_source_count = tables->source_count,
	};
	return status;
}

static plait_status write_proof(const plait__schedule *schedule,
				const plait__proof *proof, plait_proof *out,
				plait_error *error)
{
	const plait_proof ours = {
		.size = sizeof(ours),
		.reason = proof->reason,
		.flags = proof->flags,
		.depth = proof->depth,
		.depth_min = proof->depth_min,
		.lanes = proof->lanes,
		.channels = proof->channels,
		.lane_steps = proof->steps_max,
		.step_chunks = proof->count_max,
		.ranks = schedule->rank_count,
		.steps = proof->steps,
		.safe_bytes = proof->safe_bytes,
	};

	return PLAIT__STRUCT_WRITE(plait_proof, out, &ours, error);
}

static plait_status prove(const plait__schedule *schedule,
			  const plait_proof_desc *desc, plait_proof *out,
			  plait_error *error)
{
	promise_tables tables = { .allocator = schedule->allocator };
	plait__prove_request request = { 0 };
	plait__proof proof = { 0 };
	plait_status status, written;

	status = write_proof(schedule, &proof, out, error);
	if (status == PLAIT_OK)
		status = read_desc(desc, &tables, &request, error);
	if (status == PLAIT_OK) {
		status = plait__prove_schedule(schedule, &request, &proof,
					       error);
		written = write_proof(schedule, &proof, out, NULL);
		status = status != PLAIT_OK ? status : written;
	}
	free_promises(&tables);
	return status;
}

PLAIT_API plait_status plait_schedule_check(plait_schedule *schedule,
					    const plait_proof_desc *desc,
					    plait_proof *proof,
					    plait_error *error)
{
	plait__schedule_object *entered;
	plait_status status = plait__schedule_object_enter(schedule, &entered,
							   error);

	if (status != PLAIT_OK)
		return status;
	status = prove(entered->schedule, desc, proof, error);
	plait__object_leave(&entered->object);
	return status;
}
