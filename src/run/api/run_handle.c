/* SPDX-License-Identifier: MIT */
/* Entry points of a run: references, wait, cancel, notify, query. */
#include "run/run.h"

#include "run/awaited_points.h"
#include "run/blocked_on.h"
#include "run/record/recorder.h"
#include "run/run_races.h"
#include "run/run_turns.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "object/inbox/inbox.h"
#include "object/wait/wait_loop.h"

/* ---- references ---- */

PLAIT__OBJECT_REFERENCES(run, PLAIT_OBJECT_RUN);

/* ---- outcome ---- */

/* PLAIT_PENDING, or how the run ended with its error. */
static plait_status query_outcome(const plait__run *run, plait_error *error)
{
	const plait__run_outcome *outcome = &run->outcome;

	/* Acquire: pairs with the store in run_instance.c. */
	if (at_load_acquire_u32(&outcome->done) == 0)
		return PLAIT_PENDING;
	if (run->race_known != NULL)
		plait__run_races_saw(run, false);
	if (outcome->status == PLAIT_OK)
		return PLAIT_OK;
	return plait__error_copy(error, &outcome->failure);
}

PLAIT_API plait_status plait_run_poll(plait_run *run, plait_error *error)
{
	plait__run *self;
	plait_status status = plait__run_enter(run, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = query_outcome(self, error);
	plait__object_leave(&self->object);
	return status;
}

static bool is_done(void *arg)
{
	const plait__run *run = arg;

	return at_load_acquire_u32(&run->outcome.done) != 0;
}

static bool help(void *arg)
{
	const plait__run *run = arg;

	return plait__instance_drive(run->instance);
}

static plait_status enter_driver(void *arg)
{
	plait__run *run = arg;

	return plait__awaited_points_enter(run->instance, run);
}

static void describe_end(void *arg, char *out, uint32_t bytes)
{
	plait__run *run = arg;
	char room[PLAIT__OBJECT_NAME_BYTES];

	plait__blocked_on_describe(run->instance, run,
				   plait__object_name(&run->object, room), out,
				   bytes);
}

PLAIT_API plait_status plait_run_wait(plait_run *run, uint64_t timeout_ns,
				      plait_error *error)
{
	plait__wait_request request = {
		.timeout_ns = timeout_ns, .ready = is_done, .serves = true,
		.help = help, .describe = describe_end,
		.advice = "; wait longer, or plait_run_cancel",
	};
	plait__run *self;
	plait_status status = plait__run_enter(run, &self, error);

	if (status != PLAIT_OK)
		return status;
	request.context = self->object.context;
	request.arg = self;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	if (self->program->engine->find_points != NULL)
		request.enter = enter_driver;
	if (!is_done(self))
		status = plait__wait_run(&request, error);
	plait__thread_scope_end(&inside);
	if (status == PLAIT_OK)
		status = query_outcome(self, error);
	plait__object_leave(&self->object);
	return status;
}

PLAIT_API plait_status plait_run_cancel(plait_run *run, plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait__instance *deferred = NULL;
	plait__instance *ready = NULL;
	plait__run *self;
	plait_status status = plait__run_enter(run, &self, error);

	if (status != PLAIT_OK)
		return status;
	plait__fail(&why, PLAIT_E_CANCELLED, "the run was cancelled");
	plait__mutex_lock(&self->lock);
	if (at_load_acquire_u32(&self->outcome.done) == 0) {
		plait__instance_stop(self->instance, &why);
		if (plait__run_turns_withdraw(self->instance, &ready))
			deferred = self->instance;
	}
	plait__mutex_unlock(&self->lock);
	plait__run_turns_start(ready);
	/* A run that is stopped needs no turn to end. */
	if (deferred != NULL)
		plait__instance_start_deferred(deferred, NULL);
	plait__context_notify_waiters(self->object.context);
	plait__object_leave(&self->object);
	return PLAIT_OK;
}

/* ---- notification ---- */

static plait_status ask(plait__run *run, plait__inbox *inbox,
			const plait_event *event, plait_error *error)
{
	plait__inbox_event *notice;
	plait_status status = plait__inbox_event_create(inbox, event, &notice,
							error);
	bool over;

	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&run->lock);
	over = at_load_acquire_u32(&run->outcome.done) != 0;
	if (!over)
		plait__listener_push(&run->listeners, &notice->listener);
	plait__mutex_unlock(&run->lock);
	if (over)
		plait__inbox_event_post(notice, run->outcome.status);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_run_notify(plait_run *run, plait_inbox *inbox,
					plait_host_function function,
					void *user_data, plait_error *error)
{
	plait_event event = { .kind = PLAIT_EVENT_RUN, .function = function,
			      .user_data = user_data };
	plait__inbox *where;
	plait__run *self;
	plait_status status = plait__run_enter(run, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__inbox_enter(inbox, &where, error);
	if (status == PLAIT_OK) {
		event.run = plait__object_handle(&self->object);
		status = plait__context_check_same(&self->object,
						   &where->object, error);
		if (status == PLAIT_OK && self->race_known != NULL)
			plait__run_races_saw(self, true);
		if (status == PLAIT_OK)
			status = ask(self, where, &event, error);
		plait__object_leave(&where->object);
	}
	plait__object_leave(&self->object);
	return status;
}

/* ---- progress ---- */

static uint64_t count_expected(const plait__plan *plan)
{
	double count = 0;

	for (uint32_t i = 0; i < plan->command_count; i++)
		if (plan->commands[i].kind != PLAIT__CMD_REGION &&
		    plan->commands[i].kind != PLAIT__CMD_ENTER)
			count += plait__recorder_expected_runs(
				plan, plan->nodes[plan->commands[i].node].body);
	return count < 1e18 ? (uint64_t)count : UINT64_C(1000000000000000000);
}

/* Until `done`, the recording belongs to the instance; the lock guards that. */
static void add_progress(plait__run *run, plait_run_info *info)
{
	const plait__recording *recording;
	bool done;

	plait__mutex_lock(&run->lock);
	done = at_load_acquire_u32(&run->outcome.done) != 0;
	recording = done ? run->recording : run->instance->recording;
	if (recording != NULL) {
		info->commands = plait__recorder_commands(recording);
		if (!done)
			info->iterations =
				plait__recorder_iterations(recording);
		info->begin_ns = done ? recording->begin_ns : 0;
		info->end_ns = done ? recording->end_ns : 0;
	}
	plait__mutex_unlock(&run->lock);
	if (recording != NULL)
		info->commands_expected = count_expected(run->program->plan);
}

PLAIT_API plait_status plait_run_query(plait_run *run, plait_run_info *info,
				       plait_error *error)
{
	plait_run_info ours = { .failed_command = UINT64_MAX };
	const plait__run_outcome *outcome;
	plait__run *self;
	plait_status status = plait__run_enter(run, &self, error);

	if (status != PLAIT_OK)
		return status;
	outcome = &self->outcome;
	ours.status = query_outcome(self, NULL);
	if (ours.status != PLAIT_PENDING) {
		ours.iterations = outcome->iterations;
		ours.device_regions = outcome->device_regions;
		if (outcome->failed_command != PLAIT__NONE)
			ours.failed_command = outcome->failed_command;
	}
	add_progress(self, &ours);
	status = PLAIT__STRUCT_WRITE(plait_run_info, info, &ours, error);
	plait__object_leave(&self->object);
	return status;
}
