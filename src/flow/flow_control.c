/* SPDX-License-Identifier: MIT */
/* Notification, cancellation and properties of a flow. */
#include "flow/commit.h"
#include "flow/flow_repeats.h"
#include "flow/flow_wait.h"
#include "flow/held_run.h"
#include "flow/late_cancel.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "object/inbox/inbox.h"

/* ---- notification ---- */

/* In the cells of an op. */
struct notice {
	plait__flow *flow;
	plait__inbox_event *event;
	uint64_t task; /* 0: all */
};

enum { NOTICE_CELLS = sizeof(struct notice) / 8 };

/* A plait__op_begin: post the event of the task before.  The op has no true
 * predecessor, so it is always run. */
static plait_status post(void *user_data, uint64_t number, plait_error *error)
{
	const struct notice *notice = user_data;
	plait__inbox_event *event = notice->event;
	plait_error why = { .size = sizeof(why) };
	plait_status status = PLAIT_OK;

	(void)number;
	(void)error;
	if (notice->task != 0)
		status = plait__outcomes_peek(&notice->flow->lanes.outcomes,
					      notice->task, &why);
	plait__mutex_lock(&event->inbox->lock);
	event->event.origin = why.origin;
	event->event.detail = why.detail;
	plait__mutex_unlock(&event->inbox->lock);
	plait__inbox_event_post(event, status);
	return PLAIT_OK;
}

/* The newest ops, behind op `before`, are a notification. */
static void note_notice(plait__flow *flow, uint64_t before)
{
	if (flow->notices_to != before)
		flow->notices_after = before;
	flow->notices_to = flow->window.newest;
}

/* Caller holds the lock.  PLAIT_PENDING: no room. */
static plait_status commit_notice(plait__flow *flow, plait_task task,
				  plait__inbox_event *event, plait_error *error)
{
	plait__flow_task op = { .flow = flow, .kind = PLAIT__OP_ASYNC,
				.is_always = true, .is_prefix = task == 0,
				.cells = NOTICE_CELLS };
	struct notice *notice;
	plait_status status;
	uint64_t before;

	plait__held_run_interrupt(flow);
	before = flow->window.newest;
	if (task > before)
		return plait__flow_wait_refuse(flow, task, error);
	task = plait__held_run_find(flow, task);
	op.behind = task;
	if (!plait__window_has_room(&flow->window, 2, NOTICE_CELLS))
		return PLAIT_PENDING;
	notice = (struct notice *)(void *)plait__window_take_cells(
		&flow->window, NOTICE_CELLS);
	*notice = (struct notice){ flow, event, task };
	op.filled.call.begin = post;
	op.filled.user_data = notice;
	status = plait__commit_task(&op, error);
	if (status == PLAIT_OK)
		note_notice(flow, before);
	return status;
}

/* Promise an event and commit the op that posts it; waits for room. */
static plait_status notify(plait__flow *flow, plait_task task,
			   plait__inbox *inbox, const plait_event *event,
			   plait_error *error)
{
	plait__inbox_event *promised;
	plait_status status = plait__context_check_same(
		&flow->object, &inbox->object, error);

	if (status == PLAIT_OK)
		status = plait__inbox_event_create(inbox, event, &promised,
						   error);
	if (status != PLAIT_OK)
		return status;
	do {
		plait__flow_lock(flow);
		status = commit_notice(flow, task, promised, error);
		plait__flow_unlock(flow);
		if (status != PLAIT_PENDING)
			break;
		status = plait__flow_wait_for_room(flow, false, error);
	} while (status == PLAIT_OK);
	if (status != PLAIT_OK)
		plait__inbox_event_cancel(promised);
	return status;
}

PLAIT_API plait_status plait_flow_notify(plait_flow *flow, plait_task task,
					 plait_inbox *inbox,
					 plait_host_function function,
					 void *user_data, plait_error *error)
{
	const plait_event event = { .kind = PLAIT_EVENT_TASK,
				    .sequence = task,
				    .function = function,
				    .user_data = user_data };
	plait__inbox *where;
	plait__flow *self;
	plait_status status = plait__flow_enter(flow, &self, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__inbox_enter(inbox, &where, error);
	if (status == PLAIT_OK) {
		status = notify(self, task, where, &event, error);
		plait__object_leave(&where->object);
	}
	plait__object_leave(&self->object);
	return status;
}

/* ---- cancellation ---- */

/* Numbers of cancellations are above those of ops. */
static plait_status cancel(plait__flow *flow, plait_error *error)
{
	plait__flow_lanes *lanes = &flow->lanes;
	uint64_t number = ~(uint64_t)0 - flow->window.newest;

	if (at_load_relaxed_u64(&lanes->cancelled) == flow->window.newest)
		return PLAIT_OK;
	if (!plait__outcomes_cancel(&lanes->outcomes, number))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to cancel tasks");
	plait__flow_lanes_cancel(lanes, flow->window.newest, number);
	plait__late_cancel_all(flow);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_flow_cancel(plait_flow *flow, plait_error *error)
{
	plait__flow *self;
	plait_status status = plait__flow_enter(flow, &self, error);

	if (status != PLAIT_OK)
		return status;
	plait__flow_lock(self);
	plait__held_run_interrupt(self);
	status = cancel(self, error);
	plait__flow_unlock(self);
	plait__object_leave(&self->object);
	return status;
}

/* ---- properties ---- */

static void fill_info(plait__flow *flow, plait_flow_info *out)
{
	const plait__window *window = &flow->window;
	uint64_t size = plait__window_size(window);

	plait__window_settle(&flow->window);
	*out = (plait_flow_info){
		.size = sizeof(*out),
		.window = (uint32_t)size,
		.lanes = flow->lanes.count,
		.newest = window->newest,
		.settled = window->settled,
		.failed = at_load_relaxed_u64(&flow->lanes.outcomes.count),
		.data_bytes = flow->data_bytes,
		.flow_bytes = sizeof(*flow) + size * sizeof(plait__op) +
			      (window->cell_mask + 1) * sizeof(uint64_t) +
			      (flow->lanes.count + 2) * size *
				      sizeof(uint32_t) +
			      flow->lanes.outcomes.capacity *
				      sizeof(plait__outcome) +
			      2 * size,
		.flags = (flow->record != NULL ? PLAIT_FLOW_RECORD : 0) |
			 (flow->is_strict ? PLAIT_FLOW_STRICT : 0) |
			 (flow->proof != NULL ? PLAIT_FLOW_CHECK : 0) |
			 (flow->is_fixed ? PLAIT_FLOW_FIXED : 0) |
			 (flow->repeats != NULL ? PLAIT_FLOW_REPEATS : 0),
		.warnings = flow->record != NULL ?
				    flow->record->warnings.count +
					    flow->record->traffic.count : 0,
		.repeated = plait__flow_repeats_tasks(flow),
	};
	for (const plait__data *at = flow->data; at != NULL; at = at->next)
		out->pieces += at->whole == at ? at->map.pieces : 0;
}

PLAIT_API plait_status plait_flow_query(plait_flow *flow,
					plait_flow_info *info,
					plait_error *error)
{
	plait_flow_info ours;
	plait__flow *self;
	plait_status status = plait__flow_enter(flow, &self, error);

	if (status != PLAIT_OK)
		return status;
	plait__flow_lock(self);
	plait__held_run_interrupt(self);
	fill_info(self, &ours);
	plait__flow_unlock(self);
	status = PLAIT__STRUCT_WRITE(plait_flow_info, info, &ours, error);
	plait__object_leave(&self->object);
	return status;
}
