/* SPDX-License-Identifier: MIT */
/*
 * What a slot of a backend answered, made what the user is told.  Backends may
 * be anybody's: a failure stays one when they wrote no error, and a success
 * without a result is none.  Called by whoever calls slots.
 */
#ifndef PLAIT_SRC_OBJECT_CONTEXT_BACKEND_RESULT_H
#define PLAIT_SRC_OBJECT_CONTEXT_BACKEND_RESULT_H

#include "object/context/context.h"

/* PLAIT_OK, or a failure; `room` is the record that the slot was given. */
plait_status plait__backend_result_check(const plait__backend_port *port, plait_status said,
					 const char *slot, plait_error *room,
					 plait_error *error);

/* The same for signal_poll, which may also answer PLAIT_PENDING. */
plait_status plait__backend_result_check_poll(const plait__backend_port *port, plait_status said,
					      plait_error *room, plait_error *error);

/* The same for slots that make something, which failed if there is none. */
plait_status plait__backend_result_check_created(const plait__backend_port *port, plait_status said,
						 const char *slot, const void *made,
						 plait_error *room, plait_error *error);

/*
 * plait__notification_arm, without taking what runs have reserved for
 * theirs: `function` begins with plait__backend_notified.
 */
plait_status plait__backend_notify(plait__backend_port *port,
				   plait__context *context,
				   const plait_backend_point *point,
				   plait_notify_function function,
				   void *user_data, plait_error *error);
void plait__backend_notified(plait__context *context);

/*
 * One bounded piece of work of a backend with PLAIT_CAP_NEEDS_PUMP.  Returns
 * true if it got on.  The user's functions that it calls are inside a call:
 * they must not wait, as what they would wait for may need this thread.
 */
bool plait__backend_pump(plait__context *context,
			 const plait__backend_port *port);

#endif
