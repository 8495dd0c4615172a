/* SPDX-License-Identifier: MIT */
/* Awaits of coroutines; see plait/coroutine.h. */
#include "plait/coroutine.h"

#include "run/external/points_await.h"
#include "run/external/signal_await.h"
#include "run/run_await.h"

#include "pool/task.h"

/* Returns true if the emission has happened, and notes that all up to it
 * have. */
static bool has_happened(plait__signal *signal, uint64_t sequence)
{
	uint64_t reached = 0;

	if (plait__signal_poll(signal, sequence, &reached, NULL) != PLAIT_OK)
		return false;
	/* A failure may be behind the emission. */
	if (reached > sequence &&
	    plait__signal_poll(signal, reached, NULL, NULL) == PLAIT_OK)
		sequence = reached;
	plait__handle_note_past(signal->object.slot, signal->object.context,
				sequence);
	return true;
}

/* PLAIT_OK if the emission has happened, and the run goes on.  PLAIT_PENDING:
 * the signal stays held while the function is suspended, and nothing else of it,
 * as another thread may continue the function. */
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
	    (sequence == 0 || has_happened(signal, sequence)))
		return PLAIT_OK;
	plait__object_hold(&signal->object);
	plait__signal_await_init(await, signal, sequence,
				 plait__run_instance_current());
	return PLAIT_PENDING;
}

/* Not inlined: an await of what is past needs no stack frame. */
static __attribute__((noinline)) plait_status
await_signal(plait_signal *signal, uint64_t sequence, uint64_t timeout_ns,
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

static bool is_past(const plait_signal *signal, uint64_t sequence)
{
	return sequence != 0 &&
	       plait__run_await_is_past(signal, PLAIT_OBJECT_SIGNAL, sequence);
}

PLAIT_API plait_status plait_await_signal(plait_signal *signal,
					  uint64_t sequence,
					  uint64_t timeout_ns,
					  plait_error *error)
{
	return is_past(signal, sequence) ?
		       PLAIT_OK :
		       await_signal(signal, sequence, timeout_ns, error);
}

/* An await of the first of several is decided by the first in the array, if
 * that is past. */
static bool are_past(const plait_point *points, uint64_t count, int32_t mode)
{
	if (points == NULL || count == 0 || count > INT32_MAX ||
	    (mode != PLAIT_WAIT_ALL && mode != PLAIT_WAIT_ANY))
		return false;
	if (mode == PLAIT_WAIT_ANY)
		count = 1;
	for (uint64_t i = 0; i < count; i++)
		if (!is_past(points[i].signal, points[i].sequence))
			return false;
	return true;
}

PLAIT_API plait_status plait_await_points(const plait_point *points,
					  uint64_t count, int32_t mode,
					  uint64_t timeout_ns,
					  uint64_t *out_index,
					  plait_error *error)
{
	if (!are_past(points, count, mode))
		return plait__points_await_suspend(points, count, mode,
						   timeout_ns, out_index,
						   error);
	if (out_index != NULL)
		*out_index = 0;
	return PLAIT_OK;
}

PLAIT_API plait_status plait_await_run(plait_run *run, uint64_t timeout_ns,
				       plait_error *error)
{
	return plait__run_await_is_past(run, PLAIT_OBJECT_RUN, PLAIT__RUN_END) ?
		       PLAIT_OK :
		       plait__run_await(run, timeout_ns, error);
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
	/* This thread has nothing else to do than the run, once the function is
	 * suspended. */
	plait__task_keep_next(true);
	status = plait_plan_run(plan, queue, desc, &run, error);
	plait__task_keep_next(false);
	if (status == PLAIT_OK)
		status = plait__run_await_released(run, timeout_ns, error);
	/* No await: the function goes on. */
	if (status != PLAIT_OK)
		plait__task_give_next();
	return status;
}

PLAIT_API plait_status plait_yield(plait_error *error)
{
	return plait__suspension_yield(error);
}
