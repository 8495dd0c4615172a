/* SPDX-License-Identifier: MIT */
/* Nesting of scopes; see scopes.h.  Depth costs iterations, not stack. */
#include "graph/build/scopes.h"

static const plait__store_region *region_of(const plait__store *store,
					    uint32_t region)
{
	return plait__vector_at(&store->regions, region);
}

uint32_t plait__scopes_enclosing_loop(const plait__store *store, uint32_t scope)
{
	uint32_t region = plait__store_scope_at(store, scope)->region;

	while (region != PLAIT__NONE &&
	       region_of(store, region)->input.kind == PLAIT__REGION_CASE) {
		scope = plait__store_scope_at(store, scope)->parent;
		region = plait__store_scope_at(store, scope)->region;
	}
	return region;
}

/* A body's number is above that of its parent, so the walk descends. */
bool plait__scopes_is_inside(const plait__store *store, uint32_t inner,
			     uint32_t outer)
{
	while (inner > outer)
		inner = plait__store_scope_at(store, inner)->parent;
	return inner == outer;
}

bool plait__scopes_sees_loop(const plait__store *store, uint32_t scope,
			     uint32_t region)
{
	return plait__scopes_is_inside(store, scope,
				       region_of(store, region)->scope);
}

/* Combine the tag of the loop's body with the index plus 1. */
uint64_t plait__scopes_rotation_number(const plait__store *store,
				       uint32_t rotation)
{
	const plait__plan_rotation *entry =
		plait__vector_at(&store->rotations, rotation);
	uint32_t body = region_of(store, entry->region)->input.scope_first;

	return plait__store_scope_at(store, body)->tag |
	       ((uint64_t)rotation + 1);
}

/* Returns true if the rotation's loop was removed. */
static bool is_lost(const plait__store *store, uint32_t rotation)
{
	const plait__plan_rotation *entry =
		plait__vector_at(&store->rotations, rotation);

	return plait__store_scope_at(store, region_of(store, entry->region)
				     ->input.scope_first)->is_removed;
}

uint32_t plait__scopes_find_rotation(const plait__store *store, uint64_t number)
{
	uint32_t rotation = (uint32_t)number - 1;

	if (rotation >= store->rotations.count ||
	    plait__scopes_rotation_number(store, rotation) != number ||
	    is_lost(store, rotation))
		return PLAIT__NONE;
	return rotation;
}
