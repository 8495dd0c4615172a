/* SPDX-License-Identifier: MIT */
/* Compiler pass: commands that emit their completion. */
#ifndef PLAIT_SRC_RUN_QUEUE_COMPILE_MARKS_H
#define PLAIT_SRC_RUN_QUEUE_COMPILE_MARKS_H

#include "run/queue/queue_program.h"

/* Set `awaited` (one per command, zeroed) where a mark has to be emitted. */
void plait__compile_marks(const plait__queue_program *compiled,
			  uint8_t *awaited);

#endif
