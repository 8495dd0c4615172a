/* SPDX-License-Identifier: MIT */
/*
 * Larger blocks.  Room for a block comes from device_room.h; then its ops are
 * committed, in the order of the program: copies of what is valid in the old block,
 * each behind the tasks that use those elements, and before later ones; and the
 * release of the old buffer, behind all that uses it.  So no call waits for
 * that.  Caller holds the lock.
 */
#ifndef PLAIT_SRC_FLOW_BLOCK_GROWTH_H
#define PLAIT_SRC_FLOW_BLOCK_GROWTH_H

#include "flow/flow_devices.h"

/* Let the block that is to come take the place of the one in the task's memory.
 * PLAIT_PENDING: no room; PLAIT_E_NOMEM. */
plait_status plait__block_growth_commit(const plait__flow_task *task,
					plait__data *whole,
					plait_error *error);

/* Returns true if the window has room for the ops of a block that grows: when other
 * tasks are done, at least. */
bool plait__block_growth_fits(const plait__flow *flow,
			      const plait__data *whole, uint32_t memory);

#endif
