/* SPDX-License-Identifier: MIT */
/* Life cycle of a run on its instance: begin, failure, completion; see
 * run_instance.h. */
#include "run/run_instance.h"

#include "run/instance_pool.h"
#include "run/kernel_versions.h"
#include "run/run.h"
#include "run/run_turns.h"
#include "run/skipped_calls.h"

#include "run/record/recorder.h"

#include "base/error.h"
#include "object/progress/progress_driver.h"
#include "object/queue/queue.h"
#include "sys/thread.h"

/* ---- beginning ---- */

static plait_status acquire_recording(plait__instance *instance,
				      plait_error *error)
{
	plait__recorder *recorder = plait__program_recorder(instance->program);

	if (recorder == NULL)
		return plait__fail(error, PLAIT_E_STATE,
				   "PLAIT_RUN_RECORD: the plan has no room for "
				   "records; plait_plan_record makes it");
	return plait__recorder_acquire(recorder, &instance->recording, error);
}

plait_status plait__instance_begin(plait__instance *instance,
				   const plait_run_desc *desc,
				   plait_error *error)
{
	plait_status status;

	instance->flags = desc != NULL ? desc->flags : 0;
	instance->failed = false;
	instance->queue_failed = false;
	instance->skipped_recording = NULL;
	instance->failed_command = PLAIT__NONE;
	instance->iterations = 0;
	instance->device_regions = 0;
	instance->run = NULL;
	instance->section = NULL;
	instance->end = NULL;
	/* Relaxed: published with the instance's lanes. */
	at_store_relaxed_u32(&instance->stop, 0);
	at_store_relaxed_u32(&instance->called, PLAIT__CALLER_NONE);
	/* Acquire: pairs with the store in kernel_versions.c. */
	if (at_load_acquire_ptr(&instance->program->version) !=
	    instance->version)
		plait__kernel_versions_adopt(instance);
	/* A rehearsal takes no parameters. */
	status = instance->program->rehearsal != NULL ? PLAIT_OK :
		 plait__frame_bind(&instance->frame, desc, error);
	if (status != PLAIT_OK || (instance->flags & PLAIT_RUN_RECORD) == 0)
		return status;
	status = acquire_recording(instance, error);
	if (status != PLAIT_OK)
		plait__frame_unbind(&instance->frame);
	return status;
}

/* The run is over, or will not start. */
static void forget_outer_queue(plait__instance *instance)
{
	if (instance->holds_queue)
		plait__object_drop_deferred(&instance->outer_queue->object);
	instance->holds_queue = false;
	instance->outer_queue = NULL;
}

void plait__instance_undo_begin(plait__instance *instance)
{
	forget_outer_queue(instance);
	plait__frame_unbind(&instance->frame);
	plait__recorder_release(plait__program_recorder(instance->program),
				instance->recording);
	instance->recording = NULL;
}

void plait__instance_start_reached(plait__instance *instance)
{
	const plait__engine *engine = instance->program->engine;
	plait__context *context = instance->program->context;

	/* Counted before it is no longer expected. */
	plait__program_begin_in_pool(instance->program);
	if (!engine->needs_others)
		plait__program_unexpect(instance->program);
	/* The run may be over when this returns, and its program with it. */
	engine->start(instance, false);
	if (engine->needs_others)
		plait__progress_unexpect(context);
}

void plait__instance_start_deferred(plait__instance *instance,
				    const plait_error *lost)
{
	plait__context *context = instance->program->context;

	if (lost != NULL)
		plait__instance_stop(instance, lost);
	/* A caller has counted its run itself.  The run may be over when this
	 * returns. */
	if (at_load_relaxed_u32(&instance->called) == PLAIT__CALLER_NONE)
		plait__instance_start_reached(instance);
	else
		instance->program->engine->start(instance, false);
	/* Without workers only this wake-up brings a thread to the work. */
	plait__context_notify_waiters(context);
}

bool plait__instance_drive(plait__instance *instance)
{
	const plait__program *program = instance->program;

	if (program->engine->drive(instance))
		return true;
	for (uint32_t i = 0; plait__run_turns_is_deferred(instance) &&
	     i < program->instance_count; i++)
		if (program->engine->drive(&program->instances[i]))
			return true;
	return false;
}

/* ---- runs inside functions ---- */

/* Caller holds the lock of the outer run, or is the thread that calls the
 * plan. */
static void stop_inner(plait__instance *inner)
{
	plait_error why = { .size = sizeof(why) };

	plait__fail(&why, PLAIT_E_CANCELLED, "cancelled, as the run whose "
		    "function calls the plan was stopped");
	plait__instance_stop(inner, &why);
}

/* Only calls of inbox owners need the queue. */
static void note_outer_queue(const plait__instance *outer,
			     plait__instance *inner)
{
	const plait__section *section = outer->section;

	inner->outer_queue = section != NULL ? section->queue :
					       outer->outer_queue;
	inner->outer_sequence = section != NULL ? section->sequence :
						  outer->outer_sequence;
	inner->holds_queue = inner->outer_queue != NULL &&
			     inner->program->submits;
	if (inner->holds_queue)
		plait__object_hold(&inner->outer_queue->object);
}

void plait__run_instance_add_inner(plait__instance *outer,
				   plait__instance *inner)
{
	note_outer_queue(outer, inner);
	plait__mutex_lock(&outer->lock);
	inner->outer = outer;
	inner->next_inner = outer->first_inner;
	outer->first_inner = inner;
	plait__mutex_unlock(&outer->lock);
	/* A stop before the unlock did not see `inner`; one after it does. */
	if (at_load_acquire_u32(&outer->stop) != 0)
		stop_inner(inner);
}

void plait__run_instance_remove_inner(plait__instance *inner)
{
	plait__instance *outer = inner->outer;
	plait__instance **link;

	if (outer == NULL)
		return;
	plait__mutex_lock(&outer->lock);
	for (link = &outer->first_inner; *link != inner;)
		link = &(*link)->next_inner;
	*link = inner->next_inner;
	plait__mutex_unlock(&outer->lock);
	inner->outer = NULL;
}

/* The lock keeps the inner instances from being released meanwhile. */
static void stop_all_inner(plait__instance *instance)
{
	plait__mutex_lock(&instance->lock);
	for (plait__instance *at = instance->first_inner; at != NULL;
	     at = at->next_inner)
		stop_inner(at);
	plait__mutex_unlock(&instance->lock);
}

/* ---- failing ---- */

/* Locks go from outer runs to inner ones; the caller holds none of this run or
 * of an inner one. */
static void keep_failure(plait__instance *instance, uint32_t command,
			 const plait_error *failure)
{
	plait__mutex_lock(&instance->lock);
	if (!instance->failed) {
		instance->failed = true;
		instance->failed_command = command;
		instance->failure = *failure;
	}
	plait__mutex_unlock(&instance->lock);
	/* Release: a reader of `stop` may read nothing else but it. */
	at_store_release_u32(&instance->stop, 1);
	stop_all_inner(instance);
	if (instance->program->engine->cancel != NULL)
		instance->program->engine->cancel(instance);
}

void plait__instance_fail(plait__instance *instance, uint32_t command,
			  const plait_error *why)
{
	plait_error failure = { .size = sizeof(failure) };
	char room[PLAIT__COMMAND_TEXT_BYTES];

	plait__fail_origin(&failure, why->status, why->origin, "%s %s",
			   plait__command_text(instance->program->plan,
					       command, room), why->text);
	failure.detail = why->detail;
	keep_failure(instance, command, &failure);
}

const plait_error plait__instance_exited = {
	.size = sizeof(plait_error),
	.status = PLAIT_E_FAILED,
	.origin = -1,
	.text = "did not return but ended its thread (pthread_exit)"
};

void plait__instance_stop(plait__instance *instance, const plait_error *why)
{
	keep_failure(instance, PLAIT__NONE, why);
}

void plait__instance_abandon(plait__instance *instance, const plait_error *why)
{
	plait__context *context = instance->program->context;

	plait__object_hold(&instance->program->plan_object->object);
	plait__context_abandon(context, why);
	instance->abandoned_why = *why;
	/* Release: pairs with the load in instance_pool.c. */
	at_store_release_u32(&instance->abandoned, 1);
}

/* Other threads may query the progress of the run meanwhile. */
static void swap_recordings(plait__instance *instance)
{
	plait__recording *recording = instance->recording;
	plait__run *run = instance->run;

	if (run != NULL)
		plait__mutex_lock(&run->lock);
	instance->recording = instance->skipped_recording;
	instance->skipped_recording = recording;
	if (run != NULL)
		plait__mutex_unlock(&run->lock);
}

void plait__instance_skip(plait__instance *instance, plait_status status)
{
	plait_error why = { .size = sizeof(why) };

	plait__fail(&why, status, "not run: what its queue had before it "
		    "failed");
	instance->queue_failed = true;
	swap_recordings(instance);
	plait__skipped_calls_number(instance);
	plait__instance_stop(instance, &why);
}

/* ---- ending ---- */

static void fill_outcome(const plait__instance *instance,
			 plait__run_outcome *outcome)
{
	outcome->status = instance->failed ? instance->failure.status :
					     PLAIT_OK;
	outcome->failed_command = instance->failed_command;
	outcome->iterations = instance->iterations;
	outcome->device_regions = instance->device_regions;
	if (instance->failed)
		outcome->failure = instance->failure;
}

/* Another thread may be about to stop the run, which is too late then. */
static __attribute__((noinline)) void
fill_outcome_locked(plait__instance *instance)
{
	plait__mutex_lock(&instance->lock);
	fill_outcome(instance, &instance->outcome);
	plait__mutex_unlock(&instance->lock);
}

/* The calling thread itself completed the run: no other thread reads the
 * outcome, and none needs a wake-up.  Only an outer run may stop it. */
static void end_own_call(plait__instance *instance)
{
	if (instance->outer != NULL)
		fill_outcome_locked(instance);
	else
		fill_outcome(instance, &instance->outcome);
	at_store_relaxed_u32(&instance->called, PLAIT__CALLER_DONE);
}

/* The caller has ended in plait_plan_call, and the run is over, too. */
static void end_left_call(plait__instance *instance)
{
	plait__program *program = instance->program;
	plait__plan_object *plan_object = program->plan_object;
	const plait__run_outcome *outcome = &instance->outcome;

	if (instance->end != NULL)
		instance->end->notify(instance->end,
				      outcome->status != PLAIT_OK ?
					      &outcome->failure : NULL);
	plait__instance_release(instance);
	plait__program_end_in_pool(program);
	plait__object_drop_deferred(&plan_object->object);
}

/* Another thread waits in plait_plan_call, or has ended there. */
static __attribute__((noinline)) void end_call(plait__instance *instance)
{
	plait__context *context = instance->program->context;

	fill_outcome_locked(instance);
	plait__run_turns_give(instance);
	/* Acquire and release: the caller sees the outcome, and this thread
	 * sees whether the caller still exists. */
	if (at_exchange_u32(&instance->called, PLAIT__CALLER_DONE) ==
	    PLAIT__CALLER_EXITED)
		end_left_call(instance);
	plait__context_notify_waiters(context);
}

/* End the run object: it gets the outcome and the recording, and its listeners
 * are called without its lock.  Drops the instance's hold on the run. */
static void end_run(plait__run *run, plait__instance *instance)
{
	plait__listener *listeners;
	plait_status status;

	plait__mutex_lock(&run->lock);
	fill_outcome(instance, &run->outcome);
	run->recording = instance->recording;
	instance->recording = NULL;
	status = run->outcome.status;
	listeners = plait__listener_take_all(&run->listeners);
	/* Release: pairs with the loads in run.c. */
	at_store_release_u32(&run->outcome.done, 1);
	/* With the race check each wait has to say that it has seen the end. */
	if (status == PLAIT_OK && run->race_known == NULL)
		plait__handle_note_past(run->object.slot, run->object.context,
					PLAIT__RUN_END);
	plait__mutex_unlock(&run->lock);
	plait__listener_call_all(listeners, status);
	/* Calls no backend, even as the last hold: the instance keeps the plan.
	 * So the run object is reusable as soon as its instance is. */
	plait__object_drop(&run->object);
}

/* The queue goes on behind the run, failed if the run has failed.  The failure
 * does not change any more: the first one counts. */
static void leave_section(const plait__instance *instance)
{
	/* A queue that had failed before reports that failure. */
	bool fails = instance->failed && !instance->queue_failed;

	plait__section_leave(instance->section,
			     fails ? &instance->failure : NULL);
}

/* The recording of a run without a handle is released.  The run was
 * recorded. */
static void end_recording(plait__instance *instance)
{
	plait__recorder *recorder = plait__program_recorder(instance->program);

	plait__recorder_end(recorder, instance->recording);
	if (instance->run != NULL)
		return;
	plait__recorder_release(recorder, instance->recording);
	instance->recording = NULL;
}

/* End a run that was submitted to a queue.  The instance may serve another run
 * when this returns, and the plan may be gone. */
static __attribute__((noinline)) void end_on_queue(plait__instance *instance)
{
	plait__program *program = instance->program;
	plait__plan_object *plan_object = program->plan_object;
	plait__context *context = program->context;

	/* A thread that sees the end of the run finds its instance free: see
	 * is_one_ending in instance_pool.c.  Relaxed: published with the
	 * end. */
	if (at_load_relaxed_u32(&instance->abandoned) == 0)
		at_store_relaxed_u32(&instance->ending, 1);
	/* Before the next run in the queue takes its turn. */
	plait__run_turns_give(instance);
	if (instance->run != NULL)
		end_run(instance->run, instance);
	if (instance->section != NULL)
		leave_section(instance);
	if (instance->end != NULL)
		instance->end->notify(instance->end, instance->failed ?
					      &instance->failure : NULL);
	plait__program_end_in_pool(program);
	plait__instance_release(instance);
	plait__context_notify_waiters(context);
	plait__object_drop_deferred(&plan_object->object);
}

void plait__instance_complete(plait__instance *instance)
{
	if (instance->outer_queue != NULL)
		forget_outer_queue(instance);
	if (at_load_relaxed_u32(&instance->abandoned) == 0)
		plait__frame_unbind(&instance->frame);
	if (instance->queue_failed)
		swap_recordings(instance);
	if (instance->recording != NULL)
		end_recording(instance);
	if (at_load_relaxed_u32(&instance->called) == PLAIT__CALLER_NONE)
		end_on_queue(instance);
	else if (at_load_relaxed_u64(&instance->caller) ==
			 plait__thread_token() &&
		 at_load_relaxed_u32(&instance->called) == PLAIT__CALLER_WAITS)
		end_own_call(instance);
	else
		end_call(instance);
}

void plait__instance_caller_exited(void *arg)
{
	plait__instance *instance = arg;
	plait__program *program = instance->program;
	uint32_t waits = PLAIT__CALLER_WAITS;

	plait__run_instance_remove_inner(instance);
	plait__run_races_end_call(&instance->race_call);
	instance->race_call.races = NULL;
	/* The caller is about to leave the plan that it entered: the run holds
	 * the plan instead, until it is over. */
	plait__object_hold(&program->plan_object->object);
	if (at_cas_u32(&instance->called, &waits, PLAIT__CALLER_EXITED)) {
		/* The caller may have been the only thread to drive it. */
		plait__progress_wake(program->context);
		return;
	}
	end_left_call(instance);
}
