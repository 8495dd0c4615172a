/* SPDX-License-Identifier: MIT */
/*
 * Commands that need somebody else, from their beginning to their end; see
 * external_command.h.  How they wait is in completion.c.
 */
#include "run/external/external_command.h"

#include "run/blocked_on.h"
#include "run/host/call_op.h"
#include "run/external/completion.h"

#include "base/error.h"
#include "object/inbox/inbox.h"
#include "object/context/backend_result.h"
#include "object/progress/notification.h"
#include "pool/counter.h"

#include <string.h>

static const plait__program *program_of(const plait__outside *outside)
{
	return outside->instance->program;
}

/* ---- queues of lanes ---- */

static plait_status make_queue(plait__outside *outside, plait_error *error)
{
	if (outside->queue != NULL)
		return PLAIT_OK;
	return plait__queue_make(
		program_of(outside)->frozen->devices[outside->device],
		&outside->queue, error);
}

/* What it has to do it does, and then ends. */
static void leave_queue(plait__outside *outside)
{
	plait__queue *queue = outside->queue;

	outside->queue = NULL;
	if (queue != NULL)
		plait__object_release(plait__object_handle(&queue->object),
				      PLAIT_OBJECT_QUEUE);
}

bool plait__outside_has(const plait__program *program, uint32_t command)
{
	const plait__plan_command *at = &program->plan->commands[command];
	const plait__store_function *predicate;

	if (program->rehearsal != NULL)
		return false;
	if (at->kind != PLAIT__CMD_REGION)
		return plait__op_is_outside(program->plan, command);
	predicate = plait__op_predicate(program, at->link);
	return predicate != NULL && predicate->inbox != NULL;
}

plait_status plait__outside_make(plait__outside *outside, bool submits,
				 plait_error *error)
{
	plait_status status = plait__ticket_make(outside, error);

	return status == PLAIT_OK && submits ? make_queue(outside, error) :
	       status;
}

void plait__outside_free(plait__outside *outside)
{
	leave_queue(outside);
	if (outside->lock != NULL)
		plait__ticket_leave(outside);
}

/* ---- beginning a command ---- */

void plait__outside_begin(const plait__program *program, uint64_t *newest)
{
	for (uint32_t i = 0; newest != NULL && i < program->plan->signals_count;
	     i++)
		newest[i] = plait__signal_submitted(
			(plait__signal *)program->frozen->signals[i]);
}

static void set_point(plait__outside *outside, plait__port *port,
		      plait_backend_signal *signal, uint64_t sequence,
		      plait__object *needs)
{
	outside->port = port;
	outside->point.signal = signal;
	outside->point.sequence = sequence;
	outside->needs = needs;
	outside->begun = true;
}

static bool emits(const plait__plan *plan, uint32_t signal)
{
	for (uint32_t i = 0; i < plan->command_count; i++) {
		const plait__plan_command *at = &plan->commands[i];

		if (at->kind == PLAIT__CMD_EMIT &&
		    plan->payloads[at->link].object == signal)
			return true;
	}
	return false;
}

/* Nobody can emit it any more if nobody has it but this plan, which does
 * not. */
static plait_status check_hope(const plait__plan *plan, uint32_t index,
			       const plait__signal *signal, plait_error *error)
{
	char room[PLAIT__NAME_ROOM];

	if (emits(plan, index) || plait__object_uses(&signal->object) != 0 ||
	    plait__handle_lives(plait__object_handle(&signal->object),
				PLAIT_OBJECT_SIGNAL))
		return PLAIT_PENDING;
	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "%s was released, so nobody can emit it",
			   plait__object_name(&signal->object, room));
}

/* PLAIT_PENDING: nobody has submitted that emission yet. */
static plait_status begin_wait(plait__outside *outside,
			       const plait__plan_payload *payload,
			       plait_error *error)
{
	const plait__program *program = program_of(outside);
	plait__signal *signal = (plait__signal *)
		program->frozen->signals[payload->object];
	uint64_t sequence = payload->value;

	if (sequence == 0)
		sequence = outside->newest[payload->object];
	if (!signal->is_gate && sequence > plait__signal_submitted(signal)) {
		outside->hopes = signal;
		outside->point.sequence = sequence;
		return check_hope(program->plan, payload->object, signal,
				  error);
	}
	set_point(outside, signal->port, signal->raw, sequence,
		  &signal->object);
	return PLAIT_OK;
}

static plait_status begin_emit(plait__outside *outside,
			       const plait__plan_payload *payload,
			       plait_error *error)
{
	plait__signal *signal = (plait__signal *)
		program_of(outside)->frozen->signals[payload->object];
	plait_status status = make_queue(outside, error);

	if (status == PLAIT_OK)
		status = plait__queue_submit_emission(outside->queue, signal,
						      error);
	return status;
}

/* It is the caller's now. */
static plait__call *take_call(plait__outside *outside)
{
	plait__call *call;

	plait__mutex_lock(outside->lock);
	call = outside->call;
	outside->call = NULL;
	plait__mutex_unlock(outside->lock);
	return call;
}

/* Whether an inbox is closed just before or just after makes no difference. */
static plait_status begin_call(plait__outside *outside,
			       const plait__plan_payload *payload, bool asks,
			       plait_error *error)
{
	const plait__store_function *function =
		&program_of(outside)->frozen->functions[payload->object];
	const plait__owner_call wanted = {
		.inbox = (plait__inbox *)function->inbox,
		.function = function->function,
		.user_data = function->user_data,
		.asks = asks,
		.lock = outside->lock,
		.stop = &outside->instance->stop,
	};
	plait_status status = make_queue(outside, error);
	plait_error why = { .size = sizeof(why) };

	if (status != PLAIT_OK)
		return status;
	status = plait__queue_submit_call(outside->queue, &wanted,
					  &outside->call, &why);
	if (status == PLAIT_E_STATE)
		status = PLAIT_E_CANCELLED;
	return status == PLAIT_OK ? status :
	       plait__fail(error, status, "%s", why.text);
}

static const plait__plan_payload *payload_of(const plait__plan *plan,
					     const plait__plan_command *at)
{
	return &plan->payloads[at->kind == PLAIT__CMD_REGION ?
			       plan->regions[at->link].predicate : at->link];
}

static plait_status begin(plait__outside *outside, uint32_t command,
			  plait_error *error)
{
	const plait__plan *plan = program_of(outside)->plan;
	const plait__plan_command *at = &plan->commands[command];
	const plait__plan_payload *payload = payload_of(plan, at);
	plait_status status;

	if (at->kind == PLAIT__CMD_WAIT)
		return begin_wait(outside, payload, error);
	status = at->kind == PLAIT__CMD_EMIT ?
		 begin_emit(outside, payload, error) :
		 begin_call(outside, payload, at->kind == PLAIT__CMD_REGION,
			    error);
	if (status == PLAIT_OK)
		set_point(outside, outside->queue->port,
			  outside->queue->progress,
			  plait__queue_submitted(outside->queue),
			  &outside->queue->object);
	return status;
}

/* ---- ending it ---- */

static plait_status look(const plait__outside *outside,
			 plait_error *error)
{
	plait__backend *backend = outside->port->backend;
	plait_error room = { .size = sizeof(room) };
	uint64_t reached;

	return plait__port_judge_poll(
		outside->port,
		backend->table.signal_poll(backend->self, &outside->point,
					   &reached, &room),
		&room, error);
}

static void drop_call(plait__outside *outside)
{
	plait__call *call = take_call(outside);

	if (call == NULL)
		return;
	outside->word = (uint32_t)plait__call_result(call);
	plait__object_drop(&call->notice.object);
}

/* The queue is as good as new, or another one; and it knows best what was
 * wrong, unless that is that its backend does not take it back. */
static void mend_queue(plait__outside *outside, plait_error *why)
{
	plait_error better = { .size = sizeof(better) };

	if (outside->needs != &outside->queue->object)
		return;
	if (plait__queue_finish(outside->queue, 0, &better) < 0 &&
	    better.status == why->status &&
	    plait__queue_finish(outside->queue, 0, NULL) == PLAIT_OK)
		*why = better;
	else
		leave_queue(outside);
}

static void end(plait__outside *outside, plait_status status, plait_error *why)
{
	outside->begun = false;
	/* Whatever is wrong, its owner may not have begun it. */
	if (status != PLAIT_OK && outside->call != NULL)
		plait__call_retract(outside->call);
	if (outside->call != NULL)
		drop_call(outside);
	if (status != PLAIT_OK && outside->queue != NULL)
		mend_queue(outside, why);
	else if (outside->queue != NULL)
		plait__queue_reclaim(outside->queue);
}

/* Behind `begin`, if it begins so. */
static const char *skip(const char *text, const char *begin)
{
	size_t length = strlen(begin);

	return strncmp(text, begin, length) == 0 ? text + length : text;
}

/* What its queue says of the function is said of the node; and the node was
 * run, or what it waited for has failed: that is not the same. */
static void fail(plait__outside *outside, uint32_t command,
		 const plait_error *why)
{
	static const char own[] = "host function ";
	const char *text = skip(why->text, "not run: ");
	plait_error told = { .size = sizeof(told) };
	bool failed = strncmp(skip(text, own), "failed with ", 12) == 0;

	text = skip(skip(text, failed ? own : ""), "host function: ");
	plait__fail_origin(&told, why->status, why->origin, "%s%s",
			   failed ? "" : "failed: ", text);
	told.detail = why->detail;
	plait__instance_fail(outside->instance, command, &told);
}

/* What was begun happens some day, or not; the lane does not wait for it. */
static void leave(plait__outside *outside)
{
	outside->begun = false;
	if (outside->told_of)
		plait__ticket_leave(outside);
	if (outside->queue != NULL &&
	    outside->needs == &outside->queue->object)
		leave_queue(outside);
}

/* ---- the step ---- */

static bool stopped(const plait__outside *outside)
{
	return at_load_relaxed_u32(&outside->instance->stop) != 0;
}

/*
 * The run was stopped, so nothing starts any more.  A function that the owner
 * has begun is waited for; what it has not begun it does not find any more,
 * and the queue goes on at once.
 */
static bool give_up(plait__outside *outside)
{
	plait__ticket_give_up(outside);
	if (outside->call == NULL) {
		leave(outside);
		return true;
	}
	plait__call_retract(outside->call);
	return false;
}

/* PLAIT_OK, its failure, or PLAIT_PENDING as long as it has not happened. */
static plait_status advance(plait__outside *outside, uint32_t command,
			    plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (!outside->begun)
		status = begin(outside, command, error);
	return status == PLAIT_OK ? look(outside, error) : status;
}

bool plait__outside_step(plait__outside *outside, uint32_t command)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status;
	bool stops;

	outside->command = command;
	plait__ticket_settle(outside);
	for (;;) {
		stops = stopped(outside);
		if (stops && give_up(outside))
			return true;
		status = advance(outside, command, &why);
		if (status == PLAIT_PENDING) {
			status = plait__ticket_rest(outside, !stops, &why);
			if (status == PLAIT_PENDING)
				return false;
			if (status == PLAIT_OK) {
				plait__ticket_settle(outside);
				continue;
			}
		}
		end(outside, status, &why);
		if (status != PLAIT_OK && !stopped(outside))
			fail(outside, command, &why);
		return true;
	}
}

/* ---- questions ---- */

/* Parked with its ticket: nobody changes it. */
static void fill(const plait__outside *outside, plait__obstacle *out)
{
	const plait__plan *plan = program_of(outside)->plan;

	out->command = outside->command;
	out->sequence = outside->point.sequence;
	if (outside->call != NULL) {
		out->call = outside->call;
		out->queue = outside->queue;
		plait__object_hold(&out->call->notice.object);
		plait__object_hold(&out->queue->object);
	} else if (plan->commands[out->command].kind == PLAIT__CMD_WAIT) {
		out->signal = outside->hoping ? outside->hopes :
			      (plait__signal *)(void *)outside->needs;
		plait__object_hold(&out->signal->object);
	}
}

void plait__outside_find(plait__outside *first, plait__obstacle *out)
{
	if (first == NULL)
		return;
	plait__mutex_lock(first->lock);
	for (plait__outside *at = first;
	     at != NULL && out->command == PLAIT__NONE; at = at->sibling) {
		if (at->ticket == NULL)
			continue;
		plait__mutex_lock(&at->ticket->lock);
		if (at->ticket->parked == at)
			fill(at, out);
		plait__mutex_unlock(&at->ticket->lock);
	}
	plait__mutex_unlock(first->lock);
}
