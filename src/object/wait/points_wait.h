/* SPDX-License-Identifier: MIT */
/* Arguments of waits for points of signals. */
#ifndef PLAIT_SRC_OBJECT_WAIT_POINTS_WAIT_H
#define PLAIT_SRC_OBJECT_WAIT_POINTS_WAIT_H

#include "plait/queue.h"

/* PLAIT_E_INVALID: an unknown mode, no points, too many. */
plait_status plait__points_wait_check(const plait_point *points,
				      uint64_t count, int32_t mode,
				      plait_error *error);

#endif
