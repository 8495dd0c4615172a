/* SPDX-License-Identifier: MIT */
/*
 * The names of what a plan needs but does not bring: one binding per kernel,
 * buffer, signal, function and device of its tables.  Names alone; what they
 * stand for is in the tables of plan_object.h.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_BINDING_NAMES_H
#define PLAIT_SRC_GRAPH_PLAN_BINDING_NAMES_H

#include "plait/plan.h"

#include "plan/plan.h"

typedef struct plait__binding {
	const char *name;	/* "" only of a kernel */
	uint32_t kind;		/* PLAIT_BINDING_... */
	uint32_t at;		/* in the plan's table of that kind */
	uint32_t flags;		/* PLAIT_BINDING_IS_... */
	uint32_t repeats;	/* how many more had this label */
} plait__binding;

typedef struct plait__binding_names plait__binding_names;

/*
 * The bindings of `plan`, which has to outlive them.  Labels that are not
 * unique within their kind get a number behind them, none becomes "#1", so
 * that each name but a kernel's is one binding.
 */
plait_status plait__binding_names_create(const plait__plan *plan,
					 const plait_allocator *allocator,
					 plait__binding_names **out, plait_error *error);

/* Null is fine. */
void plait__binding_names_destroy(plait__binding_names *bindings,
				  const plait_allocator *allocator);

/* 0 for null. */
uint32_t plait__binding_names_count(const plait__binding_names *bindings);

/* In the order of the kinds, then of the plan's tables. */
const plait__binding *plait__binding_names_at(const plait__binding_names *bindings,
					      uint32_t index);

/* Not for kernels.  Null when there is none of this name. */
const plait__binding *plait__binding_names_find(const plait__binding_names *bindings,
						uint32_t kind, const char *name);

/* "kernel" and so on, by PLAIT_BINDING_... */
extern const char *const plait__binding_kinds[];

#endif
