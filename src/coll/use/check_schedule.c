/* SPDX-License-Identifier: MIT */
/* Public proof of schedules: descriptors, promises, results. */
#include "coll/prove/prove.h"
#include "coll/use/promise_tables.h"
#include "coll/use/schedule_object.h"
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

static plait_status read_desc(const plait_proof_desc *desc,
			      plait__promise_tables *tables,
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
	if (ours.flags & PLAIT_PROOF_HAS_PROMISES)
		status = plait__promise_tables_read(tables, ours.promises,
						    ours.promise_count, error);
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
	plait__promise_tables tables = { .allocator = schedule->allocator };
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
	plait__promise_tables_free(&tables);
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
