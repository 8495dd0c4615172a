/* SPDX-License-Identifier: MIT */
/* Scratch and temporaries of an instance, one arena per device. */
#ifndef PLAIT_SRC_RUN_QUEUE_SCRATCH_ARENAS_H
#define PLAIT_SRC_RUN_QUEUE_SCRATCH_ARENAS_H

#include "run/queue/queue_instance.h"

/* Create the arena of device `number` of the plan unless it exists.
 * PLAIT_E_NOMEM, or what memory_create returns. */
plait_status plait__scratch_arenas_make(plait__queue_instance *state,
					uint32_t number, plait_error *error);
/* Create the arenas of the plan's temporaries, and a buffer for each. */
plait_status plait__scratch_arenas_make_temporaries(
	plait__queue_instance *state, plait_error *error);
void plait__scratch_arenas_free(plait__queue_instance *state);

#endif
