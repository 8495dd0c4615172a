/* SPDX-License-Identifier: MIT */
/* Numbers of bound launches per command. */
#ifndef PLAIT_SRC_RUN_QUEUE_VARIANT_COUNT_H
#define PLAIT_SRC_RUN_QUEUE_VARIANT_COUNT_H

#include "run/queue/queue_program.h"

/* Maximum of launches that a command keeps, one per iteration, unless two windows
 * have more. */
enum { PLAIT__VARIANT_TURNS = 1024 };

/* Number of launches that a command keeps; 0: it is no launch, or its device
 * accepts no code. */
uint32_t plait__variant_count(const plait__queue_program *compiled,
			      uint32_t command);
/* The repeat whose iterations, modulo that number, have a launch each; or none:
 * any launch may be that of any iteration. */
uint32_t plait__variant_count_turns(const plait__queue_program *compiled,
				    uint32_t command);

#endif
