/* SPDX-License-Identifier: MIT */
/*
 * Timeout diagnosis: the error text names the point and the backend, or, in the
 * waiter's words (plait__wait_request.describe), the queue, inbox or run that
 * the wait is blocked on.
 */
#ifndef PLAIT_SRC_OBJECT_WAIT_WAIT_DIAGNOSIS_H
#define PLAIT_SRC_OBJECT_WAIT_WAIT_DIAGNOSIS_H

#include "object/wait/wait_loop.h"

/* Text about a notification that a backend owes; takes its name twice. */
#define PLAIT__WAIT_DIAGNOSIS_OWED "plugin %s has yet to tell; if it never " \
	"does (P-S10): plait conform %s --only S14"

plait_status plait__wait_diagnosis_fail_timeout(
	const plait__wait_request *request, plait_error *error);
plait_status plait__wait_diagnosis_fail_deadlock(
	const plait__wait_request *request, plait_error *error);

/* Write the name of a backend that owes notifications, "; ...", or "". */
void plait__wait_diagnosis_describe_backends(plait__context *context, char *out,
					     uint32_t bytes);

#endif
