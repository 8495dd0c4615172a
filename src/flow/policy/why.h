/* SPDX-License-Identifier: MIT */
/* Choices as text: the reason, and the numbers that were compared.  A phrase
 * each, without an end of line. */
#ifndef PLAIT_SRC_FLOW_POLICY_WHY_H
#define PLAIT_SRC_FLOW_POLICY_WHY_H

#include "flow/policy/history_estimate.h"
#include "flow/policy/parent_policy.h"
#include "flow/policy/weights.h"

#include "base/text.h"

/* Request, choice and figures of one plait__device_policy_choose. */
void plait__why_device(plait__text *out, const plait__device_request *request,
		       const plait__device_choice *choice,
		       const plait__device_figures *figures);

/* Lane, and the parent that gives it. */
void plait__why_lane(plait__text *out, const plait__parent_choice *choice);

void plait__why_time(plait__text *out, const plait__estimate *estimate);

/* `is_first`: there was no last split. */
void plait__why_split(plait__text *out, const plait__split_choice *choice,
		      bool is_first);

#endif
