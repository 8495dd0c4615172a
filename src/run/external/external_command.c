/* SPDX-License-Identifier: MIT */
/* Execution of external commands: begin, poll, end; see external_command.h.
 * completion.c parks the lane. */
#include "run/external/external_command.h"

#include "run/blocked_on.h"
#include "run/run.h"
#include "run/predicate_call.h"
#include "run/args/payload_util.h"
#include "run/external/completion.h"
#include "run/external/coroutine_command.h"

#include "base/error.h"
#include "object/inbox/inbox.h"
#include "object/queue/queue_finish.h"
#include "object/queue/queue_state.h"
#include "object/context/backend_result.h"
#include "object/progress/notification.h"

#include <string.h>

static const plait__program *program_of(const plait__external *external)
{
	return external->instance->program;
}

/* ---- queues of lanes ---- */

static plait_status make_queue(plait__external *external, plait_error *error)
{
	if (external->queue != NULL)
		return PLAIT_OK;
	return plait__queue_make(
		program_of(external)->plan_object->devices[external->device],
		&external->queue, error);
}

/* The queue completes its work and then ends. */
static void release_queue(plait__external *external)
{
	plait__queue *queue = external->queue;

	external->queue = NULL;
	if (queue != NULL)
		plait__object_release(plait__object_handle(&queue->object),
				      PLAIT_OBJECT_QUEUE);
}

bool plait__external_matches(const plait__program *program, uint32_t command)
{
	const plait__plan_command *at = &program->plan->commands[command];
	const plait__store_function *predicate;

	if (program->rehearsal != NULL)
		return false;
	if (at->kind != PLAIT__CMD_REGION)
		return plait__payload_is_external(program->plan, command) ||
		       plait__coroutine_command_matches(program, command);
	predicate = plait__program_predicate(program, at->link);
	return predicate != NULL && predicate->inbox != NULL;
}

plait_status plait__external_make(plait__external *external, bool submits,
				  plait_error *error)
{
	plait_status status = plait__completion_make(external, error);

	return status == PLAIT_OK && submits ? make_queue(external, error) :
	       status;
}

void plait__external_free(plait__external *external)
{
	release_queue(external);
	if (external->lock != NULL)
		plait__completion_detach(external);
}

/* ---- begin ---- */

void plait__external_begin_run(const plait__program *program, uint64_t *newest)
{
	plait__object *const *signals = program->plan_object->signals;

	/* A rehearsal has no signals, or such that are still being bound. */
	if (newest == NULL || program->rehearsal != NULL)
		return;
	/* Null: no command of the plan uses the signal. */
	for (uint32_t i = 0; i < program->plan->signals_count; i++)
		if (signals[i] != NULL)
			newest[i] = plait__signal_submitted(
				(plait__signal *)signals[i]);
}

/* external->newest is that of this run (plait__external_begin_run). */
static void begin_wait(plait__external *external,
		       const plait__plan_payload *payload)
{
	const plait__program *program = program_of(external);
	plait__signal *signal = (plait__signal *)
		program->plan_object->signals[payload->object];
	uint64_t sequence = payload->value;

	if (sequence == 0)
		sequence = external->newest[payload->object];
	plait__signal_await_init(&external->own, signal, sequence,
				 external->instance);
	external->await = &external->own.at.base;
}

/* Await all that was submitted to the lane's own queue. */
static void await_queue(plait__external *external)
{
	plait__queue *queue = external->queue;

	plait__point_await_init(&external->own.at, &queue->object, queue->port,
				queue->progress, plait__queue_submitted(queue));
	external->await = &external->own.at.base;
}

/* An emission waits for the one before it. */
static plait_status begin_emit(plait__external *external,
			       const plait__plan_payload *payload,
			       plait_error *error)
{
	plait__signal *signal = (plait__signal *)
		program_of(external)->plan_object->signals[payload->object];
	plait_status status = make_queue(external, error);
	uint64_t emission;

	if (status == PLAIT_OK)
		status = plait__internal_submit_emission(external->queue,
							 signal, &emission,
							 error);
	if (status != PLAIT_OK)
		return status;
	await_queue(external);
	return plait__signal_await_check(external->instance, signal,
					 emission - 1, error);
}

/* Take the call from the state; the caller drops it. */
static plait__call *take_call(plait__external *external)
{
	plait__call *call;

	plait__mutex_lock(external->lock);
	call = external->call;
	external->call = NULL;
	plait__mutex_unlock(external->lock);
	return call;
}

/* An inbox that was closed cancels the command, whether closed before or
 * after. */
static plait_status begin_call(plait__external *external,
			       const plait__plan_payload *payload, bool asks,
			       plait_error *error)
{
	const plait__store_function *function =
		&program_of(external)->plan_object->functions[payload->object];
	const plait__instance *run = external->instance;
	const plait__section *section = run->section;
	const plait__call_request wanted = {
		.inbox = (plait__inbox *)function->inbox,
		.function = function->function,
		.user_data = plait__payload_user_data(&external->instance->frame,
						      payload),
		.asks = asks,
		.lock = external->lock,
		.stop = &external->instance->stop,
		.run = external->instance,
		.run_owner = &program_of(external)->plan_object->object,
		.outer_queue = section != NULL ? section->queue :
						 run->outer_queue,
		.outer_sequence = section != NULL ? section->sequence :
						    run->outer_sequence,
	};
	plait_status status = make_queue(external, error);
	plait_error why = { .size = sizeof(why) };

	if (status != PLAIT_OK)
		return status;
	/* Stored under the lock, before the owner can take the event. */
	status = plait__internal_submit_call(external->queue, &wanted,
					     &external->call, &why);
	if (status == PLAIT_E_STATE)
		status = PLAIT_E_CANCELLED;
	if (status != PLAIT_OK)
		return plait__fail(error, status, "%s", why.text);
	await_queue(external);
	return PLAIT_OK;
}

/* An external command has a payload; so has a region whose predicate is a
 * function. */
static const plait__plan_payload *payload_of(const plait__plan *plan,
					     const plait__plan_command *at)
{
	return &plan->payloads[at->kind == PLAIT__CMD_REGION ?
			       plan->regions[at->link].predicate : at->link];
}

static plait_status begin(plait__external *external, uint32_t command,
			  plait_error *error)
{
	const plait__plan *plan = program_of(external)->plan;
	const plait__plan_command *at = &plan->commands[command];
	const plait__plan_payload *payload = payload_of(plan, at);

	if (at->kind == PLAIT__CMD_WAIT) {
		begin_wait(external, payload);
		return PLAIT_OK;
	}
	return at->kind == PLAIT__CMD_EMIT ?
		       begin_emit(external, payload, error) :
		       begin_call(external, payload,
				  at->kind == PLAIT__CMD_REGION, error);
}

/* ---- end ---- */

/* Returns true for the await of a command that was submitted to the lane's
 * queue. */
static bool is_of_queue(const plait__external *external,
			const plait__await *await)
{
	return external->queue != NULL &&
	       await->object == &external->queue->object;
}

/* The call has been made, or is retracted: its result does not change. */
static void drop_call(plait__external *external)
{
	plait__call *call = take_call(external);

	if (call == NULL)
		return;
	external->word = (uint32_t)plait__call_result(call);
	plait__object_drop(&call->event_record.object);
}

/* Recover a failed queue, or release it.  Take the queue's error, which is more
 * precise, unless the backend cannot recover the queue.  The lane has a
 * queue. */
static void recover_queue(plait__external *external, plait_error *why)
{
	plait_error better = { .size = sizeof(better) };

	if (!is_of_queue(external, &external->own.at.base))
		return;
	if (plait__queue_finish(external->queue, 0, &better) < 0 &&
	    better.status == why->status &&
	    plait__queue_finish(external->queue, 0, NULL) == PLAIT_OK)
		*why = better;
	else
		release_queue(external);
}

static void end(plait__external *external, plait_status status,
		plait_error *why)
{
	external->await = NULL;
	/* The owner may not have begun the call. */
	if (status != PLAIT_OK && external->call != NULL)
		plait__call_retract(external->call);
	if (external->call != NULL)
		drop_call(external);
	if (status != PLAIT_OK && external->queue != NULL)
		recover_queue(external, why);
	else if (external->queue != NULL)
		plait__queue_reclaim(external->queue);
}

/* The text behind the prefix `begin`, or all of it. */
static const char *skip(const char *text, const char *begin)
{
	size_t length = strlen(begin);

	return strncmp(text, begin, length) == 0 ? text + length : text;
}

/* Turn the queue's text about a host function into one about the node: either
 * the node ran and failed, or what it waited for has failed. */
static void fail(plait__external *external, uint32_t command,
		 const plait_error *why)
{
	static const char own[] = "host function ";
	const char *text = skip(why->text, "not run: ");
	plait_error failure = { .size = sizeof(failure) };
	bool failed = strncmp(skip(text, own), "failed with ", 12) == 0;

	text = skip(skip(text, failed ? own : ""), "host function: ");
	plait__fail_origin(&failure, why->status, why->origin, "%s%s",
			   failed ? "" : "failed: ", text);
	failure.detail = why->detail;
	plait__instance_fail(external->instance, command, &failure);
}

/* The command has ended, and the run goes on. */
static void take_outcome(plait__external *external, uint32_t command,
			 plait_status status, const plait_error *why)
{
	const plait__plan *plan = program_of(external)->plan;

	if (status != PLAIT_OK)
		fail(external, command, why);
	else if (plan->commands[command].kind == PLAIT__CMD_REGION)
		(void)plait__predicate_word(external->instance, command,
					    (int32_t)external->word,
					    &external->word);
}

/* Abandon the command: it may complete later or never; the lane goes on.  The
 * calling thread runs the lane, and no inbox owner has its call. */
static void leave(plait__external *external)
{
	external->await = NULL;
	if (external->subscribed)
		plait__completion_detach(external);
	if (is_of_queue(external, &external->own.at.base))
		release_queue(external);
}

/* ---- the step ---- */

static bool stopped(const plait__external *external)
{
	return at_load_relaxed_u32(&external->instance->stop) != 0;
}

/* Cancellation of the run.  Returns true if the lane goes on at once; false if
 * an inbox owner may have begun the call: a call that was begun is waited for,
 * another one is retracted and its queue goes on at once. */
static bool give_up(plait__external *external)
{
	plait__completion_give_up(external);
	if (external->call == NULL) {
		leave(external);
		return true;
	}
	plait__call_retract(external->call);
	return false;
}

/* PLAIT_OK, the command's error, or PLAIT_PENDING. */
static plait_status advance(plait__external *external, uint32_t command,
			    plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (external->await == NULL)
		status = begin(external, command, error);
	return status == PLAIT_OK ?
		       external->await->class->poll(external->await, error) :
		       status;
}

bool plait__external_step(plait__external *external, uint32_t command)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status;
	bool stops;

	external->command = command;
	plait__completion_resume(external);
	for (;;) {
		stops = stopped(external);
		if (stops && give_up(external))
			return true;
		status = advance(external, command, &why);
		if (status == PLAIT_PENDING) {
			status = plait__completion_park(external, !stops, &why);
			if (status == PLAIT_PENDING)
				return false;
			if (status == PLAIT_OK) {
				plait__completion_resume(external);
				continue;
			}
		}
		end(external, status, &why);
		if (!stopped(external))
			take_outcome(external, command, status, &why);
		return true;
	}
}

/* ---- diagnosis ---- */

/* The lane is parked with its completion: no thread changes it.  The await of a
 * coroutine lies on its stack. */
static void fill(const plait__external *external, plait__blocked_on *out)
{
	const plait__await *await = external->await;

	out->command = external->command;
	if (external->call != NULL) {
		out->call = external->call;
		out->queue = external->queue;
		plait__object_hold(&out->call->event_record.object);
		plait__object_hold(&out->queue->object);
	} else if (await != NULL && !is_of_queue(external, await)) {
		out->awaited = await->object;
		out->number = await->number;
		out->name = await->class->name;
		plait__object_hold(out->awaited);
	}
}

void plait__external_describe_blocked(plait__external *first,
				      plait__blocked_on *out)
{
	if (first == NULL)
		return;
	plait__mutex_lock(first->lock);
	for (plait__external *at = first;
	     at != NULL && out->command == PLAIT__NONE; at = at->sibling) {
		if (at->completion == NULL)
			continue;
		plait__mutex_lock(&at->completion->lock);
		if (at->completion->parked == at)
			fill(at, out);
		plait__mutex_unlock(&at->completion->lock);
	}
	plait__mutex_unlock(first->lock);
}
