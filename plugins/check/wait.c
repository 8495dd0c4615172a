/* SPDX-License-Identifier: MIT */
/*
 * Slots wait, notify and pump.  Checks that results are possible, timeouts are
 * not early, and notifications come exactly once.
 */
#include "check.h"
#include "port.h"

/* Translate to the backend's handles; null after a report or without memory. */
static plait_backend_point *translate(check *self,
				      const plait_backend_point *points,
				      uint32_t count, plait_error *error)
{
	static const char slot[] = "signal_wait";
	plait_backend_point *inner = self->services->resize(
		self->host, NULL, 0, 1 + (uint64_t)count * sizeof(*inner));

	if (!inner) {
		self->services->fail(error, PLAIT_E_NOMEM, 0,
				     "check: no memory");
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++) {
		check_signal *signal =
			plaitp_check_signal_point(self, slot, &points[i]);

		if (!signal) {
			plaitp_check_report_error(self, error);
			self->services->resize(
				self->host, inner,
				1 + (uint64_t)count * sizeof(*inner), 0);
			return NULL;
		}
		inner[i] = (plait_backend_point){ signal->inner,
						  points[i].sequence };
	}
	return inner;
}

static bool has_happened(const check_signal *signal, uint64_t sequence)
{
	return signal->reached >= sequence ||
		(signal->gate && signal->failed_from &&
		 sequence >= signal->failed_from);
}

/* Check a result of PLAIT_OK against the model. */
static void check_success(check *self, const plait_backend_point *points,
			  uint32_t count, uint32_t any)
{
	static const char slot[] = "signal_wait";

	if (!any) {
		for (uint32_t i = 0; i < count; i++)
			plaitp_check_model_happened(
				self, slot, points[i].signal,
				points[i].sequence, PLAIT_OK);
		return;
	}
	if (count == 0 || self->model_off)
		return;
	plaitp_check_model_confirm(self);
	for (uint32_t i = 0; i < count; i++)
		if (has_happened(points[i].signal, points[i].sequence))
			return;
	plaitp_check_report(self, CHECK_BACKEND, slot,
			    "reported that one of %u points has happened, but "
			    "none can have (P-S06)", count);
}

/* A failure that no point explains is a device's own: disable the model. */
static void check_failure(check *self, const plait_backend_point *points,
			  uint32_t count, plait_status status)
{
	if (status == PLAIT_E_NOMEM || status == PLAIT_E_DEADLOCK ||
	    status == PLAIT_E_UNSUPPORTED || self->model_off)
		return;
	plaitp_check_model_confirm(self);
	for (uint32_t i = 0; i < count; i++)
		if (points[i].signal->failed_from &&
		    points[i].sequence >= points[i].signal->failed_from)
			return;
	plaitp_check_model_disable(self);
}

static void check_timeout(check *self, uint64_t timeout_ns,
			  uint64_t elapsed_ns)
{
	bool real = true;

	for (uint32_t i = 0; i < self->device_count; i++)
		if (self->devices[i].capabilities & PLAIT_CAP_VIRTUAL_TIME)
			real = false;
	if (timeout_ns == PLAIT_FOREVER)
		plaitp_check_report(self, CHECK_BACKEND, "signal_wait",
				    "a wait without end timed out (P-S07)");
	else if (real && elapsed_ns < timeout_ns)
		plaitp_check_report(self, CHECK_BACKEND, "signal_wait",
				    "timed out after %llu of %llu ns (P-S07)",
				    (unsigned long long)elapsed_ns,
				    (unsigned long long)timeout_ns);
}

plait_status plaitp_check_signal_wait(plait_backend *backend,
				      const plait_backend_point *points,
				      uint32_t count, uint32_t any,
				      uint64_t timeout_ns, plait_error *error)
{
	static const char slot[] = "signal_wait";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_error reason = plaitp_check_record();
	plait_backend_point *inner;
	plait_status status;
	uint64_t start_ns;

	plaitp_check_enter(self, slot);
	inner = translate(self, points, count, &reason);
	plaitp_check_leave(self);
	if (!inner)
		return self->services->fail(error, reason.status, 0,
					    reason.text);
	start_ns = self->services->clock_ns(self->host);
	status = self->inner_table->signal_wait(self->inner, inner, count, any,
						timeout_ns, &mine);
	start_ns = self->services->clock_ns(self->host) - start_ns;
	self->services->resize(self->host, inner,
			       1 + (uint64_t)count * sizeof(*inner), 0);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK)
		check_success(self, points, count, any);
	else if (status == PLAIT_E_TIMEOUT)
		check_timeout(self, timeout_ns, start_ns);
	else if (status != PLAIT_E_INTERNAL)
		check_failure(self, points, count, status);
	pthread_mutex_unlock(&self->lock);
	return status;
}

/* Wrapper of the notification callback: exactly once, and possible in the
 * model. */
static void deliver(void *user_data, plait_status status)
{
	static const char slot[] = "notifying";
	check_notice *notice = user_data;
	check *self = notice->self;
	check_notifier notifier = { .thread = pthread_self() };
	check_notifier **link;
	bool again;

	pthread_mutex_lock(&self->lock);
	again = notice->delivered++ > 0;
	if (again) {
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "notification %llu came %u times (P-S10)",
				    (unsigned long long)notice->object.number,
				    notice->delivered);
	} else {
		if (status > PLAIT_OK || status < PLAIT_E_INTERNAL)
			plaitp_check_report(self, CHECK_BACKEND, slot,
					    "notification %llu came with %d, "
					    "which is no status",
					    (unsigned long long)
					    notice->object.number,
					    (int)status);
		plaitp_check_model_happened(self, slot, notice->signal,
					    notice->sequence, status);
		notice->signal->notices--;
		plaitp_check_retire(self, &notice->object);
		notifier.next = self->notifiers;
		self->notifiers = &notifier;
	}
	pthread_mutex_unlock(&self->lock);
	if (again)
		return;
	notice->function(notice->user_data, status);
	pthread_mutex_lock(&self->lock);
	link = &self->notifiers;
	while (*link != &notifier)
		link = &(*link)->next;
	*link = notifier.next;
	pthread_mutex_unlock(&self->lock);
}

static check_notice *add_notice(check *self, check_signal *signal,
				uint64_t sequence,
				plait_notify_function function,
				void *user_data)
{
	check_notice *notice =
		plaitp_check_add(self, CHECK_NOTICE, sizeof(*notice));

	if (!notice)
		return NULL;
	notice->self = self;
	notice->signal = signal;
	notice->sequence = sequence;
	notice->function = function;
	notice->user_data = user_data;
	signal->notices++;
	return notice;
}

/* Drop a notification that the backend refused; report one that it delivered
 * all the same. */
static void drop_notice(check *self, check_notice *notice)
{
	if (notice->delivered > 0) {
		plaitp_check_report(self, CHECK_BACKEND, "signal_notify",
				    "notified, and then refused to (P-F07)");
		return;
	}
	notice->delivered = 1;
	notice->signal->notices--;
	plaitp_check_retire(self, &notice->object);
}

plait_status plaitp_check_signal_notify(plait_backend *backend,
					const plait_backend_point *point,
					plait_notify_function function,
					void *user_data, plait_error *error)
{
	static const char slot[] = "signal_notify";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status = PLAIT_OK;
	check_notice *notice = NULL;
	plait_backend_point inner;
	check_signal *signal;

	plaitp_check_enter(self, slot);
	signal = plaitp_check_signal_point(self, slot, point);
	if (signal && (!function || !self->inner_table->signal_notify)) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "no function, or a backend that does not "
				    "notify");
		signal = NULL;
	}
	if (signal)
		notice = add_notice(self, signal, point->sequence, function,
				    user_data);
	else
		status = plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	if (!notice)
		return self->services->fail(error, PLAIT_E_NOMEM, 0,
					    "check: no memory");
	inner = (plait_backend_point){ signal->inner, point->sequence };
	status = self->inner_table->signal_notify(self->inner, &inner, deliver,
						  notice, &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	if (status != PLAIT_OK) {
		pthread_mutex_lock(&self->lock);
		drop_notice(self, notice);
		pthread_mutex_unlock(&self->lock);
	}
	return status;
}

plait_status plaitp_check_pump(plait_backend *backend, plait_error *error)
{
	static const char slot[] = "pump";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status;
	bool has_ports;

	if (!self->inner_table->pump)
		return self->services->fail(error, PLAIT_E_UNSUPPORTED, 0,
					    "this backend has no pump");
	plaitp_check_enter(self, slot);
	has_ports = self->live[CHECK_PORT] > 0;
	if (has_ports)
		plaitp_check_port_claim(self, slot);
	plaitp_check_leave(self);
	status = self->inner_table->pump(self->inner, &mine);
	if (has_ports)
		plaitp_check_port_end(self);
	return plaitp_check_result(self, slot, status, true, &mine, error);
}

plait_status plaitp_check_wait_in_driver(plait_backend *backend,
					 const plait_backend_point *point,
					 plait_error *error)
{
	static const char slot[] = "wait_in_driver";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_backend_point inner = { NULL, 0 };
	check_signal *signal;
	plait_status status;

	plaitp_check_enter(self, slot);
	signal = plaitp_check_signal_point(self, slot, point);
	if (signal)
		inner = (plait_backend_point){ signal->inner, point->sequence };
	else
		plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	if (!signal)
		return PLAIT_E_INVALID;
	if (!self->inner_table->wait_in_driver)
		return self->services->fail(error, PLAIT_E_UNSUPPORTED, 0,
					    "this backend has no "
					    "wait_in_driver");
	status = self->inner_table->wait_in_driver(self->inner, &inner,
						   &mine);
	return plaitp_check_result(self, slot, status, true, &mine, error);
}
