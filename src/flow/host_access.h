/* SPDX-License-Identifier: MIT */
/*
 * Host access: mappings, reads and writes.  Each is an op that the calling
 * thread runs itself: numbered, in no lane, begun when its predecessors are
 * done and ended by the thread.
 */
#ifndef PLAIT_SRC_FLOW_HOST_ACCESS_H
#define PLAIT_SRC_FLOW_HOST_ACCESS_H

#include "flow/flow.h"

/* End the mappings that were made through the data.  Caller holds the lock. */
void plait__host_access_end_all(plait__data *data);

#endif
