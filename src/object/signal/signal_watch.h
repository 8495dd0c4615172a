/* SPDX-License-Identifier: MIT */
/*
 * Being told that a signal got on, for threads that sleep on the pulse of
 * their context.  A backend cannot forget a notification, so each signal has
 * a few cells, and a wait that is repeated finds its cell still armed: a loop
 * of waits that time out costs no memory.
 */
#ifndef PLAIT_SRC_OBJECT_SIGNAL_SIGNAL_WATCH_H
#define PLAIT_SRC_OBJECT_SIGNAL_SIGNAL_WATCH_H

#include "object/context/context.h"

enum { PLAIT__SIGNAL_WATCH_CELLS = 4 };

typedef struct plait__signal_watch plait__signal_watch;

struct plait__signal_watch_cell {
	plait__signal_watch *watch;
	bool armed;	   /* under the watch's lock */
	uint64_t sequence; /* likewise */
};

struct plait__signal_watch {
	plait__object *object; /* held by each armed cell */
	struct plait__mutex lock; /* taken in upcalls; nothing inside it */
	struct plait__signal_watch_cell cells[PLAIT__SIGNAL_WATCH_CELLS];
};

void plait__signal_watch_init(plait__signal_watch *watch, plait__object *object);

/*
 * The context's pulse will go when the point has happened, or earlier.
 * False: it will not (no cell left, no memory); look again by yourself.
 */
bool plait__signal_watch_arm(plait__signal_watch *watch, plait__backend_port *port,
			     const plait_backend_point *point);

/* Does the backend still owe an upcall? */
bool plait__signal_watch_is_armed(plait__signal_watch *watch);

#endif
