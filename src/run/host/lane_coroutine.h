/* SPDX-License-Identifier: MIT */
/* Steps that are coroutines: host functions and kernels. */
#ifndef PLAIT_SRC_RUN_HOST_LANE_COROUTINE_H
#define PLAIT_SRC_RUN_HOST_LANE_COROUTINE_H

#include "run/host/lane_set.h"

/* Begin or resume the function.  Returns false if the lane is parked, and no
 * longer the caller's. */
bool plait__lane_coroutine_step(plait__lane_task *self,
				const plait__step *step);

#endif
