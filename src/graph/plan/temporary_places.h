/* SPDX-License-Identifier: MIT */
/*
 * Places of a plan's temporaries in the arenas of an instance, among the scratch
 * of the same device.  Two temporaries, or a temporary and the scratch of a
 * command, share bytes if every command that uses one happens before every
 * command that uses the other, by the edges of the plan.  A use in a region
 * counts as one by the region, so contents last from iteration to iteration.
 *
 * What takes a plan object reads its devices: another thread may bind one, so the
 * caller holds plan_object->lock until the plan is sealed.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_TEMPORARY_PLACES_H
#define PLAIT_SRC_GRAPH_PLAN_TEMPORARY_PLACES_H

#include "graph/plan/plan_object.h"

#include <stdbool.h>

/* Offset in the arena of a temporary that no command uses. */
#define PLAIT__TEMPORARY_UNUSED UINT64_MAX

bool plait__temporary_places_has_any(const plait__plan *plan);

/* Returns the alignment of arenas and temporaries on the device: what a buffer
 * has there, at least PLAIT__TEMPORARY_ALIGNMENT.  `device` may be null. */
uint64_t plait__temporary_places_alignment(plait__device *device);

/* Fill `offsets`, one per slot; and raise `arena_bytes`, one per device, which the
 * caller has set to the scratch, to all bytes of the arena.  PLAIT_E_NOMEM: no
 * memory to work, or the arenas exceed 2^63 - 1 bytes. */
plait_status plait__temporary_places_find(const plait__plan_object *plan_object,
					  const plait_allocator *allocator,
					  uint64_t *offsets,
					  uint64_t *arena_bytes,
					  plait_error *error);

/* Returns the bytes of all arenas of an instance; without memory those of the
 * scratch alone. */
uint64_t plait__temporary_places_bytes(const plait__plan_object *plan_object,
				       const plait_allocator *allocator);

/* Prove that temporaries which share bytes of an arena are used one after the
 * other: PLAIT_E_INVALID names the commands that nothing orders.  PLAIT_E_NOMEM. */
plait_status plait__temporary_places_check(
	const plait__plan_object *plan_object, const plait_allocator *allocator,
	plait_error *error);

#endif
