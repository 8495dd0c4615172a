/* SPDX-License-Identifier: MIT */
/* Shapes of copies in a loaded plan; see verify_rows.h. */
#include "graph/plan/verify_rows.h"

#include "object/queue/strided_copy.h"
#include "plan/rotation.h"

#include <string.h>

bool plait__verify_rows(const plait__plan *plan,
			const plait__plan_payload *payload,
			uint64_t *out_target, uint64_t *out_source)
{
	const plait__plan_arg *arg = &plan->args[payload->arg_first + 2];
	plait_work_rows rows;

	if (arg->kind != PLAIT__ARG_VALUE || arg->bytes != sizeof(rows) ||
	    arg->blob % sizeof(uint64_t) != 0 ||
	    arg->blob > plan->blob_count ||
	    sizeof(rows) > plan->blob_count - arg->blob)
		return false;
	memcpy(&rows, plan->blob + arg->blob, sizeof(rows));
	return plait__strided_copy_extent(&rows, payload->bytes, out_target,
					  out_source) &&
	       rows.rows * rows.slices == payload->value;
}

/* Slots have separate memory; the run checks the memory that it binds. */
bool plait__verify_rows_overlap(const plait__plan *plan,
				const plait__plan_payload *payload,
				uint64_t target, uint64_t source)
{
	const plait__plan_arg *args = &plan->args[payload->arg_first];
	plait__strided_copy shape = { .rows = { .rows = 1, .slices = 1 },
				      .bytes = payload->bytes,
				      .target_bytes = target,
				      .source_bytes = source };

	if (args[0].kind == PLAIT__ARG_PARAM ||
	    args[1].kind == PLAIT__ARG_PARAM ||
	    !plait__rotation_args_meet(plan, &args[0], &args[1]) ||
	    payload->bytes == 0)
		return false;
	if (payload->arg_count == 3)
		memcpy(&shape.rows, plan->blob + args[2].blob,
		       sizeof(shape.rows));
	return plait__strided_copy_overlaps(
		&shape, plait__rotation_arg_offset(&args[0]),
		plait__rotation_arg_offset(&args[1]));
}
