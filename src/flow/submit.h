/* SPDX-License-Identifier: MIT */
/* Submission of tasks that are not the user's. */
#ifndef PLAIT_SRC_FLOW_SUBMIT_H
#define PLAIT_SRC_FLOW_SUBMIT_H

#include "flow/repetitions.h"

/* Submit a run of a repetition.  As plait_flow_submit; PLAIT_E_STATE: the flow
 * is captured. */
plait_status plait__submit_repetition(plait__flow *flow,
				   plait__repetition *again,
				   plait_task *out, plait_error *error);

#endif
