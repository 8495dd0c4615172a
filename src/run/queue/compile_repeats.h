/* SPDX-License-Identifier: MIT */
/* Compiler pass: repeats that are submitted ahead. */
#ifndef PLAIT_SRC_RUN_QUEUE_COMPILE_REPEATS_H
#define PLAIT_SRC_RUN_QUEUE_COMPILE_REPEATS_H

#include "run/queue/queue_program.h"

/* Find the repeats that are submitted ahead, after the lanes are compiled. */
void plait__compile_repeats(plait__queue_program *compiled);

#endif
