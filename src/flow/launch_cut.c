/* SPDX-License-Identifier: MIT */
/* Launches with more pieces; see launch_cut.h. */
#include "flow/launch_cut.h"

#include "flow/access/chunks.h"
#include "flow/flow.h"
#include "flow/flow_devices.h"

#include "base/error.h"

bool plait__launch_cut_is_due(plait__flow *flow, const plait_task_desc *desc)
{
	bool is_captured;

	if (flow->devices == NULL || desc->split == 0 || desc->pieces != 0 ||
	    flow->devices->room.limit == UINT64_MAX)
		return false;
	plait__flow_lock(flow);
	is_captured = flow->capture != NULL;
	plait__flow_unlock(flow);
	return !is_captured;
}

static uint32_t more_pieces(const plait__submitted *large)
{
	return large->excess < PLAIT__CHUNKS_MOST / large->pieces ?
		       large->excess * large->pieces : PLAIT__CHUNKS_MOST;
}

/* A launch that its kernel, or its rows, do not let the flow cut is too large. */
plait_status plait__launch_cut_submit(plait__launch_attempt submit,
				      plait__flow *flow,
				      const plait_task_desc *given,
				      plait__submitted *out,
				      uint64_t *out_behind, plait_error *error)
{
	plait_error first = { .size = sizeof(first) };
	plait_task_desc desc = *given;
	uint32_t pieces = 0;
	plait_status status = submit(flow, &desc, NULL, out, out_behind,
				     &first);

	if (status >= 0 || out->excess == 0)
		return status >= 0 ? status : plait__error_copy(error, &first);
	while (status < 0 && out->excess > 0 && out->pieces > pieces) {
		plait_error next = { .size = sizeof(next) };

		pieces = out->pieces;
		desc.pieces = more_pieces(out);
		status = submit(flow, &desc, NULL, out, out_behind, &next);
		if (status < 0 && out->excess == 0 &&
		    status != PLAIT_E_INVALID)
			first = next;
	}
	return status < 0 ? plait__error_copy(error, &first) : status;
}
