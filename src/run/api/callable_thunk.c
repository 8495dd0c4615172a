/* SPDX-License-Identifier: MIT */
/* Recycled closures that are never unmapped; see callable_thunk.h. */
#include "run/api/callable_thunk.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/atomic.h"
#include "sys/mutex.h"

#include <stddef.h>
#include <string.h>

enum { BUCKETS = 64 };

struct plait__thunk {
	struct plait__thunk *next; /* idle: next of the same bucket */
	plait__ffi_shape *shape;
	plait__ffi_closure *closure;
	at_ptr handle;		   /* null: idle, or not set yet */
	plait__thunk_target target;
	uint64_t block_bytes;
	uint32_t count;
	/* the result, then the arguments */
	plait__ffi_type types[];
};

/* Free list of thunks.  Guarded by the lock, a leaf; zeroed memory is an open
 * lock. */
static struct {
	struct plait__mutex lock;
	plait__thunk *buckets[BUCKETS];
} idle;

static void read_types(const plait__signature *signature,
		       plait__ffi_type *types)
{
	types[0] = plait__type_ffi(signature->result);
	for (uint32_t i = 0; i < signature->count; i++)
		types[i + 1] = plait__type_ffi(signature->parameters[i].type);
}

/* Returns the free list for these types; idle.lock guards what it holds. */
static plait__thunk **bucket(const plait__ffi_type *types, uint32_t count)
{
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; i <= count; i++)
		hash = (hash ^ (uint32_t)types[i]) * 16777619u;
	return &idle.buckets[hash % BUCKETS];
}

static int64_t on_call(void *user_data, void *const *arguments)
{
	const plait__thunk *thunk = user_data;

	/* Acquire: pairs with plait__thunk_set_handle; the handle table has its
	 * own rules. */
	return thunk->target(at_load_acquire_ptr(&thunk->handle), arguments);
}

static void destroy(plait__thunk *thunk)
{
	const plait_allocator *allocator = plait__alloc_default();

	plait__ffi_closure_destroy(allocator, thunk->closure);
	plait__ffi_shape_destroy(allocator, thunk->shape);
	plait__free(allocator, thunk, thunk->block_bytes);
}

static plait_status prepare(plait__thunk *thunk, plait_error *error)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait_status status = plait__ffi_shape_create(
		allocator, thunk->types + 1, NULL, thunk->count, thunk->types[0],
		&thunk->shape, error);

	if (status != PLAIT_OK)
		return status;
	return plait__ffi_closure_create(allocator, thunk->shape, on_call,
					 thunk, &thunk->closure, error);
}

/* Take a thunk with the types of `like` from the free list, or return null. */
static plait__thunk *find_idle(const plait__thunk *like)
{
	size_t bytes = (like->count + 1) * sizeof(like->types[0]);
	plait__thunk **link = bucket(like->types, like->count), *found;

	plait__mutex_lock(&idle.lock);
	while ((found = *link) != NULL &&
	       (found->count != like->count || found->target != like->target ||
		memcmp(found->types, like->types, bytes) != 0))
		link = &found->next;
	if (found != NULL)
		*link = found->next;
	plait__mutex_unlock(&idle.lock);
	return found;
}

plait_status plait__thunk_acquire(const plait__signature *signature,
				  plait__thunk_target target,
				  plait__thunk **out, plait_error *error)
{
	uint64_t bytes = sizeof(plait__thunk) +
		((uint64_t)signature->count + 1) * sizeof(plait__ffi_type);
	plait__thunk *thunk = plait__alloc(plait__alloc_default(), bytes);
	plait_status status;

	*out = NULL;
	if (thunk == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a function pointer");
	thunk->block_bytes = bytes;
	thunk->target = target;
	thunk->count = signature->count;
	read_types(signature, thunk->types);
	*out = find_idle(thunk);
	if (*out != NULL) {
		destroy(thunk);
		return PLAIT_OK;
	}
	status = prepare(thunk, error);
	if (status == PLAIT_OK)
		*out = thunk;
	else
		destroy(thunk);
	return status;
}

void plait__thunk_release(plait__thunk *thunk)
{
	plait__thunk **home;

	if (thunk == NULL)
		return;
	plait__thunk_set_handle(thunk, NULL);
	home = bucket(thunk->types, thunk->count);
	plait__mutex_lock(&idle.lock);
	thunk->next = *home;
	*home = thunk;
	plait__mutex_unlock(&idle.lock);
}

void plait__thunk_set_handle(plait__thunk *thunk, void *handle)
{
	at_store_release_ptr(&thunk->handle, handle);
}

void (*plait__thunk_code(const plait__thunk *thunk))(void)
{
	return plait__ffi_closure_code(thunk->closure);
}
