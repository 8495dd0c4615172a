/* SPDX-License-Identifier: MIT */
/* Units of a resource, by the time at which they are free; see unit_pool.h. */
#include "plan/schedule/unit_pool.h"

#include <string.h>

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint64_t plait__unit_pool_choose(plait__unit_pool *pool, uint32_t wanted,
				 uint32_t capacity, uint64_t ready)
{
	uint32_t free = 0, reused;

	pool->low = pool->high = pool->fresh = 0;
	if (wanted == 0)
		return ready;
	while (free < pool->count && pool->units[free].free_at <= ready)
		free++;
	reused = least(free, wanted);
	pool->low = free - reused;
	pool->fresh = least(wanted - reused, capacity - pool->count);
	pool->high = free + wanted - reused - pool->fresh;
	return pool->high > free ? pool->units[pool->high - 1].free_at : ready;
}

/* Move the chosen units out of the array, and add the fresh ones. */
static uint32_t take_out(plait__unit_pool *pool)
{
	uint32_t held = pool->high - pool->low;

	memcpy(pool->chosen, &pool->units[pool->low],
	       held * sizeof(*pool->units));
	memmove(&pool->units[pool->low], &pool->units[pool->high],
		(pool->count - pool->high) * sizeof(*pool->units));
	for (uint32_t i = 0; i < pool->fresh; i++)
		pool->chosen[held + i] = (plait__unit){
			.number = pool->count + i, .holder = PLAIT__NONE
		};
	pool->count -= held;
	return held + pool->fresh;
}

uint32_t plait__unit_pool_take(plait__unit_pool *pool, uint32_t node,
			       uint64_t finish)
{
	uint32_t taken, at;

	if (pool->high == pool->low && pool->fresh == 0)
		return 0;
	taken = take_out(pool);
	at = pool->count;
	while (at > 0 && pool->units[at - 1].free_at > finish)
		at--;
	memmove(&pool->units[at + taken], &pool->units[at],
		(pool->count - at) * sizeof(*pool->units));
	for (uint32_t i = 0; i < taken; i++)
		pool->units[at + i] = (plait__unit){
			finish, pool->chosen[i].number, node
		};
	pool->count += taken;
	return taken;
}
