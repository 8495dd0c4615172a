/* SPDX-License-Identifier: MIT */
/*
 * Slots of signals except wait and notify.  Checks that counters do not
 * decrease and that no point is reported before it can have happened.
 */
#include "check.h"

/* Returns the signal, or null after a report.  Caller holds the lock. */
check_signal *plaitp_check_signal_point(check *self, const char *slot,
					const plait_backend_point *point)
{
	check_signal *signal = plaitp_check_find(self, slot, CHECK_SIGNAL,
						 point->signal);

	if (!signal || signal->gate || point->sequence <= signal->submitted)
		return signal;
	plaitp_check_report(self, CHECK_CORE, slot,
			    "signal %llu: a wait for %llu, but only %llu were "
			 "submitted", (unsigned long long)signal->object.number,
			    (unsigned long long)point->sequence,
			    (unsigned long long)signal->submitted);
	return NULL;
}

plait_status plaitp_check_signal_create(plait_backend *backend,
					uint32_t device, uint32_t flags,
					plait_backend_signal **out,
					plait_error *error)
{
	static const char slot[] = "signal_create";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_backend_signal *inner = NULL;
	plait_status status = PLAIT_OK;
	check_signal *signal = NULL;
	bool gate = flags & PLAIT_BACKEND_SIGNAL_GATE;

	*out = NULL;
	plaitp_check_enter(self, slot);
	if (device >= self->device_count ||
	    (flags & ~(uint32_t)PLAIT_BACKEND_SIGNAL_GATE) ||
	    (gate && !(self->devices[device].capabilities & PLAIT_CAP_GATE))) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "device %u cannot have a signal with flags "
				    "0x%x", device, flags);
		status = plaitp_check_report_error(self, error);
	} else {
		signal = plaitp_check_add(self, CHECK_SIGNAL, sizeof(*signal));
	}
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	if (!signal)
		return self->services->fail(error, PLAIT_E_NOMEM, 0,
					    "check: no memory");
	signal->gate = gate;
	status = self->inner_table->signal_create(self->inner, device, flags,
						  &inner, &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK && !inner) {
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "succeeded without giving a signal");
		status = plaitp_check_report_error(self, error);
	}
	signal->inner = inner;
	if (status != PLAIT_OK)
		plaitp_check_retire(self, &signal->object);
	pthread_mutex_unlock(&self->lock);
	if (status == PLAIT_OK)
		*out = signal;
	return status;
}

void plaitp_check_signal_destroy(plait_backend *backend,
				 plait_backend_signal *handle)
{
	static const char slot[] = "signal_destroy";
	check *self = check_of(backend);
	plait_backend_signal *inner = NULL;
	check_signal *signal;

	plaitp_check_enter(self, slot);
	signal = plaitp_check_find(self, slot, CHECK_SIGNAL, handle);
	if (signal) {
		unsigned long long number = signal->object.number;

		if (signal->uses > 0)
			plaitp_check_model_confirm(self);
		if (signal->uses > 0 && !self->model_off)
			plaitp_check_report(self, CHECK_CORE, slot,
					    "signal %llu has %llu waits or "
					    "emissions on their way", number,
					    (unsigned long long)signal->uses);
		if (signal->notices > 0)
			plaitp_check_report(self, CHECK_EITHER, slot,
					 "signal %llu has %llu notifications "
					    "that were never delivered", number,
					 (unsigned long long)signal->notices);
		inner = signal->inner;
		plaitp_check_retire(self, &signal->object);
	}
	plaitp_check_leave(self);
	if (inner)
		self->inner_table->signal_destroy(self->inner, inner);
}

void plaitp_check_signal_label(plait_backend *backend,
			       plait_backend_signal *handle, const char *label)
{
	static const char slot[] = "signal_label";
	check *self = check_of(backend);
	plait_backend_signal *inner = NULL;
	check_signal *signal;

	plaitp_check_enter(self, slot);
	signal = plaitp_check_find(self, slot, CHECK_SIGNAL, handle);
	if (signal)
		inner = signal->inner;
	plaitp_check_leave(self);
	if (inner && self->inner_table->signal_label)
		self->inner_table->signal_label(self->inner, inner, label);
}

/* Check the polled counter against the last one and the submitted emissions. */
static void check_reached(check *self, check_signal *signal, uint64_t before,
			  uint64_t reached)
{
	static const char slot[] = "signal_poll";
	unsigned long long number = signal->object.number;

	if (reached < before)
		plaitp_check_report(
			self, CHECK_BACKEND, slot,
			"signal %llu went back from %llu to %llu (P-S02)",
			number, (unsigned long long)before,
			(unsigned long long)reached);
	if (!signal->gate && reached > signal->submitted)
		plaitp_check_report(
			self, CHECK_BACKEND, slot,
			"signal %llu is at %llu of %llu submitted (P-S09)",
			number, (unsigned long long)reached,
			(unsigned long long)signal->submitted);
	if (reached > signal->seen)
		signal->seen = reached;
}

plait_status plaitp_check_signal_poll(plait_backend *backend,
				      const plait_backend_point *point,
				      uint64_t *out_reached,
				      plait_error *error)
{
	static const char slot[] = "signal_poll";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_backend_point inner;
	plait_status status = PLAIT_OK;
	uint64_t before = 0, reached = UINT64_MAX;
	check_signal *signal;

	plaitp_check_enter(self, slot);
	signal = plaitp_check_find(self, slot, CHECK_SIGNAL, point->signal);
	if (signal)
		before = signal->seen;
	else
		status = plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	inner = (plait_backend_point){ signal->inner, point->sequence };
	status = self->inner_table->signal_poll(self->inner, &inner, &reached,
						&mine);
	status = plaitp_check_result(self, slot, status, true, &mine, error);
	pthread_mutex_lock(&self->lock);
	if (reached != UINT64_MAX)
		check_reached(self, signal, before, reached);
	else if (status >= 0)
		plaitp_check_report(
			self, CHECK_BACKEND, slot,
			"does not return the counter of the signal");
	/* An error without the counter is about the call, not about the
	 * point. */
	if (status != PLAIT_PENDING && reached != UINT64_MAX)
		plaitp_check_model_happened(self, slot, signal, point->sequence,
					    status);
	pthread_mutex_unlock(&self->lock);
	if (out_reached && reached != UINT64_MAX)
		*out_reached = reached;
	return status;
}

/* Return a description of the violation, or null. */
static const char *find_raise_violation(const check *self,
					const check_signal *signal,
					uint64_t sequence)
{
	if (!self->inner_table->signal_raise)
		return "this backend has no gates";
	if (!signal->gate)
		return "it is no gate";
	if (sequence < signal->reached)
		return "it cannot go back";
	return NULL;
}

/* A raise that the backend has refused did not happen. Batches that it has
 * released in the model stay released. */
static void undo_raise(check *self, const plait_backend_point *point,
		       uint64_t reached, uint64_t failed_from)
{
	static const char slot[] = "signal_raise";
	check_signal *signal;

	plaitp_check_enter(self, slot);
	signal = plaitp_check_find(self, slot, CHECK_SIGNAL, point->signal);
	if (signal && signal->reached == point->sequence)
		signal->reached = reached;
	if (signal && signal->failed_from == point->sequence)
		signal->failed_from = failed_from;
	plaitp_check_leave(self);
}

plait_status plaitp_check_signal_raise(plait_backend *backend,
				       const plait_backend_point *point,
				       const plait_error *failure,
				       plait_error *error)
{
	static const char slot[] = "signal_raise";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status = PLAIT_OK;
	plait_backend_point inner;
	uint64_t reached = 0, failed_from = 0;
	const char *fault = NULL;
	check_signal *signal;

	plaitp_check_enter(self, slot);
	signal = plaitp_check_find(self, slot, CHECK_SIGNAL, point->signal);
	if (signal) {
		reached = signal->reached;
		failed_from = signal->failed_from;
		fault = find_raise_violation(self, signal, point->sequence);
	}
	if (fault)
		plaitp_check_report(self, CHECK_CORE, slot,
				    "signal %llu raised to %llu: %s",
				    (unsigned long long)signal->object.number,
				    (unsigned long long)point->sequence, fault);
	if (!signal || fault)
		status = plaitp_check_report_error(self, error);
	else
		plaitp_check_model_raise(self, signal, point->sequence,
					 failure != NULL);
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	inner = (plait_backend_point){ signal->inner, point->sequence };
	status = self->inner_table->signal_raise(self->inner, &inner, failure,
						 &mine);
	if (status != PLAIT_OK)
		undo_raise(self, point, reached, failed_from);
	return plaitp_check_result(self, slot, status, false, &mine, error);
}

plait_status plaitp_check_signal_reset(plait_backend *backend,
				       plait_backend_signal *handle,
				       plait_error *error)
{
	static const char slot[] = "signal_reset";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status = PLAIT_OK;
	check_signal *signal;

	plaitp_check_enter(self, slot);
	signal = plaitp_check_find(self, slot, CHECK_SIGNAL, handle);
	if (signal && signal->uses > 0)
		plaitp_check_model_confirm(self);
	if (signal && signal->uses > 0 && !self->model_off) {
		plaitp_check_report(self, CHECK_CORE, slot,
				 "signal %llu has %llu waits or emissions on "
				    "their way",
				    (unsigned long long)signal->object.number,
				    (unsigned long long)signal->uses);
		signal = NULL;
	}
	if (!signal)
		status = plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	status = self->inner_table->signal_reset(self->inner, signal->inner,
						 &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK)
		signal->failed_from = 0;
	pthread_mutex_unlock(&self->lock);
	return status;
}
