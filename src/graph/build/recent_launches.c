/* SPDX-License-Identifier: MIT */
/*
 * Direct-mapped caches of recent launches: the kernel, checked and resolved,
 * and the geometry, read and completed.  A hash of the value selects the entry,
 * and a new value replaces the old one, so a graph of many kernels or
 * geometries costs one lookup in the index more.
 */
#include "graph/build/recent_launches.h"

#include "graph/store/unique_values.h"
#include "kernel/launch.h"
#include "object/kernel/kernel.h"

#include <string.h>

static plait__store_kernel *kernel_slot(plait__store *store,
					const plait_kernel *handle)
{
	return &store->recent_kernels[plait__index_mix((uintptr_t)handle) %
				      PLAIT__STORE_RECENT_KERNELS];
}

plait__store_kernel *plait__recent_kernel(plait__store *store,
					  const plait_kernel *handle)
{
	plait__store_kernel *slot = kernel_slot(store, handle);

	return handle != NULL && slot->handle == handle &&
	       plait__handle_is_live(handle, PLAIT_OBJECT_KERNEL) ? slot : NULL;
}

plait__store_kernel *plait__recent_remember(plait__store *store,
					    const plait__store_kernel *kernel)
{
	plait__store_kernel *slot = kernel_slot(store, kernel->handle);

	*slot = *kernel;
	return slot;
}

/* Hash the geometry with the kernel, so that launches of one kernel spread. */
static plait__store_launch *launch_slot(plait__store *store,
					const plait__store_kernel *kernel,
					const plait_launch *launch)
{
	uint64_t hash = (uintptr_t)kernel->handle + launch->dimensions;

	for (int i = 0; i < 3; i++)
		hash = hash * 31 + launch->items[i] * 7 + launch->group[i];
	return &store->recent_launches[plait__index_mix(hash) %
				       PLAIT__STORE_RECENT_LAUNCHES];
}

/* Errors are left to the full path (add_node.c). */
static uint32_t resolve_geometry(plait__store *store,
				 const plait__store_kernel *kernel,
				 const plait_launch *launch)
{
	plait__plan_geometry geometry = { .param = PLAIT__NONE };
	void *const *object = plait__vector_at(
		&store->objects[PLAIT__STORE_KERNELS], kernel->kernel);
	plait_launch resolved;

	if (plait__launch_read(&resolved, launch, NULL) != PLAIT_OK ||
	    plait__select_source_set_groups(*object, &resolved, NULL) !=
	    PLAIT_OK)
		return PLAIT__NONE;
	geometry.dimensions = resolved.dimensions;
	memcpy(geometry.items, resolved.items, sizeof(resolved.items));
	memcpy(geometry.group, resolved.group, sizeof(resolved.group));
	return plait__values_geometry(store, &geometry);
}

uint32_t plait__recent_geometry(plait__store *store,
				const plait__store_kernel *kernel,
				const plait_launch *launch)
{
	static const plait_launch one = { .size = sizeof(one) };
	plait__store_launch *slot;
	uint32_t geometry;

	if (launch == NULL)
		launch = &one;
	if (launch->size != sizeof(*launch))
		return PLAIT__NONE;
	slot = launch_slot(store, kernel, launch);
	if (slot->kernel == kernel->handle &&
	    memcmp(&slot->launch, launch, sizeof(*launch)) == 0)
		return slot->geometry;
	geometry = resolve_geometry(store, kernel, launch);
	if (geometry != PLAIT__NONE)
		*slot = (plait__store_launch){ .kernel = kernel->handle,
					       .launch = *launch,
					       .geometry = geometry };
	return geometry;
}
