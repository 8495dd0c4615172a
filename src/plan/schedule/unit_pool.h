/* SPDX-License-Identifier: MIT */
/*
 * The units of one resource in a body, while holders are chosen: each unit that
 * was held, with its last holder and the predicted time at which it is free.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_UNIT_POOL_H
#define PLAIT_SRC_PLAN_SCHEDULE_UNIT_POOL_H

#include "plan/plan.h"

typedef struct plait__unit {
	uint64_t free_at;
	uint32_t number;
	uint32_t holder;		/* a node; none: never held */
} plait__unit;

/* Units ascend by `free_at`.  Those that were never held are not in the array,
 * and have the numbers from `count` on. */
typedef struct plait__unit_pool {
	plait__unit units[PLAIT__RESOURCE_UNITS];
	plait__unit chosen[PLAIT__RESOURCE_UNITS];
	uint32_t count;
	/* The choice: units [low, high), and `fresh` ones. */
	uint32_t low;
	uint32_t high;
	uint32_t fresh;
} plait__unit_pool;

/*
 * Choose `wanted` of `capacity` units for a node that is ready at `ready`:
 * first those that are free then, the latest of them first, so that others stay
 * free; then unheld ones; then those that are free soonest.  Returns the time
 * at which all are free, or `ready`.
 */
uint64_t plait__unit_pool_choose(plait__unit_pool *pool, uint32_t wanted,
				 uint32_t capacity, uint64_t ready);

/* Give the chosen units to a node until `finish`.  Returns their number;
 * pool->chosen has them with their previous holders. */
uint32_t plait__unit_pool_take(plait__unit_pool *pool, uint32_t node,
			       uint64_t finish);

#endif
