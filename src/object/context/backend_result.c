/* SPDX-License-Identifier: MIT */
/* Checks of what slots of a backend return; see backend_result.h. */
#include "object/context/backend_result.h"

#include "object/progress/notification.h"

#include "base/error.h"
#include "plugin/load.h"
#include "pool/callback_scope.h"
#include "pool/counter.h"

plait_status plait__backend_result_check(const plait__backend_port *port,
					 plait_status status, const char *slot,
					 plait_error *room, plait_error *error)
{
	if (status == PLAIT_OK)
		return status;
	room->text[PLAIT_ERROR_TEXT_BYTES - 1] = '\0';
	/* Unless the slot has written the error record. */
	if (room->status != status || status > 0 || room->text[0] == '\0')
		status = plait__load_check_status(status, port->backend->name,
						  slot, room);
	plait__error_copy(error, room);
	return status;
}

plait_status plait__backend_result_check_poll(const plait__backend_port *port,
					      plait_status status,
					      plait_error *room,
					      plait_error *error)
{
	if (status == PLAIT_PENDING)
		return status;
	return plait__backend_result_check(port, status, "signal_poll", room,
					   error);
}

plait_status plait__backend_result_check_created(
	const plait__backend_port *port, plait_status status, const char *slot,
	const void *made, plait_error *room, plait_error *error)
{
	if (status == PLAIT_OK && made == NULL)
		status = plait__fail(room, PLAIT_E_INTERNAL,
				   "plugin %s: %s succeeded without giving "
				   "anything", port->backend->name, slot);
	return plait__backend_result_check(port, status, slot, room, error);
}

plait_status plait__backend_notify(plait__backend_port *port,
				   plait__context *context,
				   const plait_backend_point *point,
				   plait_notify_function function,
				   void *user_data, plait_error *error)
{
	plait_status status = plait__counter_reserve_callbacks(context->pool, 1,
							       error);

	if (status != PLAIT_OK)
		return status;
	status = plait__notification_arm(port, point, function, user_data,
					 error);
	if (status != PLAIT_OK)
		plait__counter_unreserve_callbacks(context->pool, 1);
	return status;
}

void plait__backend_notified(plait__context *context)
{
	plait__counter_unreserve_callbacks(context->pool, 1);
}

bool plait__backend_pump(plait__context *context,
			 const plait__backend_port *port)
{
	const plait__backend *backend = port->backend;
	plait_error ignored = { .size = 0 };
	struct plait__callback_scope inside;
	plait_status status;

	plait__callback_scope_enter(&inside, context->pool);
	status = backend->table.pump(backend->self, &ignored);
	plait__callback_scope_leave(&inside);
	return status == PLAIT_OK;
}
