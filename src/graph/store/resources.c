/* SPDX-License-Identifier: MIT */
/* Resources of a store and the needs of its nodes; see resources.h. */
#include "graph/store/resources.h"

#include "graph/store/unique_values.h"
#include "base/error.h"

#include <string.h>

static plait__plan_resource *resource_at(const plait__store *store,
					 uint32_t index)
{
	return plait__vector_at(&store->resources, index);
}

uint32_t plait__resources_find(const plait__store *store, const char *name)
{
	for (uint32_t i = 0; i < store->resources.count; i++)
		if (strcmp(plait__vector_at(&store->strings,
					    resource_at(store, i)->name),
			   name) == 0)
			return i;
	return PLAIT__NONE;
}

static plait_status push(plait__store *store, const char *name,
			 uint64_t units, plait_error *error)
{
	plait__plan_resource resource = {
		.name = plait__values_string(store, name),
		.units = (uint32_t)units
	};

	if (resource.name == PLAIT__NONE ||
	    plait__vector_push(&store->resources, &resource, 1) == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a resource");
	return PLAIT_OK;
}

plait_status plait__resources_add(plait__store *store, const char *name,
				  uint64_t units, uint32_t *out,
				  plait_error *error)
{
	if (units == 0 || units > PLAIT__RESOURCE_UNITS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "resource '%s' has %llu units; expected 1 "
				   "to %d, coarser ones for larger amounts",
				   name, (unsigned long long)units,
				   PLAIT__RESOURCE_UNITS);
	*out = plait__resources_find(store, name);
	if (*out != PLAIT__NONE && resource_at(store, *out)->units != units)
		return plait__fail(error, PLAIT_E_INVALID,
				   "resource '%s' has %u units already, not "
				   "%llu", name, resource_at(store, *out)->units,
				   (unsigned long long)units);
	if (*out != PLAIT__NONE)
		return PLAIT_OK;
	if (store->resources.count >= PLAIT__RESOURCES)
		return plait__fail(error, PLAIT_E_INVALID,
				   "resource '%s': a graph has %d resources at "
				   "most", name, PLAIT__RESOURCES);
	*out = store->resources.count;
	return push(store, name, units, error);
}

int plait__resources_add_need(plait__store *store,
			      const plait__store_need *need)
{
	return plait__vector_push(&store->needs, need, 1) != NULL ? 0 : -1;
}
