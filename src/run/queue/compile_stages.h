/* SPDX-License-Identifier: MIT */
/* Compiler pass: bodies to stages. */
#ifndef PLAIT_SRC_RUN_QUEUE_COMPILE_STAGES_H
#define PLAIT_SRC_RUN_QUEUE_COMPILE_STAGES_H

#include "run/queue/queue_program.h"

/* Make the stages of each body.  `next_commands`, which the caller frees, links
 * the commands of each chunk.  Returns false without memory. */
bool plait__compile_stages(plait__queue_program *compiled,
			   uint32_t **next_commands);

#endif
