/* SPDX-License-Identifier: MIT */
/* Copies between the memories of a flow: what a task reads, less what is valid
 * where it runs.  Caller holds the lock. */
#ifndef PLAIT_SRC_FLOW_DEVICE_COPY_H
#define PLAIT_SRC_FLOW_DEVICE_COPY_H

#include "flow/flow_devices.h"

/* Submit the copies that the task's memory lacks, of what flow->accesses reads;
 * the accesses stay.  PLAIT_PENDING: no room, some were submitted.
 * PLAIT_E_NOMEM. */
plait_status plait__device_copy_fetch(plait__flow_task *task,
				      plait_error *error);

/* Set the accesses and cells of a task in preparation aside, for ops that come
 * before it; bring them back.  PLAIT_E_NOMEM. */
plait_status plait__device_copy_begin(const plait__flow_task *task,
				      uint64_t *out_cells, plait_error *error);
void plait__device_copy_end(plait__flow *flow, uint64_t cells);

/* Copy what is valid in a memory to a block that replaces the one there.
 * PLAIT_PENDING: no room, some were copied; PLAIT_E_NOMEM.  flow->accesses
 * change. */
plait_status plait__device_copy_move(plait__flow *flow, plait__data *whole,
				     uint32_t memory,
				     const plait__device_block *target,
				     plait_error *error);
/* Returns the number of these copies; UINT32_MAX without memory. */
uint32_t plait__device_copy_count_moves(const plait__flow *flow,
					const plait__data *whole,
					uint32_t memory);

/* Returns true if op `low` of the flow, the low half of its number, is done and
 * has not failed. */
bool plait__device_copy_has_succeeded(void *flow, uint32_t low);

/* Returns true if only memories of lost devices have some of the values. */
bool plait__device_copy_is_lost(const plait__flow *flow,
				const plait__data *whole);
/* Returns true if other memories have all values that `memory` has. */
bool plait__device_copy_is_saved(const plait__flow *flow,
				 const plait__data *whole, uint32_t memory);
/* Copy the values that only `memory` has to the program's memory, and add their
 * bytes.  What cannot be copied is poison there.  PLAIT_PENDING and PLAIT_E_NOMEM
 * as above; flow->accesses change. */
plait_status plait__device_copy_save(plait__flow *flow, plait__data *whole,
				     uint32_t memory, uint64_t *bytes,
				     plait_error *error);

/* Let the engine of devices run the task. */
void plait__device_copy_set_op(plait__flow_task *task, plait__device_op *op);

/* Returns a device of a memory that is not the program's. */
plait__device *plait__device_copy_device(const plait__flow *flow,
					 uint32_t memory);

#endif
