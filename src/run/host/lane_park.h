/* SPDX-License-Identifier: MIT */
/* Parking of lanes until another lane stores a word. */
#ifndef PLAIT_SRC_RUN_HOST_LANE_PARK_H
#define PLAIT_SRC_RUN_HOST_LANE_PARK_H

#include "run/host/lane_set.h"

/* Wait until the condition is met, and return true; or park the lane, which
 * is no longer the caller's then, and return false.  Caller runs the lane and
 * holds no lock; takes the set's. */
bool plait__lane_park_until(plait__lane_task *self,
			    const struct plait__lane_wait *wanted);
/* Unpark the lanes whose condition a store of this lane has met.  Caller has
 * stored a word with release, and runs the lane. */
void plait__lane_park_wake(plait__lane_task *self);

static inline bool
plait__lane_park_is_met(const struct plait__lane_wait *wanted)
{
	/* Acquire: pairs with the stores in lane_interpreter.c. */
	uint64_t now = at_load_acquire_u64(wanted->word);

	return wanted->changes ? now != wanted->value : now >= wanted->value;
}

#endif
