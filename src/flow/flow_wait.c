/* SPDX-License-Identifier: MIT */
/* Waits for ops, and for room; see flow_wait.h. */
#include "flow/flow_wait.h"

#include "flow/awaited_run.h"
#include "flow/flow_devices.h"
#include "flow/flow_late.h"
#include "flow/flow_proof.h"
#include "flow/held_run.h"
#include "flow/late_run.h"
#include "flow/op_await.h"
#include "flow/own_tasks.h"
#include "flow/rank_stop.h"
#include "flow/repeat_phases.h"

#include "base/error.h"
#include "base/text.h"
#include "object/wait/suspension.h"
#include "object/wait/wait_loop.h"
#include "pool/pool_internal.h"
#include "run/run_await.h"
#include "sys/clock.h"

#include <stdio.h>

/* ---- the wait ---- */

struct wait {
	plait__flow *flow;
	uint64_t number;
	bool prefix;
	uint64_t awaited; /* not done, when it was looked at */
	bool announced;	  /* to the threads that may finish it */
	uint64_t seen;	  /* all ops up to this one are done */
	uint32_t looks;	  /* for a worker that was offered, in vain */
	uint64_t deadline_ns;
	uint64_t run; /* that the thread may call, or 0 */
	bool skips_inboxes;
	enum plait__backoff_policy backoff;
};

/* Looks before the thread takes a parked worker: longer than a worker that
 * spins on another processor needs to take a ready op. */
enum { PATIENCE = 16 };

/* Of a full window, for which a thread waits that gives way to others. */
enum { SHARE = 2 };

/* Of a wait that an event of the caller's would end at once. */
enum { EVENT_NS = 1000000 };

static uint64_t find_undone(struct wait *wait)
{
	return plait__op_await_find_undone(&wait->flow->window.ring,
					   wait->number, &wait->seen);
}

static bool is_ready(void *arg)
{
	struct wait *wait = arg;
	uint64_t next;

	while (plait__op_is_done(&wait->flow->window.ring, wait->awaited)) {
		next = wait->prefix ? find_undone(wait) : 0;
		if (next == 0)
			return true;
		wait->awaited = next;
		wait->announced = false;
	}
	return false;
}

/* The thread is about to sleep.  Costs a fence of all threads, which one that need
 * not is spared. */
static void announce(void *arg)
{
	struct wait *wait = arg;

	if (wait->flow->devices != NULL)
		plait__device_engine_look(&wait->flow->devices->engine);
	(void)plait__flow_lanes_await(&wait->flow->lanes, wait->awaited,
				      &wait->announced);
}

/* No worker was woken, since one spins: it may have no processor. */
static bool help_late(struct wait *wait)
{
	if (wait->looks < PATIENCE) {
		wait->looks++;
		return false;
	}
	return find_undone(wait) != 0 &&
	       plait__flow_lanes_help_parked(&wait->flow->lanes,
					     wait->seen + 1, wait->awaited);
}

static bool help(void *arg)
{
	struct wait *wait = arg;
	plait__flow_lanes *lanes = &wait->flow->lanes;

	/* A function of a task must not run others. */
	if (plait__callback_scope_is_active())
		return false;
	if (!plait__flow_lanes_help(lanes, wait->awaited)) {
		plait__late_run_help(wait->flow, wait->awaited, wait->prefix,
				     wait->deadline_ns);
		if (!help_late(wait))
			return false;
	}
	wait->looks = 0;
	return true;
}

/* Returns true if the wait is one for a task whose function the thread is
 * inside of. */
static bool is_blocked(void *arg)
{
	const struct wait *wait = arg;
	bool blocked;

	plait__flow_lock(wait->flow);
	blocked = plait__own_tasks_find_awaited(wait->flow, wait->number,
						wait->prefix) != 0;
	plait__flow_unlock(wait->flow);
	return blocked;
}

/* Names the task, and if it has begun the owner or the event that it waits for. */
static void describe(void *arg, char *out, uint32_t bytes)
{
	const struct wait *wait = arg;
	char name[PLAIT__OBJECT_NAME_BYTES];
	char why[PLAIT_ERROR_TEXT_BYTES];

	plait__late_describe(wait->flow, wait->awaited, why, sizeof(why));
	(void)snprintf(out, bytes, "task %llu of %s is not done%s",
		       (unsigned long long)wait->awaited,
		       plait__object_name(&wait->flow->object, name), why);
}

/* PLAIT_PENDING, if the caller can suspend: it leaves its scopes, and does. */
static plait_status wait_for(struct wait *wait, uint64_t timeout_ns,
			     bool can_suspend, plait_error *error)
{
	plait__wait_request request = {
		.context = wait->flow->object.context,
		.timeout_ns = timeout_ns, .ready = is_ready, .arg = wait,
		.help = help, .announce = announce,
		.serves = !wait->skips_inboxes, .backoff = wait->backoff,
		.describe = describe,
		.blocked = is_blocked, .blocked_arg = wait,
		.can_suspend = can_suspend,
	};
	plait_status status;

	wait->deadline_ns = plait__clock_deadline(timeout_ns);
	if (wait->number == 0 ||
	    (plait__op_is_done(&wait->flow->window.ring, wait->number) &&
	     (!wait->prefix || find_undone(wait) == 0)))
		return PLAIT_OK;
	status = plait__wait_run_seen(&request, error);
	return request.suspends ? PLAIT_PENDING : status;
}

plait_status plait__flow_wait_for(plait__flow *flow, uint64_t number,
				  uint64_t timeout_ns, plait_error *error)
{
	struct wait wait = { .flow = flow, .number = number,
			     .awaited = number };

	return wait_for(&wait, timeout_ns, false, error);
}

/* ---- deadlocks ---- */

static plait_status fail_mapping(const plait__data_mapping *mapping,
				 const char *what, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "%s is behind a mapping of %s by the caller; unmap "
			   "it first", what,
			   plait__object_name(&mapping->data->object, room));
}

plait_status plait__flow_wait_check(plait__flow *flow, uint64_t number,
				    bool prefix, plait_error *error)
{
	const uint64_t self = plait__suspension_owner();
	uint64_t own;

	for (const plait__data_mapping *at = flow->mappings; at != NULL;
	     at = at->next)
		if (at->owner == self &&
		    plait__own_tasks_awaits(flow, number, prefix, at->number))
			return fail_mapping(at, "what the call waits for",
					    error);
	own = plait__own_tasks_find_awaited(flow, number, prefix);
	return own == 0 ? PLAIT_OK : plait__own_tasks_fail(flow, own, error);
}

/* ---- room ---- */

/* The oldest op that is not done; 0: none.  Caller holds the lock. */
static uint64_t find_oldest(plait__flow *flow)
{
	plait__held_run_publish(flow);
	plait__window_settle(&flow->window);
	return flow->window.settled < flow->window.newest ?
		       flow->window.settled + 1 : 0;
}

/* Refuse a wait for an op that is a mapping by the caller.  Caller holds the lock. */
static plait_status check_oldest(const plait__flow *flow, uint64_t oldest,
				 plait_error *error)
{
	const uint64_t self = plait__suspension_owner();

	for (const plait__data_mapping *at = flow->mappings; at != NULL;
	     at = at->next)
		if (at->number == oldest && at->owner == self)
			return fail_mapping(at, "room for a task", error);
	return PLAIT_OK;
}

plait_status plait__flow_wait_for_room(plait__flow *flow, bool can_suspend,
				       plait_error *error)
{
	const bool own = plait__own_tasks_find(flow, UINT64_MAX) != 0;
	plait_status status;
	uint64_t oldest;

	if (can_suspend && plait__suspension_current() != NULL)
		return PLAIT_PENDING;
	if (plait__callback_scope_is_active() || own)
		return plait__fail(error, PLAIT_E_BUSY,
				   "no room for a task in the window of %llu, "
				   "and a function of a task must not wait; "
				   "give the flow a larger window, or submit "
				   "from a task behind it",
				   (unsigned long long)plait__window_size(
					   &flow->window));
	plait__flow_lock(flow);
	oldest = find_oldest(flow);
	status = check_oldest(flow, oldest, error);
	plait__flow_unlock(flow);
	return status != PLAIT_OK ? status :
	       plait__flow_wait_for(flow, oldest, PLAIT_FOREVER, error);
}

plait_status plait__flow_wait_for_more_room(plait__flow *flow,
					    plait_error *error)
{
	struct wait wait = { .flow = flow, .prefix = true,
			     .backoff = PLAIT__BACKOFF_SLEEP };
	uint64_t oldest, newest;
	bool is_free;

	plait__flow_lock(flow);
	oldest = find_oldest(flow);
	newest = flow->window.newest;
	/* The caller may have to end such an op. */
	is_free = flow->mappings == NULL &&
		  flow->newest_outside <= flow->window.settled;
	plait__flow_unlock(flow);
	if (!is_free || oldest == 0)
		return plait__flow_wait_for_room(flow, false, error);
	wait.number = oldest + plait__window_size(&flow->window) / SHARE;
	if (wait.number > newest)
		wait.number = newest;
	wait.awaited = wait.number;
	return wait_for(&wait, PLAIT_FOREVER, false, error);
}

void plait__flow_wait_past_event(plait__flow *flow)
{
	struct wait wait = { .flow = flow, .skips_inboxes = true };

	plait__flow_lock(flow);
	wait.number = wait.awaited = find_oldest(flow);
	plait__flow_unlock(flow);
	(void)wait_for(&wait, EVENT_NS, false, NULL);
}

plait_status plait__flow_wait_for_memory(plait__flow *flow, uint64_t number,
					 bool can_suspend, plait_error *error)
{
	const bool suspends = can_suspend && plait__suspension_current() != NULL;
	const bool own = plait__own_tasks_find(flow, UINT64_MAX) != 0;
	plait_status status;

	if (!suspends && (plait__callback_scope_is_active() || own))
		return plait__fail(error, PLAIT_E_BUSY,
				   "no room for a task in the memory of its "
				   "device, and a function of a task must not "
				   "wait");
	plait__flow_lock(flow);
	status = plait__flow_wait_check(flow, number, false, error);
	plait__flow_unlock(flow);
	if (status != PLAIT_OK)
		return status;
	return suspends ? PLAIT_PENDING :
	       plait__flow_wait_for(flow, number, PLAIT_FOREVER, error);
}

plait_status plait__flow_wait_suspend(plait__flow *flow, uint64_t number,
				      bool prefix, uint64_t timeout_ns,
				      plait_error *error)
{
	plait__own_await await = { .flow = flow, .number = number,
				   .prefix = prefix };
	plait_status status = plait__run_await_check(&flow->object, error);

	if (status != PLAIT_OK)
		return status;
	if (timeout_ns == PLAIT_FOREVER)
		status = plait__own_tasks_enter(&await, error);
	if (status == PLAIT_OK)
		status = plait__op_await_suspend(flow, number, prefix,
						 timeout_ns, error);
	plait__own_tasks_leave(&await);
	return status;
}

plait_status plait__flow_wait_for_room_suspended(plait__flow *flow,
						 uint64_t *seen,
						 plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint64_t oldest;
	bool is_other;

	plait__flow_lock(flow);
	oldest = find_oldest(flow);
	is_other = oldest != *seen;
	*seen = oldest;
	if (!is_other)
		status = check_oldest(flow, oldest, error);
	plait__flow_unlock(flow);
	return is_other || status != PLAIT_OK ? status :
	       plait__flow_wait_suspend(flow, oldest, false, PLAIT_FOREVER,
					error);
}

plait_status plait__flow_wait_retry(plait_flow *flow, uint64_t behind,
				    uint64_t *seen, plait_error *error)
{
	plait__flow *self;
	plait_status status = plait__flow_enter(flow, &self, error);

	if (status != PLAIT_OK)
		return status;
	plait__object_hold(&self->object);
	plait__object_leave(&self->object);
	status = behind == 0 ?
			 plait__flow_wait_for_room_suspended(self, seen, error) :
			 plait__flow_wait_suspend(self, behind, false,
						  PLAIT_FOREVER, error);
	plait__object_drop(&self->object);
	return status;
}

/* ---- entry points ---- */

plait_status plait__flow_wait_refuse(const plait__flow *flow, plait_task task,
				     plait_error *error)
{
	return plait__fail(error, PLAIT_E_INVALID,
			   "task %llu was not submitted; the newest is %llu. "
			   "The number of a captured task is that of its node: "
			   "wait for the run of its plan",
			   (unsigned long long)task,
			   (unsigned long long)flow->window.newest);
}

/* Begin a wait for `task`; 0 is for all ops.  Inlined, as tell_outcome: most waits
 * find their task done. */
static inline __attribute__((always_inline)) plait_status
resolve(plait__flow *flow, plait_task task, uint64_t timeout_ns,
	struct wait *out, plait_error *error)
{
	const bool all = task == 0;
	plait_status status = PLAIT_OK;
	uint64_t newest;

	plait__flow_lock(flow);
	plait__held_run_interrupt(flow);
	if (flow->proof != NULL)
		plait__flow_proof_run(flow, true);
	newest = flow->window.newest;
	/* A poll behind an event does not find the op that posted it. */
	if (all)
		task = timeout_ns == 0 && flow->notices_to == newest ?
			       flow->notices_after : newest;
	if (task > newest)
		status = plait__flow_wait_refuse(flow, task, error);
	else
		task = plait__held_run_find(flow, task);
	if (status == PLAIT_OK && timeout_ns != 0)
		status = plait__flow_wait_check(flow, task, all, error);
	/* The sweep begins behind what earlier ones have seen. */
	plait__window_settle(&flow->window);
	*out = (struct wait){ .flow = flow, .number = task, .prefix = all,
			      .awaited = task,
			      .seen = flow->window.settled };
	if (status == PLAIT_OK && timeout_ns == PLAIT_FOREVER)
		out->run = plait__awaited_run_take(flow, task, all);
	plait__flow_unlock(flow);
	return status;
}

/* The wait has ended with this status; its outcome. */
static inline __attribute__((always_inline)) plait_status
outcome_of(const struct wait *wait, plait_status status, plait_error *error)
{
	plait__flow *flow = wait->flow;
	plait__outcomes *outcomes = &flow->lanes.outcomes;

	if (status == PLAIT_OK)
		status = wait->prefix ? plait__outcomes_tell_first(outcomes,
								   error) :
			 plait__outcomes_tell(outcomes, wait->number, error);
	if (!wait->prefix && flow->proof == NULL && flow->phases == NULL)
		return status;
	plait__flow_lock(flow);
	if (status == PLAIT_OK)
		plait__repeat_phases_wait(flow, wait->number);
	if (wait->prefix)
		plait__flow_reap(flow);
	if (status == PLAIT_OK && wait->prefix && flow->ranks != NULL)
		status = plait__rank_stop_tell_once(flow->ranks, error);
	if (status == PLAIT_OK && flow->proof != NULL)
		status = plait__flow_proof_tell(flow, error);
	plait__flow_unlock(flow);
	return status;
}

static inline __attribute__((always_inline)) plait_status
tell_outcome(const struct wait *wait, plait_status status, plait_error *error)
{
	status = outcome_of(wait, status, error);
	if (status < 0 && status != PLAIT_E_TIMEOUT &&
	    wait->flow->ranks != NULL)
		plait__rank_stop_note(wait->flow->ranks, status);
	return status;
}

PLAIT_API plait_status plait_flow_wait(plait_flow *flow, plait_task task,
				       uint64_t timeout_ns, plait_error *error)
{
	plait__flow *self;
	plait_status status = plait__flow_enter(flow, &self, error);
	struct wait wait;

	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	status = resolve(self, task, timeout_ns, &wait, error);
	if (status == PLAIT_OK && wait.run != 0)
		plait__awaited_run_call(self, wait.run);
	if (status == PLAIT_OK)
		status = wait_for(&wait, timeout_ns, true, error);
	if (status != PLAIT_PENDING)
		status = tell_outcome(&wait, status, error);
	plait__thread_scope_end(&inside);
	plait__object_leave(&self->object);
	return status != PLAIT_PENDING ? status :
	       plait_await_task(flow, task, timeout_ns, error);
}

/* Hold the flow, and find the op. */
static plait_status begin_await(plait_flow *flow, plait_task task,
				uint64_t timeout_ns, struct wait *out,
				plait_error *error)
{
	plait__flow *self;
	plait_status status = plait__flow_enter(flow, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__run_await_check(&self->object, error);
	if (status == PLAIT_OK)
		status = resolve(self, task, timeout_ns, out, error);
	if (status == PLAIT_OK)
		plait__object_hold(&self->object);
	plait__object_leave(&self->object);
	return status;
}

/* Of a flow without a failure: note the ops that were done when the await
 * began. */
static void note_past(const struct wait *wait)
{
	if (plait__outcomes_are_clean(&wait->flow->lanes.outcomes) &&
	    wait->flow->proof == NULL)
		plait__handle_note_past(wait->flow->object.slot,
					wait->flow->object.context,
					wait->seen);
}

static __attribute__((noinline)) plait_status
await_task(plait_flow *flow, plait_task task, uint64_t timeout_ns,
	   plait_error *error)
{
	struct wait wait;
	plait_status status = begin_await(flow, task, timeout_ns, &wait, error);

	if (status != PLAIT_OK)
		return status;
	note_past(&wait);
	status = plait__flow_wait_suspend(wait.flow, wait.number, wait.prefix,
					  timeout_ns, error);
	status = tell_outcome(&wait, status, error);
	plait__object_drop(&wait.flow->object);
	return status;
}

PLAIT_API plait_status plait_await_task(plait_flow *flow, plait_task task,
					uint64_t timeout_ns, plait_error *error)
{
	return task != 0 && plait__run_await_is_past(flow, PLAIT_OBJECT_FLOW,
						     task) ?
		       PLAIT_OK : await_task(flow, task, timeout_ns, error);
}
