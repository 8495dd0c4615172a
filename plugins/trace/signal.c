/* SPDX-License-Identifier: MIT */
/*
 * Slots of signals: record waits with their duration, polls that see a point,
 * notifications, and gates that the host raises.
 */
#include <stdio.h>
#include <string.h>

#include "trace.h"

plait_status plaitp_trace_signal_create(plait_backend *backend,
					uint32_t device, uint32_t flags,
					plait_backend_signal **out,
					plait_error *error)
{
	trace *self = trace_of(backend);
	plait_backend_signal *signal = NULL;
	plait_status status = plaitp_forward_slots.signal_create(
		backend, device, flags, &signal, error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	status = plaitp_trace_name_add(self, signal, device, false, NULL,
				       error);
	if (status != PLAIT_OK)
		plaitp_forward_slots.signal_destroy(backend, signal);
	else
		*out = signal;
	return status;
}

void plaitp_trace_signal_destroy(plait_backend *backend,
				 plait_backend_signal *signal)
{
	trace *self = trace_of(backend);

	plaitp_trace_name_retire(self, signal);
	plaitp_forward_slots.signal_destroy(backend, signal);
}

void plaitp_trace_signal_label(plait_backend *backend,
			       plait_backend_signal *signal, const char *label)
{
	plaitp_trace_name_label(trace_of(backend), signal, label);
	plaitp_forward_slots.signal_label(backend, signal, label);
}

/* Set the subject and the label of an event about a signal. */
static void describe(trace *self, const plait_backend_signal *signal,
		     trace_event *event)
{
	trace_name name = plaitp_trace_name_get(self, signal);

	event->subject = name.number;
	snprintf(event->label, sizeof(event->label), "%.*s",
		 TRACE_LABEL - 1, name.label);
}

static void record_seen(trace *self, const plait_backend_point *point,
			plait_status status)
{
	trace_event event = {
		.kind = TRACE_SEEN, .value = point->sequence,
		.status = status, .start_ns = plaitp_trace_record_now(self),
	};

	describe(self, point->signal, &event);
	event.end_ns = event.start_ns;
	plaitp_trace_record(self, &event);
}

plait_status plaitp_trace_signal_poll(plait_backend *backend,
				      const plait_backend_point *point,
				      uint64_t *out_reached,
				      plait_error *error)
{
	trace *self = trace_of(backend);
	plait_status status = plaitp_forward_slots.signal_poll(
		backend, point, out_reached, error);

	if (status != PLAIT_PENDING && point->sequence > 0)
		record_seen(self, point, status);
	return status;
}

plait_status plaitp_trace_signal_wait(plait_backend *backend,
				      const plait_backend_point *points,
				      uint32_t count, uint32_t any,
				      uint64_t timeout_ns,
				      plait_error *error)
{
	trace *self = trace_of(backend);
	trace_event event = { .kind = TRACE_WAIT };

	event.start_ns = plaitp_trace_record_now(self);
	event.status = plaitp_forward_slots.signal_wait(
		backend, points, count, any, timeout_ns, error);
	event.end_ns = plaitp_trace_record_now(self);
	if (count > 0) {
		describe(self, points[0].signal, &event);
		event.value = points[0].sequence;
	}
	if (count != 1 || event.label[0] == '\0')
		snprintf(event.label, sizeof(event.label), "%s %u points",
			 any ? "any of" : "all of", count);
	plaitp_trace_record(self, &event);
	return event.status;
}

static void deliver(void *user_data, plait_status status)
{
	trace_notice *notice = user_data;
	trace *self = notice->self;
	trace_event event = {
		.kind = TRACE_NOTIFY, .subject = notice->signal,
		.value = notice->sequence, .status = status,
		.start_ns = plaitp_trace_record_now(self),
	};

	memcpy(event.label, notice->label, sizeof(event.label));
	/* Record first: the callback may close the backend. */
	event.end_ns = event.start_ns;
	plaitp_trace_record(self, &event);
	{
		plait_notify_function function = notice->function;
		void *data = notice->user_data;

		forward_resize(&self->base, notice, sizeof(*notice), 0);
		function(data, status);
	}
}

plait_status plaitp_trace_signal_notify(plait_backend *backend,
					const plait_backend_point *point,
					plait_notify_function function,
					void *user_data, plait_error *error)
{
	trace *self = trace_of(backend);
	trace_notice *notice;
	trace_name name;
	plait_status status;

	notice = forward_resize(&self->base, NULL, 0, sizeof(*notice));
	if (!notice)
		return self->base.services->fail(error, PLAIT_E_NOMEM, 0,
						 "trace: no memory");
	name = plaitp_trace_name_get(self, point->signal);
	*notice = (trace_notice){
		.self = self, .sequence = point->sequence,
		.signal = name.number,
		.function = function, .user_data = user_data,
	};
	snprintf(notice->label, sizeof(notice->label), "%.*s",
		 TRACE_LABEL - 1, name.label);
	status = plaitp_forward_slots.signal_notify(backend, point, deliver,
						    notice, error);
	if (status != PLAIT_OK)
		forward_resize(&self->base, notice, sizeof(*notice), 0);
	return status;
}

plait_status plaitp_trace_signal_raise(plait_backend *backend,
				       const plait_backend_point *point,
				       const plait_error *failure,
				       plait_error *error)
{
	trace *self = trace_of(backend);
	trace_event event = {
		.kind = TRACE_RAISE, .value = point->sequence,
		.start_ns = plaitp_trace_record_now(self),
	};

	describe(self, point->signal, &event);
	event.status = plaitp_forward_slots.signal_raise(backend, point,
							 failure, error);
	event.end_ns = plaitp_trace_record_now(self);
	plaitp_trace_record(self, &event);
	return event.status;
}
