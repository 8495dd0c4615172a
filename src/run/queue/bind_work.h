/* SPDX-License-Identifier: MIT */
/* Work that changes with runs and iterations, bound before it is submitted. */
#ifndef PLAIT_SRC_RUN_QUEUE_BIND_WORK_H
#define PLAIT_SRC_RUN_QUEUE_BIND_WORK_H

#include "run/queue/queue_instance.h"

/* Let the work of a command be that of this run and iteration.  Does nothing for a
 * command that does not change. */
plait_status plait__bind_work_command(plait__queue_instance *state,
				      uint32_t command, plait_error *error);
/* Likewise for all commands of a batch.  On failure the run has failed. */
void plait__bind_work_batch(plait__queue_instance *state, uint32_t batch);
/* Likewise for one submission, whether or not its batch `binds`: also for that of
 * a segment, before anything of the run is submitted (device_graphs.c). */
void plait__bind_work_submission(plait__queue_instance *state,
				 const plait__queue_submission *submission);

#endif
