/* SPDX-License-Identifier: MIT */
/* Await of the end of a run, by a coroutine of another one. */
#ifndef PLAIT_SRC_RUN_RUN_AWAIT_H
#define PLAIT_SRC_RUN_RUN_AWAIT_H

#include "run/run.h"

#include "object/wait/suspension.h"
#include "sys/fork.h"

/* Suspend the calling coroutine until the run is over; returns its outcome, or
 * as plait_await_run. */
plait_status plait__run_await(plait_run *run, uint64_t timeout_ns,
			      plait_error *error);

/* Likewise for a run that the caller has begun, and gives up: an await that
 * fails cancels it.  Consumes the reference. */
plait_status plait__run_await_released(plait_run *run, uint64_t timeout_ns,
				       plait_error *error);

/* PLAIT_OK if the caller is directly in a coroutine of a run in the object's
 * context; else PLAIT_E_STATE or PLAIT_E_HANDLE. */
plait_status plait__run_await_check(const plait__object *object,
				    plait_error *error);

/* Returns true if the caller is directly in a coroutine whose run goes on, and
 * the event of the object, not 0, is known to have happened
 * (plait__handle_is_past): nothing of an await is left.  False says nothing. */
static inline bool plait__run_await_is_past(const void *handle, int32_t type,
					    uint64_t event)
{
	const struct plait__callback_run *run = &plait__callback_scope_run;
	const plait__instance *instance = run->instance;

	return run->coroutine != NULL && instance != NULL &&
	       at_load_relaxed_u32(&instance->stop) == 0 &&
	       plait__fork_check() == 0 &&
	       plait__handle_is_past(handle, type, instance->program->context,
				     event);
}

#endif
