/* SPDX-License-Identifier: MIT */
/* Buffers that take turns: which slot an access is in which iteration. */
#ifndef PLAIT_SRC_PLAN_ROTATION_H
#define PLAIT_SRC_PLAN_ROTATION_H

#include "plan/access.h"
#include "plan/plan.h"

/* The rotation that an access is a turn of, or null. */
const plait__plan_rotation *plait__rotation_of(const plait__plan *plan,
					       const plait__plan_access *access);

/* The slot that an object of this rotation is in an iteration. */
uint32_t plait__rotation_slot(const plait__plan *plan,
			      const plait__plan_rotation *rotation,
			      uint32_t object, uint32_t iteration);

/* After how many iterations a rotation has shown every slot. */
uint32_t plait__rotation_period(const plait__plan_rotation *rotation);

/* Whether two objects, of rotations of one loop, are one slot in some
 * iteration. */
bool plait__rotation_overlaps(const plait__plan *plan, uint32_t a,
			      const plait__plan_rotation *one, uint32_t b,
			      const plait__plan_rotation *other);

#endif
