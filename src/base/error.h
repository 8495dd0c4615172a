/* SPDX-License-Identifier: MIT */
/*
 * Filling the caller's error record.  The first function that knows what
 * went wrong writes it; callers on the way up only return the status.
 */
#ifndef PLAIT_SRC_BASE_ERROR_H
#define PLAIT_SRC_BASE_ERROR_H

#include "plait/base.h"

/* Write status and one line of text; returns `status`.  `error` may be null. */
plait_status plait__fail(plait_error *error, plait_status status,
			 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with the raw value behind it (errno, driver code, user's value). */
plait_status plait__fail_origin(plait_error *error, plait_status status,
				int64_t origin, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Put words before the text that is there, as far as they fit; where the
 * first to know cannot say of what it speaks. */
void plait__error_prefix(plait_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Copy a kept error into the caller's record; returns its status. */
plait_status plait__error_copy(plait_error *error, const plait_error *kept);

#endif
