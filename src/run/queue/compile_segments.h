/* SPDX-License-Identifier: MIT */
/* Compiler pass: commands of a chunk to segments, for device graphs. */
#ifndef PLAIT_SRC_RUN_QUEUE_COMPILE_SEGMENTS_H
#define PLAIT_SRC_RUN_QUEUE_COMPILE_SEGMENTS_H

#include "run/queue/queue_program.h"

/* Make the segments; each then stands once in the list of its chunk, as its
 * last command.  Returns false without memory. */
bool plait__compile_segments(plait__queue_program *compiled,
			     uint32_t *next_commands);

#endif
