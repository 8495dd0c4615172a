/* SPDX-License-Identifier: MIT */
/* Awaits of coroutines; see plait/coroutine.h. */
#include "plait/coroutine.h"

#include "run/external/points_await.h"
#include "run/external/signal_await.h"
#include "run/run_await.h"

/* Fast path: PLAIT_OK if the emission has happened, and the run goes on.
 * PLAIT_PENDING: the signal stays held while the function is suspended, and
 * nothing else of it, as another thread may continue the function. */
static plait_status begin_signal(plait__signal *signal, uint64_t sequence,
				 plait__signal_await *await,
				 plait_error *error)
{
	plait_status status = plait__run_await_check(&signal->object, error);

	if (status != PLAIT_OK)
		return status;
	if (sequence == 0)
		sequence = plait__signal_submitted(signal);
	/* 0: none was submitted. */
	if (!plait_run_is_stopping() &&
	    (sequence == 0 ||
	     plait__signal_poll(signal, sequence, NULL, NULL) == PLAIT_OK))
		return PLAIT_OK;
	plait__object_hold(&signal->object);
	plait__signal_await_init(await, signal, sequence,
				 plait__run_instance_current());
	return PLAIT_PENDING;
}

PLAIT_API plait_status plait_await_signal(plait_signal *signal,
					  uint64_t sequence,
					  uint64_t timeout_ns,
					  plait_error *error)
{
	plait__signal_await await;
	plait__signal *self;
	plait_status status = plait__signal_enter(signal, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = begin_signal(self, sequence, &await, error);
	plait__object_leave(&self->object);
	if (status != PLAIT_PENDING)
		return status;
	status = plait__suspension_await(&await.at.base, timeout_ns, error);
	plait__object_drop(&await.signal->object);
	return status;
}

PLAIT_API plait_status plait_await_points(const plait_point *points,
					  uint64_t count, int32_t mode,
					  uint64_t timeout_ns,
					  uint64_t *out_index,
					  plait_error *error)
{
	return plait__points_await_suspend(points, count, mode, timeout_ns,
					   out_index, error);
}

PLAIT_API plait_status plait_await_run(plait_run *run, uint64_t timeout_ns,
				       plait_error *error)
{
	return plait__run_await(run, timeout_ns, error);
}

PLAIT_API plait_status plait_await_plan(plait_plan *plan, plait_queue *queue,
					const plait_run_desc *desc,
					uint64_t timeout_ns,
					plait_error *error)
{
	plait_run *run;
	plait_status status;

	if (plait__suspension_current() == NULL)
		return plait__suspension_fail(error);
	status = plait_plan_run(plan, queue, desc, &run, error);
	return status != PLAIT_OK ? status :
	       plait__run_await_released(run, timeout_ns, error);
}

PLAIT_API plait_status plait_yield(plait_error *error)
{
	return plait__suspension_yield(error);
}
