/* SPDX-License-Identifier: MIT */
/*
 * Notifications that come late, twice or never.  Twice and never break the
 * rules: they show how the core copes with such a backend.
 */
#include <time.h>

#include "fault.h"

enum { LATE_CALLS = 3, LATE_MS = 20 };

static bool needs_pump(fault *self)
{
	plait_error unused = { .size = sizeof(unused) };
	plait_backend_device device = { .size = sizeof(device) };

	return self->base.inner_table->device_query(
		self->base.inner, 0, &device, &unused) == PLAIT_OK &&
		(device.capabilities & PLAIT_CAP_NEEDS_PUMP);
}

static void free_notice(fault *self, fault_notice *notice)
{
	forward_resize(&self->base, notice, sizeof(*notice), 0);
}

/* Delay the backend's thread by LATE_MS. */
static void delay_thread(fault *self)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += LATE_MS * 1000000l;
	end.tv_sec += end.tv_nsec / 1000000000l;
	end.tv_nsec %= 1000000000l;
	pthread_mutex_lock(&self->lock);
	while (pthread_cond_timedwait(&self->never_signalled, &self->lock,
				      &end) == 0)
		;
	pthread_mutex_unlock(&self->lock);
}

static void keep_late(fault *self, fault_notice *notice)
{
	pthread_mutex_lock(&self->lock);
	notice->calls_left = LATE_CALLS;
	notice->next = self->late;
	self->late = notice;
	pthread_mutex_unlock(&self->lock);
}

/* Return the number of the notification, from 1. */
static uint64_t begin_notifying(fault *self)
{
	uint64_t number;

	pthread_mutex_lock(&self->lock);
	number = ++self->notices;
	self->notifying++;
	pthread_mutex_unlock(&self->lock);
	return number;
}

static void end_notifying(fault *self)
{
	pthread_mutex_lock(&self->lock);
	if (--self->notifying == 0)
		pthread_cond_broadcast(&self->notified);
	pthread_mutex_unlock(&self->lock);
}

void plaitp_fault_notice_await(fault *self)
{
	pthread_mutex_lock(&self->lock);
	while (self->notifying > 0)
		pthread_cond_wait(&self->notified, &self->lock);
	pthread_mutex_unlock(&self->lock);
}

/* Notification callback for the backend. */
static void notify(void *user_data, plait_status status)
{
	fault_notice *notice = user_data;
	fault *self = notice->self;
	const fault_options *options = &self->options;
	bool pumped = needs_pump(self);
	uint64_t number = begin_notifying(self);

	notice->status = status;
	if (number == options->late && pumped) {
		keep_late(self, notice);
		end_notifying(self);
		return;
	}
	if (number == options->late)
		delay_thread(self);
	if (number != options->never)
		notice->function(notice->user_data, status);
	if (number == options->twice)
		notice->function(notice->user_data, status);
	free_notice(self, notice);
	end_notifying(self);
}

plait_status plaitp_fault_notice_register(fault *self,
					  const plait_backend_point *point,
					  plait_notify_function function,
					  void *user_data, plait_error *error)
{
	fault_notice *notice = forward_resize(&self->base, NULL, 0,
					      sizeof(*notice));
	plait_status status;

	if (!notice)
		return self->base.services->fail(error, PLAIT_E_NOMEM, 0,
						 "fault: no memory");
	*notice = (fault_notice){ .self = self, .function = function,
				  .user_data = user_data };
	status = plaitp_forward_slots.signal_notify(
		(plait_backend *)(void *)self, point, notify, notice, error);
	if (status != PLAIT_OK)
		free_notice(self, notice);
	return status;
}

/* Unlink a notification that is due; null if there is none. */
static fault_notice *take_due(fault *self, bool all)
{
	fault_notice **link = &self->late;
	fault_notice *notice;

	pthread_mutex_lock(&self->lock);
	while (*link && !all && (*link)->calls_left > 0) {
		(*link)->calls_left--;
		link = &(*link)->next;
	}
	notice = *link;
	if (notice)
		*link = notice->next;
	pthread_mutex_unlock(&self->lock);
	return notice;
}

bool plaitp_fault_notice_deliver_late(fault *self, bool all)
{
	fault_notice *notice = take_due(self, all);

	if (!notice)
		return false;
	notice->function(notice->user_data, notice->status);
	free_notice(self, notice);
	return true;
}

void plaitp_fault_notice_drop_late(fault *self)
{
	while (self->late) {
		fault_notice *notice = self->late;

		self->late = notice->next;
		free_notice(self, notice);
	}
}
