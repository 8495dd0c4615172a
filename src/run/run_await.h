/* SPDX-License-Identifier: MIT */
/* Await of the end of a run, by a coroutine of another one. */
#ifndef PLAIT_SRC_RUN_RUN_AWAIT_H
#define PLAIT_SRC_RUN_RUN_AWAIT_H

#include "run/run.h"

#include "object/wait/suspension.h"

/* Suspend the calling coroutine until the run is over; returns its outcome, or
 * as plait_await_run. */
plait_status plait__run_await(plait_run *run, uint64_t timeout_ns,
			      plait_error *error);

/* Likewise for a run that the caller has begun, and gives up: an await that
 * fails cancels it.  Consumes the reference. */
plait_status plait__run_await_released(plait_run *run, uint64_t timeout_ns,
				       plait_error *error);

/* PLAIT_OK if the caller is directly in a coroutine of a run in the object's
 * context; else PLAIT_E_STATE or PLAIT_E_INVALID. */
plait_status plait__run_await_check(const plait__object *object,
				    plait_error *error);

#endif
