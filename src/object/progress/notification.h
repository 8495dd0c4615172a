/* SPDX-License-Identifier: MIT */
/*
 * Notifications of backends: each armed callback is called exactly once,
 * whatever the backend does. The backend gets a number (a token), not a
 * pointer, that is good for one call. A repeated call, a call after the end of
 * the context, and a call with an invented number have no effect; if the
 * token's port is known they are counted and logged. An invalid status becomes
 * PLAIT_E_INTERNAL, and is logged.
 *
 * Tokens live in chunks that are never freed. A port takes chunks as it needs
 * them; they become idle when its context ends, for other ports.
 */
#ifndef PLAIT_SRC_OBJECT_PROGRESS_NOTIFICATION_H
#define PLAIT_SRC_OBJECT_PROGRESS_NOTIFICATION_H

#include "plait/plugin.h"

#include "sys/atomic.h"
#include "sys/mutex.h"

typedef struct plait__backend_port plait__backend_port;

/* Notifications of one port. Zeroed memory has none. */
typedef struct plait__notifications {
	struct plait__mutex lock; /* guards `free`; taken before the table's
				   * lock only */
	struct plait__notification_slot *free;
	/* guarded by the table's lock */
	struct plait__notification_chunk *chunks;
	uint32_t reporters; /* likewise: threads that report a stray call */
	at_u64 strays; /* stray calls; relaxed */
} plait__notifications;

/*
 * PLAIT_OK: the callback `function` is called exactly once, on any thread,
 * possibly within this call. Otherwise it is never called, and the status is
 * PLAIT_E_NOMEM or the slot's, for plait__backend_result_check. The rules of
 * plait_notify_function apply to it.
 */
plait_status plait__notification_arm(plait__backend_port *port,
				     const plait_backend_point *point,
				     plait_notify_function function, void *arg,
				     plait_error *error);

/* Number of notifications that the backend owes now, for points that have
 * happened or not. */
uint32_t plait__notification_count_owed(const plait__backend_port *port);

/* Number of stray calls of the backend. */
uint64_t plait__notification_count_strays(const plait__backend_port *port);

/*
 * Return the port's chunks. Caller has closed the backend, and no notification is
 * owed. Waits for threads that report a stray call.
 */
void plait__notification_close(plait__backend_port *port);

#endif
