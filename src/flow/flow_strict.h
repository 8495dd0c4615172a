/* SPDX-License-Identifier: MIT */
/* Refusal of tasks that a record would warn of, with PLAIT_FLOW_STRICT.  Callers
 * hold the lock; flows without the flag refuse nothing. */
#ifndef PLAIT_SRC_FLOW_FLOW_STRICT_H
#define PLAIT_SRC_FLOW_FLOW_STRICT_H

#include "flow/task_steps.h"

/* Check the first `count` of flow->accesses, which are not those of a piece of
 * several steps.  PLAIT_E_INVALID: one reads what nothing wrote.
 * PLAIT_E_NOMEM. */
plait_status plait__flow_strict_check(plait__flow *flow, uint32_t count,
				      plait_error *error);

/* Check all pieces of a launch, of which piece 0 is prepared; flow->accesses are
 * those of the last one then.  PLAIT_E_INVALID: also if two pieces conflict; as
 * the preparation. */
plait_status plait__flow_strict_check_pieces(const plait__flow_task *task,
					     const plait_task_desc *desc,
					     plait__task_split_prepare prepare,
					     plait_error *error);

#endif
