/* SPDX-License-Identifier: MIT */
/*
 * Error records of the caller. The first function that detects a failure writes
 * the record; its callers only return the status.
 */
#ifndef PLAIT_SRC_BASE_ERROR_H
#define PLAIT_SRC_BASE_ERROR_H

#include "plait/base.h"

/* Make room for an error, without the stores to all of its text that an initializer
 * costs. */
static inline void plait__error_clear(plait_error *room)
{
	room->size = sizeof(*room);
	room->status = PLAIT_OK;
	room->origin = 0;
	room->detail = 0;
	room->text[0] = '\0';
}

/* Write a status and one line of text; returns `status`. `error` may be null,
 * or of an older caller, with a shorter text or none. */
plait_status plait__fail(plait_error *error, plait_status status,
			 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Like plait__fail, with the raw value (errno, driver code, user's value) as
 * origin. */
plait_status plait__fail_origin(plait_error *error, plait_status status,
				int64_t origin, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Insert words before the present text, as far as they fit: for callers that
 * know the subject of an error that a lower function wrote. */
void plait__error_prefix(plait_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Copy a stored error into the caller's record; returns its status. PLAIT_OK
 * leaves the record alone. */
plait_status plait__error_copy(plait_error *error, const plait_error *kept);

#endif
