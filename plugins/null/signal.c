/* SPDX-License-Identifier: MIT */
/* Signals and pump of the template. */
#include <stddef.h>
#include <string.h>

#include "null.h"

/* Slots other than open get no services; a real backend keeps them in its
 * instance. */
plait_status plaitp_null_refuse(plait_error *error)
{
	static const char text[] = "null: a template, it has no devices";

	error->status = PLAIT_E_UNSUPPORTED;
	error->origin = 0;
	memcpy(error->text, text, sizeof(text));
	return PLAIT_E_UNSUPPORTED;
}

plait_status plaitp_null_signal_create(plait_backend *self, uint32_t device,
				       uint32_t flags,
				       plait_backend_signal **out,
				       plait_error *error)
{
	(void)self;
	(void)device;
	(void)flags;
	*out = NULL;
	return plaitp_null_refuse(error);
}

void plaitp_null_signal_destroy(plait_backend *self,
				plait_backend_signal *signal)
{
	(void)self;
	(void)signal;
}

plait_status plaitp_null_signal_poll(plait_backend *self,
				     const plait_backend_point *point,
				     uint64_t *out_reached, plait_error *error)
{
	(void)self;
	(void)point;
	*out_reached = 0;
	return plaitp_null_refuse(error);
}

plait_status plaitp_null_signal_wait(plait_backend *self,
				     const plait_backend_point *points,
				     uint32_t count, uint32_t any,
				     uint64_t timeout_ns, plait_error *error)
{
	(void)self;
	(void)points;
	(void)count;
	(void)any;
	(void)timeout_ns;
	return plaitp_null_refuse(error);
}

plait_status plaitp_null_signal_notify(plait_backend *self,
				       const plait_backend_point *point,
				       plait_notify_function function,
				       void *user_data, plait_error *error)
{
	(void)self;
	(void)point;
	(void)function;
	(void)user_data;
	return plaitp_null_refuse(error);
}

plait_status plaitp_null_signal_raise(plait_backend *self,
				      const plait_backend_point *point,
				      const plait_error *failure,
				      plait_error *error)
{
	(void)self;
	(void)point;
	(void)failure;
	return plaitp_null_refuse(error);
}

plait_status plaitp_null_signal_reset(plait_backend *self,
				      plait_backend_signal *signal,
				      plait_error *error)
{
	(void)self;
	(void)signal;
	return plaitp_null_refuse(error);
}

plait_status plaitp_null_pump(plait_backend *self, plait_error *error)
{
	(void)self;
	return plaitp_null_refuse(error);
}
