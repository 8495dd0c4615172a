/* SPDX-License-Identifier: MIT */
/*
 * Waits inside a backend's driver, for drivers that run commands on the threads
 * that wait in them; and polls of what they would wait for. A driver has no
 * limits of time, no inbox is served meanwhile, and no run is driven; so a thread
 * enters it only if no other duty of the wait loop can be its own, and only for
 * commands that the wait depends on.
 *
 * Not here: the look for inboxes, and the moment to enter (wait_loop.c).
 */
#ifndef PLAIT_SRC_OBJECT_WAIT_WAIT_IN_DRIVER_H
#define PLAIT_SRC_OBJECT_WAIT_WAIT_IN_DRIVER_H

#include "object/wait/wait_loop.h"

enum { PLAIT__WAIT_IN_DRIVER_POINTS = 4 };

/* Awaited points: emissions of backends that a run cannot end without, and that
 * are still to come. The run may end, and another one use its signals, while a
 * thread is in a driver for them; `users` keeps the signals. */
typedef struct plait__awaited_points {
	plait__wait_point points[PLAIT__WAIT_IN_DRIVER_POINTS];
	uint32_t count;
	at_u32 *users;	/* with points: counts this thread until it has done */
} plait__awaited_points;

/* Returns true if the wait may enter a driver, as far as the request tells. */
bool plait__wait_in_driver_is_possible(const plait__wait_request *request);

/* Returns true if no waiting thread is needed to drive runs, or to pump. */
bool plait__wait_in_driver_is_free(const plait__context *context);

/* Wait for a command of the request. PLAIT_OK: the thread has waited;
 * PLAIT_PENDING: there is none now. */
plait_status plait__wait_in_driver_enter(const plait__wait_request *request);

/* Likewise for a command of a run. */
plait__awaited_use plait__wait_in_driver_for_run;

/* Poll the points that the runs of the request await: their backends look at what
 * has happened, sooner than a notification comes. */
void plait__wait_in_driver_poll(const plait__wait_request *request);

/* Likewise for commands that a point depends on; PLAIT_E_UNSUPPORTED: never. */
plait_status plait__wait_in_driver_for(const plait__wait_point *point);

#endif
