/* SPDX-License-Identifier: MIT */
/* Schedule objects: an immutable schedule with a handle. */
#ifndef PLAIT_SRC_COLL_USE_SCHEDULE_OBJECT_H
#define PLAIT_SRC_COLL_USE_SCHEDULE_OBJECT_H

#include "plait/schedule.h"

#include "coll/schedule/schedule.h"
#include "object/context/context.h"

typedef struct plait__schedule_object {
	plait__object object;
	plait__schedule *schedule; /* owned */
} plait__schedule_object;

/* Create an object around a schedule, whose arrays are of the context's
 * allocator.  Takes ownership of the schedule, also on failure. */
plait_status plait__schedule_object_create(plait__context *context,
					   plait__schedule *schedule,
					   plait__schedule_object **out,
					   plait_error *error);

/* Enter a schedule; leave it with plait__object_leave().  PLAIT_E_HANDLE. */
plait_status plait__schedule_object_enter(plait_schedule *handle,
					  plait__schedule_object **out,
					  plait_error *error);

#endif
