/* SPDX-License-Identifier: MIT */
/* Lock-free pool of a program's instances. */
#ifndef PLAIT_SRC_RUN_INSTANCE_POOL_H
#define PLAIT_SRC_RUN_INSTANCE_POOL_H

#include "run/program.h"

/* Take an instance.  `bits`: PLAIT__PROGRAM_FREE, and PLAIT__PROGRAM_TURN to
 * take the turn with it (run_turns.h) if no run has it.  PLAIT_E_BUSY: none is
 * free and the caller must not wait (PLAIT_RUN_NO_WAIT, or inside a host
 * function).  PLAIT_E_DEADLOCK: outer runs (outer_runs.h) have all of them.
 * PLAIT_E_LOST, with the cause: all instances are abandoned. */
plait_status plait__instance_acquire(plait__program *program, uint32_t bits,
				     uint32_t flags, plait__instance **out,
				     plait_error *error);
/* Ends the turn, too, if the run still has it. */
void plait__instance_release(plait__instance *instance);

#endif
