/* SPDX-License-Identifier: MIT */
/* Position of a run in a queue: its external section, and its start. */
#ifndef PLAIT_SRC_RUN_API_RUN_SECTION_H
#define PLAIT_SRC_RUN_API_RUN_SECTION_H

#include "run/program.h"

/* Acquire the section of a run that was begun, to be entered or cancelled; a
 * hold of the plan is the run's. */
plait_status plait__run_section_acquire(plait__instance *instance,
					plait__queue *queue,
					plait_error *error);

/* Start the run now, or after those that it conflicts with. */
void plait__run_section_start(plait__instance *instance);

/* The run has its turn: stop it if it comes after a run that it would conflict
 * with and that was lost. */
void plait__run_section_stop_if_lost(plait__instance *instance);

/* Execute a piece of the run on a waiting thread; false: nothing to do now. */
bool plait__run_section_help(void *instance);

#endif
