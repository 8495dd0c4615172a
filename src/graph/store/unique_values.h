/* SPDX-License-Identifier: MIT */
/*
 * Interned values: strings, devices, objects, geometries and parameters are
 * stored once and found by the index or as the last one used.
 *
 * Functions that add return an index, or PLAIT__NONE without memory.
 */
#ifndef PLAIT_SRC_GRAPH_STORE_UNIQUE_VALUES_H
#define PLAIT_SRC_GRAPH_STORE_UNIQUE_VALUES_H

#include "graph/store/store.h"

/* First index kind for handles, above those of unique_values.c. */
enum { PLAIT__STORE_INDEX_HANDLES = 16 };

/* Intern a text.  A null text gives PLAIT__NONE and is no failure. */
uint32_t plait__values_string(plait__store *store, const char *text);

/* Intern a label or file.  Equal texts share one only if few others come
 * between; the cost does not grow with the table. */
uint32_t plait__values_label(plait__store *store, const char *text);
uint32_t plait__values_file(plait__store *store, const char *text);

/* Intern a device by its object; null = a name without a device. */
uint32_t plait__values_device(plait__store *store, const char *name,
			      uint32_t lane_limit, void *object);

/* Intern a device; its name is already a string of this store. */
uint32_t plait__values_device_named(plait__store *store, uint32_t name,
				    uint32_t lane_limit, void *object);

/* Find a device by name; PLAIT__NONE if there is none. */
uint32_t plait__values_find_device(const plait__store *store,
				   const char *name);

/* Intern a kernel, buffer or signal by pointer.  When *out_new is set, the
 * caller holds the object. */
uint32_t plait__values_object(plait__store *store, uint32_t kind,
			      void *object, int *out_new);

/* Return the index of a handle's object, or PLAIT__NONE for a new handle.
 * Handles are never reused for another object. */
static inline uint32_t plait__values_find_handle(const plait__store *store,
						 uint32_t kind,
						 const void *handle)
{
	return plait__index_find_hash(store->index,
				      PLAIT__STORE_INDEX_HANDLES + kind,
				      (uintptr_t)handle);
}

/* Record the index of a handle: 0, or -1 without memory. */
int plait__values_add_handle(plait__store *store, uint32_t kind,
			     const void *handle, uint32_t at);

/* Intern a geometry. */
uint32_t plait__values_geometry(plait__store *store,
				const plait__plan_geometry *geometry);

/* Intern a run parameter by name.  *out_differs and PLAIT__NONE: the name
 * exists with another type. */
uint32_t plait__values_param(plait__store *store,
			     const plait__plan_param *param,
			     bool *out_differs);

/* Forget recent values: their indices must not outlive a cut. */
void plait__values_forget(plait__store *store);

/* Forget recent values and remove index entries beyond the cut tables. */
void plait__values_cut(plait__store *store);

#endif
