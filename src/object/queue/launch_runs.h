/* SPDX-License-Identifier: MIT */
/*
 * Launches of coroutine kernels on queues of the host.  A command of a backend
 * cannot suspend itself; so such a launch is a run of a plan, whose section is
 * part of the submission.  Runs are a layer above: run/api/launch_runs.c defines
 * the functions.
 */
#ifndef PLAIT_SRC_OBJECT_QUEUE_LAUNCH_RUNS_H
#define PLAIT_SRC_OBJECT_QUEUE_LAUNCH_RUNS_H

#include "object/queue/launch_record.h"

typedef struct plait__launch_runs {
	/* Begin the run of a record, whose `section` it sets; no lock is held.
	 * The run needs the record until it is over. */
	plait_status (*begin)(plait__launch_record *record,
			      plait__queue *queue, plait_error *error);
	/* Give back a run whose section was not submitted. */
	void (*cancel)(plait__launch_record *record);
} plait__launch_runs;

extern const plait__launch_runs plait__launch_runs_of_plans;

#endif
