/* SPDX-License-Identifier: MIT */
/* Waits for a run inside the driver of a backend (object/wait/wait_in_driver.h)
 * by a thread that waits for the run. */
#ifndef PLAIT_SRC_RUN_AWAITED_POINTS_H
#define PLAIT_SRC_RUN_AWAITED_POINTS_H

#include "run/program.h"

#include "object/wait/wait_in_driver.h"

/* Wait in a driver for a command that the run depends on: PLAIT_OK, or
 * PLAIT_PENDING if there is none now.  The caller has the instance, or passes
 * the run that has or had it as `run`. */
plait_status plait__awaited_points_enter(plait__instance *instance,
					 plait__run *run);

#endif
