/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the collective calls of a skipped run.  A run behind a failed queue
 * leaves its calls, which all ranks count.  It takes their numbers when the queue
 * tells it of the failure, so before the queue tells the program: calls that the
 * program makes next get later ones.  The functions of the COLLECTIVE nodes, which
 * a worker calls afterwards, use the numbers.
 */
#ifndef PLAIT_SRC_RUN_SKIPPED_CALLS_H
#define PLAIT_SRC_RUN_SKIPPED_CALLS_H

#include "run/run_instance.h"

#include "graph/build/collective_nodes.h"

/* Reserve room for the COLLECTIVE nodes of the plan.  PLAIT_E_NOMEM.  Free it also
 * after a failure. */
plait_status plait__skipped_calls_make(plait__instance *instance,
				       plait_error *error);
void plait__skipped_calls_free(plait__instance *instance);

/* Take a number for each COLLECTIVE node; in notification callbacks, too. */
void plait__skipped_calls_number(plait__instance *instance);

/* Returns the number of a call with this record, once, or 0: none was taken. */
uint64_t plait__skipped_calls_use(plait__instance *instance,
				  const plait__collective_record *record);

#endif
