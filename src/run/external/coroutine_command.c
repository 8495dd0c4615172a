/* SPDX-License-Identifier: MIT */
/*
 * Coroutines of lanes; see coroutine_command.h.
 *
 *     lane                          function, on its own stack
 *     begin: take a stack
 *     resume ---------------------> runs; awaits a point or a run
 *     <------------------- suspend  (the await lies on its stack)
 *     decided? else park; resumed by the completion
 *     resume ---------------------> goes on with the status of the await
 *     <------------------------ end
 *
 * A lane whose run was stopped decides each await as cancelled.
 */
#include "run/external/coroutine_command.h"

#include "run/args/payload_util.h"
#include "run/external/completion.h"
#include "run/external/points_await.h"
#include "run/run_await.h"

#include "coroutine/coroutine_switch.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/kernel/kernel.h"
#include "pool/task.h"
#include "sys/clock.h"

static bool stopped(const plait__external *external)
{
	return at_load_relaxed_u32(&external->instance->stop) != 0;
}

/* ---- the awaits of a lane ---- */

/* Forget the await, which may be decided later or never. */
static void abandon(plait__external *external)
{
	plait__completion_disarm(external);
	plait__completion_give_up(external);
	if (external->subscribed)
		plait__completion_detach(external);
}

static plait_status cancel(plait__external *external, plait_error *error)
{
	abandon(external);
	return plait__fail(error, PLAIT_E_CANCELLED, "the run of the "
			   "coroutine was stopped");
}

static bool is_late(const plait__await *await)
{
	return await->deadline_ns != PLAIT__CLOCK_NEVER &&
	       plait__clock_now_ns() >= await->deadline_ns;
}

static plait_status expire(plait__external *external,
			   const plait__await *await)
{
	char what[PLAIT_ERROR_TEXT_BYTES];

	abandon(external);
	await->class->explain(await, what, sizeof(what));
	return plait__fail(await->error, PLAIT_E_TIMEOUT,
			   "the deadline of the await has passed: %s", what);
}

/* Park the lane; as plait__completion_park. */
static plait_status park(plait__external *external, const plait__await *await)
{
	plait_status status = PLAIT_OK;

	if (await->deadline_ns != PLAIT__CLOCK_NEVER)
		status = plait__completion_arm(external, await->deadline_ns,
					       await->error);
	return status == PLAIT_OK ?
	       plait__completion_park(external, true, await->error) : status;
}

static void end_await(plait__external *external, plait__await *await,
		      plait_status status)
{
	plait__completion_disarm(external);
	/* A subscription that outlives the await would refer to it. */
	plait__completion_give_up(external);
	external->await = NULL;
	await->status = status;
}

/* Returns false if the lane is parked. */
static bool await_decided(plait__external *external, plait__await *await)
{
	plait_status status;

	external->await = await;
	plait__completion_resume(external);
	do {
		if (stopped(external))
			status = cancel(external, await->error);
		else
			status = await->class->poll(await, await->error);
		if (status == PLAIT_PENDING && is_late(await))
			status = expire(external, await);
		if (status != PLAIT_PENDING)
			break;
		status = park(external, await);
		if (status == PLAIT_PENDING)
			return false;
		plait__completion_resume(external);
	} while (status == PLAIT_OK);
	end_await(external, await, status);
	return true;
}

/* Put the lane behind other work of its pool; returns false, as the lane is no
 * longer the caller's. */
static bool give_turn(plait__external *external)
{
	if (external->rest != NULL)
		external->rest(external);
	external->offer(external);
	return false;
}

/* ---- the function's side ---- */

/* In a child that the function has forked, no lane would resume it. */
static plait_status suspend(plait__await *await, plait_error *error)
{
	struct plait__coroutine_command *self =
		plait__callback_scope_run.coroutine;
	plait_status status = plait__handle_check_fork(error);

	if (status != PLAIT_OK)
		return status;
	await->error = error;
	self->await = await;
	plait__coroutine_suspend(&self->coroutine);
	return await->status;
}

static bool is_before(const plait__object *queue)
{
	const plait__instance *at = plait__run_instance_current();

	while (at != NULL && (at->section == NULL ||
			      &at->section->queue->object != queue))
		at = at->outer;
	return at != NULL;
}

static const plait__suspender suspender = {
	.await = suspend, .await_points = plait__points_await_suspend,
	.await_run = plait__run_await, .check = plait__run_await_check,
	.is_before = is_before,
};

/* ---- the function ---- */

static plait_status make(plait__external *external, plait_error *error)
{
	struct plait__coroutine_command *made = external->coroutine;

	if (made == NULL)
		made = plait__alloc(
			plait__program_allocator(external->instance->program),
			sizeof(*made));
	if (made == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a coroutine");
	made->suspender = &suspender;
	made->external = external;
	external->coroutine = made;
	return PLAIT_OK;
}

/* Returns null for a command that is no launch. */
static const plait__kernel *kernel_of(const plait__program *program,
				      uint32_t command)
{
	const plait__plan *plan = program->plan;
	const plait__plan_command *at = &plan->commands[command];

	if (at->kind != PLAIT__CMD_LAUNCH || at->link >= plan->payloads_count)
		return NULL;
	return (const void *)program->plan_object
		       ->kernels[plan->payloads[at->link].kernel];
}

bool plait__coroutine_command_matches(const plait__program *program,
				      uint32_t command)
{
	const plait__kernel *kernel = kernel_of(program, command);

	if (program->rehearsal != NULL)
		return false;
	return kernel != NULL ? kernel->suspends :
				plait__payload_is_coroutine(program->plan,
							    command);
}

bool plait__coroutine_command_is_bound(const plait__program *program,
				       uint32_t command)
{
	const plait__plan *plan = program->plan;
	const plait__kernel *kernel = kernel_of(program, command);

	if (!plait__coroutine_command_matches(program, command))
		return false;
	return kernel != NULL ? kernel->is_bound :
				plait__payload_is_bound(plan, command);
}

bool plait__coroutine_command_is_begun(const plait__external *external)
{
	return external->coroutine != NULL && external->coroutine->begun;
}

static plait_status begin(plait__external *external,
			  const struct plait__coroutine_entry *entry,
			  plait_error *error)
{
	plait_status status = make(external, error);

	if (status == PLAIT_OK)
		status = plait__coroutine_init(
			&external->coroutine->coroutine,
			&external->instance->program->context->stacks,
			entry->function, entry->user_data, error);
	if (status != PLAIT_OK)
		return status;
	external->coroutine->await = NULL;
	external->coroutine->suspended_ns = 0;
	external->coroutine->begun = true;
	return PLAIT_OK;
}

static void fail_result(plait__external *external, uint32_t command,
			int32_t result)
{
	plait_error why = { .size = sizeof(why) };

	if (external->coroutine->coroutine.threw)
		plait__fail(&why, PLAIT_E_FAILED, "an exception has left the "
			    "function; catch it there");
	else
		plait__fail_origin(&why, PLAIT_E_FAILED, result,
				   "failed with %d", (int)result);
	plait__instance_fail(external->instance, command, &why);
}

/* The function is suspended or has not begun, and the thread is in a callback
 * scope. */
static bool resume(struct plait__coroutine_command *self)
{
	plait__external *external = self->external;
	bool ended;

	if (self->suspended_ns != 0)
		external->gap(external, self->suspended_ns);
	self->suspended_ns = 0;
	plait__task_give_next();
	plait__callback_scope_run.coroutine = self;
	self->entered = true;
	ended = plait__coroutine_resume(&self->coroutine);
	self->entered = false;
	/* The thread is still the caller's: only the function moves. */
	plait__callback_scope_run.coroutine = NULL;
	if (!ended && external->instance->recording != NULL)
		self->suspended_ns = plait__clock_now_ns();
	return ended;
}

void plait__coroutine_command_fail(const plait_error *why)
{
	const struct plait__coroutine_command *self =
		plait__callback_scope_run.coroutine;

	if (self != NULL)
		plait__instance_fail(self->external->instance,
				     self->external->command, why);
}

/* A thread has ended inside the function, and the command has failed. */
static void lose(struct plait__coroutine_command *self)
{
	plait__coroutine_lose(&self->coroutine);
	self->entered = false;
	self->begun = false;
}

/* The run was stopped, or has no memory for the coroutine: the function of a
 * collective tells the other ranks, without an await. */
static void call_stopped(const plait__external *external, uint32_t command,
			 const struct plait__coroutine_entry *entry)
{
	if (plait__payload_is_collective(external->instance->program->plan,
					 command))
		(void)entry->function(entry->user_data);
}

bool plait__coroutine_command_step(plait__external *external, uint32_t command,
				   const struct plait__coroutine_entry *entry)
{
	struct plait__coroutine_command *self;
	plait_error why = { .size = sizeof(why) };
	plait_status status;

	external->command = command;
	if (!plait__coroutine_command_is_begun(external)) {
		status = stopped(external) ? PLAIT_E_CANCELLED :
					     begin(external, entry, &why);
		if (status != PLAIT_OK && !stopped(external))
			plait__instance_fail(external->instance, command, &why);
		if (status != PLAIT_OK) {
			call_stopped(external, command, entry);
			return true;
		}
	}
	self = external->coroutine;
	if (self->entered) {
		lose(self);
		return true;
	}
	do {
		if (self->await != NULL && !await_decided(external,
							  self->await))
			return false;
		self->await = NULL;
		if (resume(self)) {
			self->begun = false;
			if (self->coroutine.result != 0 && !stopped(external))
				fail_result(external, command,
					    self->coroutine.result);
			return true;
		}
	} while (self->await->class != &plait__suspension_turn ||
		 stopped(external));
	return give_turn(external);
}

void plait__coroutine_command_free(plait__external *external)
{
	if (external->coroutine == NULL)
		return;
	plait__free(plait__program_allocator(external->instance->program),
		    external->coroutine, sizeof(*external->coroutine));
	external->coroutine = NULL;
}
