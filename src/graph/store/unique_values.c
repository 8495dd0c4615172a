/* SPDX-License-Identifier: MIT */
/* Interned values of a store; see unique_values.h. */
#include "graph/store/unique_values.h"

#include <string.h>

/* Lookups of geometries before their success rate counts. */
enum { MANY_LOOKS = 256 };

/* Kinds of the index beyond those of objects. */
enum {
	INDEX_STRINGS = PLAIT__STORE_OBJECT_KINDS,
	INDEX_GEOMETRIES,
	INDEX_DEVICES,
	INDEX_PARAMS,
	INDEX_HANDLES = PLAIT__STORE_INDEX_HANDLES,
};

void plait__values_forget(plait__store *store)
{
	memset(store->labels, 0, sizeof(store->labels));
	store->last_file = 0;
	store->last_geometry = PLAIT__NONE;
	store->geometry_looks = store->geometry_finds = 0;
	memset(store->recent_kernels, 0, sizeof(store->recent_kernels));
	memset(store->recent_launches, 0, sizeof(store->recent_launches));
}

void plait__values_cut(plait__store *store)
{
	for (uint32_t i = 0; i < PLAIT__STORE_FUNCTIONS; i++)
		plait__index_cut(store->index, i, store->objects[i].count);
	plait__index_cut(store->index, INDEX_STRINGS, store->strings.count);
	plait__index_cut(store->index, INDEX_GEOMETRIES,
			 store->geometries.count);
	plait__index_cut(store->index, INDEX_DEVICES, store->devices.count);
	plait__index_cut(store->index, INDEX_PARAMS, store->params.count);
	plait__index_cut(store->index,
			 INDEX_HANDLES + PLAIT__STORE_KERNEL_HANDLES,
			 store->objects[PLAIT__STORE_KERNELS].count);
	plait__index_cut(store->index,
			 INDEX_HANDLES + PLAIT__STORE_BUFFER_HANDLES,
			 store->ranges.count);
	plait__index_cut(store->index,
			 INDEX_HANDLES + PLAIT__STORE_DEVICE_HANDLES,
			 store->devices.count);
	plait__values_forget(store);
}

static bool match_string(const void *table, uint32_t at, const void *value)
{
	const plait__vector *strings = table;

	return strcmp(plait__vector_at(strings, at), value) == 0;
}

/* The index refers to offsets; a NUL ends each text in the table. */
uint32_t plait__values_string(plait__store *store, const char *text)
{
	plait__index_key key = { INDEX_STRINGS, 0, match_string,
				 &store->strings, text };
	uint64_t length;
	uint32_t at;

	if (text == NULL)
		return PLAIT__NONE;
	if (text[0] == '\0')
		return 0;
	length = strlen(text) + 1;
	key.hash = plait__index_hash(text, length);
	at = plait__index_find(store->index, &key);
	if (at != PLAIT__NONE)
		return at;
	at = store->strings.count;
	if (length > PLAIT__VECTOR_MAX ||
	    plait__index_reserve(store->index, &store->allocator) != 0 ||
	    plait__vector_push(&store->strings, text, (uint32_t)length) ==
	    NULL)
		return PLAIT__NONE;
	plait__index_add(store->index, &key, at);
	return at;
}

/* Labels stay out of the index, which would only grow with them. */
uint32_t plait__values_label(plait__store *store, const char *text)
{
	uint32_t length, *recent;
	uint64_t bytes;

	if (text == NULL)
		return PLAIT__NONE;
	bytes = strlen(text) + 1;
	if (bytes > PLAIT__VECTOR_MAX)
		return PLAIT__NONE;
	length = (uint32_t)bytes;
	recent = &store->labels[plait__index_hash(text, length) %
				PLAIT__STORE_LABELS];
	if (strcmp(plait__vector_at(&store->strings, *recent), text) == 0)
		return *recent;
	if (plait__vector_push(&store->strings, text, length) == NULL)
		return PLAIT__NONE;
	*recent = store->strings.count - length;
	return *recent;
}

uint32_t plait__values_file(plait__store *store, const char *text)
{
	uint32_t at = store->last_file;

	if (text != NULL &&
	    strcmp(plait__vector_at(&store->strings, at), text) == 0)
		return at;
	at = plait__values_string(store, text);
	if (at != PLAIT__NONE)
		store->last_file = at;
	return at;
}

static bool match_pointer(const void *table, uint32_t at, const void *value)
{
	const plait__vector *vector = table;
	void *const *pointer = plait__vector_at(vector, at);

	return *pointer == value;
}

/* Find or push a pointer; *out_new is 0 if it was found. */
static uint32_t intern_pointer(plait__store *store, uint32_t kind,
			       plait__vector *vector, void *object,
			       int *out_new)
{
	plait__index_key key = { kind, (uintptr_t)object, match_pointer,
				 vector, object };
	uint32_t at = plait__index_find(store->index, &key);

	*out_new = 0;
	if (at != PLAIT__NONE)
		return at;
	at = vector->count;
	if (plait__index_reserve(store->index, &store->allocator) != 0 ||
	    plait__vector_push(vector, &object, 1) == NULL)
		return PLAIT__NONE;
	plait__index_add(store->index, &key, at);
	*out_new = 1;
	return at;
}

uint32_t plait__values_object(plait__store *store, uint32_t kind, void *object,
			      int *out_new)
{
	return intern_pointer(store, kind, &store->objects[kind], object,
			      out_new);
}

/* A device without an object has a null pointer, which is not shared. */
uint32_t plait__values_device_named(plait__store *store, uint32_t name,
				    uint32_t lane_limit, void *object)
{
	plait__input_device device = { .name = name,
				       .lane_limit = lane_limit };
	uint32_t at = store->devices.count;
	int is_new = 1;

	if (object != NULL)
		at = intern_pointer(store, INDEX_DEVICES,
				    &store->device_objects, object, &is_new);
	else if (plait__vector_push(&store->device_objects, NULL, 1) == NULL)
		at = PLAIT__NONE;
	if (at == PLAIT__NONE || !is_new)
		return at;
	if (plait__vector_push(&store->devices, &device, 1) != NULL)
		return at;
	plait__index_cut(store->index, INDEX_DEVICES, at);
	plait__vector_truncate(&store->device_objects, at);
	return PLAIT__NONE;
}

uint32_t plait__values_device(plait__store *store, const char *name,
			      uint32_t lane_limit, void *object)
{
	uint32_t string = plait__values_string(store, name);

	if (string == PLAIT__NONE)
		return PLAIT__NONE;
	return plait__values_device_named(store, string, lane_limit, object);
}

uint32_t plait__values_find_device(const plait__store *store, const char *name)
{
	const char *strings = store->strings.items;

	for (uint32_t i = 0; i < store->devices.count; i++) {
		const plait__input_device *device =
			plait__vector_at(&store->devices, i);

		if (strcmp(strings + device->name, name) == 0)
			return i;
	}
	return PLAIT__NONE;
}

int plait__values_add_handle(plait__store *store, uint32_t kind,
			     const void *handle, uint32_t at)
{
	plait__index_key key = { .kind = INDEX_HANDLES + kind,
				 .hash = (uintptr_t)handle };

	if (plait__index_reserve(store->index, &store->allocator) != 0)
		return -1;
	plait__index_add(store->index, &key, at);
	return 0;
}

static bool match_geometry(const void *table, uint32_t at, const void *value)
{
	const plait__vector *geometries = table;

	return memcmp(plait__vector_at(geometries, at), value,
		      sizeof(plait__plan_geometry)) == 0;
}

static uint32_t push_geometry(plait__store *store,
			      const plait__plan_geometry *geometry)
{
	uint32_t at = store->geometries.count;

	return PLAIT__VECTOR_ADD(&store->geometries, geometry) != NULL ? at :
	       PLAIT__NONE;
}

/* Find an equal geometry, or push one and index it; counts the lookup. */
static uint32_t intern_geometry(plait__store *store,
			      const plait__plan_geometry *geometry)
{
	plait__index_key key = {
		INDEX_GEOMETRIES,
		plait__index_hash(geometry, sizeof(*geometry)),
		match_geometry, &store->geometries, geometry
	};
	uint32_t at = plait__index_find(store->index, &key);

	store->geometry_looks++;
	store->geometry_finds += at != PLAIT__NONE;
	if (at != PLAIT__NONE)
		return at;
	if (plait__index_reserve(store->index, &store->allocator) != 0)
		return PLAIT__NONE;
	at = push_geometry(store, geometry);
	if (at != PLAIT__NONE)
		plait__index_add(store->index, &key, at);
	return at;
}

/* Returns true if most geometries are new: then a lookup, which costs as much
 * as the rest of a node, does not pay. */
static bool are_new(const plait__store *store)
{
	return store->geometry_looks >= MANY_LOOKS &&
	       store->geometry_finds < store->geometry_looks / 4;
}

uint32_t plait__values_geometry(plait__store *store,
				const plait__plan_geometry *geometry)
{
	uint32_t at;

	if (store->last_geometry != PLAIT__NONE &&
	    match_geometry(&store->geometries, store->last_geometry,
			   geometry))
		return store->last_geometry;
	at = are_new(store) ? push_geometry(store, geometry) :
	     intern_geometry(store, geometry);
	if (at != PLAIT__NONE)
		store->last_geometry = at;
	return at;
}

static bool match_param(const void *table, uint32_t at, const void *value)
{
	const plait__plan_param *param = plait__vector_at(table, at);
	const plait__plan_param *wanted = value;

	return param->name == wanted->name;
}

uint32_t plait__values_param(plait__store *store,
			     const plait__plan_param *param, bool *out_differs)
{
	plait__index_key key = { INDEX_PARAMS, param->name, match_param,
				 &store->params, param };
	uint32_t at = plait__index_find(store->index, &key);
	const plait__plan_param *found;

	*out_differs = false;
	if (at != PLAIT__NONE) {
		found = plait__vector_at(&store->params, at);
		*out_differs = found->kind != param->kind ||
			       found->type != param->type ||
			       found->bytes != param->bytes;
		return *out_differs ? PLAIT__NONE : at;
	}
	at = store->params.count;
	if (plait__index_reserve(store->index, &store->allocator) != 0 ||
	    plait__vector_push(&store->params, param, 1) == NULL)
		return PLAIT__NONE;
	plait__index_add(store->index, &key, at);
	return at;
}
