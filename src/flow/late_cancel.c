/* SPDX-License-Identifier: MIT */
/* Cancellation of late tasks; see late_cancel.h. */
#include "flow/late_cancel.h"

#include "base/error.h"

plait_status plait__late_cancel_begin(plait__late *late, plait_error *error)
{
	plait__flow *flow = late->flow;
	bool cancelled;

	plait__flow_lock(flow);
	/* Relaxed: written under the lock. */
	cancelled = at_load_relaxed_u64(&flow->lanes.cancelled) >= late->number;
	late->is_over = false;
	at_store_relaxed_u32(&late->stop, 0);
	if (!cancelled) {
		late->next_begun = flow->begun_late;
		flow->begun_late = late;
	}
	plait__flow_unlock(flow);
	return cancelled ? plait__fail(error, PLAIT_E_CANCELLED,
				       "was cancelled") : PLAIT_OK;
}

bool plait__late_cancel_end(plait__late *late)
{
	plait__flow *flow = late->flow;
	plait__late **link = &flow->begun_late;
	bool is_open;

	plait__flow_lock(flow);
	while (*link != late)
		link = &(*link)->next_begun;
	*link = late->next_begun;
	is_open = !late->is_over;
	plait__flow_unlock(flow);
	return is_open;
}

/* End the op; what it waited for may never come. */
static void cancel_wait(plait__late *late)
{
	plait__flow_lanes *lanes = &late->flow->lanes;

	if (late->is_over)
		return;
	late->is_over = true;
	(void)plait__outcomes_follow(
		&lanes->outcomes, at_load_relaxed_u64(&lanes->cancel_cause),
		late->number);
	plait__flow_lanes_complete(lanes, late->number);
	/* For the ops behind it. */
	plait__flow_lanes_stir(lanes);
}

static void cancel_call(plait__late *late)
{
	plait__call *call;

	/* A call that is made later finds it. */
	at_store_relaxed_u32(&late->stop, 1);
	plait__mutex_lock(&late->call_lock);
	call = late->call;
	plait__mutex_unlock(&late->call_lock);
	if (call != NULL)
		plait__call_retract(call);
}

void plait__late_cancel_all(plait__flow *flow)
{
	for (plait__late *at = flow->begun_late; at != NULL;
	     at = at->next_begun) {
		if (at->kind == PLAIT_TASK_WAIT)
			cancel_wait(at);
		else if (at->kind == PLAIT_TASK_CALL)
			cancel_call(at);
	}
}
