/* SPDX-License-Identifier: MIT */
/*
 * Validation of a slot's status and error record. Any plugin may be behind a
 * slot: a failure without a record stays a failure, a success without a result
 * is none. Each caller of a slot uses these functions.
 */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_BACKEND_RESULT_H
#define PLAIT_SRC_OBJECT_CONTEXT_BACKEND_RESULT_H

#include "object/context/context.h"

/* PLAIT_OK, or the failure, copied to `error`; `room` is the record that was
 * passed to the slot. */
plait_status plait__backend_result_check(const plait__backend_port *port,
					 plait_status status, const char *slot,
					 plait_error *room, plait_error *error);

/* Likewise for signal_poll, which may also return PLAIT_PENDING. */
plait_status plait__backend_result_check_poll(const plait__backend_port *port,
					      plait_status status,
					      plait_error *room,
					      plait_error *error);

/* Likewise for slots that create an object: success without one is a
 * failure. */
plait_status plait__backend_result_check_created(
	const plait__backend_port *port, plait_status status, const char *slot,
	const void *made, plait_error *room, plait_error *error);

/*
 * As plait__notification_arm, but it reserves a callback of the pool's, so that
 * it takes none that runs have reserved; `function` begins with
 * plait__backend_notified.
 */
plait_status plait__backend_notify(plait__backend_port *port,
				   plait__context *context,
				   const plait_backend_point *point,
				   plait_notify_function function,
				   void *user_data, plait_error *error);
void plait__backend_notified(plait__context *context);

/*
 * Do one bounded piece of work of a backend with PLAIT_CAP_NEEDS_PUMP. Returns
 * true if the backend advanced. User functions that it calls run in a callback
 * scope: they must not wait, as the wait may need this thread.
 */
bool plait__backend_pump(plait__context *context,
			 const plait__backend_port *port);

#endif
