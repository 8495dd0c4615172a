/* SPDX-License-Identifier: MIT */
/* Cancellation of commands that complete outside their lane. */
#ifndef PLAIT_SRC_RUN_EXTERNAL_CANCEL_EXTERNAL_H
#define PLAIT_SRC_RUN_EXTERNAL_CANCEL_EXTERNAL_H

#include "run/external/external_command.h"

/* Cancellation, from any thread that has set the run's `stop`: retract the calls
 * of this lane and its siblings, and resume those that are parked.  Takes their
 * lock, and calls `offer` without it.  The run may be over when this returns.
 * Null: no lane. */
void plait__cancel_external(plait__external *first);

#endif
