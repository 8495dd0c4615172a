/* SPDX-License-Identifier: MIT */
/* Interned signatures; see intern.h. */
#include "kernel/intern.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

struct plait__interned {
	struct plait__interned *next;
	plait__signature *signature;
	plait__ffi_shape *shape; /* null until the first call */
	uint64_t references;
};

static struct plait__interned **bucket_of(plait__intern *intern,
					  const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return &intern->buckets[hash % PLAIT__INTERN_BUCKETS];
}

static struct plait__interned **find(plait__intern *intern, const char *text)
{
	struct plait__interned **link = bucket_of(intern, text);

	while (*link != NULL && strcmp((*link)->signature->text, text) != 0)
		link = &(*link)->next;
	return link;
}

/* Share an equal signature, and return true, or insert `fresh`. */
static bool share(plait__intern *intern, struct plait__interned *fresh,
		  const plait__signature **out)
{
	struct plait__interned **link;
	bool found;

	plait__mutex_lock(&intern->lock);
	link = find(intern, fresh->signature->text);
	found = *link != NULL;
	if (!found)
		*link = fresh;
	(*link)->references++;
	*out = (*link)->signature;
	plait__mutex_unlock(&intern->lock);
	return found;
}

plait_status plait__intern_acquire(plait__intern *intern,
				   const plait_allocator *allocator,
				   const char *text,
				   const plait__signature **out,
				   plait_error *error)
{
	struct plait__interned *fresh;
	plait__signature *parsed;
	plait_status status = plait__signature_parse(text, allocator, &parsed,
						     error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	fresh = plait__alloc(allocator, sizeof(*fresh));
	if (fresh == NULL) {
		plait__signature_destroy(allocator, parsed);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a signature");
	}
	fresh->signature = parsed;
	if (share(intern, fresh, out)) {
		plait__signature_destroy(allocator, parsed);
		plait__free(allocator, fresh, sizeof(*fresh));
	}
	return PLAIT_OK;
}

/* Refuse values that a described function cannot take. */
static plait_status check_values(const plait__signature *signature,
				 plait_error *error)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];
		bool vector = plait__type_lanes(parameter->type) > 1;

		if (!vector && (!plait__type_is_struct(parameter->type) ||
				plait__ffi_can_pass(parameter->bytes)))
			continue;
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "%.60s: argument %u \"%.40s\": %s; use a "
				   "function of the fixed form",
				   signature->name, i, parameter->name,
				   vector ? "libffi passes no vectors" :
				   "a C function takes a small struct in "
				   "registers that depend on its fields");
	}
	return PLAIT_OK;
}

static plait_status make_shape(const plait__signature *signature,
			       const plait_allocator *allocator,
			       plait__ffi_shape **out, plait_error *error)
{
	const uint64_t each = sizeof(plait__ffi_layout) +
			      sizeof(plait__ffi_type);
	uint32_t count = signature->count;
	plait__ffi_layout *layouts = plait__alloc_array(
		allocator, (uint64_t)count + 1, each);
	plait__ffi_type *types;
	plait_status status = check_values(signature, error);

	if (status == PLAIT_OK && layouts == NULL)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for the shape of a call");
	if (status != PLAIT_OK)
		goto free_layouts;
	types = (plait__ffi_type *)(void *)(layouts + count);
	for (uint32_t i = 0; i < count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];

		types[i] = plait__type_ffi(parameter->type);
		if (types[i] == PLAIT__FFI_STRUCT)
			layouts[i] = (plait__ffi_layout){
				parameter->bytes, plait__type_struct_alignment(
					parameter->type) };
	}
	status = plait__ffi_shape_create(allocator, types, layouts, count,
					 plait__type_ffi(signature->result),
					 out, error);
free_layouts:
	plait__free(allocator, layouts, (count + 1) * each);
	return status;
}

plait_status plait__intern_shape(plait__intern *intern,
				 const plait_allocator *allocator,
				 const plait__signature *signature,
				 const plait__ffi_shape **out,
				 plait_error *error)
{
	plait_status status = PLAIT_OK;
	struct plait__interned *entry;

	plait__mutex_lock(&intern->lock);
	entry = *find(intern, signature->text);
	if (entry->shape == NULL)
		status = make_shape(signature, allocator, &entry->shape,
				    error);
	*out = entry->shape;
	plait__mutex_unlock(&intern->lock);
	return status;
}

void plait__intern_release(plait__intern *intern,
			   const plait_allocator *allocator,
			   const plait__signature *signature)
{
	struct plait__interned **link, *gone = NULL;

	if (signature == NULL)
		return;
	plait__mutex_lock(&intern->lock);
	link = find(intern, signature->text);
	if (*link != NULL && --(*link)->references == 0) {
		gone = *link;
		*link = gone->next;
	}
	plait__mutex_unlock(&intern->lock);
	if (gone == NULL)
		return;
	plait__ffi_shape_destroy(allocator, gone->shape);
	plait__signature_destroy(allocator, gone->signature);
	plait__free(allocator, gone, sizeof(*gone));
}
