/* SPDX-License-Identifier: MIT */
/* Runs of plans that late tasks start; see late_run.h. */
#include "flow/late_run.h"

#include "flow/flow.h"
#include "flow/lanes/flow_worker.h"
#include "flow/short_run.h"

#include "base/error.h"
#include "graph/plan/plan_object.h"
#include "object/queue/idle_section.h"
#include "run/api/start.h"

/* A plait__run_end.notify. */
static void on_end(plait__run_end *end, const plait_error *failure)
{
	plait__late *late = PLAIT__LISTENER_OWNER(end, plait__late, run_end);
	plait__flow *flow = late->flow;

	if (failure != NULL)
		late->failure = *failure;
	/* Relaxed: a hint. */
	(void)at_sub_u32(&flow->shared_runs, 1);
	plait__flow_lanes_arrive(&flow->lanes, &late->arrival);
	plait__object_drop_deferred(&flow->object);
}

plait_status plait__late_run_start(plait__late *late, plait_error *error)
{
	plait__flow *flow = late->flow;
	plait__context *context = flow->object.context;
	plait__object *plan = late->needs;
	plait_error why = { .size = sizeof(why) };
	plait_status status;

	late->run_end.notify = on_end;
	late->failure.status = PLAIT_OK;
	/* Until the end of the run; the plan also until the call returns. */
	plait__object_hold(&flow->object);
	plait__object_hold(plan);
	(void)at_add_u32(&flow->shared_runs, 1);
	status = plait__start_held(
		(plait__plan_object *)plan,
		plait__object_handle(&late->queue->object), late->run,
		&late->run_end, &why);
	plait__object_drop_deferred(plan);
	/* A thread that waits for the run may sleep by now. */
	if (status == PLAIT_OK)
		plait__context_notify_waiters(context);
	if (status == PLAIT_OK)
		return PLAIT_PENDING;
	(void)at_sub_u32(&flow->shared_runs, 1);
	plait__object_drop(&flow->object);
	return plait__fail(error, status, "failed: %s", why.text);
}

/* ---- calls ---- */

/* A plait__run_end.notify: the calling thread has ended, and now the run has.  The
 * flow lives until the op ends. */
static void on_left_end(plait__run_end *end, const plait_error *failure)
{
	plait__late *late = PLAIT__LISTENER_OWNER(end, plait__late, run_end);
	plait__flow *flow = late->flow;

	plait__object_hold(&flow->object);
	late->failure.status = PLAIT_OK;
	if (failure != NULL)
		late->failure = *failure;
	late->is_left = true;
	plait__flow_lanes_arrive(&flow->lanes, &late->arrival);
	plait__object_drop_deferred(&flow->object);
}

/* The thread ends in a function of the run, of which other threads may execute functions
 * still: the op ends with the run.  The record may be gone. */
static void leave_run(void *late)
{
	(void)late;
	plait__flow_worker_keep_op();
}

plait_status plait__late_run_call(plait__late *late, plait_error *error)
{
	plait_status status;
	PLAIT__THREAD_SCOPE inside = { leave_run, late };

	late->run_end.notify = on_left_end;
	status = plait__short_run_call(late->again, &late->run_end, error);
	plait__thread_scope_end(&inside);
	return status;
}

/* ---- help ---- */

/* Hold the queue of a run; or null. */
static plait__queue *hold_queue(plait__flow *flow, uint64_t number, bool prefix)
{
	plait__queue *queue = NULL;

	plait__flow_lock(flow);
	for (const plait__late *at = flow->begun_late; at != NULL;
	     at = at->next_begun)
		if (at->kind == PLAIT_TASK_PLAN &&
		    (at->number == number || (prefix && at->number < number)))
			queue = at->queue;
	if (queue != NULL)
		plait__object_hold(&queue->object);
	plait__flow_unlock(flow);
	return queue;
}

/* Also runs when the thread ends in a function of the run. */
static void drop_queue(void *queue)
{
	plait__object_drop(&((plait__queue *)queue)->object);
}

void plait__late_run_help(plait__flow *flow, uint64_t number, bool prefix,
			  uint64_t deadline_ns)
{
	plait__queue *queue = NULL;

	/* Relaxed: a hint; the lock orders the rest. */
	if (at_load_relaxed_u32(&flow->shared_runs) != 0)
		queue = hold_queue(flow, number, prefix);
	if (queue == NULL)
		return;
	PLAIT__THREAD_SCOPE helps = { drop_queue, queue };
	plait__idle_section_help(queue, deadline_ns);
	plait__thread_scope_end(&helps);
	drop_queue(queue);
}
