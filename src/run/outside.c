/* SPDX-License-Identifier: MIT */
/*
 * Steps that need somebody else; see outside.h.
 *
 *     who parks                        who tells        who stops the run
 *     have the ticket told             told             stop
 *     lock; told? else hand; unlock    take the hand    take the hand
 *     stopped? take it back            offer it         offer it
 *
 * Who takes the hand, under the ticket's lock, goes on with the lane or offers
 * it.  So it goes on once, whoever comes first.
 */
#include "run/outside.h"

#include "run/op.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/inbox.h"
#include "object/port.h"
#include "object/upcall.h"
#include "pool/counter.h"

/* ---- tickets ---- */

static void destroy_ticket(plait__object *object)
{
	plait__context *context = object->context;

	plait__pool_unreserve(context->pool, 1);
	plait__free(plait__context_allocator(context), object,
		    sizeof(plait__ticket));
}

static const plait__class ticket_class = { .destroy = destroy_ticket };

plait__hand *plait__ticket_take(plait__ticket *ticket, uint64_t parking)
{
	plait__hand *hand = NULL;

	plait__mutex_lock(&ticket->lock);
	if (parking == 0 || parking == ticket->parking) {
		hand = ticket->hand;
		ticket->hand = NULL;
	}
	plait__mutex_unlock(&ticket->lock);
	return hand;
}

/* Gives back the hold of who was to tell. */
static void tell(plait__ticket *ticket)
{
	plait__context *context = ticket->object.context;
	plait__object *needs = ticket->needs;
	plait__hand *hand;

	plait__mutex_lock(&ticket->lock);
	ticket->told = true;
	hand = ticket->hand;
	ticket->hand = NULL;
	plait__mutex_unlock(&ticket->lock);
	if (hand != NULL)
		plait__task_offer(&hand->task);
	plait__context_pulse(context);
	/* Calls no slot, and is not the end of the context either, which what
	 * is needed keeps. */
	plait__object_drop(&ticket->object);
	plait__object_drop_later(needs);
}

/* Upcall. */
static void on_point(void *user_data, plait_status status)
{
	(void)status;
	tell(user_data);
}

static void on_hope(plait__hope *hope)
{
	tell(hope->arg);
}

static plait_status make_ticket(plait__hand *hand, plait_error *error)
{
	plait__crew *crew = hand->crew;
	plait__context *context = crew->flat->program->context;
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__ticket *ticket = plait__alloc(allocator, sizeof(*ticket));
	plait_status status;

	if (ticket == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to wait for a signal");
	status = plait__pool_reserve(context->pool, 1, error);
	if (status != PLAIT_OK) {
		plait__free(allocator, ticket, sizeof(*ticket));
		return status;
	}
	(void)plait__object_init(&ticket->object, &ticket_class, context,
				 NULL);
	ticket->hope.told = on_hope;
	ticket->hope.arg = ticket;
	plait__mutex_lock(&crew->lock);
	hand->outside->ticket = ticket;
	plait__mutex_unlock(&crew->lock);
	return PLAIT_OK;
}

static void leave_ticket(plait__hand *hand)
{
	plait__crew *crew = hand->crew;
	struct plait__outside *outside = hand->outside;
	plait__ticket *ticket = outside->ticket;

	plait__mutex_lock(&crew->lock);
	outside->ticket = NULL;
	plait__mutex_unlock(&crew->lock);
	outside->told_of = false;
	if (ticket != NULL)
		plait__object_drop(&ticket->object);
}

/* ---- queues of lanes ---- */

static plait_status make_queue(plait__hand *hand, plait_error *error)
{
	const plait__program *program = hand->crew->flat->program;
	const plait__plan *plan = program->plan;
	uint32_t device = plan->lanes[hand->lane].device;

	if (hand->outside->queue != NULL)
		return PLAIT_OK;
	return plait__queue_make(program->frozen->devices[device],
				 &hand->outside->queue, error);
}

/* What it has to do it does, and then ends. */
static void leave_queue(struct plait__outside *outside)
{
	plait__queue *queue = outside->queue;

	outside->queue = NULL;
	if (queue != NULL)
		plait__object_release(plait__object_handle(&queue->object),
				      PLAIT_OBJECT_QUEUE);
}

plait_status plait__outside_make(plait__hand *hand, plait_error *error)
{
	const plait__flat_lane *lane =
		&hand->crew->flat->lanes[hand->lane];
	const plait_allocator *allocator =
		plait__program_allocator(hand->crew->flat->program);
	plait_status status;

	hand->outside = plait__alloc(allocator, sizeof(*hand->outside));
	if (hand->outside == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to wait for a signal");
	status = make_ticket(hand, error);
	if (status == PLAIT_OK && (lane->outside & PLAIT__OUTSIDE_SUBMITS) != 0)
		status = make_queue(hand, error);
	return status;
}

void plait__outside_free(plait__hand *hand)
{
	const plait_allocator *allocator =
		plait__program_allocator(hand->crew->flat->program);

	if (hand->outside == NULL)
		return;
	leave_queue(hand->outside);
	leave_ticket(hand);
	plait__free(allocator, hand->outside, sizeof(*hand->outside));
	hand->outside = NULL;
}

/* ---- beginning a command ---- */

void plait__outside_begin(plait__crew *crew)
{
	const plait__program *program = crew->flat->program;

	for (uint32_t i = 0; crew->newest != NULL &&
	     i < program->plan->signals_count; i++)
		crew->newest[i] = plait__signal_submitted(
			(plait__signal *)program->frozen->signals[i]);
}

static void set_point(struct plait__outside *outside, plait__port *port,
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
static plait_status begin_wait(plait__hand *hand,
			       const plait__plan_payload *payload,
			       plait_error *error)
{
	plait__crew *crew = hand->crew;
	plait__signal *signal = (plait__signal *)
		crew->flat->program->frozen->signals[payload->object];
	uint64_t sequence = payload->value;

	if (sequence == 0)
		sequence = crew->newest[payload->object];
	if (!signal->is_gate && sequence > plait__signal_submitted(signal)) {
		hand->outside->hopes = signal;
		hand->outside->point.sequence = sequence;
		return check_hope(crew->flat->program->plan, payload->object,
				  signal, error);
	}
	set_point(hand->outside, signal->port, signal->raw, sequence,
		  &signal->object);
	return PLAIT_OK;
}

static plait_status begin_emit(plait__hand *hand,
			       const plait__plan_payload *payload,
			       plait_error *error)
{
	struct plait__outside *outside = hand->outside;
	plait__signal *signal = (plait__signal *)
		hand->crew->flat->program->frozen->signals[payload->object];
	plait_status status = make_queue(hand, error);

	if (status == PLAIT_OK)
		status = plait__queue_submit_emission(outside->queue, signal,
						      error);
	return status;
}

/* What was there before is the caller's. */
static plait__call *set_call(plait__hand *hand, plait__call *call)
{
	plait__crew *crew = hand->crew;
	plait__call *before;

	plait__mutex_lock(&crew->lock);
	before = hand->outside->call;
	hand->outside->call = call;
	plait__mutex_unlock(&crew->lock);
	return before;
}

/* Whether an inbox is closed just before or just after makes no difference. */
static plait_status begin_call(plait__hand *hand,
			       const plait__plan_payload *payload,
			       plait_error *error)
{
	struct plait__outside *outside = hand->outside;
	const plait__store_function *function =
		&hand->crew->flat->program->frozen->functions[payload->object];
	plait_status status = make_queue(hand, error);
	plait_error why = { .size = sizeof(why) };
	plait__call *call;

	if (status != PLAIT_OK)
		return status;
	status = plait__queue_submit_call(outside->queue,
					  (plait__inbox *)function->inbox,
					  function->function,
					  function->user_data, &call, &why);
	set_call(hand, call);
	if (status == PLAIT_E_STATE)
		status = PLAIT_E_CANCELLED;
	return status == PLAIT_OK ? status :
	       plait__fail(error, status, "%s", why.text);
}

static plait_status begin(plait__hand *hand, uint32_t command,
			  plait_error *error)
{
	struct plait__outside *outside = hand->outside;
	const plait__plan *plan = hand->crew->flat->program->plan;
	const plait__plan_command *at = &plan->commands[command];
	const plait__plan_payload *payload = &plan->payloads[at->link];
	plait_status status;

	if (at->kind == PLAIT__CMD_WAIT)
		return begin_wait(hand, payload, error);
	status = at->kind == PLAIT__CMD_EMIT ?
		 begin_emit(hand, payload, error) :
		 begin_call(hand, payload, error);
	if (status == PLAIT_OK)
		set_point(outside, outside->queue->port,
			  outside->queue->progress,
			  plait__queue_submitted(outside->queue),
			  &outside->queue->object);
	return status;
}

/* ---- ending it ---- */

static plait_status look(const struct plait__outside *outside,
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

static void drop_call(plait__hand *hand)
{
	plait__call *call = set_call(hand, NULL);

	if (call != NULL)
		plait__object_drop(&call->notice.object);
}

/* The queue is as good as new, or another one; and it knows best what was
 * wrong. */
static void mend_queue(struct plait__outside *outside, plait_error *why)
{
	plait_error better = { .size = sizeof(better) };

	if (outside->needs != &outside->queue->object)
		return;
	if (plait__queue_finish(outside->queue, 0, &better) < 0 &&
	    better.status == why->status)
		*why = better;
	else
		leave_queue(outside);
}

static void end(plait__hand *hand, plait_status status, plait_error *why)
{
	struct plait__outside *outside = hand->outside;

	outside->begun = false;
	if (outside->call != NULL)
		drop_call(hand);
	if (status != PLAIT_OK && outside->queue != NULL)
		mend_queue(outside, why);
	else if (outside->queue != NULL)
		plait__queue_reclaim(outside->queue);
}

static void fail(plait__hand *hand, uint32_t command, const plait_error *why)
{
	plait_error told = { .size = sizeof(told) };

	plait__fail_origin(&told, why->status, why->origin, "failed: %s",
			   why->text);
	told.detail = why->detail;
	plait__instance_fail(hand->crew->instance, command, &told);
}

/* What was begun happens some day, or not; the lane does not wait for it. */
static void leave(plait__hand *hand)
{
	struct plait__outside *outside = hand->outside;

	outside->begun = false;
	if (outside->told_of)
		leave_ticket(hand);
	if (outside->queue != NULL &&
	    outside->needs == &outside->queue->object)
		leave_queue(outside);
}

/* ---- parking ---- */

/* Have the ticket told: of the point, or that there may be one. */
static plait_status ask(plait__hand *hand, plait_error *error)
{
	struct plait__outside *outside = hand->outside;
	plait__ticket *ticket = outside->ticket;
	plait__signal *hopes = outside->begun ? NULL : outside->hopes;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	ticket->needs = hopes != NULL ? &hopes->object : outside->needs;
	ticket->told = false;
	plait__object_hold(ticket->needs);
	plait__object_hold(&ticket->object);
	if (hopes != NULL) {
		if (!plait__signal_hope(hopes, outside->point.sequence,
					&ticket->hope))
			tell(ticket);
		return PLAIT_OK;
	}
	status = plait__upcall_arm(outside->port, &outside->point, on_point,
				   ticket, &room);
	if (status == PLAIT_OK)
		return status;
	plait__object_drop(ticket->needs);
	plait__object_drop(&ticket->object);
	return plait__port_judge(outside->port, status, "signal_notify",
				 &room, error);
}

/* Which parking it is; 0: it was told, and the lane is still the caller's. */
static uint64_t park(plait__hand *hand, plait__ticket *ticket)
{
	uint64_t parking = 0;

	plait__mutex_lock(&ticket->lock);
	if (!ticket->told) {
		parking = ++ticket->parking;
		plait__task_rest(&hand->task);
		ticket->hand = hand;
	}
	plait__mutex_unlock(&ticket->lock);
	return parking;
}

/* True: the lane is the caller's, look again.  `stops`: also when the run is
 * stopped. */
static bool await(plait__hand *hand, bool stops)
{
	plait__ticket *ticket = hand->outside->ticket;
	const at_u32 *stop = &hand->crew->instance->stop;
	uint64_t parking;
	bool mine;

	/* Once it is parked, who runs the lane may leave the ticket. */
	plait__object_hold(&ticket->object);
	parking = park(hand, ticket);
	/* Relaxed: who stops the run looks for the lane afterwards, under the
	 * lock that was held in park. */
	mine = parking == 0 ||
	       (stops && at_load_relaxed_u32(stop) != 0 &&
		plait__ticket_take(ticket, parking) != NULL);
	if (mine)
		at_store_relaxed_u32(&hand->task.ready.state,
				     PLAIT__TASK_RUNNING);
	plait__object_drop(&ticket->object);
	return mine;
}

/* Back again: was the ticket told, or is it yet to be? */
static void settle(struct plait__outside *outside)
{
	plait__ticket *ticket = outside->ticket;

	if (!outside->told_of)
		return;
	plait__mutex_lock(&ticket->lock);
	outside->told_of = !ticket->told;
	plait__mutex_unlock(&ticket->lock);
}

/* PLAIT_OK: look again; PLAIT_PENDING: parked; or why it cannot be. */
static plait_status rest(plait__hand *hand, bool stops, plait_error *error)
{
	struct plait__outside *outside = hand->outside;
	plait_status status = PLAIT_OK;

	if (outside->ticket == NULL)
		status = make_ticket(hand, error);
	if (status == PLAIT_OK && !outside->told_of)
		status = ask(hand, error);
	if (status != PLAIT_OK)
		return status;
	outside->told_of = true;
	return await(hand, stops) ? PLAIT_OK : PLAIT_PENDING;
}

/* ---- the step ---- */

static bool stopped(const plait__hand *hand)
{
	return at_load_relaxed_u32(&hand->crew->instance->stop) != 0;
}

/*
 * The run was stopped, so nothing starts any more.  A function that the owner
 * has begun is waited for; what it has not begun it does not find any more,
 * and the queue goes on at once.
 */
static bool give_up(plait__hand *hand)
{
	struct plait__outside *outside = hand->outside;

	if (!outside->begun && outside->told_of &&
	    plait__signal_give_up(outside->hopes, &outside->ticket->hope))
		tell(outside->ticket);
	if (outside->call == NULL) {
		leave(hand);
		return true;
	}
	plait__call_retract(outside->call);
	return false;
}

/* PLAIT_OK, its failure, or PLAIT_PENDING as long as it has not happened. */
static plait_status advance(plait__hand *hand, uint32_t command,
			    plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (!hand->outside->begun)
		status = begin(hand, command, error);
	return status == PLAIT_OK ? look(hand->outside, error) : status;
}

bool plait__outside_step(plait__hand *hand, const plait__step *step)
{
	const plait__op *op = (const plait__op *)hand->crew->flat->ops.items +
			      step->op_first;
	plait_error why = { .size = sizeof(why) };
	plait_status status;
	bool stops;

	hand->command = &op->command;
	settle(hand->outside);
	for (;;) {
		stops = stopped(hand);
		if (stops && give_up(hand))
			return true;
		status = advance(hand, op->command, &why);
		if (status == PLAIT_PENDING) {
			status = rest(hand, !stops, &why);
			if (status == PLAIT_PENDING)
				return false;
			if (status == PLAIT_OK) {
				settle(hand->outside);
				continue;
			}
		}
		end(hand, status, &why);
		if (status != PLAIT_OK && !stopped(hand))
			fail(hand, op->command, &why);
		return true;
	}
}
