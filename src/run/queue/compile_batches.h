/* SPDX-License-Identifier: MIT */
/* Compiler pass: stages to batches of submissions. */
#ifndef PLAIT_SRC_RUN_QUEUE_COMPILE_BATCHES_H
#define PLAIT_SRC_RUN_QUEUE_COMPILE_BATCHES_H

#include "run/queue/queue_program.h"

/* Make batches, submissions, waits and work.  Returns false without memory. */
bool plait__compile_batches(plait__queue_program *compiled,
			    const uint32_t *next_commands);

#endif
