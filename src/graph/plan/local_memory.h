/* SPDX-License-Identifier: MIT */
/* Local memory of a plan's launches against the limits of their devices. */
#ifndef PLAIT_SRC_GRAPH_PLAN_LOCAL_MEMORY_H
#define PLAIT_SRC_GRAPH_PLAN_LOCAL_MEMORY_H

#include "graph/plan/plan_object.h"

/* Returns true for a launch with local parameters whose kernel and device are
 * bound. */
bool plait__local_memory_is_used(const plait__plan_object *plan_object,
				 uint32_t command);

/* Check such a launch, with the values in `blob`.  PLAIT_E_INVALID,
 * PLAIT_E_UNSUPPORTED; the text names node and argument. */
plait_status plait__local_memory_check_launch(
	const plait__plan_object *plan_object, uint32_t command,
	const uint8_t *blob, plait_error *error);

/* Check all launches, with the values of the plan.  Parameters of runs have
 * one element there.  Statuses as above.  Takes no lock: the plan is new, is
 * sealed or has no names to bind. */
plait_status plait__local_memory_check(const plait__plan_object *plan_object,
				       plait_error *error);

#endif
