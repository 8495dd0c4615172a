/* SPDX-License-Identifier: MIT */
/* Device loops whose bodies follow a rotation, as device graphs have them. */
#ifndef PLAIT_SRC_RUN_QUEUE_UNROLL_LOOPS_H
#define PLAIT_SRC_RUN_QUEUE_UNROLL_LOOPS_H

#include "run/queue/queue_program.h"

enum {
	/* Maximum iterations after which the buffers of a loop's rotations are the
	 * first ones again. */
	PLAIT__UNROLL_PERIOD = 8,
	/* Maximum commands of an unrolled loop. */
	PLAIT__UNROLL_COMMANDS = 4096
};

/* Returns the device loop that a rotating argument of the command follows, or
 * none. */
uint32_t plait__unroll_loops_of(const plait__queue_program *compiled,
				uint32_t command);
/* Unroll the loops of all segments.  Their members and their deciders are final.
 * Returns false without memory. */
bool plait__unroll_loops(plait__queue_program *compiled);

#endif
