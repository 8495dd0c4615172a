/* SPDX-License-Identifier: MIT */
/* Awaits of coroutines; see plait/coroutine.h. */
#include "plait/coroutine.h"

#include "run/external/coroutine_command.h"
#include "run/outer_runs.h"
#include "run/run.h"

#include "base/error.h"
#include "sys/clock.h"

static plait_status check_inside(const plait__object *object,
				 plait_error *error)
{
	const struct plait__coroutine_command *self =
		plait__coroutine_command_current();

	if (self == NULL)
		return plait__coroutine_command_await(NULL, error);
	return plait__context_check_same(
		&self->external->instance->program->plan_object->object,
		object, error);
}

/* Fast path: PLAIT_OK if the emission has happened, and the run goes on.
 * PLAIT_PENDING: the signal stays held while the function is suspended, and
 * nothing else of it, as another thread may continue the function. */
static plait_status begin_signal(plait__signal *signal, plait__await *await,
				 plait_error *error)
{
	plait_status status = check_inside(&signal->object, error);

	if (status != PLAIT_OK)
		return status;
	if (await->sequence == 0)
		await->sequence = plait__signal_submitted(signal);
	/* 0: none was submitted. */
	if (!plait_run_is_stopping() &&
	    (await->sequence == 0 ||
	     plait__signal_poll(signal, await->sequence, NULL, NULL) ==
		     PLAIT_OK))
		return PLAIT_OK;
	plait__object_hold(&signal->object);
	await->signal = signal;
	return PLAIT_PENDING;
}

PLAIT_API plait_status plait_await_signal(plait_signal *signal,
					  uint64_t sequence,
					  uint64_t timeout_ns,
					  plait_error *error)
{
	plait__await await = { .sequence = sequence };
	plait__signal *self;
	plait_status status = plait__signal_enter(signal, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = begin_signal(self, &await, error);
	plait__object_leave(&self->object);
	if (status != PLAIT_PENDING)
		return status;
	await.deadline_ns = plait__clock_deadline(timeout_ns);
	status = plait__coroutine_command_await(&await, error);
	plait__object_drop(&await.signal->object);
	return status;
}

static plait_status hold_run(plait_run *handle, plait__await *await,
			     plait_error *error)
{
	plait__run *run;
	plait_status status = plait__run_enter(handle, &run, error);

	if (status != PLAIT_OK)
		return status;
	status = check_inside(&run->object, error);
	if (status == PLAIT_OK && plait__run_is_blocked_by_caller(run))
		status = plait__outer_runs_fail(error);
	if (status == PLAIT_OK) {
		plait__object_hold(&run->object);
		await->run = run;
	}
	plait__object_leave(&run->object);
	return status;
}

PLAIT_API plait_status plait_await_run(plait_run *run, uint64_t timeout_ns,
				       plait_error *error)
{
	plait__await await = {
		.deadline_ns = plait__clock_deadline(timeout_ns),
	};
	plait_status status = hold_run(run, &await, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__coroutine_command_await(&await, error);
	plait__object_drop(&await.run->object);
	return status;
}

PLAIT_API plait_status plait_await_plan(plait_plan *plan, plait_queue *queue,
					const plait_run_desc *desc,
					uint64_t timeout_ns,
					plait_error *error)
{
	plait_run *run;
	plait_status status;

	if (plait__coroutine_command_current() == NULL)
		return plait__coroutine_command_await(NULL, error);
	status = plait_plan_run(plan, queue, desc, &run, error);
	if (status != PLAIT_OK)
		return status;
	status = plait_await_run(run, timeout_ns, error);
	/* Has no effect on a run that is over. */
	if (status != PLAIT_OK)
		(void)plait_run_cancel(run, NULL);
	plait_run_release(run);
	return status;
}

PLAIT_API plait_status plait_yield(plait_error *error)
{
	plait__await await = { .deadline_ns = PLAIT__CLOCK_NEVER };

	return plait__coroutine_command_await(&await, error);
}
