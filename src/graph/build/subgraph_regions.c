/* SPDX-License-Identifier: MIT */
/* Regions of a copied graph, and maps of table indices; see
 * subgraph_regions.h. */
#include "graph/build/subgraph_regions.h"

#include "graph/build/object_refs.h"
#include "graph/build/scopes.h"
#include "base/error.h"

static plait_status no_memory(const plait__subgraph_tables *tables)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(tables->draft->error, PLAIT_E_NOMEM,
			   "no memory for %s",
			   plait__refs_node_text(tables->draft, room));
}

plait_status plait__subgraph_regions_fail(const plait__subgraph_tables *tables)
{
	char room[PLAIT__REFS_TEXT_BYTES];

	return plait__fail(tables->draft->error, PLAIT_E_INVALID,
			   "%s: the subgraph uses the iteration or rotation "
			   "of a loop that is not part of it",
			   plait__refs_node_text(tables->draft, room));
}

plait_status plait__subgraph_regions_set(plait__subgraph_tables *tables,
					 plait__vector *map, uint32_t old,
					 uint32_t new)
{
	if (old >= map->count &&
	    plait__vector_push(map, NULL, old + 1 - map->count) == NULL)
		return no_memory(tables);
	*(uint32_t *)plait__vector_at(map, old) = new + 1;
	return PLAIT_OK;
}

uint32_t plait__subgraph_regions_get(const plait__vector *map, uint32_t old)
{
	if (old >= map->count)
		return PLAIT__NONE;
	return *(uint32_t *)plait__vector_at(map, old) - 1;
}

plait_status plait__subgraph_regions_find(plait__subgraph_tables *tables,
					  uint32_t *region)
{
	uint32_t new = plait__subgraph_regions_get(&tables->regions, *region);
	const plait__store_region *old =
		plait__vector_at(&tables->from->regions, *region);

	if (new != PLAIT__NONE)
		*region = new;
	else if (tables->from != tables->to ||
		 !plait__scopes_is_inside(tables->to,
					  tables->draft->graph->scope,
					  old->input.scope_first))
		return plait__subgraph_regions_fail(tables);
	return PLAIT_OK;
}
