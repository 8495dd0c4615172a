/* SPDX-License-Identifier: MIT */
/*
 * Interned values: the index finds equal strings, files, objects, parameters
 * and devices that have an object, so each is stored once.  Equal labels and
 * geometries may be stored more than once, where a lookup would not pay.
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

/* Add a label, or find it among the recent ones: equal labels may be stored
 * more than once.  Labels do not enter the index. */
uint32_t plait__values_label(plait__store *store, const char *text);
/* Intern a file, as a string; the last file is found without the index. */
uint32_t plait__values_file(plait__store *store, const char *text);

/* Intern a device by its object.  Null = a name without a device: each call
 * adds one; see plait__values_find_device. */
uint32_t plait__values_device(plait__store *store, const char *name,
			      uint32_t lane_limit, void *object);

/* Intern a device whose name is already a string of this store. */
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

/* Intern a geometry.  If most lookups have failed, it is only compared to the
 * last one, and equal geometries may be stored more than once. */
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
