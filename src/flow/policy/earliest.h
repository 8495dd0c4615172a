/* SPDX-License-Identifier: MIT */
/* Predicted end of a task on one device: lanes, predecessors, evictions, copies
 * with their links booked in a trial. */
#ifndef PLAIT_SRC_FLOW_POLICY_EARLIEST_H
#define PLAIT_SRC_FLOW_POLICY_EARLIEST_H

#include "flow/policy/device_policy.h"

/* Returns the figures of a device, but for `valid_bytes`. */
plait__device_figures
plait__earliest_figures(const plait__device_request *request, uint32_t device);

#endif
