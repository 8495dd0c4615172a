/* SPDX-License-Identifier: MIT */
/*
 * What the functions that bind have in common.
 *
 * All checks come first, with the plan's lock held when they look at what is
 * bound already; then one element of a table changes.  What it replaces is
 * dropped without the lock.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_BIND_CODE_H
#define PLAIT_SRC_GRAPH_PLAN_BIND_CODE_H

#include "graph/plan/plan_object.h"

/* Come in to bind something; left with plait__object_leave. */
plait_status plait__bind_enter(plait_plan *plan, plait__plan_object **out,
			       plait_error *error);

/* Where the thing of a name is in its table. */
plait_status plait__bind_find(const plait__plan_object *plan_object, uint32_t kind,
			      const char *name, uint32_t *out,
			      plait_error *error);
plait_status plait__bind_unknown(const plait__plan_object *plan_object, uint32_t kind,
				 const char *name, plait_error *error);

/* Take the lock; PLAIT_E_STATE, and it is not taken, once the plan has run. */
plait_status plait__bind_begin(plait__plan_object *plan_object, plait_error *error);

/* Give the lock back, then drop `old`, if there was one. */
void plait__bind_end(plait__plan_object *plan_object, plait__object *old);

/* With the lock: what was there is the caller's to drop. */
plait__object *plait__bind_exchange(plait__object **place,
				    plait__object *object);

#endif
