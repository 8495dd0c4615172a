/* SPDX-License-Identifier: MIT */
/*
 * Series of a flow: the runs of one plan, or the emissions of one signal.  Tasks of a
 * series come one after another, also if they access nothing.
 */
#ifndef PLAIT_SRC_FLOW_FLOW_SERIES_H
#define PLAIT_SRC_FLOW_FLOW_SERIES_H

#include "flow/flow_object.h"

/* Put the task behind the newest one of the handle's series.  Returns false without
 * memory.  Caller holds the lock. */
bool plait__flow_series_enter(plait__flow_task *task, const void *handle);

/* The newest task of the signal's series, if it may be not done, or is known to have
 * failed or not to be run: then *out_lost is true; 0: none.  Caller holds the lock. */
uint64_t plait__flow_series_pending(plait__flow *flow, const void *handle,
				    bool *out_lost);

/* Keep the outcomes of the newest tasks; of plait__flow_keep_writers. */
void plait__flow_series_keep(plait__flow *flow);

#endif
