/* SPDX-License-Identifier: MIT */
/* Lock-free pool of a program's instances. */
#ifndef PLAIT_SRC_RUN_INSTANCE_POOL_H
#define PLAIT_SRC_RUN_INSTANCE_POOL_H

#include "run/program.h"

/* Take an instance.  `bits`: PLAIT__PROGRAM_FREE, and PLAIT__PROGRAM_TURN to
 * take the turn with it (run_turns.h) if no run has it and the instance is number
 * 0, free at once.  Waits for an instance, and serves inboxes meanwhile.
 * PLAIT_E_BUSY: none is free and the caller must not wait (PLAIT_RUN_NO_WAIT, or
 * inside a host function), or has an event of an inbox to pull first.
 * PLAIT_E_DEADLOCK: outer runs (outer_runs.h) have all of them.  PLAIT_E_LOST:
 * all instances are abandoned; the failure is that of the first one. */
plait_status plait__instance_acquire(plait__program *program, uint32_t bits,
				     uint32_t flags, plait__instance **out,
				     plait_error *error);
/* Take an instance without its turn; null if none is free.  Never waits. */
plait__instance *plait__instance_take(plait__program *program);
/* Put an instance back and wake waiters; an abandoned one is kept.  Ends the
 * turn, too, if the run still has it, and starts runs that it deferred.  Caller
 * holds the plan, whose program is read after the instance is back, and no lock;
 * program.c fills the pool of a new program so, under `preparing`. */
void plait__instance_release(plait__instance *instance);

#endif
