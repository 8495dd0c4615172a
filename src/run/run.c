/* SPDX-License-Identifier: MIT */
/* Run objects and their entry points: references, wait, cancel, notify, query;
 * see run.h. */
#include "run/run.h"

#include "run/blocked_on.h"
#include "run/outer_runs.h"
#include "run/record/recorder.h"
#include "run/run_races.h"
#include "run/run_turns.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "object/inbox/inbox.h"
#include "object/wait/suspension.h"
#include "object/wait/wait_loop.h"
#include "sys/fork.h"

/* ---- life time ---- */

/* Each instance caches one run object for reuse, mostly by itself, unless the
 * user still holds it when the next run begins. */
static void free_run(plait__run *run)
{
	if (run->object.slot != NULL)
		plait__handle_recycle(run->object.slot);
	plait__free(plait__program_allocator(run->program), run->race_known,
		    sizeof(*run->race_known));
	plait__free(plait__program_allocator(run->program), run, sizeof(*run));
}

/* Returns true if the run is idle; it is the caller's then. */
static bool claim_idle(plait__run *run)
{
	uint32_t idle = 1;

	/* Acquire: pairs with the store in keep_or_free. */
	return run != NULL && at_load_relaxed_u32(&run->idle) != 0 &&
	       at_cas_u32(&run->idle, &idle, 0);
}

/* The instance's own cached object, or another instance's. */
static plait__run *find_cached(const plait__instance *instance)
{
	const plait__program *program = instance->program;

	if (claim_idle(instance->cached_run))
		return instance->cached_run;
	for (uint32_t i = 0; i < program->instance_count; i++)
		if (claim_idle(program->instances[i].cached_run))
			return program->instances[i].cached_run;
	return NULL;
}

static void keep_or_free(plait__run *run)
{
	/* Release: pairs with claim_idle. */
	if (run->cached)
		at_store_release_u32(&run->idle, 1);
	else
		free_run(run);
}

static void destroy_run(plait__object *object)
{
	plait__run *run = (plait__run *)(void *)object;
	plait__plan_object *plan_object = run->program->plan_object;

	if (run->recording != NULL)
		plait__recorder_release(plait__program_recorder(run->program),
					run->recording);
	keep_or_free(run);
	plait__object_drop(&plan_object->object);
}

static const plait__class run_class = {
	.type = PLAIT_OBJECT_RUN, .destroy = destroy_run, .is_transient = true,
	.maker_holds = 1
};

static plait__run *make_run(plait__program *program)
{
	plait__run *run = plait__alloc(plait__program_allocator(program),
				       sizeof(*run));

	if (run != NULL)
		run->program = program;
	return run;
}

/* Reset an object that another run has used.  No thread has a handle of it:
 * `claim_idle` has claimed the object. */
static void clear_run(plait__run *run)
{
	run->object.lingers = false;
	run->object.later = NULL;
	/* Relaxed: the handle publishes it. */
	at_store_relaxed_u32(&run->outcome.done, 0);
	run->recording = NULL;
	run->listeners = NULL;
}

plait_status plait__run_create(plait__instance *instance, plait__run **out,
			       plait_error *error)
{
	plait__program *program = instance->program;
	plait__run *run = find_cached(instance);
	plait_status status;

	if (run != NULL)
		clear_run(run);
	else
		run = make_run(program);
	if (run == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a run");
	run->instance = instance;
	status = plait__object_init(&run->object, &run_class,
				    program->context, error);
	if (status != PLAIT_OK) {
		keep_or_free(run);
		return status;
	}
	*out = run;
	return PLAIT_OK;
}

plait_status plait__run_reserve_all(plait__program *program, plait_error *error)
{
	for (uint32_t i = 0; i < program->instance_count; i++) {
		plait__run *run = make_run(program);

		if (run == NULL)
			return plait__fail(error, PLAIT_E_NOMEM,
					   "no memory for a run");
		run->cached = true;
		at_init_u32(&run->idle, 1);
		program->instances[i].cached_run = run;
	}
	return PLAIT_OK;
}

void plait__run_free_all(plait__program *program)
{
	for (uint32_t i = 0; program->instances != NULL &&
	     i < program->instance_count; i++)
		if (program->instances[i].cached_run != NULL)
			free_run(program->instances[i].cached_run);
}

/* ---- references ---- */

PLAIT__OBJECT_REFERENCES(run, PLAIT_OBJECT_RUN);

/* ---- outcome ---- */

/* Returns true if the run is known to have ended without a failure. */
static bool is_past(const plait_run *run)
{
	return plait__fork_check() == 0 &&
	       plait__handle_is_past(run, PLAIT_OBJECT_RUN, NULL,
				     PLAIT__RUN_END);
}

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
	plait_status status;

	if (is_past(run))
		return PLAIT_OK;
	status = plait__run_enter(run, &self, error);
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

static plait_status enter_driver(void *arg, plait__awaited_use *use)
{
	plait__run *run = arg;

	return plait__blocked_on_enter_driver(run->instance, run, use);
}

void plait__run_describe(plait__run *run, char *out, uint32_t bytes)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	plait__blocked_on_describe(run->instance, run,
				   plait__object_name(&run->object, room), out,
				   bytes);
}

static void describe_end(void *arg, char *out, uint32_t bytes)
{
	plait__run_describe(arg, out, bytes);
}

bool plait__run_is_blocked_by_caller(plait__run *run)
{
	bool blocked;

	if (plait__run_instance_current() == NULL &&
	    plait__callback_scope_run.event == NULL)
		return false;
	/* The instance is the run's until it is over. */
	plait__mutex_lock(&run->lock);
	blocked = !is_done(run) &&
		  at_load_relaxed_u32(&run->instance->stop) == 0 &&
		  plait__outer_runs_block(run->instance);
	plait__mutex_unlock(&run->lock);
	return blocked;
}

static bool is_blocked(void *run)
{
	return plait__run_is_blocked_by_caller(run);
}

static __attribute__((noinline)) plait_status
wait_for(plait_run *run, uint64_t timeout_ns, plait_error *error)
{
	plait__wait_request request = {
		.timeout_ns = timeout_ns, .ready = is_done, .serves = true,
		.help = help, .describe = describe_end,
		.advice = "; wait longer, or plait_run_cancel",
		.can_suspend = true,
		.blocked = is_blocked,
	};
	plait__run *self;
	plait_status status = plait__run_enter(run, &self, error);

	if (status != PLAIT_OK)
		return status;
	request.context = self->object.context;
	request.arg = self;
	request.blocked_arg = self;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	if (self->program->engine->find_points != NULL)
		request.enter = enter_driver;
	if (timeout_ns != 0 && plait__run_is_blocked_by_caller(self))
		status = plait__outer_runs_fail(error);
	else if (!is_done(self))
		status = plait__wait_run_seen(&request, error);
	plait__thread_scope_end(&inside);
	if (status == PLAIT_OK)
		status = query_outcome(self, error);
	plait__object_leave(&self->object);
	if (request.suspends)
		return plait__suspension_current()->await_run(run, timeout_ns,
							      error);
	return status;
}

PLAIT_API plait_status plait_run_wait(plait_run *run, uint64_t timeout_ns,
				      plait_error *error)
{
	return is_past(run) ? PLAIT_OK : wait_for(run, timeout_ns, error);
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

PLAIT_API int32_t plait_worker_index(void)
{
	return plait__worker_index();
}

PLAIT_API int32_t plait_run_is_stopping(void)
{
	const at_u32 *stop = plait__callback_scope_run.stop;

	return stop != NULL && at_load_relaxed_u32(stop) != 0;
}

/* ---- notification ---- */

static plait_status add_listener(plait__run *run, plait__inbox *inbox,
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
			status = add_listener(self, where, &event, error);
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
