/* SPDX-License-Identifier: MIT */
/* Awaits of the ends of runs. */
#include "run/run_await.h"

#include "run/outer_runs.h"

#include "base/error.h"

#include <stdio.h>

static plait__run *run_of(const plait__await *await)
{
	return (plait__run *)(void *)await->object;
}

static bool is_over(const plait__run *run)
{
	/* Acquire: pairs with the store in run_instance.c. */
	return at_load_acquire_u32(&run->outcome.done) != 0;
}

static plait_status poll(plait__await *await, plait_error *error)
{
	const plait__run *run = run_of(await);

	if (!is_over(run))
		return PLAIT_PENDING;
	if (run->outcome.status != PLAIT_OK)
		plait__error_copy(error, &run->outcome.failure);
	return run->outcome.status;
}

static plait_status subscribe(plait__await *await, plait__listener *listener,
			      plait_error *error)
{
	plait__run *run = run_of(await);
	bool over;

	(void)error;
	plait__mutex_lock(&run->lock);
	over = is_over(run);
	if (!over)
		plait__listener_push(&run->listeners, listener);
	plait__mutex_unlock(&run->lock);
	if (over)
		listener->notify(listener, PLAIT_OK);
	return PLAIT_OK;
}

static bool withdraw(plait__await *await, plait__listener *listener)
{
	plait__run *run = run_of(await);
	bool withdrawn;

	plait__mutex_lock(&run->lock);
	withdrawn = plait__listener_unlink(&run->listeners, listener);
	plait__mutex_unlock(&run->lock);
	return withdrawn;
}

static void explain(const plait__await *await, char *out, uint32_t bytes)
{
	plait__run_describe(run_of(await), out, bytes);
}

static void name(const plait__object *object, uint64_t number, char *out,
		 uint32_t bytes)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	(void)number;
	(void)snprintf(out, bytes, "the end of %s",
		       plait__object_name(object, room));
}

static const plait__await_class run_class = {
	.poll = poll, .subscribe = subscribe, .withdraw = withdraw,
	.explain = explain, .name = name,
};

plait_status plait__run_await_check(const plait__object *object,
				    plait_error *error)
{
	plait_status status = plait__handle_check_fork(error);

	if (status != PLAIT_OK)
		return status;
	if (plait__suspension_current() == NULL)
		return plait__suspension_fail(error);
	return plait__context_check_same(
		&plait__run_instance_current()->program->plan_object->object,
		object, error);
}

/* Suspend the caller until the run is over, which it keeps meanwhile. */
static plait_status await_kept(plait__run *run, uint64_t timeout_ns,
			       plait_error *error)
{
	plait__await await = { .class = &run_class, .object = &run->object };

	if (plait__run_is_blocked_by_caller(run))
		return plait__outer_runs_fail(error);
	return plait__suspension_await(&await, timeout_ns, error);
}

static plait_status hold(plait_run *handle, plait__run **out,
			 plait_error *error)
{
	plait__run *run;
	plait_status status = plait__run_enter(handle, &run, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__run_await_check(&run->object, error);
	if (status == PLAIT_OK) {
		plait__object_hold(&run->object);
		*out = run;
	}
	plait__object_leave(&run->object);
	return status;
}

plait_status plait__run_await(plait_run *handle, uint64_t timeout_ns,
			      plait_error *error)
{
	plait__run *run;
	plait_status status = hold(handle, &run, error);

	if (status != PLAIT_OK)
		return status;
	status = await_kept(run, timeout_ns, error);
	plait__object_drop(&run->object);
	return status;
}

/* No other thread has the handle, so the reference keeps the run. */
plait_status plait__run_await_released(plait_run *run, uint64_t timeout_ns,
				       plait_error *error)
{
	plait_status status = await_kept(
		plait__handle_peek(run, PLAIT_OBJECT_RUN), timeout_ns, error);

	/* Has no effect on a run that is over. */
	if (status != PLAIT_OK)
		(void)plait_run_cancel(run, NULL);
	plait_run_release(run);
	return status;
}
