/* SPDX-License-Identifier: MIT */
/*
 * Accesses of runs for the race check (object/races): the bytes that a run
 * accesses, by the declarations of its nodes.  Found once per program, when a
 * run of it is checked first.  All functions are cheap if no check is on.
 */
#ifndef PLAIT_SRC_RUN_RUN_RACES_H
#define PLAIT_SRC_RUN_RUN_RACES_H

#include "object/queue/queue.h"

typedef struct plait__instance plait__instance;
typedef struct plait__program plait__program;
typedef struct plait__race_plan plait__race_plan;
typedef struct plait__run plait__run;

/* A run that is being started. */
typedef struct plait__run_races {
	plait__races *races;	/* null: it is not checked */
	plait__race_event *event;
	uint64_t mark;
} plait__run_races;

/* The run, with bound parameters, is about to be started: in a queue, or, if
 * `queue` is null, by a call.  Then one of the next four is called. */
plait__run_races plait__run_races_begin(plait__instance *instance,
					plait__queue *queue);
/* The run of the queue, or the call, was refused. */
void plait__run_races_undo(const plait__run_races *begun);
void plait__run_races_undo_call(const plait__run_races *begun);
/* The queue has the run. */
void plait__run_races_commit(const plait__run_races *begun);
/* The call is over. */
void plait__run_races_end_call(const plait__run_races *begun);
/* The call does not enter its queue, because that has no work. */
void plait__run_races_on_idle(plait__queue *queue);

/* The host has seen the end of the run; or will be told. */
void plait__run_races_saw(const plait__run *run, bool is_told_later);

/* Free what the check knows of a program's runs. */
void plait__run_races_free(plait__program *program);

#endif
