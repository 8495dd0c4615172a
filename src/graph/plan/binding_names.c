/* SPDX-License-Identifier: MIT */
/* Names of the objects that a plan needs; see binding_names.h. */
#include "graph/plan/binding_names.h"

#include "graph/plan/used_tables.h"
#include "graph/store/hash_index.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/vector.h"

#include <stdio.h>
#include <string.h>

const char *const plait__binding_kinds[] = { "kernel", "buffer", "signal",
					  "function", "device" };

/* "#4294967295" and a NUL. */
enum { SUFFIX_BYTES = 12, KINDS = PLAIT_BINDING_DEVICE + 1 };

struct plait__binding_names {
	plait__binding *items;
	uint32_t count;
	uint64_t capacity;
	/* Names made unique by a suffix. */
	char *made;
	uint64_t made_bytes;
	plait__index *index;
	uint32_t unnamed[KINDS];
};

static bool match_name(const void *table, uint32_t at, const void *value)
{
	const plait__binding *items = table;

	return strcmp(items[at].name, value) == 0;
}

static plait__index_key key_of(const plait__binding_names *bindings,
			       uint32_t kind, const char *name)
{
	return (plait__index_key){
		kind, plait__index_hash(name, strlen(name)), match_name,
		bindings->items, name
	};
}

static plait__binding *find(const plait__binding_names *bindings, uint32_t kind,
			    const char *name)
{
	plait__index_key key = key_of(bindings, kind, name);
	uint32_t at = plait__index_find(bindings->index, &key);

	return at == UINT32_MAX ? NULL : &bindings->items[at];
}

/* The array does not move any more. */
static bool add_to_index(plait__binding_names *bindings,
			 plait__binding *binding,
			 const plait_allocator *allocator)
{
	plait__index_key key = key_of(bindings, binding->kind, binding->name);

	if (plait__index_reserve(bindings->index, allocator) != 0)
		return false;
	plait__index_add(bindings->index, &key,
			 (uint32_t)(binding - bindings->items));
	return true;
}

/* ---- listing ---- */

static const char *label_at(const plait__plan *plan, uint32_t string)
{
	return string < plan->strings_count ? plan->strings + string : "";
}

/* The array has room for all elements of the plan. */
static void push(plait__binding_names *bindings, uint32_t kind, uint32_t at,
		 uint32_t flags, const char *label)
{
	bindings->items[bindings->count++] = (plait__binding){
		.name = label, .kind = kind, .at = at, .flags = flags
	};
}

static uint32_t flags_of_function(uint32_t flags, uint8_t used)
{
	uint32_t found = 0;

	if ((flags & PLAIT__FUNCTION_ANY_THREAD) != 0)
		found |= PLAIT_BINDING_IS_ANY_THREAD;
	if ((flags & PLAIT__FUNCTION_COROUTINE) != 0)
		found |= PLAIT_BINDING_IS_COROUTINE;
	if ((flags & PLAIT__FUNCTION_FIRST_WORKER) != 0)
		found |= PLAIT_BINDING_IS_FIRST_WORKER;
	if ((used & PLAIT__USED_AS_PREDICATE) != 0)
		found |= PLAIT_BINDING_IS_PREDICATE;
	return found;
}

static void list_functions(plait__binding_names *bindings,
			   const plait__plan *plan,
			   const plait__used_tables *used)
{
	for (uint32_t i = 0; i < plan->functions_count; i++)
		if (used->functions[i])
			push(bindings, PLAIT_BINDING_FUNCTION, i,
			     flags_of_function(plan->functions[i].flags,
					       used->functions[i]),
			     label_at(plan, plan->functions[i].name));
}

static void list_all(plait__binding_names *bindings, const plait__plan *plan,
		     const plait__used_tables *used)
{
	uint32_t i;

	for (i = 0; i < plan->kernels_count; i++)
		if (used->kernels[i])
			push(bindings, PLAIT_BINDING_KERNEL, i, 0,
			     label_at(plan, plan->kernels[i].name));
	for (i = 0; i < plan->slots_count; i++)
		if (used->slots[i] &&
		    plan->slots[i].kind == PLAIT__SLOT_BOUND)
			push(bindings, PLAIT_BINDING_BUFFER, i, 0,
			     label_at(plan, plan->slots[i].name));
	for (i = 0; i < plan->signals_count; i++)
		if (used->signals[i])
			push(bindings, PLAIT_BINDING_SIGNAL, i, 0,
			     label_at(plan, plan->signals[i].name));
	list_functions(bindings, plan, used);
	for (i = 0; i < plan->devices_count; i++)
		if (used->devices[i])
			push(bindings, PLAIT_BINDING_DEVICE, i, 0,
			     label_at(plan, plan->devices[i].name));
}

static bool is_emitted(const plait__plan *plan, uint32_t command)
{
	return plan->commands[command].kind == PLAIT__CMD_EMIT &&
	       plan->commands[command].link != PLAIT__NONE;
}

/* Mark emitted signals, which cannot be gates.  Signals are listed in table
 * order, with some left out. */
static void mark_emitted(plait__binding_names *bindings,
			 const plait__plan *plan, plait__used_tables *used)
{
	for (uint32_t i = 0; i < plan->command_count; i++)
		if (is_emitted(plan, i))
			used->signals[plan->payloads[
				plan->commands[i].link].object] = 2;
	for (uint32_t i = 0; i < bindings->count; i++)
		if (bindings->items[i].kind == PLAIT_BINDING_SIGNAL &&
		    used->signals[bindings->items[i].at] == 2)
			bindings->items[i].flags = PLAIT_BINDING_IS_EMITTED;
}

/* ---- unique names ---- */

/* Give each label to its first binding; count the space for the others. */
static bool name_first(plait__binding_names *bindings,
		       const plait_allocator *allocator)
{
	for (uint32_t i = 0; i < bindings->count; i++) {
		plait__binding *binding = &bindings->items[i];

		if (binding->kind == PLAIT_BINDING_KERNEL)
			continue;
		if (binding->name[0] != '\0' &&
		    find(bindings, binding->kind, binding->name) == NULL) {
			if (!add_to_index(bindings, binding, allocator))
				return false;
			continue;
		}
		bindings->made_bytes += strlen(binding->name) + SUFFIX_BYTES;
	}
	return true;
}

static bool has_name(const plait__binding_names *bindings,
		     const plait__binding *binding)
{
	return binding->kind == PLAIT_BINDING_KERNEL ||
	       (binding->name[0] != '\0' &&
		find(bindings, binding->kind, binding->name) == binding);
}

/* Number the others.  A count per label keeps many of one label linear.
 * name_first has counted the bytes that they take. */
static bool name_others(plait__binding_names *bindings,
			const plait_allocator *allocator)
{
	char *made = bindings->made;

	for (uint32_t i = 0; i < bindings->count; i++) {
		plait__binding *binding = &bindings->items[i];
		const char *label = binding->name;
		plait__binding *first;
		uint32_t *others;
		int bytes;

		if (has_name(bindings, binding))
			continue;
		first = find(bindings, binding->kind, label);
		others = first != NULL ? &first->repeats :
			 &bindings->unnamed[binding->kind];
		/* The second "x" is "x#2"; the first without a label is
		 * "#1". */
		do
			bytes = snprintf(made, strlen(label) + SUFFIX_BYTES,
					 "%s#%u", label,
					 ++*others + (first != NULL ? 1 : 0));
		while (find(bindings, binding->kind, made) != NULL);
		binding->name = made;
		made += bytes + 1;
		if (!add_to_index(bindings, binding, allocator))
			return false;
	}
	return true;
}

static bool name_all(plait__binding_names *bindings,
		     const plait_allocator *allocator)
{
	if (!name_first(bindings, allocator))
		return false;
	if (bindings->made_bytes == 0)
		return true;
	bindings->made = plait__alloc(allocator, bindings->made_bytes);
	return bindings->made != NULL && name_others(bindings, allocator);
}

/* ---- life ---- */

static bool list_used(plait__binding_names *bindings, const plait__plan *plan,
		      const plait_allocator *allocator)
{
	plait__used_tables used;

	if (!plait__used_tables_init(&used, plan, allocator))
		return false;
	list_all(bindings, plan, &used);
	mark_emitted(bindings, plan, &used);
	plait__used_tables_fini(&used, allocator);
	return true;
}

plait_status plait__binding_names_create(const plait__plan *plan,
					 const plait_allocator *allocator,
					 plait__binding_names **out,
					 plait_error *error)
{
	plait__binding_names *made = plait__alloc(allocator, sizeof(*made));

	*out = NULL;
	if (made != NULL) {
		made->capacity = 1 + (uint64_t)plan->kernels_count +
				 plan->slots_count + plan->signals_count +
				 plan->functions_count + plan->devices_count;
		made->items = plait__alloc_array(allocator, made->capacity,
						 sizeof(*made->items));
		made->index = plait__index_create(allocator);
	}
	if (made == NULL || made->items == NULL || made->index == NULL ||
	    made->capacity > PLAIT__VECTOR_MAX ||
	    !list_used(made, plan, allocator) ||
	    !name_all(made, allocator)) {
		plait__binding_names_destroy(made, allocator);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the names of a plan");
	}
	*out = made;
	return PLAIT_OK;
}

void plait__binding_names_destroy(plait__binding_names *bindings,
				  const plait_allocator *allocator)
{
	if (bindings == NULL)
		return;
	plait__index_destroy(allocator, bindings->index);
	plait__free(allocator, bindings->made, bindings->made_bytes);
	plait__free(allocator, bindings->items,
		    bindings->capacity * sizeof(*bindings->items));
	plait__free(allocator, bindings, sizeof(*bindings));
}

uint32_t plait__binding_names_count(const plait__binding_names *bindings)
{
	return bindings != NULL ? bindings->count : 0;
}

const plait__binding *
plait__binding_names_at(const plait__binding_names *bindings, uint32_t index)
{
	return &bindings->items[index];
}

const plait__binding *
plait__binding_names_find(const plait__binding_names *bindings, uint32_t kind,
			  const char *name)
{
	return find(bindings, kind, name);
}
