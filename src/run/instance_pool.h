/* SPDX-License-Identifier: MIT */
/* Free list of a program's instances, without a lock. */
#ifndef PLAIT_SRC_RUN_INSTANCE_POOL_H
#define PLAIT_SRC_RUN_INSTANCE_POOL_H

#include "run/program.h"

/*
 * Take an instance.  PLAIT_E_BUSY when there is none and the caller may not
 * wait: PLAIT_RUN_NO_WAIT, or inside a host function.  PLAIT_E_LOST when all
 * are stuck, and why.
 */
plait_status plait__instance_acquire(plait__program *program, uint32_t flags,
				     plait__instance **out, plait_error *error);
void plait__instance_release(plait__instance *instance);

#endif
