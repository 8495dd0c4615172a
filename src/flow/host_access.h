/* SPDX-License-Identifier: MIT */
/*
 * Host access: mappings, reads and writes.  The calling thread waits until
 * nothing is in the way, and only then takes its place in the order of tasks:
 * with an op that is in no lane, until the access ends.  So an access that does
 * not come about changes nothing.
 */
#ifndef PLAIT_SRC_FLOW_HOST_ACCESS_H
#define PLAIT_SRC_FLOW_HOST_ACCESS_H

#include "flow/flow.h"

/* End the mappings that were made through the data.  Caller holds the lock. */
void plait__host_access_end_all(plait__data *data);

#endif
