/* SPDX-License-Identifier: MIT */
/* Warnings of what the devices of a recorded flow do: many small copies for a
 * task, evictions in many horizons.  A strict flow refuses them.  Without a record
 * these do nothing.  Caller holds the lock. */
#ifndef PLAIT_SRC_FLOW_DEVICE_WARNINGS_H
#define PLAIT_SRC_FLOW_DEVICE_WARNINGS_H

#include "flow/flow_devices.h"

/* The task needs copies of these plait__version of an access.  PLAIT_E_INVALID. */
plait_status plait__device_warnings_copies(const plait__flow_task *task,
					   const plait__flow_access *access,
					   const plait__vector *missing,
					   plait_error *error);
/* The submission's task was committed: take what is to be warned of, with count 0 if
 * nothing is; or it has failed. */
plait__small_copies plait__device_warnings_take(plait__flow *flow);
void plait__device_warnings_forget(plait__flow *flow);

/* Returns PLAIT_E_INVALID if an eviction from the memory is refused. */
plait_status plait__device_warnings_check(const plait__flow *flow,
					  uint32_t memory, plait_error *error);
/* The memory evicts. */
void plait__device_warnings_evict(plait__flow *flow, uint32_t memory);

#endif
