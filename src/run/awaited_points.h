/* SPDX-License-Identifier: MIT */
/*
 * Awaited points: emissions of backends that a run cannot end without, and that
 * are still to come.  A thread that waits for the run may wait for their
 * commands in the driver of the backend (object/wait/wait_in_driver.h).
 *
 * The instance may pass to another run while a thread is in there; its signals
 * are destroyed only when no thread uses them.
 */
#ifndef PLAIT_SRC_RUN_AWAITED_POINTS_H
#define PLAIT_SRC_RUN_AWAITED_POINTS_H

#include "run/program.h"

#include "object/wait/wait_loop.h"

enum { PLAIT__AWAITED_POINTS = 4 };

struct plait__awaited_points {
	plait__wait_point points[PLAIT__AWAITED_POINTS];
	uint32_t count;
	at_u32 *users;	/* with points: counts this thread until it has done */
};

/* Wait in a driver for a command that the run depends on: PLAIT_OK, or
 * PLAIT_PENDING if there is none now.  The caller has the instance, or passes
 * the run that has or had it as `run`. */
plait_status plait__awaited_points_enter(plait__instance *instance,
					 plait__run *run);

#endif
