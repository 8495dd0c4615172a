/* SPDX-License-Identifier: MIT */
/*
 * One open backend: the instance, the interposers around it, and its checked
 * devices.
 */
#ifndef PLAIT_SRC_PLUGIN_INSTANCE_H
#define PLAIT_SRC_PLUGIN_INSTANCE_H

#include "plugin/candidate.h"

/*
 * Open `candidate` into `out`, wrapped by the interposers of registry->wraps,
 * which are loaded. Sets registry->no_memory if an allocation of the host
 * failed. On failure nothing stays open and `error` (non-null) has the reason.
 */
plait_status plait__instance_open(plait__registry *registry,
				  const plait__candidate *candidate,
				  plait__backend *out, plait_error *error);

/* Close it through its outermost layer; memory that a plugin did not free is
 * logged. */
void plait__instance_close(plait__registry *registry, plait__backend *backend);

#endif
