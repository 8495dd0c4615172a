/* SPDX-License-Identifier: MIT */
/* Await of several emissions: of all of them, or of the first. */
#ifndef PLAIT_SRC_RUN_EXTERNAL_POINTS_AWAIT_H
#define PLAIT_SRC_RUN_EXTERNAL_POINTS_AWAIT_H

#include "plait/queue.h"

/* As plait_await_points. */
plait_status plait__points_await_suspend(const plait_point *points,
					 uint64_t count, int32_t mode,
					 uint64_t timeout_ns,
					 uint64_t *out_index,
					 plait_error *error);

#endif
