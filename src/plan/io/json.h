/* SPDX-License-Identifier: MIT */
/* JSON form of plans. */
#ifndef PLAIT_SRC_PLAN_IO_JSON_H
#define PLAIT_SRC_PLAN_IO_JSON_H

#include "base/text.h"
#include "plan/plan.h"

/* Append the plan as one JSON object; see doc/plans.md.  PLAIT_E_NOMEM: what is
 * appended is not complete. */
plait_status plait__json_plan(const plait__plan *plan, plait__text *out,
			      plait_error *error);

#endif
