/* SPDX-License-Identifier: MIT */
/* Links between the memories of a flow: those that its devices tell, and those of
 * a file. */
#ifndef PLAIT_SRC_FLOW_DEVICE_LINKS_H
#define PLAIT_SRC_FLOW_DEVICE_LINKS_H

#include "flow/flow_object.h"
#include "flow/policy/links.h"

/* Initialise the links; `path` is null or a file (policy/links_read.h).  After a
 * failure the caller calls plait__links_fini if there is a table.
 * PLAIT_E_INVALID, PLAIT_E_UNAVAILABLE, PLAIT_E_NOMEM. */
plait_status plait__device_links_make(plait__links *links,
				      const plait__flow *flow,
				      const char *path, plait_error *error);

#endif
