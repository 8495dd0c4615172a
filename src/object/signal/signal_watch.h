/* SPDX-License-Identifier: MIT */
/*
 * Wake-ups for the threads that sleep on a context's `wait_event`, when a
 * signal has advanced. A notification cannot be withdrawn from a backend, so
 * each signal has a few cells, and a repeated wait finds its cell still armed: a
 * loop of waits that time out costs no memory.
 */
#ifndef PLAIT_SRC_OBJECT_SIGNAL_SIGNAL_WATCH_H
#define PLAIT_SRC_OBJECT_SIGNAL_SIGNAL_WATCH_H

#include "object/context/context.h"

enum { PLAIT__SIGNAL_WATCH_CELLS = 4 };

typedef struct plait__signal_watch plait__signal_watch;

struct plait__signal_watch_cell {
	plait__signal_watch *watch;
	bool armed;	   /* guarded by the watch's lock */
	uint64_t sequence; /* likewise */
};

struct plait__signal_watch {
	plait__object *object; /* held by each armed cell */
	struct plait__mutex lock; /* taken in notification callbacks; no lock
				   * inside */
	struct plait__signal_watch_cell cells[PLAIT__SIGNAL_WATCH_CELLS];
};

void plait__signal_watch_init(plait__signal_watch *watch,
			      plait__object *object);

/*
 * Have the context's eventcount, `wait_event`, notified when the point has
 * happened, or earlier. Returns false if it will not be (no free cell, no memory,
 * a backend that refuses or has no notifications): the caller polls.
 */
bool plait__signal_watch_arm(plait__signal_watch *watch,
			     plait__backend_port *port,
			     const plait_backend_point *point);

/* Returns true if the backend owes a notification. */
bool plait__signal_watch_is_armed(plait__signal_watch *watch);

#endif
