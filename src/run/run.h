/* SPDX-License-Identifier: MIT */
/*
 * Runs as the user has them.  A run is told how it ended by its instance and
 * goes its own way then: the instance is another run's.  run.c is what one can
 * ask of a run, run_instance.c how runs begin and end, start.c how they are started.
 */
#ifndef PLAIT_SRC_RUN_RUN_H
#define PLAIT_SRC_RUN_RUN_H

#include "run/program.h"

#include "object/inbox/inbox_event.h"

struct plait__run {
	plait__object object;
	plait__program *program; /* whose plan is held */
	bool cached;		/* an instance has it, for other runs too */
	at_u32 idle;		/* that, and it is nobody's now */
	plait__instance *instance; /* another run's, when `done` */
	plait__run_outcome outcome;
	plait__recording *recording; /* of what it did, when `done` */
	/* Guards what follows, and that `done` comes before the instance is
	 * given back. */
	struct plait__mutex lock;
	struct plait__run_listener *listeners;
};

/* One who asked to be told; see plait_run_notify. */
struct plait__run_listener {
	struct plait__run_listener *next;
	plait__inbox_event *notice;
};

/* As many as there are instances, so that these need no memory. */
plait_status plait__run_reserve_all(plait__program *program, plait_error *error);
/* The instance is taken.  The run has two holds, the user's and the caller's,
 * and takes over one that the caller has of the plan. */
plait_status plait__run_create(plait__instance *instance, plait__run **out,
			       plait_error *error);
plait_status plait__run_enter(plait_run *handle, plait__run **out,
			      plait_error *error);
/* It is done: those who asked; not with a lock held. */
void plait__run_notify_all(plait__run *run, struct plait__run_listener *listeners,
			   plait_status status);
void plait__run_free_all(plait__program *program);

#endif
