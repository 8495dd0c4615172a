/* SPDX-License-Identifier: MIT */
/* The newest task of each series; see flow_series.h. */
#include "flow/flow_series.h"

/* The entry of the handle, or null. */
static plait__flow_series *find(plait__flow *flow, const void *handle)
{
	for (uint32_t i = 0; i < flow->series.count; i++) {
		plait__flow_series *at = plait__vector_at(&flow->series, i);

		if (at->handle == handle)
			return at;
	}
	return NULL;
}

/* Returns true if the newest task of the series failed or was not run, and later
 * ones may wait for it.  Runs of plans are not waited for. */
static bool is_lost(plait__flow *flow, const plait__flow_series *at)
{
	return plait__outcomes_has(&flow->lanes.outcomes, at->last_use) &&
	       plait__handle_is_live(at->handle, PLAIT_OBJECT_SIGNAL);
}

/* An entry to be used again, or a new one; null without memory. */
static plait__flow_series *get_free(plait__flow *flow)
{
	for (uint32_t i = 0; i < flow->series.count; i++) {
		plait__flow_series *at = plait__vector_at(&flow->series, i);

		if (at->last_use <= plait__flow_settled(flow) &&
		    !is_lost(flow, at))
			return at;
	}
	return plait__vector_push(&flow->series, NULL, 1);
}

bool plait__flow_series_enter(plait__flow_task *task, const void *handle)
{
	plait__flow *flow = task->flow;
	plait__flow_series *at = find(flow, handle);

	if (at == NULL) {
		at = get_free(flow);
		if (at == NULL)
			return false;
		*at = (plait__flow_series){ .handle = handle };
	}
	task->series = at;
	task->behind = at->last_use;
	return true;
}

uint64_t plait__flow_series_pending(plait__flow *flow, const void *handle,
				    bool *out_lost)
{
	const plait__flow_series *at;

	*out_lost = false;
	plait__window_settle(&flow->window);
	at = find(flow, handle);
	if (at == NULL)
		return 0;
	if (at->last_use > plait__flow_settled(flow))
		return at->last_use;
	*out_lost = is_lost(flow, at);
	return *out_lost ? at->last_use : 0;
}

void plait__flow_series_keep(plait__flow *flow)
{
	for (uint32_t i = 0; i < flow->series.count; i++) {
		const plait__flow_series *at = plait__vector_at(&flow->series, i);

		if (plait__handle_is_live(at->handle, PLAIT_OBJECT_SIGNAL))
			plait__outcomes_keep(&flow->lanes.outcomes,
					     at->last_use);
	}
}
