/* SPDX-License-Identifier: MIT */
/* Proof of a schedule: the phases in their order. */
#include "coll/prove/prove.h"

#include "coll/prove/proof_state.h"
#include "base/error.h"

#include <string.h>

static plait_status run_phases(plait__proof_state *state)
{
	static plait_status (*const phases[])(plait__proof_state *) = {
		plait__shape_check, plait__depth_check,
		plait__depth_safe_bytes, plait__race_check, plait__value_check
	};

	for (uint32_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		plait_status status = phases[i](state);

		if (status)
			return status;
	}
	return PLAIT_OK;
}

plait_status plait__prove_schedule(const plait__schedule *schedule,
				   const plait__prove_request *request,
				   plait__proof *proof, plait_error *error)
{
	static const plait__prove_request own;
	plait__proof_state state = { .schedule = schedule,
				     .request = request ? request : &own,
				     .allocator = schedule->allocator,
				     .proof = proof, .error = error };
	plait_status status;

	request = state.request;
	memset(proof, 0, sizeof(*proof));
	state.target = request->flags & PLAIT__PROVE_TARGET ?
			       request->target : schedule->target;
	state.depth = request->depth ? request->depth : schedule->depth;
	state.slot_bytes = request->slot_bytes ? request->slot_bytes :
			   schedule->slot_bytes;
	proof->depth = state.depth;
	status = run_phases(&state);
	if (!status)
		proof->flags |= plait__export_flags(schedule);
	plait__proof_state_fini(&state);
	return status;
}

const char *plait__prove_reason_name(uint32_t reason)
{
	static const char *const names[] = { "", "shape", "deadlock", "race",
					     "value" };

	return reason <= PLAIT__PROOF_VALUE ? names[reason] : "";
}
