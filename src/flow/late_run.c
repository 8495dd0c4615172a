/* SPDX-License-Identifier: MIT */
/* Runs of plans that late tasks start; see late_run.h. */
#include "flow/late_run.h"

#include "base/error.h"
#include "graph/plan/plan_object.h"
#include "run/api/start.h"

/* A plait__run_end.notify. */
static void on_end(plait__run_end *end, const plait_error *failure)
{
	plait__late *late = PLAIT__LISTENER_OWNER(end, plait__late, run_end);
	plait__flow *flow = late->flow;

	if (failure != NULL)
		late->failure = *failure;
	plait__flow_lanes_arrive(&flow->lanes, &late->arrival);
	plait__object_drop_deferred(&flow->object);
}

plait_status plait__late_run_start(plait__late *late, plait_error *error)
{
	plait__flow *flow = late->flow;
	plait__object *plan = late->needs;
	plait_error why = { .size = sizeof(why) };
	plait_status status;

	late->run_end.notify = on_end;
	late->failure.status = PLAIT_OK;
	/* Until the end of the run; the plan also until the call returns. */
	plait__object_hold(&flow->object);
	plait__object_hold(plan);
	status = plait__start_held(
		(plait__plan_object *)plan,
		plait__object_handle(&late->queue->object), late->run,
		&late->run_end, &why);
	plait__object_drop_deferred(plan);
	if (status == PLAIT_OK)
		return PLAIT_PENDING;
	plait__object_drop(&flow->object);
	return plait__fail(error, status, "failed: %s", why.text);
}
