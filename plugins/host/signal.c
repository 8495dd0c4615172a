/* SPDX-License-Identifier: MIT */
/* Signals: counters of the core. */
#include "host.h"

plait_status plaitp_host_signal_create(plait_backend *self, uint32_t device,
				       uint32_t flags,
				       plait_backend_signal **out,
				       plait_error *error)
{
	(void)device;
	return self->services->counter_create(self->host, flags, out, error);
}

void plaitp_host_signal_destroy(plait_backend *self,
				plait_backend_signal *signal)
{
	self->services->counter_destroy(self->host, signal);
}

plait_status plaitp_host_signal_poll(plait_backend *self,
				     const plait_backend_point *point,
				     uint64_t *out_reached, plait_error *error)
{
	return self->services->counter_poll(self->host, point, out_reached,
					    error);
}

plait_status plaitp_host_signal_wait(plait_backend *self,
				     const plait_backend_point *points,
				     uint32_t count, uint32_t any,
				     uint64_t timeout_ns, plait_error *error)
{
	return self->services->counter_wait(self->host, points, count, any,
					    timeout_ns, error);
}

plait_status plaitp_host_signal_notify(plait_backend *self,
				       const plait_backend_point *point,
				       plait_notify_function function,
				       void *user_data, plait_error *error)
{
	return self->services->counter_notify(self->host, point, function,
					      user_data, error);
}

plait_status plaitp_host_signal_raise(plait_backend *self,
				      const plait_backend_point *point,
				      const plait_error *failure,
				      plait_error *error)
{
	return self->services->counter_raise(self->host, point, failure,
					     error);
}

plait_status plaitp_host_signal_reset(plait_backend *self,
				      plait_backend_signal *signal,
				      plait_error *error)
{
	return self->services->counter_reset(self->host, signal, error);
}

plait_status plaitp_host_pump(plait_backend *self, plait_error *error)
{
	return self->services->pump(self->host, error);
}
