/* SPDX-License-Identifier: MIT */
/* Tables of a graph under construction; see store.h. */
#include "graph/store/store.h"

#include "graph/store/unique_values.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sys/atomic.h"

#include <string.h>

/* Node numbers stay below 2^53. */
enum { TAG_BITS = 20, TAG_SHIFT = 32 };

/* Bounds of the memory that a reset store may keep. */
enum { KEPT_LEAST_BYTES = 1 << 18, KEPT_MOST_BYTES = 1 << 26 };

static void init_tables(plait__store *store)
{
	const plait_allocator *allocator = &store->allocator;

	plait__vector_init(&store->scopes, allocator,
			   sizeof(plait__store_scope));
	plait__vector_init(&store->regions, allocator,
			   sizeof(plait__store_region));
	plait__vector_init(&store->devices, allocator,
			   sizeof(plait__input_device));
	plait__vector_init(&store->device_objects, allocator, sizeof(void *));
	plait__vector_init(&store->device_sets, allocator, sizeof(uint32_t));
	plait__vector_init(&store->ranges, allocator,
			   sizeof(plait__store_range));
	plait__vector_init(&store->needs, allocator,
			   sizeof(plait__store_need));
	for (uint32_t i = 0; i < PLAIT__STORE_OBJECT_KINDS; i++)
		plait__vector_init(&store->objects[i], allocator,
				   i == PLAIT__STORE_FUNCTIONS ?
				   sizeof(plait__store_function) :
				   sizeof(void *));
#define INIT_TABLE(type, name) \
	plait__vector_init(&store->name, allocator, sizeof(type));
	PLAIT__PLAN_TABLES(INIT_TABLE)
#undef INIT_TABLE
}

/*
 * Return the next tag.  Tags separate the graphs and bodies of the process, so
 * that each detects numbers of another; a tag repeats after a million.
 */
static uint64_t next_tag(void)
{
	static at_u32 last;
	uint32_t tag = at_add_u32(&last, 1) & ((1 << TAG_BITS) - 1);

	/* Tag 0 would give numbers like small indices. */
	return (uint64_t)(tag + 1) << TAG_SHIFT;
}

/* Push an empty scope of `region`, an index that may be pushed afterwards; null
 * without memory. Moves the scopes: pointers to them become invalid. */
static plait__store_scope *push_scope(plait__store *store, uint32_t region,
				      uint32_t parent)
{
	plait__store_scope *scope = plait__vector_push(&store->scopes, NULL,
						       1);

	if (scope == NULL)
		return NULL;
	plait__vector_init(&scope->nodes, &store->allocator,
			   sizeof(plait__input_node));
	plait__vector_init(&scope->edges, &store->allocator,
			   sizeof(plait__input_edge));
	scope->region = region;
	scope->parent = parent;
	scope->tag = next_tag();
	return scope;
}

plait_status plait__store_create(const plait_allocator *allocator,
				 plait__store **out, plait_error *error)
{
	plait__store *store = plait__alloc(allocator, sizeof(*store));

	*out = NULL;
	if (store == NULL)
		goto no_memory;
	store->allocator = *allocator;
	plait__values_forget(store);
	init_tables(store);
	store->index = plait__index_create(allocator);
	/* strings[0] is the empty text. */
	if (store->index == NULL ||
	    plait__vector_push(&store->strings, "", 1) == NULL ||
	    push_scope(store, PLAIT__NONE, PLAIT__NONE) == NULL)
		goto destroy_store;
	*out = store;
	return PLAIT_OK;
destroy_store:
	plait__store_destroy(store);
no_memory:
	return plait__fail(error, PLAIT_E_NOMEM, "no memory for a graph");
}

static void fini_scopes(plait__store *store, uint32_t first)
{
	for (uint32_t i = first; i < store->scopes.count; i++) {
		plait__store_scope *scope = plait__store_scope_at(store, i);

		plait__vector_fini(&scope->nodes);
		plait__vector_fini(&scope->edges);
	}
}

static void forget_text_name(plait__store *store)
{
	if (store->text_name != NULL)
		plait__free(&store->allocator, store->text_name,
			    strlen(store->text_name) + 1);
	store->text_name = NULL;
}

int plait__store_set_text_name(plait__store *store, const char *name)
{
	size_t bytes = strlen(name) + 1;

	forget_text_name(store);
	store->text_name = plait__alloc(&store->allocator, bytes);
	if (store->text_name == NULL)
		return -1;
	memcpy(store->text_name, name, bytes);
	return 0;
}

void plait__store_destroy(plait__store *store)
{
	plait_allocator allocator;

	if (store == NULL)
		return;
	allocator = store->allocator;
	fini_scopes(store, 0);
	plait__vector_fini(&store->scopes);
	plait__vector_fini(&store->regions);
	plait__vector_fini(&store->devices);
	plait__vector_fini(&store->device_objects);
	plait__vector_fini(&store->device_sets);
	plait__vector_fini(&store->ranges);
	plait__vector_fini(&store->needs);
	for (uint32_t i = 0; i < PLAIT__STORE_OBJECT_KINDS; i++)
		plait__vector_fini(&store->objects[i]);
#define FINI_TABLE(type, name) plait__vector_fini(&store->name);
	PLAIT__PLAN_TABLES(FINI_TABLE)
#undef FINI_TABLE
	plait__index_destroy(&allocator, store->index);
	forget_text_name(store);
	plait__free(&allocator, store, sizeof(*store));
}

/* Vectors that a mark covers, in order. */
#define STORE_VECTORS(VECTOR)				\
	VECTOR(, regions)				\
	VECTOR(, devices)				\
	VECTOR(, device_objects)			\
	VECTOR(, device_sets)				\
	VECTOR(, objects[PLAIT__STORE_KERNELS])		\
	VECTOR(, objects[PLAIT__STORE_BUFFERS])		\
	VECTOR(, objects[PLAIT__STORE_SIGNALS])		\
	VECTOR(, objects[PLAIT__STORE_FUNCTIONS])	\
	VECTOR(, ranges)				\
	VECTOR(, needs)					\
	PLAIT__PLAN_TABLES(VECTOR)

/* ---- reuse ---- */

/* Vectors of a store, without those of scopes. */
#define ALL_VECTORS(VECTOR)				\
	STORE_VECTORS(VECTOR)				\
	VECTOR(, scopes)

static uint64_t bytes_of(const plait__vector *vector)
{
	return (uint64_t)vector->capacity * vector->each;
}

static uint64_t kept_bytes(const plait__store *store)
{
	const plait__store_scope *graph = plait__store_scope_at(store, 0);
	uint64_t bytes = bytes_of(&graph->nodes) + bytes_of(&graph->edges);

#define ADD_BYTES(type, name) bytes += bytes_of(&store->name);
	ALL_VECTORS(ADD_BYTES)
#undef ADD_BYTES
	return bytes;
}

bool plait__store_reset(plait__store *store)
{
	plait__store_scope *graph = plait__store_scope_at(store, 0);
	uint64_t bytes = kept_bytes(store);

	if (bytes < KEPT_LEAST_BYTES || bytes > KEPT_MOST_BYTES)
		return false;
	fini_scopes(store, 1);
#define EMPTY_VECTOR(type, name) plait__vector_truncate(&store->name, 0);
	ALL_VECTORS(EMPTY_VECTOR)
#undef EMPTY_VECTOR
	plait__index_clear(store->index, &store->allocator);
	plait__values_forget(store);
	forget_text_name(store);
	/* Contents of a new store; the memory is there. */
	store->scopes.count = store->strings.count = 1;
	graph->nodes.count = graph->edges.count = graph->removed_count = 0;
	graph->tag = next_tag();
	return true;
}

plait__store_scope *plait__store_scope_at(const plait__store *store,
					  uint32_t scope)
{
	return plait__vector_at(&store->scopes, scope);
}

/* Unrolled, since every added node runs it. */
void plait__store_take_mark(const plait__store *store,
			    plait__store_mark *mark)
{
	uint32_t *count = mark->counts;

#define MARK_VECTOR(type, name) *count++ = store->name.count;
	STORE_VECTORS(MARK_VECTOR)
#undef MARK_VECTOR
	*count = store->scopes.count;
}

void plait__store_cut(plait__store *store, const plait__store_mark *mark)
{
	const uint32_t *count = mark->counts;

#define CUT_VECTOR(type, name) plait__vector_truncate(&store->name, *count++);
	STORE_VECTORS(CUT_VECTOR)
#undef CUT_VECTOR
	fini_scopes(store, *count);
	plait__vector_truncate(&store->scopes, *count);
	plait__values_cut(store);
}

uint32_t plait__store_region_add(plait__store *store, uint32_t scope,
				 const plait__input_region *region)
{
	plait__store_region added = { *region, scope };
	uint32_t at = store->regions.count;
	uint32_t first = store->scopes.count;

	added.input.scope_first = first;
	for (uint32_t i = 0; i < region->scope_count; i++)
		if (push_scope(store, at, scope) == NULL)
			goto cut_scopes;
	added.input.node =
		plait__store_scope_at(store, scope)->nodes.count;
	if (plait__vector_push(&store->regions, &added, 1) != NULL)
		return at;
cut_scopes:
	fini_scopes(store, first);
	plait__vector_truncate(&store->scopes, first);
	return PLAIT__NONE;
}

uint32_t plait__store_push(plait__store *store, uint32_t scope,
			   const plait__input_node *node,
			   const uint32_t *after, uint32_t count)
{
	plait__store_scope *to = plait__store_scope_at(store, scope);
	uint32_t at = to->nodes.count;
	plait__input_edge *edges = NULL;

	if (count > 0) {
		edges = plait__vector_extend(&to->edges, count);
		if (edges == NULL)
			return PLAIT__NONE;
	}
	if (PLAIT__VECTOR_ADD(&to->nodes, node) == NULL) {
		plait__vector_truncate(&to->edges, to->edges.count - count);
		return PLAIT__NONE;
	}
	for (uint32_t i = 0; i < count; i++)
		edges[i] = (plait__input_edge){ after[i], at };
	return at;
}

int plait__store_edge(plait__store *store, uint32_t scope, uint32_t before,
		      uint32_t after)
{
	plait__store_scope *in = plait__store_scope_at(store, scope);
	plait__input_edge edge = { before, after };

	return PLAIT__VECTOR_ADD(&in->edges, &edge) != NULL ? 0 : -1;
}
