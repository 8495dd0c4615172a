/* SPDX-License-Identifier: MIT */
/* Submission of ops of devices to their queues. */
#ifndef PLAIT_SRC_FLOW_DEVICE_DEVICE_SUBMIT_H
#define PLAIT_SRC_FLOW_DEVICE_DEVICE_SUBMIT_H

#include "flow/device/device_engine.h"

/* Submit a list of the outbox, in order; neighbours of one lane are one
 * call.  A lane whose queue refuses an op takes none behind it.  Caller holds
 * `submitting`. */
void plait__device_submit_all(plait__device_engine *engine,
			      plait__device_op *list);

#endif
