/* SPDX-License-Identifier: MIT */
/*
 * Reader of bandwidths between memories: lines "From,To,Bandwidth", in GB/s
 * with up to three decimals. -1 is the host, and device d has the d-th of the
 * other memories; a first line of these words, blank lines and lines that begin
 * with '#' are skipped.
 */
#ifndef PLAIT_SRC_FLOW_POLICY_LINKS_READ_H
#define PLAIT_SRC_FLOW_POLICY_LINKS_READ_H

#include "flow/policy/links.h"

/*
 * Set the rates that the text has; latencies stay. `name` is for errors.
 * PLAIT_E_INVALID: the error has the line, and `links` those before it.
 */
plait_status plait__links_read(plait__links *links, const char *text,
			       uint64_t bytes, const char *name,
			       plait_error *error);

#endif
