/* SPDX-License-Identifier: MIT */
/* Start of a run: plait_plan_run on a queue, plait_plan_call on the calling
 * thread. */
#include "run/api/start.h"

#include "run/run.h"
#include "run/api/call_inboxes.h"
#include "run/api/prepare.h"
#include "run/api/run_desc.h"
#include "run/api/run_section.h"
#include "run/blocked_on.h"
#include "run/instance_pool.h"
#include "run/outer_runs.h"
#include "run/run_await.h"
#include "run/run_races.h"
#include "run/run_turns.h"

#include "base/error.h"
#include "object/inbox/inbox_records.h"
#include "object/queue/queue_capture.h"
#include "object/queue/queue_finish.h"
#include "object/queue/queue_state.h"
#include "object/wait/wait_loop.h"
#include "pool/callback_scope.h"
#include "pool/time_slice.h"
#include "sys/thread.h"

#include <string.h>

/* One call of plait_plan_run or plait_plan_call. */
struct start {
	plait__plan_object *plan_object;
	bool is_held;		/* the plan is, and was not entered */
	plait__run_end *end;	/* told of the end of the run, or null */
	plait__queue *queue;	/* or null */
	plait__program *program;
	plait__instance *instance;
	plait_run_desc desc;
};

/* Also runs when the thread ends inside the call. */
static void leave(void *arg)
{
	const struct start *start = arg;

	if (start->queue != NULL)
		plait__object_leave(&start->queue->object);
	if (!start->is_held)
		plait__object_leave(&start->plan_object->object);
}

/* The caller has set is_held, and if that is true the plan.  After a failure
 * nothing is entered. */
static plait_status enter(struct start *start, plait_plan *plan,
			  plait_queue *queue, const plait_run_desc *desc,
			  plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (!start->is_held)
		status = plait__plan_object_enter(plan, &start->plan_object,
						  error);
	if (status != PLAIT_OK)
		return status;
	start->queue = NULL;
	if (queue != NULL)
		status = plait__queue_enter(queue, &start->queue, error);
	if (status != PLAIT_OK)
		start->queue = NULL;
	if (status == PLAIT_OK && queue != NULL &&
	    plait__queue_is_captured(start->queue))
		status = plait__queue_capture_refuse(
			start->queue, "add the graph of the plan to the "
			"captured one instead of a run", error);
	if (status == PLAIT_OK && queue != NULL)
		status = plait__context_check_same(&start->plan_object->object,
						   &start->queue->object, error);
	start->desc = (plait_run_desc){ .size = sizeof(start->desc) };
	if (status == PLAIT_OK && desc != NULL)
		status = plait__run_desc_read(&start->desc, desc, error);
	if (status == PLAIT_OK)
		status = plait__prepare_program(start->plan_object,
						&start->program, error);
	if (status != PLAIT_OK)
		leave(start);
	return status;
}

/* Acquire an instance and bind the parameters. */
static plait_status begin(struct start *start, uint32_t bits,
			  plait_error *error)
{
	plait_status status = plait__instance_acquire(
		start->program, bits, start->desc.flags, &start->instance,
		error);

	if (status != PLAIT_OK)
		return status;
	status = plait__instance_begin(start->instance, &start->desc, error);
	if (status != PLAIT_OK)
		plait__instance_release(start->instance);
	return status;
}

/* ---- on a queue ---- */

static void undo_submit(struct start *start)
{
	plait__instance *instance = start->instance;

	if (instance->section != NULL)
		plait__section_cancel(instance->section);
	if (instance->run != NULL) {
		plait__object_drop(&instance->run->object);
		plait__object_release(plait__object_handle(
			&instance->run->object), PLAIT_OBJECT_RUN);
	}
	plait__instance_undo_begin(instance);
	plait__instance_release(instance);
}

/* Make the run: the caller has one reference, the instance a hold.  The run
 * takes over one hold of the plan; after a failure that hold is dropped. */
static plait_status make_run(struct start *start, plait_error *error)
{
	plait__run *run;
	plait_status status = plait__run_create(start->instance, &run, error);

	if (status != PLAIT_OK) {
		plait__object_drop(&start->plan_object->object);
		return status;
	}
	start->instance->run = run;
	return PLAIT_OK;
}

static plait_status submit(struct start *start, plait_run **out,
			   plait_error *error)
{
	const bool needs_others = start->program->engine->needs_others;
	plait__races *races = plait__context_races(start->program->context);
	plait__run_races begun = { .races = NULL };
	plait__instance *instance;
	plait_run *handle = NULL;
	plait_status status = begin(start, PLAIT__PROGRAM_FREE, error);
	bool now;

	if (status != PLAIT_OK)
		return status;
	instance = start->instance;
	instance->end = start->end;
	/* One hold until the run is over, which may be at any time once it is
	 * submitted; one for the run's handle. */
	plait__object_hold_times(&start->plan_object->object,
				 out != NULL ? 2 : 1);
	if (out != NULL)
		status = make_run(start, error);
	if (status == PLAIT_OK)
		status = plait__run_section_acquire(
			instance, start->queue, error);
	if (status == PLAIT_OK && out != NULL)
		handle = plait__object_handle(&instance->run->object);
	plait__program_expect(start->program);
	/* Before another thread can see the run. */
	if (status == PLAIT_OK && races != NULL)
		begun = plait__run_races_begin(instance, start->queue);
	if (status == PLAIT_OK)
		status = plait__section_enter(instance->section, &now, error);
	if (status != PLAIT_OK) {
		plait__run_races_undo(&begun);
		plait__object_drop(&start->plan_object->object);
		undo_submit(start);
		plait__program_unexpect(start->program);
		return status;
	}
	if (begun.races != NULL)
		plait__run_races_commit(&begun);
	if (now)
		plait__run_section_start(instance);
	/* The submitting thread drives the run itself. */
	if (now && needs_others && !plait__callback_scope_is_active())
		(void)plait__progress_drive(start->program->context);
	if (out != NULL)
		*out = handle;
	/* Without workers only this wake-up brings a thread to the work. */
	if (start->program->context->settings.workers == 0)
		plait__context_notify_waiters(start->program->context);
	return PLAIT_OK;
}

/* `plan`: as for enter. */
static plait_status run(struct start *start, plait_plan *plan,
			plait_queue *queue, const plait_run_desc *desc,
			plait_run **out, plait_error *error)
{
	plait_status status = enter(start, plan, queue, desc, error);

	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { leave, start };
	status = submit(start, out, error);
	if (status == PLAIT_OK && plait__queue_wants_finish(start->queue))
		status = plait__queue_finish(start->queue, PLAIT_FOREVER,
					     error);
	plait__thread_scope_end(&inside);
	leave(start);
	return status;
}

plait_status plait__start_held(plait__plan_object *held, plait_queue *queue,
			       const plait_run_desc *desc, plait__run_end *end,
			       plait_error *error)
{
	struct start start = { .plan_object = held, .is_held = true,
			       .end = end };

	return run(&start, NULL, queue, desc, NULL, error);
}

PLAIT_API plait_status plait_plan_run(plait_plan *plan, plait_queue *queue,
				      const plait_run_desc *desc,
				      plait_run **out, plait_error *error)
{
	struct start start;

	if (out != NULL)
		*out = NULL;
	if (queue == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "queue is null; plait_plan_call needs "
				   "none");
	start.is_held = false;
	start.end = NULL;
	return run(&start, plan, queue, desc, out, error);
}

/* ---- by a call ---- */

static bool is_over(void *arg)
{
	const plait__instance *instance = arg;

	/* Acquire: pairs with the exchange in run_instance.c. */
	return at_load_acquire_u32(&instance->called) == PLAIT__CALLER_DONE;
}

/* The wait has failed: stops the run and executes the rest of it. */
static void stop_and_drain(plait__instance *instance, const plait_error *why)
{
	plait__instance *ready;
	bool deferred;

	if (at_load_relaxed_u32(&instance->stop) == 0)
		plait__instance_stop(instance, why);
	deferred = plait__run_turns_withdraw(instance, &ready);
	plait__run_turns_start(ready);
	if (deferred)
		plait__instance_start_deferred(instance, NULL);
	while (!is_over(instance) && plait__instance_drive(instance))
		continue;
	plait__thread_yield();
}

static void describe(void *arg, char *out, uint32_t bytes)
{
	plait__blocked_on_describe(arg, NULL, "the plan", out, bytes);
}

static plait_status enter_driver(void *arg, plait__awaited_use *use)
{
	return plait__blocked_on_enter_driver(arg, NULL, use);
}

/* Wait while other threads execute the run, or while it is blocked.  Not
 * inline: has large variables. */
static __attribute__((noinline)) void await_end(plait__instance *instance)
{
	plait__wait_request request = {
		.context = instance->program->context,
		.timeout_ns = PLAIT_FOREVER,
		.ready = is_over,
		.arg = instance,
		.serves = true,
		.help = plait__run_section_help,
		.describe = describe,
	};
	plait_error why = { .size = sizeof(why) };
	plait_status status;

	if (instance->program->engine->find_points != NULL)
		request.enter = enter_driver;
	/* The thread may execute functions that call the plan again, and end the
	 * run in there: it must not keep its turn until this call returns. */
	at_store_relaxed_u64(&instance->caller, 0);
	while (!is_over(instance)) {
		status = plait__wait_run(&request, &why);
		/* The caller would have to pull that event, which is not of
		 * this run; it stays, unless a call of this run is behind
		 * it. */
		if (status == PLAIT_EVENT_READY)
			status = plait__call_inboxes_check(instance, &why);
		request.serves = request.serves && status == PLAIT_OK;
		if (status < 0)
			stop_and_drain(instance, &why);
	}
}

static bool may_have_to_wait(const plait__program *program)
{
	return program->engine->needs_others || program->submits ||
	       program->plan->signals_count > 0;
}

/* Of calls of plans that would wait in a host function. */
#define PLAN_REMEDY "start it by plait_plan_run, or make the function a " \
		    "coroutine"

/* The call is inside a host function.  PLAIT_PENDING: the caller is a coroutine,
 * which leaves its scopes and suspends. */
static plait_status prepare_inner(struct start *start, plait_error *error)
{
	if (may_have_to_wait(start->program) &&
	    plait__suspension_current() != NULL)
		return PLAIT_PENDING;
	if (start->program->engine->needs_others)
		return plait__fail(error, PLAIT_E_DEADLOCK,
				   "a host function must not wait for a plan "
				   "that runs on queues; " PLAN_REMEDY);
	if (start->program->submits)
		return plait__fail(error, PLAIT_E_DEADLOCK,
				   "a host function must not wait for "
				   "emissions, for owners of inboxes and for "
				   "coroutines, which the plan has; " PLAN_REMEDY);
	start->desc.flags = (start->desc.flags | PLAIT_RUN_SERIAL) &
			    ~(uint32_t)PLAIT_RUN_PARALLEL;
	return PLAIT_OK;
}

/* The call must not wait for a run that it would conflict with. */
static plait_status fail_turn(plait__instance *instance, bool may_wait,
			      plait_error *error)
{
	const bool blocked = may_wait && plait__outer_runs_block(instance);

	plait__run_instance_remove_inner(instance);
	plait__run_races_undo_call(&instance->race_call);
	instance->race_call.races = NULL;
	plait__instance_undo_begin(instance);
	plait__instance_release(instance);
	if (blocked)
		return plait__outer_runs_fail(error);
	if (may_wait && plait__suspension_current() != NULL)
		return PLAIT_PENDING;
	return plait__fail(error, PLAIT_E_BUSY,
			   "a run of the plan is in flight that accesses the "
			   "same memory; wait for it, or see "
			   "PLAIT_RUN_OVERLAP");
}

/* Start the run of a call in its turn.  *out_now: the caller starts it. */
static plait_status take_turn(const struct start *start, bool *out_now,
			      plait_error *error)
{
	plait__instance *instance = start->instance;
	const bool may_wait = (start->desc.flags & PLAIT_RUN_NO_WAIT) == 0;

	/* A run that may conflict with an outer one is not deferred. */
	if (may_wait && !plait__callback_scope_is_active() &&
	    !plait__outer_runs_has(start->program))
		*out_now = plait__run_turns_take(instance);
	else if (plait__run_turns_try(instance))
		*out_now = true;
	else
		return fail_turn(instance, may_wait, error);
	if (*out_now)
		plait__run_section_stop_if_lost(instance);
	return PLAIT_OK;
}

/* The call was told to be behind its queue, which has no work. */
static void begin_races(const struct start *start)
{
	if (start->queue != NULL)
		plait__run_races_on_idle(start->queue);
	start->instance->race_call =
		plait__run_races_begin(start->instance, NULL);
}

/* Returns true unless the call only has to start its run. */
static bool needs_begin(const plait__program *program)
{
	return !program->plain_calls ||
	       plait__context_races(program->context) != NULL;
}

/* Count the run, check its accesses and take its turn.  *out_now: the caller
 * starts it.  Not inline: most plans need none of them. */
static __attribute__((noinline)) plait_status
begin_call(const struct start *start, bool *out_now, plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (plait__context_races(start->program->context) != NULL)
		begin_races(start);
	/* Another thread may start the run as soon as it is deferred. */
	plait__program_begin_in_pool(start->program);
	if (start->program->conflicts.kind != PLAIT__CONFLICTS_NEVER)
		status = take_turn(start, out_now, error);
	if (status != PLAIT_OK)
		plait__program_end_in_pool(start->program);
	return status;
}

/* The run is over; the instance is not released yet. */
static __attribute__((noinline)) void end_races(plait__instance *instance)
{
	plait__run_races_end_call(&instance->race_call);
	instance->race_call.races = NULL;
}

/* `outer`: the run whose function makes the call, or null.  Inlined into its
 * two callers: a frame would be a twentieth of a call. */
static inline __attribute__((always_inline)) plait_status
call_now(struct start *start, plait__instance *outer, plait_error *error)
{
	plait__instance *instance;
	plait_status status;
	bool begins, now = true;

	status = begin(start, PLAIT__PROGRAM_FREE | PLAIT__PROGRAM_TURN, error);
	if (status != PLAIT_OK)
		return status;
	instance = start->instance;
	instance->end = start->end;
	/* Relaxed: only its own thread compares it. */
	at_store_relaxed_u64(&instance->caller, plait__thread_token());
	at_store_relaxed_u32(&instance->called, PLAIT__CALLER_WAITS);
	/* Before the run is deferred, which another thread may start. */
	if (outer != NULL)
		plait__run_instance_add_inner(outer, instance);
	begins = needs_begin(start->program);
	if (begins)
		status = begin_call(start, &now, error);
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE waits = { plait__instance_caller_exited, instance };
	if (now)
		start->program->engine->start(instance, true);
	while (!is_over(instance) && plait__instance_drive(instance))
		continue;
	if (!is_over(instance))
		await_end(instance);
	plait__thread_scope_end(&waits);
	if (outer != NULL)
		plait__run_instance_remove_inner(instance);
	if (begins)
		end_races(instance);
	status = instance->outcome.status;
	if (status != PLAIT_OK)
		plait__error_copy(error, &instance->outcome.failure);
	/* The runs that it deferred are counted before it no longer is. */
	plait__instance_release(instance);
	if (begins)
		plait__program_end_in_pool(start->program);
	return status;
}

/* The call is not the work of the wait that executes this host function, and
 * ends before the function goes on. */
static __attribute__((noinline)) plait_status
call_inside(struct start *start, plait_error *error)
{
	plait_status status = prepare_inner(start, error);
	uint64_t limit_ns;

	if (status != PLAIT_OK)
		return status;
	limit_ns = plait__time_slice_enter(PLAIT__CLOCK_NEVER);
	status = call_now(start, plait__outer_runs_caller(), error);
	plait__time_slice_leave(limit_ns);
	return status;
}

static plait_status call_here(struct start *start, plait_error *error)
{
	if (plait__callback_scope_is_active())
		return call_inside(start, error);
	return call_now(start, plait__outer_runs_caller(), error);
}

static bool has_work(plait__queue *queue)
{
	bool clear;

	plait__mutex_lock(&queue->lock);
	clear = plait__queue_is_clear(queue);
	plait__mutex_unlock(&queue->lock);
	return !clear;
}

static plait_status call_behind(struct start *start, plait_error *error)
{
	plait_status status;

	if (plait__suspension_current() != NULL)
		return PLAIT_PENDING;
	if (plait__callback_scope_is_active())
		return plait__fail(error, PLAIT_E_DEADLOCK,
				   "a host function must not wait for what a "
				   "queue has before the plan; " PLAN_REMEDY);
	if (plait__outer_calls_block(start->queue))
		return plait__outer_calls_fail(start->queue, error);
	status = submit(start, NULL, error);
	if (status == PLAIT_OK)
		status = plait__queue_finish(start->queue, PLAIT_FOREVER,
					     error);
	return status;
}

/* Run the plan in a queue, and await its end. */
static plait_status call_in(plait_plan *plan, plait_queue *queue,
			    const plait_run_desc *desc, plait_error *error)
{
	plait_run *run;
	plait_status status = plait_plan_run(plan, queue, desc, &run, error);

	return status != PLAIT_OK ? status :
	       plait__run_await_released(run, PLAIT_FOREVER, error);
}

/* The call of a coroutine; in a queue of its own if it names none. */
static plait_status call_suspended(plait_plan *plan, plait_queue *queue,
				   const plait_run_desc *desc,
				   plait_error *error)
{
	const plait__plan_object *outer;
	plait__queue *own;
	plait_status status;

	if (queue != NULL)
		return call_in(plan, queue, desc, error);
	outer = plait__run_instance_current()->program->plan_object;
	/* A plan may have devices that no lane uses, which are null. */
	status = plait__queue_make(
		outer->devices[outer->plan->lanes[0].device], &own, error);
	if (status != PLAIT_OK)
		return status;
	queue = plait__object_handle(&own->object);
	status = call_in(plan, queue, desc, error);
	/* It completes its work first. */
	plait_queue_release(queue);
	return status;
}

static inline __attribute__((always_inline)) plait_status
call_plan(plait_plan *plan, plait_queue *queue, const plait_run_desc *desc,
	  plait__run_end *end, plait_error *error)
{
	struct start start;
	plait_status status;

	start.is_held = false;
	start.end = end;
	status = enter(&start, plan, queue, desc, error);
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { leave, &start };
	status = queue != NULL && has_work(start.queue) ?
			 call_behind(&start, error) : call_here(&start, error);
	plait__thread_scope_end(&inside);
	leave(&start);
	return status != PLAIT_PENDING ? status :
	       call_suspended(plan, queue, desc, error);
}

plait_status plait__start_call(plait_plan *plan, const plait_run_desc *desc,
			       plait__run_end *end, plait_error *error)
{
	return call_plan(plan, NULL, desc, end, error);
}

PLAIT_API plait_status plait_plan_call(plait_plan *plan, plait_queue *queue,
				       const plait_run_desc *desc,
				       plait_error *error)
{
	return call_plan(plan, queue, desc, NULL, error);
}
