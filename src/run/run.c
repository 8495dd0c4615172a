/* SPDX-License-Identifier: MIT */
/* What one can ask of a run; see run.h. */
#include "run/run.h"

#include "run/blocked_on.h"
#include "run/record/recorder.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "object/inbox/inbox.h"
#include "object/wait/wait_loop.h"

#include <stdio.h>
#include <string.h>

/* ---- life ---- */

/* As many as there are instances are kept to be used again: mostly by the same
 * one, unless the user still has it when the next run begins. */
static void free_run(plait__run *run)
{
	if (run->object.slot != NULL)
		plait__handle_recycle(run->object.slot);
	plait__free(plait__program_allocator(run->program), run, sizeof(*run));
}

static bool take(plait__run *run)
{
	uint32_t rests = 1;

	/* Acquire: pairs with the store in keep. */
	return run != NULL && at_load_relaxed_u32(&run->rests) != 0 &&
	       at_cas_u32(&run->rests, &rests, 0);
}

/* Its own, if the user has let go of it, or another one's. */
static plait__run *find_kept(const plait__instance *instance)
{
	const plait__program *program = instance->program;

	if (take(instance->kept))
		return instance->kept;
	for (uint32_t i = 0; i < program->instance_count; i++)
		if (take(program->instances[i].kept))
			return program->instances[i].kept;
	return NULL;
}

static void keep(plait__run *run)
{
	/* Release: pairs with take. */
	if (run->kept)
		at_store_release_u32(&run->rests, 1);
	else
		free_run(run);
}

static void destroy_run(plait__object *object)
{
	plait__run *run = (plait__run *)(void *)object;
	plait__plan_object *frozen = run->program->frozen;

	if (run->recording != NULL)
		plait__recorder_release(plait__program_recorder(run->program),
					run->recording);
	keep(run);
	plait__object_drop(&frozen->object);
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

/* It was another one. */
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
	plait__run *run = find_kept(instance);
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
		free_run(run);
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
		run->kept = true;
		at_init_u32(&run->rests, 1);
		program->instances[i].kept = run;
	}
	return PLAIT_OK;
}

void plait__run_free_all(plait__program *program)
{
	for (uint32_t i = 0; program->instances != NULL &&
	     i < program->instance_count; i++)
		if (program->instances[i].kept != NULL)
			free_run(program->instances[i].kept);
}

PLAIT_API void plait_run_retain(plait_run *run)
{
	plait__handle_retain(run, PLAIT_OBJECT_RUN);
}

PLAIT_API void plait_run_release(plait_run *run)
{
	plait__object_release(run, PLAIT_OBJECT_RUN);
}

plait_status plait__run_enter(plait_run *handle, plait__run **out,
			      plait_error *error)
{
	plait__object *object;
	plait_status status = plait__object_enter(handle, PLAIT_OBJECT_RUN,
						  &object, error);

	*out = (plait__run *)(void *)object;
	return status;
}

/* ---- how it is ---- */

plait_status plait__run_outcome_query(const plait__run_outcome *outcome,
				      plait_error *error)
{
	/* Acquire: pairs with the store in run_instance.c. */
	if (at_load_acquire_u32(&outcome->done) == 0)
		return PLAIT_PENDING;
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
	status = plait__run_outcome_query(&self->outcome, error);
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

	return run->program->engine->drive(run->instance);
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
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit, &self->object };
	if (!is_done(self))
		status = plait__wait_run(&request, error);
	plait__thread_scope_end(&inside);
	if (status == PLAIT_OK)
		status = plait__run_outcome_query(&self->outcome, error);
	plait__object_leave(&self->object);
	return status;
}

PLAIT_API plait_status plait_run_cancel(plait_run *run, plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait__run *self;
	plait_status status = plait__run_enter(run, &self, error);

	if (status != PLAIT_OK)
		return status;
	plait__fail(&why, PLAIT_E_CANCELLED, "the run was cancelled");
	plait__mutex_lock(&self->lock);
	if (at_load_acquire_u32(&self->outcome.done) == 0)
		plait__instance_stop(self->instance, &why);
	plait__mutex_unlock(&self->lock);
	plait__context_notify_waiters(self->object.context);
	plait__object_leave(&self->object);
	return PLAIT_OK;
}

/* ---- being told ---- */

static plait_status ask(plait__run *run, plait__inbox *inbox,
			const plait_event *event, plait_error *error)
{
	const plait_allocator *allocator =
		plait__program_allocator(run->program);
	struct plait__run_listener *listeners = plait__alloc(allocator, sizeof(*listeners));
	plait_status status;
	bool over;

	if (listeners == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for an event");
	status = plait__inbox_event_create(inbox, event, &listeners->notice, error);
	if (status != PLAIT_OK) {
		plait__free(allocator, listeners, sizeof(*listeners));
		return status;
	}
	plait__mutex_lock(&run->lock);
	over = at_load_acquire_u32(&run->outcome.done) != 0;
	if (!over) {
		listeners->next = run->listeners;
		run->listeners = listeners;
	}
	plait__mutex_unlock(&run->lock);
	if (over)
		plait__run_notify_all(run, listeners, run->outcome.status);
	return PLAIT_OK;
}

void plait__run_notify_all(plait__run *run, struct plait__run_listener *listeners,
			   plait_status status)
{
	const plait_allocator *allocator =
		plait__program_allocator(run->program);
	struct plait__run_listener *next;

	for (; listeners != NULL; listeners = next) {
		next = listeners->next;
		plait__inbox_event_post(listeners->notice, status);
		plait__free(allocator, listeners, sizeof(*listeners));
	}
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
		if (status == PLAIT_OK)
			status = ask(self, where, &event, error);
		plait__object_leave(&where->object);
	}
	plait__object_leave(&self->object);
	return status;
}

/* ---- questions ---- */

static uint64_t count_expected(const plait__plan *plan)
{
	double count = 0;

	for (uint32_t i = 0; i < plan->command_count; i++)
		if (plan->commands[i].kind != PLAIT__CMD_REGION &&
		    plan->commands[i].kind != PLAIT__CMD_ENTER)
			count += plait__recorder_expected_runs(plan, plan->nodes[
				plan->commands[i].node].body);
	return count < 1e18 ? (uint64_t)count : UINT64_C(1000000000000000000);
}

/* While it runs what it has is the instance's, until the lock says that it
 * is done. */
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
	ours.status = plait__run_outcome_query(outcome, NULL);
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

static uint32_t node_kind(uint8_t kind, const plait__plan *plan, uint32_t link)
{
	static const uint8_t kinds[] = {
		[PLAIT__CMD_LAUNCH] = PLAIT_NODE_LAUNCH,
		[PLAIT__CMD_HOST] = PLAIT_NODE_CALL,
		[PLAIT__CMD_CALLBACK] = PLAIT_NODE_CALL,
		[PLAIT__CMD_COPY] = PLAIT_NODE_COPY,
		[PLAIT__CMD_FILL] = PLAIT_NODE_FILL,
		[PLAIT__CMD_EMPTY] = PLAIT_NODE_JOIN,
		[PLAIT__CMD_EMIT] = PLAIT_NODE_EMIT,
		[PLAIT__CMD_WAIT] = PLAIT_NODE_WAIT,
		[PLAIT__CMD_MARK] = PLAIT_NODE_MARK,
		[PLAIT__CMD_JOIN] = PLAIT_NODE_JOIN,
	};
	static const uint8_t regions[] = {
		[PLAIT__REGION_WHILE] = PLAIT_NODE_WHILE,
		[PLAIT__REGION_DO] = PLAIT_NODE_DO,
		[PLAIT__REGION_CASE] = PLAIT_NODE_CASE,
		[PLAIT__REGION_REPEAT] = PLAIT_NODE_WHILE,
	};

	if (kind == PLAIT__CMD_REGION || kind == PLAIT__CMD_ENTER)
		return regions[plan->regions[link].kind];
	return kind < sizeof(kinds) ? kinds[kind] : PLAIT_NODE_JOIN;
}

static void describe(const plait__plan *plan, uint32_t command,
		     plait_command_info *info)
{
	const plait__plan_command *at = &plan->commands[command];

	memset(info, 0, sizeof(*info));
	info->kind = node_kind(at->kind, plan, at->link);
	info->lane = at->lane;
	info->device = plan->lanes[at->lane].device;
	(void)strncpy(info->label, plait__plan_node_label(plan, at->node),
		      sizeof(info->label) - 1);
}

PLAIT_API plait_status plait_plan_command(plait_plan *plan, uint64_t command,
					  plait_command_info *info,
					  plait_error *error)
{
	plait_command_info ours;
	plait__plan_object *entered;
	plait_status status = plait__plan_object_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	if (command >= entered->plan->command_count) {
		status = plait__fail(error, PLAIT_E_INVALID,
				     "the plan has no command %llu, but %u of "
				     "them", (unsigned long long)command,
				     entered->plan->command_count);
	} else {
		describe(entered->plan, (uint32_t)command, &ours);
		status = PLAIT__STRUCT_WRITE(plait_command_info, info, &ours, error);
	}
	plait__object_leave(&entered->object);
	return status;
}
