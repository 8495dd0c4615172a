/* SPDX-License-Identifier: MIT */
/*
 * Run objects: the handle that a user has of one run.  When the run ends, its
 * instance stores the outcome here and goes on to serve other runs.  The life
 * cycle of a run is in run_instance.c, its start in api/start.c.
 */
#ifndef PLAIT_SRC_RUN_RUN_H
#define PLAIT_SRC_RUN_RUN_H

#include "run/program.h"

#include "object/progress/listener.h"

struct plait__run {
	plait__object object;
	plait__program *program; /* its plan is held */
	bool cached;		/* belongs to an instance, for reuse by other
				 * runs */
	at_u32 idle;		/* cached, and no run uses it */
	plait__instance *instance; /* another run's, once `done` is set */
	plait__run_outcome outcome;
	plait__recording *recording; /* of this run, once `done` is set */
	/* Guards the fields below, and orders `done` before the instance is
	 * released. */
	struct plait__mutex lock;
	plait__listener *listeners; /* listeners of plait_run_notify */
	plait__race_clock *race_known; /* the race check's, or null */
};

/* Make one run object per instance, so that starting a run needs no memory. */
plait_status plait__run_reserve_all(plait__program *program,
				    plait_error *error);
/* Make the run of an instance that the caller has.  The run has two holds, the
 * user's and the caller's, and takes over one hold that the caller has of the
 * plan; not after a failure, PLAIT_E_NOMEM. */
plait_status plait__run_create(plait__instance *instance, plait__run **out,
			       plait_error *error);
/* The event of a run that plait__handle_is_past knows: its end, without a
 * failure. */
enum { PLAIT__RUN_END = 1 };

PLAIT__OBJECT_ENTER(run, PLAIT_OBJECT_RUN);
/* Returns true if the run cannot end before the function that the calling
 * thread executes returns (run/outer_runs.h). */
bool plait__run_is_blocked_by_caller(plait__run *run);
/* Write "run "x" is not over: ..." and why, for the text of a timeout. */
void plait__run_describe(plait__run *run, char *out, uint32_t bytes);
void plait__run_free_all(plait__program *program);

#endif
