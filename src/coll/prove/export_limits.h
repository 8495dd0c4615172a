/* SPDX-License-Identifier: MIT */
/* Limits of the executors that read XML. */
#ifndef PLAIT_SRC_COLL_PROVE_EXPORT_LIMITS_H
#define PLAIT_SRC_COLL_PROVE_EXPORT_LIMITS_H

#include "coll/schedule/schedule.h"

/* Refuse a schedule that the executor cannot load; `target` is not
 * PLAIT__TARGET_PLAIT.  The schedule has the shape of a proved one. */
plait_status plait__export_limits_check(const plait__schedule *schedule,
					uint32_t target, plait_error *error);

#endif
