/* SPDX-License-Identifier: MIT */
/* One backend opened, its interposers put around it, its devices checked. */
#ifndef PLAIT_SRC_PLUGIN_INSTANCE_H
#define PLAIT_SRC_PLUGIN_INSTANCE_H

#include "plugin/candidate.h"

/*
 * Open `candidate` into `out`, wrapped by registry->wraps, whose candidates
 * are loaded.  Sets registry->no_memory when the host's memory ran out.  On
 * failure nothing is open and `error` (non-null) has the reason.
 */
plait_status plait__instance_open(plait__registry *registry,
				  const plait__candidate *candidate,
				  plait__backend *out, plait_error *error);

/* Close it, outermost first; a plugin that kept memory is told to the log. */
void plait__instance_close(plait__registry *registry, plait__backend *backend);

#endif
