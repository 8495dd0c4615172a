/* SPDX-License-Identifier: MIT */
/*
 * Names of the objects that a plan needs and does not contain: one binding per
 * kernel, buffer, signal, function and device of its tables.  The objects are
 * in the tables of plan_object.h.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_BINDING_NAMES_H
#define PLAIT_SRC_GRAPH_PLAN_BINDING_NAMES_H

#include "plait/plan.h"

#include "plan/plan.h"

typedef struct plait__binding {
	const char *name;	/* "" only for a kernel */
	uint32_t kind;		/* PLAIT_BINDING_... */
	uint32_t at;		/* index in the plan's table of that kind */
	uint32_t flags;		/* PLAIT_BINDING_IS_... */
	uint32_t repeats;	/* further bindings with this label */
} plait__binding;

typedef struct plait__binding_names plait__binding_names;

/*
 * Create the bindings of `plan`, which must outlive them.  Labels that repeat
 * within a kind get a numbered suffix and an empty one becomes "#1", so every
 * name except a kernel's has one binding.
 */
plait_status plait__binding_names_create(const plait__plan *plan,
					 const plait_allocator *allocator,
					 plait__binding_names **out,
					 plait_error *error);

/* Null is allowed. */
void plait__binding_names_destroy(plait__binding_names *bindings,
				  const plait_allocator *allocator);

/* Returns 0 for null. */
uint32_t plait__binding_names_count(const plait__binding_names *bindings);

/* Bindings are in the order of kinds, then of the plan's tables. */
const plait__binding *
plait__binding_names_at(const plait__binding_names *bindings, uint32_t index);

/* Find a binding, not of a kernel; null if there is none of this name. */
const plait__binding *
plait__binding_names_find(const plait__binding_names *bindings, uint32_t kind,
			  const char *name);

/* Names of the kinds, "kernel" and so on, by PLAIT_BINDING_... */
extern const char *const plait__binding_kinds[];

#endif
