/* SPDX-License-Identifier: MIT */
/*
 * Being told by a backend that a point has happened: once, whatever the
 * backend does.  What it is handed is no pointer but a number (a ticket) that
 * is good for one call.  A second call, one that comes late, when the context
 * is gone perhaps, and one with a number that nobody gave out change nothing;
 * those that can be told whose they are, are counted and logged.  A status
 * that is none becomes PLAIT_E_INTERNAL, and is logged.  Called by whoever
 * asks for notifications.
 *
 * Tickets live in chunks that are never freed.  A port takes chunks as it
 * needs them and leaves them to others when its context ends.
 */
#ifndef PLAIT_SRC_OBJECT_PROGRESS_NOTIFICATION_H
#define PLAIT_SRC_OBJECT_PROGRESS_NOTIFICATION_H

#include "plait/plugin.h"

#include "sys/atomic.h"
#include "sys/mutex.h"

typedef struct plait__backend_port plait__backend_port;

/* Those of one port.  Zeroed memory has none. */
typedef struct plait__notifications {
	struct plait__mutex lock; /* guards `free`; a leaf but for chunks */
	struct plait__notification_slot *free;
	struct plait__notification_chunk *chunks; /* under the table's lock */
	uint32_t reporters; /* likewise: threads that report a stray call */
	at_u64 strays; /* calls that were not owed; relaxed */
} plait__notifications;

/*
 * PLAIT_OK: `function` is called exactly once, on any thread, maybe within
 * this call.  Otherwise never, whatever the backend does later.  The rules for
 * `function` are those of plait_notify_function.
 */
plait_status plait__notification_arm(plait__backend_port *port,
				     const plait_backend_point *point,
				     plait_notify_function function, void *arg,
				     plait_error *error);

/* How many it owes now, for points that have happened and others. */
uint32_t plait__notification_count_owed(const plait__backend_port *port);

/* How often the backend called what it did not owe. */
uint64_t plait__notification_count_strays(const plait__backend_port *port);

/*
 * Nothing is owed to the port and its backend is closed.  Waits for those who
 * report a stray call; what comes later is nobody's.
 */
void plait__notification_close(plait__backend_port *port);

#endif
