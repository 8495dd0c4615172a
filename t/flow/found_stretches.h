/* SPDX-License-Identifier: MIT */
/* Stretches of counted tasks, and the flow that finds them, from inside. */
#ifndef T_FLOW_FOUND_STRETCHES_H
#define T_FLOW_FOUND_STRETCHES_H

#include "flow/flow.h"
#include "flow/repeats_state.h"

#include "counted_stretches.h"

/* Stretches, each with all its tasks, until the next one is a run. */
enum { KNOWN = 6 };

static inline plait__flow *flow_object(void)
{
	return plait__handle_peek(flow, PLAIT_OBJECT_FLOW);
}

static inline uint32_t count_stretches(void)
{
	uint32_t count;

	plait__flow_lock(flow_object());
	count = flow_object()->repeats->count;
	plait__flow_unlock(flow_object());
	return count;
}

#endif
