/* SPDX-License-Identifier: MIT */
/* Rotating buffers: the slot of an access in each iteration. */
#ifndef PLAIT_SRC_PLAN_ROTATION_H
#define PLAIT_SRC_PLAN_ROTATION_H

#include "plan/access.h"
#include "plan/plan.h"

/* Returns the rotation that an access goes through, or null. */
const plait__plan_rotation *plait__rotation_of(const plait__plan *plan,
					       const plait__plan_access *access);

/* Returns the slot of a rotation's object in an iteration. */
uint32_t plait__rotation_slot(const plait__plan *plan,
			      const plait__plan_rotation *rotation,
			      uint32_t object, uint32_t iteration);

/* Returns the number of iterations after which the slots repeat. */
uint32_t plait__rotation_period(const plait__plan_rotation *rotation);

/* Returns true if two objects, of rotations of one loop, are one slot in some
 * iteration. */
bool plait__rotation_overlaps(const plait__plan *plan, uint32_t a,
			      const plait__plan_rotation *one, uint32_t b,
			      const plait__plan_rotation *other);

/* Arguments that are a MEMORY or a ROTATION, of checked tables. */

/* Returns the slot in an iteration. */
uint32_t plait__rotation_arg_slot(const plait__plan *tables,
				  const plait__plan_arg *arg,
				  uint32_t iteration);
/* Returns the number of iterations after which the slots repeat. */
uint32_t plait__rotation_arg_period(const plait__plan *tables,
				    const plait__plan_arg *arg);
/* Returns the byte offset in the slot. */
uint64_t plait__rotation_arg_offset(const plait__plan_arg *arg);
/* Returns true if two of one command are one slot in some iteration. */
bool plait__rotation_args_meet(const plait__plan *tables,
			       const plait__plan_arg *one,
			       const plait__plan_arg *other);

#endif
