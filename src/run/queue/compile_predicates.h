/* SPDX-License-Identifier: MIT */
/* Compiler pass: the launch that writes the predicate of a loop. */
#ifndef PLAIT_SRC_RUN_QUEUE_COMPILE_PREDICATES_H
#define PLAIT_SRC_RUN_QUEUE_COMPILE_PREDICATES_H

#include "run/queue/queue_program.h"

/* Set the decider of each loop that its device decides, if one launch is it. */
void plait__compile_predicates(plait__queue_program *compiled);

#endif
