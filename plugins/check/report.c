/* SPDX-License-Identifier: MIT */
/*
 * Reports of violations: log, counts, error; and the rules that hold for every
 * slot and every result.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

void plaitp_check_report(check *self, enum check_party party, const char *slot,
			 const char *format, ...)
{
	static const char *const names[] = {
		"the core", "the backend", "the core or the backend"
	};
	char line[320];
	va_list list;
	int length;

	length = snprintf(line, sizeof(line), "check: %s broke a rule, %s: ",
			  names[party], slot);
	va_start(list, format);
	vsnprintf(line + length, sizeof(line) - (size_t)length, format, list);
	va_end(list);
	self->violations[party]++;
	snprintf(self->last_report, sizeof(self->last_report), "%s", line);
	self->services->log(self->host, PLAIT_LOG_ERROR, line);
}

/* `error` may be null.  Caller holds the lock. */
plait_status plaitp_check_report_error(check *self, plait_error *error)
{
	plait_error unused = plaitp_check_record();

	return self->services->fail(error ? error : &unused, PLAIT_E_INTERNAL,
				    0, self->last_report);
}

void plaitp_check_enter(check *self, const char *slot)
{
	pthread_t thread = pthread_self();

	pthread_mutex_lock(&self->lock);
	self->slot = slot;
	self->calls++;
	for (check_notifier *notifier = self->notifiers; notifier;
	     notifier = notifier->next)
		if (pthread_equal(notifier->thread, thread))
			plaitp_check_report(self, CHECK_CORE, slot,
					    "called inside a notification");
}

void plaitp_check_leave(check *self)
{
	pthread_mutex_unlock(&self->lock);
}

/* Returns an empty error record, for the backend to fill. */
plait_error plaitp_check_record(void)
{
	return (plait_error){ .size = sizeof(plait_error) };
}

static bool may_be_lost(const check *self)
{
	/* Ports are lost, whatever devices are. */
	if (self->numbers[CHECK_PORT] > 0)
		return true;
	for (uint32_t i = 0; i < self->device_count; i++)
		if (!(self->devices[i].capabilities & PLAIT_CAP_LASTS))
			return true;
	return false;
}

/* Report a result that breaks a rule by itself; returns true after a report. */
static bool report_invalid(check *self, const char *slot, plait_status status,
			   bool may_pend, const plait_error *mine)
{
	if (status > 0 && !(status == PLAIT_PENDING && may_pend))
		plaitp_check_report(
			self, CHECK_BACKEND, slot,
			"answered %d, which this slot must not (P-F07)",
			status);
	else if (status < PLAIT_E_INTERNAL)
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "answered %d, which is no status (P-F07)",
				    status);
	else if (status < 0 && !memchr(mine->text, 0, sizeof(mine->text)))
		plaitp_check_report(
			self, CHECK_BACKEND, slot,
			"failed with %d and an unterminated text (P-F07)",
			status);
	else if (status < 0 && mine->text[0] == 0)
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "failed with %d and no error text (P-F07)",
				    status);
	else if (status < 0 && mine->status != status)
		plaitp_check_report(
			self, CHECK_BACKEND, slot,
			"failed with %d, but its error says %d (P-F07)", status,
			mine->status);
	else if (status == PLAIT_E_LOST && !may_be_lost(self))
		plaitp_check_report(self, CHECK_BACKEND, slot,
				 "is lost, but claims PLAIT_CAP_LASTS (P-F11)");
	else
		return false;
	return true;
}

/* Returns PLAIT_E_INTERNAL after a report; PLAIT_E_LOST disables the model.
 * `error` may be null. */
plait_status plaitp_check_result(check *self, const char *slot,
				 plait_status status, bool may_pend,
				 const plait_error *mine, plait_error *error)
{
	bool invalid;

	pthread_mutex_lock(&self->lock);
	invalid = report_invalid(self, slot, status, may_pend, mine);
	if (invalid)
		status = plaitp_check_report_error(self, error);
	else if (status == PLAIT_E_LOST)
		plaitp_check_model_disable(self);
	pthread_mutex_unlock(&self->lock);
	if (status < 0 && !invalid && error) {
		uint32_t size = error->size;

		if (size == 0 || size > sizeof(*mine))
			size = sizeof(*mine);
		memcpy(error, mine, size);
		error->size = size;
	}
	return status;
}
