/* SPDX-License-Identifier: MIT */
/* Repetitions that the program names: captured, then kept by the flow. */
#include "plait/repeat.h"

#include "flow/flow_capture.h"
#include "flow/repetition_plan.h"
#include "flow/submit.h"

#include "base/error.h"
#include "graph/build/graph.h"

/* ---- the calls ---- */

static plait_status begin(plait__flow *flow, uint64_t key, plait_error *error)
{
	plait__graph *made;
	plait_graph *graph;
	plait_status status = plait__graph_make(flow->object.context, &made,
						error);

	if (status != PLAIT_OK)
		return status;
	graph = plait__object_handle(&made->object);
	plait__flow_lock(flow);
	status = plait__flow_capture_begin(flow, graph, key, error);
	plait__flow_unlock(flow);
	if (status != PLAIT_OK)
		plait_graph_release(graph);
	return status;
}

static plait_status check(const plait__flow_capture *capture,
			  plait_error *error)
{
	if (capture->was_refused)
		return plait__fail(error, PLAIT_E_STATE,
				   "a task of the repetition was refused");
	return plait__flow_capture_check(capture, error);
}

/* Take the capture of a repetition away from the flow. */
static plait_status take_capture(plait__flow *flow, plait__flow_capture **out,
				 plait_error *error)
{
	plait_status status;

	plait__flow_lock(flow);
	if (flow->capture == NULL || flow->capture->key == 0)
		status = plait__fail(error, PLAIT_E_STATE,
				     "no repetition has begun");
	else
		status = plait__flow_capture_end(flow, out, error);
	plait__flow_unlock(flow);
	return status;
}

static plait_status end(plait__flow *flow, plait_task *out, plait_error *error)
{
	plait__flow_capture *capture = NULL;
	plait__repetition *again = NULL;
	plait_status status = take_capture(flow, &capture, error);

	if (status == PLAIT_OK)
		status = check(capture, error);
	if (status == PLAIT_OK)
		status = plait__repetition_plan_make(flow, capture, &again,
						     error);
	plait__flow_capture_free(capture);
	if (status != PLAIT_OK)
		return status;
	plait__flow_lock(flow);
	plait__repetitions_add(flow, again);
	plait__flow_unlock(flow);
	return plait__submit_repetition(flow, again, out, error);
}

static plait_status repeat(plait__flow *flow, uint64_t key, plait_task *out,
			   plait_error *error)
{
	plait__repetition *known;

	if (key == 0)
		return end(flow, out, error);
	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	plait__flow_lock(flow);
	known = plait__repetitions_find(flow, key);
	plait__flow_unlock(flow);
	if (known == NULL)
		return begin(flow, key, error);
	return plait__submit_repetition(flow, known, out, error);
}

PLAIT_API plait_status plait_flow_repeat(plait_flow *flow, uint64_t key,
					 plait_task *out, plait_error *error)
{
	plait__flow *self;
	plait_status status;

	if (out != NULL)
		*out = 0;
	status = plait__flow_enter(flow, &self, error);
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &self->object };
	status = repeat(self, key, out, error);
	plait__thread_scope_end(&inside);
	plait__object_leave(&self->object);
	return status;
}
