/* SPDX-License-Identifier: MIT */
/* Waits for ops, and for room; see flow_wait.h. */
#include "flow/flow_wait.h"

#include "flow/flow_late.h"

#include "base/error.h"
#include "base/text.h"
#include "object/wait/wait_loop.h"
#include "pool/pool_internal.h"

/* ---- the wait ---- */

struct wait {
	plait__flow *flow;
	uint64_t number;
	bool prefix;
	uint64_t awaited; /* not done, when it was looked at */
	bool announced;	  /* to the threads that may finish it */
	uint64_t seen;	  /* all ops up to this one are done */
};

/* With `prefix`: the newest op that is not done, 0 if all are.  The newest, so
 * that a sleeping thread is woken seldom. */
static uint64_t newest_undone(struct wait *wait)
{
	const plait__op_ring *ring = &wait->flow->window.ring;
	uint64_t size = ring->mask + 1, at;

	if (wait->number > size && wait->seen < wait->number - size)
		wait->seen = wait->number - size;
	while (wait->seen < wait->number &&
	       plait__op_is_done(ring, wait->seen + 1))
		wait->seen++;
	for (at = wait->number; at > wait->seen; at--)
		if (!plait__op_is_done(ring, at))
			return at;
	return 0;
}

static bool is_ready(void *arg)
{
	struct wait *wait = arg;
	uint64_t next;

	while (plait__op_is_done(&wait->flow->window.ring, wait->awaited)) {
		next = wait->prefix ? newest_undone(wait) : 0;
		if (next == 0)
			return true;
		wait->awaited = next;
		wait->announced = false;
	}
	return false;
}

/* Costs a fence of all threads, which a thread that need not sleep is spared. */
static void announce(void *arg)
{
	struct wait *wait = arg;

	(void)plait__flow_lanes_await(&wait->flow->lanes, wait->awaited,
				      &wait->announced);
}

static bool help(void *arg)
{
	struct wait *wait = arg;

	/* A function of a task must not run others. */
	return !plait__callback_scope_is_active() &&
	       plait__flow_lanes_help(&wait->flow->lanes, wait->awaited);
}

static plait_status run_wait(struct wait *wait, uint64_t timeout_ns,
			     plait_error *error)
{
	plait__wait_request request = {
		.context = wait->flow->object.context,
		.timeout_ns = timeout_ns, .ready = is_ready, .arg = wait,
		.help = help, .announce = announce, .serves = true,
	};

	if (wait->number == 0 ||
	    (plait__op_is_done(&wait->flow->window.ring, wait->number) &&
	     (!wait->prefix || newest_undone(wait) == 0)))
		return PLAIT_OK;
	return plait__wait_run(&request, error);
}

plait_status plait__flow_wait_for(plait__flow *flow, uint64_t number,
				  uint64_t timeout_ns, plait_error *error)
{
	struct wait wait = { .flow = flow, .number = number,
			     .awaited = number };

	return run_wait(&wait, timeout_ns, error);
}

/* ---- deadlocks ---- */

static bool is_behind_one(const plait__flow *flow, uint64_t number,
			  uint64_t first)
{
	const plait__op *op = plait__op_at(&flow->window.ring, number);
	uint64_t meta = at_load_relaxed_u64(&op->meta);

	if ((meta & PLAIT__OP_PREFIX) != 0)
		return true;
	for (uint32_t i = 0; i < plait__op_pred_count(meta); i++) {
		uint64_t pred = plait__op_pred(op, number, i);

		if (pred >= first &&
		    (flow->behind[pred & flow->window.ring.mask]))
			return true;
	}
	return false;
}

/* Returns true if op `number` is `first` or behind it: a sweep over the ops
 * between, none of which is reused while `first` is not done. */
static bool is_behind(plait__flow *flow, uint64_t number, uint64_t first)
{
	uint64_t mask = flow->window.ring.mask;

	flow->behind[first & mask] = 1;
	for (uint64_t i = first + 1; i <= number; i++)
		flow->behind[i & mask] = is_behind_one(flow, i, first);
	return flow->behind[number & mask] != 0;
}

/* Returns true if a wait for op `number` is one for op `own`, too. */
static bool awaits(plait__flow *flow, uint64_t number, bool prefix,
		   uint64_t own)
{
	return own <= number &&
	       !plait__op_is_done(&flow->window.ring, own) &&
	       (prefix || is_behind(flow, number, own));
}

static plait_status fail_mapping(const plait__data_mapping *mapping,
				 const char *what, plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];

	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "%s is behind a mapping of %s by this thread; unmap "
			   "it first", what,
			   plait__object_name(&mapping->data->object, room));
}

/* The task whose function waits; 0: none that op `number` is behind. */
static uint64_t find_task(plait__flow *flow, uint64_t number, bool prefix)
{
	uint64_t own = plait__late_find_own(flow, UINT64_MAX);

	while (own != 0 && !awaits(flow, number, prefix, own))
		own = plait__late_find_own(flow, own);
	return own;
}

static plait_status fail_task(plait__flow *flow, uint64_t own,
			      plait_error *error)
{
	const char *label = plait__op_at(&flow->window.ring, own)->label;

	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "the caller is a function of a task that has to end "
			   "first: task %llu%s%.*s%s", (unsigned long long)own,
			   label != NULL ? " \"" : "",
			   PLAIT__TEXT_FIT(label != NULL ? label : "", 60),
			   label != NULL ? "\"" : "");
}

plait_status plait__flow_wait_check(plait__flow *flow, uint64_t number,
				    bool prefix, plait_error *error)
{
	const uint64_t self = plait__thread_token();
	uint64_t own;

	for (const plait__data_mapping *at = flow->mappings; at != NULL;
	     at = at->next)
		if (at->thread == self &&
		    awaits(flow, number, prefix, at->number))
			return fail_mapping(at, "what the call waits for",
					    error);
	own = find_task(flow, number, prefix);
	return own == 0 ? PLAIT_OK : fail_task(flow, own, error);
}

/* ---- room ---- */

plait_status plait__flow_wait_for_room(plait__flow *flow, plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint64_t oldest;

	if (plait__callback_scope_is_active() ||
	    plait__late_find_own(flow, UINT64_MAX) != 0)
		return plait__fail(error, PLAIT_E_BUSY,
				   "no room for a task in the window of %llu, "
				   "and a function of a task must not wait",
				   (unsigned long long)plait__window_size(
					   &flow->window));
	plait__flow_lock(flow);
	plait__window_settle(&flow->window);
	oldest = flow->window.settled + 1;
	if (oldest > flow->window.newest)
		oldest = 0;
	for (const plait__data_mapping *at = flow->mappings; at != NULL;
	     at = at->next)
		if (at->number == oldest &&
		    at->thread == plait__thread_token())
			status = fail_mapping(at, "room for a task", error);
	plait__flow_unlock(flow);
	return status != PLAIT_OK ? status :
	       plait__flow_wait_for(flow, oldest, PLAIT_FOREVER, error);
}

/* ---- entry points ---- */

PLAIT_API plait_status plait_flow_wait(plait_flow *flow, plait_task task,
				       uint64_t timeout_ns, plait_error *error)
{
	plait__flow *self;
	plait_status status = plait__flow_enter(flow, &self, error);
	bool all = task == 0;
	struct wait wait = { .prefix = all };
	uint64_t newest;

	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	plait__flow_lock(self);
	newest = self->window.newest;
	if (all)
		task = newest;
	if (task > newest)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "task %llu was not submitted; the newest "
				     "is %llu", (unsigned long long)task,
				     (unsigned long long)newest);
	else if (timeout_ns != 0)
		status = plait__flow_wait_check(self, task, all, error);
	wait.flow = self;
	wait.number = wait.awaited = task;
	/* The sweep begins behind what earlier ones have seen. */
	plait__window_settle(&self->window);
	wait.seen = self->window.settled;
	plait__flow_unlock(self);
	if (status == PLAIT_OK)
		status = run_wait(&wait, timeout_ns, error);
	if (status == PLAIT_OK)
		status = all ? plait__outcomes_tell_first(
				       &self->lanes.outcomes, error) :
			       plait__outcomes_tell(&self->lanes.outcomes, task,
						    error);
	if (all) {
		plait__flow_lock(self);
		plait__flow_reap(self);
		plait__flow_unlock(self);
	}
	plait__thread_scope_end(&inside);
	plait__object_leave(&self->object);
	return status;
}
