/* SPDX-License-Identifier: MIT */
/*
 * An error record for a slot of a plugin, with a canary behind it. Slots that
 * the registry calls get one; src/object has checks of its own.
 */
#ifndef PLAIT_SRC_PLUGIN_GUARDED_ERROR_H
#define PLAIT_SRC_PLUGIN_GUARDED_ERROR_H

#include "plait/base.h"

#include "plugin/canary.h"

typedef struct plait__guarded_error {
	plait_error record;
	unsigned char canary[PLAIT__CANARY_BYTES];
} plait__guarded_error;

void plait__guarded_error_init(plait__guarded_error *guarded);

/* Turn the result of a slot of plugin `name` into a valid status and a printable
 * text. Returns the status, or PLAIT_E_INTERNAL. */
plait_status plait__guarded_error_check(plait__guarded_error *guarded,
					plait_status status, const char *name,
					const char *slot, plait_error *error);

#endif
