/* SPDX-License-Identifier: MIT */
/* Launches whose pieces would be too large for the memory of a device: the flow cuts
 * them into more, which run there one after the other. */
#ifndef PLAIT_SRC_FLOW_LAUNCH_CUT_H
#define PLAIT_SRC_FLOW_LAUNCH_CUT_H

#include "flow/submit.h"

/* As plait__submit_as. */
typedef plait_status (*plait__launch_attempt)(plait__flow *flow,
					      const plait_task_desc *desc,
					      plait__repetition *again,
					      plait__submitted *out,
					      uint64_t *out_behind,
					      plait_error *error);

/* Returns true if the flow chooses the number of pieces, and memories have a
 * limit.  Not in a capture: its nodes address elements from the first one of all.
 * Caller does not hold the lock. */
bool plait__launch_cut_is_due(plait__flow *flow, const plait_task_desc *desc);

/* Submit a launch with as many pieces as it takes; `submit` is plait__submit_as. */
plait_status plait__launch_cut_submit(plait__launch_attempt submit,
				      plait__flow *flow,
				      const plait_task_desc *desc,
				      plait__submitted *out,
				      uint64_t *out_behind, plait_error *error);

#endif
