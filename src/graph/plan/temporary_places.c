/* SPDX-License-Identifier: MIT */
/*
 * Places of a plan's temporaries; see temporary_places.h.  Temporaries are placed
 * in several ways, around the items that they clash with (temporary_uses.h), and
 * the way with the smallest arenas is taken.  Plans with very many uses share
 * less, or nothing.
 */
#include "graph/plan/temporary_places.h"

#include "graph/plan/temporary_uses.h"

#include "base/alloc.h"
#include "base/error.h"
#include "object/context/device.h"
#include "object/memory/buffer.h"
#include "plan/check/check.h"

#include <string.h>

bool plait__temporary_places_has_any(const plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->slots_count; i++)
		if (plan->slots[i].kind == PLAIT__SLOT_ARENA)
			return true;
	return false;
}

/* ---- places ---- */

uint64_t plait__temporary_places_alignment(plait__device *device)
{
	uint64_t bytes = device == NULL ? 1 :
			 plait__device_facts(device)->alignment_bytes;

	return bytes > PLAIT__TEMPORARY_ALIGNMENT ? bytes :
						    PLAIT__TEMPORARY_ALIGNMENT;
}

static uint64_t alignment_on(const struct plait__temporary_items *p, uint32_t device)
{
	return plait__temporary_places_alignment(
		p->plan_object->devices[device]);
}

/* Returns UINT64_MAX if no aligned offset is left. */
static uint64_t align(uint64_t offset, uint64_t alignment)
{
	if (offset > INT64_MAX)
		return UINT64_MAX;
	return (offset + alignment - 1) & ~(alignment - 1);
}

/* Returns a placed item that is in the way of number `i` at `offset`, or none.
 * No end of a placed item is beyond 2^63 - 1. */
static uint32_t find_obstacle(const struct plait__temporary_items *p, uint32_t i,
			      uint64_t offset)
{
	for (uint32_t k = 0; k < p->count; k++) {
		const struct plait__temporary_item *other = &p->items[k];

		if (other->offset != PLAIT__TEMPORARY_UNUSED &&
		    plait__temporary_uses_clash(p, i, k) &&
		    offset < other->offset + other->bytes &&
		    other->offset < offset + p->items[i].bytes)
			return k;
	}
	return PLAIT__NONE;
}

/* Returns the lowest offset of temporaries in the arena: scratch that is not
 * listed is left alone. */
static uint64_t base_of(const struct plait__temporary_items *p,
			uint32_t device)
{
	return p->has_scratch ? 0 :
	       align(p->plan->devices[device].scratch_bytes,
		     alignment_on(p, device));
}

/* Returns the lowest free place in the arena, or UINT64_MAX. */
static uint64_t find_lowest(const struct plait__temporary_items *p, uint32_t i)
{
	const struct plait__temporary_item *item = &p->items[i];
	uint64_t alignment = alignment_on(p, item->device);
	uint64_t at = base_of(p, item->device);
	uint32_t k;

	while (at <= INT64_MAX && item->bytes <= INT64_MAX - at) {
		k = find_obstacle(p, i, at);
		if (k == PLAIT__NONE)
			return at;
		at = align(p->items[k].offset + p->items[k].bytes, alignment);
	}
	return UINT64_MAX;
}

/* Returns the highest free place in the arena below the limit of the device, or
 * UINT64_MAX.  The alignment is a power of two (plugin/instance.c). */
static uint64_t find_highest(const struct plait__temporary_items *p, uint32_t i)
{
	const struct plait__temporary_item *item = &p->items[i];
	uint64_t alignment = alignment_on(p, item->device);
	uint64_t end = p->limit[item->device], at;
	uint32_t k;

	while (end <= INT64_MAX && item->bytes <= end) {
		at = (end - item->bytes) & ~(alignment - 1);
		k = find_obstacle(p, i, at);
		if (k == PLAIT__NONE)
			return at < base_of(p, item->device) ?
				       UINT64_MAX : at;
		end = p->items[k].offset;
	}
	return UINT64_MAX;
}

/* Find for each device what two items that clash need at least. */
static void find_limits(const struct plait__temporary_items *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct plait__temporary_item *item = &p->items[i];
		uint64_t alignment = alignment_on(p, item->device);
		uint64_t *limit = &p->limit[item->device];
		uint64_t mine = align(item->bytes, alignment), sum = mine;

		if (item->offset != PLAIT__TEMPORARY_UNUSED)
			mine = sum = align(item->offset + item->bytes,
					   alignment);
		for (uint32_t k = 0; k < p->count; k++) {
			uint64_t both = align(p->items[k].bytes, alignment);

			if (!plait__temporary_uses_clash(p, i, k) ||
			    p->items[k].offset != PLAIT__TEMPORARY_UNUSED)
				continue;
			if (both > INT64_MAX || mine > INT64_MAX)
				both = UINT64_MAX;
			else
				both += mine;
			sum = both > sum ? both : sum;
		}
		if (item->first != PLAIT__NONE && sum > *limit)
			*limit = sum;
	}
}

/* Ways to place: by first use, alternating between both ends of the arena; the
 * largest first; and by first use from the lowest place on. */
enum { WAY_ENDS = 0, WAY_LARGEST = 1, WAY_LOWEST = 2, WAY_COUNT = 3 };

static bool goes_before(const struct plait__temporary_items *p, uint32_t way, uint32_t one,
			uint32_t other)
{
	const struct plait__temporary_item *a = &p->items[one], *b = &p->items[other];

	if (way == WAY_LARGEST && a->bytes != b->bytes)
		return a->bytes > b->bytes;
	return a->first != b->first ? a->first < b->first : one < other;
}

/* Insertion sort with steps of Shell. */
static void sort_order(const struct plait__temporary_items *p, uint32_t way)
{
	static const uint32_t steps[] = { 701, 301, 132, 57, 23, 10, 4, 1 };

	for (uint32_t i = 0; i < p->temporary_count; i++)
		p->placing[i] = i;
	for (uint32_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++)
		for (uint32_t i = steps[s]; i < p->temporary_count; i++) {
			uint32_t item = p->placing[i], k = i;

			for (; k >= steps[s] && goes_before(
				     p, way, item, p->placing[k - steps[s]]);
			     k -= steps[s])
				p->placing[k] = p->placing[k - steps[s]];
			p->placing[k] = item;
		}
}

static bool place_one(const struct plait__temporary_items *p, uint32_t i, uint32_t way)
{
	struct plait__temporary_item *item = &p->items[i];
	uint64_t at = find_lowest(p, i), high;

	if (way == WAY_ENDS && at != base_of(p, item->device)) {
		high = find_highest(p, i);
		at = high != UINT64_MAX ? high : at;
	}
	if (at == UINT64_MAX)
		return false;
	item->offset = at;
	if (at + item->bytes > p->ends[item->device])
		p->ends[item->device] = at + item->bytes;
	return true;
}

/* Returns the bytes of all arenas, or UINT64_MAX if they are too many. */
static uint64_t place_all(const struct plait__temporary_items *p, uint32_t way)
{
	uint64_t sum = 0;

	sort_order(p, way);
	for (uint32_t i = 0; i < p->temporary_count; i++)
		p->items[i].offset = PLAIT__TEMPORARY_UNUSED;
	for (uint32_t i = 0; i < p->plan->devices_count; i++)
		p->ends[i] = p->plan->devices[i].scratch_bytes;
	for (uint32_t i = 0; i < p->temporary_count; i++)
		if (p->items[p->placing[i]].first != PLAIT__NONE &&
		    !place_one(p, p->placing[i], way))
			return UINT64_MAX;
	for (uint32_t i = 0; i < p->plan->devices_count; i++)
		if (__builtin_add_overflow(sum, p->ends[i], &sum))
			return UINT64_MAX;
	return sum;
}

static void take_places(const struct plait__temporary_items *p)
{
	for (uint32_t i = 0; i < p->temporary_count; i++)
		p->offsets[p->items[i].slot] = p->items[i].offset;
	memcpy(p->arena_bytes, p->ends, p->plan->devices_count *
						sizeof(*p->arena_bytes));
}

/* Take the best way.  Returns false if the arenas would be too large. */
static bool place_shared(const struct plait__temporary_items *p)
{
	uint64_t best = UINT64_MAX;

	find_limits(p);
	for (uint32_t way = 0; way < WAY_COUNT; way++) {
		uint64_t sum = place_all(p, way);

		if (sum >= best)
			continue;
		best = sum;
		take_places(p);
	}
	return best != UINT64_MAX;
}

/* Place all one after the other, behind the scratch. */
static bool place_alone(const struct plait__temporary_items *p)
{
	for (uint32_t i = 0; i < p->temporary_count; i++) {
		const struct plait__temporary_item *item = &p->items[i];
		uint64_t *end = &p->arena_bytes[item->device];
		uint64_t at = align(*end, alignment_on(p, item->device));

		if (item->first == PLAIT__NONE)
			continue;
		if (at > INT64_MAX || item->bytes > INT64_MAX - at)
			return false;
		p->offsets[item->slot] = at;
		*end = at + item->bytes;
	}
	return true;
}

plait_status plait__temporary_places_find(const plait__plan_object *plan_object,
					  const plait_allocator *allocator,
					  uint64_t *offsets,
					  uint64_t *arena_bytes,
					  plait_error *error)
{
	struct plait__temporary_items places = {
		.plan_object = plan_object, .plan = plan_object->plan,
		.allocator = allocator, .offsets = offsets,
		.arena_bytes = arena_bytes,
	};
	bool good, fits = true;

	good = plait__temporary_uses_find(&places);
	if (good)
		fits = places.words > 0 ? place_shared(&places) :
					  place_alone(&places);
	plait__temporary_uses_free(&places);
	if (!good)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to place the temporaries of a "
				   "plan");
	return fits ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM,
			   "the temporaries of a plan need more than 2^63 - 1 "
			   "bytes");
}

/* Offsets by slot and then arenas by device, in one block; null without
 * memory. */
static uint64_t *find_all(const plait__plan_object *plan_object,
			  const plait_allocator *allocator, plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	uint64_t count = (uint64_t)plan->slots_count + plan->devices_count;
	uint64_t *block = plait__alloc_array(allocator, count, sizeof(*block));

	for (uint32_t i = 0; block != NULL && i < plan->devices_count; i++)
		block[plan->slots_count + i] = plan->devices[i].scratch_bytes;
	if (block != NULL &&
	    plait__temporary_places_find(plan_object, allocator, block,
					 block + plan->slots_count, error) ==
	    PLAIT_OK)
		return block;
	plait__free(allocator, block, count * sizeof(*block));
	return NULL;
}

static void free_found(const plait__plan *plan,
		       const plait_allocator *allocator, uint64_t *block)
{
	plait__free(allocator, block,
		    ((uint64_t)plan->slots_count + plan->devices_count) *
			    sizeof(*block));
}

uint64_t plait__temporary_places_bytes(const plait__plan_object *plan_object,
				       const plait_allocator *allocator)
{
	const plait__plan *plan = plan_object->plan;
	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t sum = 0, *found = NULL;

	if (plait__temporary_places_has_any(plan))
		found = find_all(plan_object, allocator, &ignored);
	for (uint32_t i = 0; i < plan->devices_count; i++)
		sum += found != NULL ? found[plan->slots_count + i] :
				       plan->devices[i].scratch_bytes;
	free_found(plan, allocator, found);
	return sum;
}

plait_status plait__temporary_places_check(
	const plait__plan_object *plan_object, const plait_allocator *allocator,
	plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	plait_error found_error = { .size = sizeof(found_error) };
	plait_status status;
	uint64_t *found;

	if (!plait__temporary_places_has_any(plan))
		return PLAIT_OK;
	found = find_all(plan_object, allocator, &found_error);
	if (found == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to prove the places of "
				   "temporaries");
	status = plait__check_places(plan, found, allocator, error);
	free_found(plan, allocator, found);
	return status;
}
