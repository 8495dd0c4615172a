/* SPDX-License-Identifier: MIT */
/* Ops that end when something outside of the flow happens: waits for signals,
 * calls in inboxes, and mappings.  A wait for an op behind one of them may last for
 * ever. */
#ifndef PLAIT_SRC_FLOW_OUTSIDE_TASKS_H
#define PLAIT_SRC_FLOW_OUTSIDE_TASKS_H

#include "flow/flow.h"

/* Returns true if op `number` is one of them that is not done, or behind one.
 * Caller holds the lock. */
bool plait__outside_tasks_await(plait__flow *flow, uint64_t number);

#endif
