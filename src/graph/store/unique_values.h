/* SPDX-License-Identifier: MIT */
/*
 * What a store has once, however often it is told: texts, devices, kernels and
 * other objects, geometries, parameters.  They are found by value, in the
 * store's index, or by what came last.
 *
 * The functions that add return an index, or PLAIT__NONE when memory ran out.
 */
#ifndef PLAIT_SRC_GRAPH_STORE_UNIQUE_VALUES_H
#define PLAIT_SRC_GRAPH_STORE_UNIQUE_VALUES_H

#include "graph/store/store.h"

/* What the index tells apart: handles come after what unique_values.c has. */
enum { PLAIT__STORE_INDEX_HANDLES = 16 };

/* A copy of `text`; equal texts share one.  Null: PLAIT__NONE, no failure. */
uint32_t plait__values_string(plait__store *store, const char *text);

/* The same for labels and files: equal texts share one if they come soon
 * after each other, and never slow down what comes later. */
uint32_t plait__values_label(plait__store *store, const char *text);
uint32_t plait__values_file(plait__store *store, const char *text);

/* A device; `object` null: a mere name.  The same object is the same one. */
uint32_t plait__values_device(plait__store *store, const char *name,
			      uint32_t lane_limit, void *object);

/* The same with a name that is a string of this store already. */
uint32_t plait__values_device_named(plait__store *store, uint32_t name,
				    uint32_t lane_limit, void *object);

/* A device by name, or PLAIT__NONE. */
uint32_t plait__values_find_device(const plait__store *store,
				   const char *name);

/* A kernel, buffer or signal; the same pointer is the same one.  *out_new
 * tells that the caller has to retain it. */
uint32_t plait__values_object(plait__store *store, uint32_t kind,
			      void *object, int *out_new);

/* Where the object of a handle is, PLAIT__NONE if the handle is new here;
 * handles are never used again for something else. */
static inline uint32_t plait__values_find_handle(const plait__store *store,
						 uint32_t kind,
						 const void *handle)
{
	return plait__index_find_hash(store->index,
				      PLAIT__STORE_INDEX_HANDLES + kind,
				      (uintptr_t)handle);
}

/* Say where: 0, or -1 when memory ran out. */
int plait__values_add_handle(plait__store *store, uint32_t kind,
			     const void *handle, uint32_t at);

/* A geometry; equal ones share one. */
uint32_t plait__values_geometry(plait__store *store,
				const plait__plan_geometry *geometry);

/* A parameter of runs; equal names are the same one.  *out_differs: there is
 * one of this name and another type (then the answer is none too). */
uint32_t plait__values_param(plait__store *store,
			     const plait__plan_param *param,
			     bool *out_differs);

/* For store.c: places of what came last must not outlive a cut. */
void plait__values_forget(plait__store *store);

/* The same, and no index entry must outlive what it points to: the tables
 * were cut. */
void plait__values_cut(plait__store *store);

#endif
