/* SPDX-License-Identifier: MIT */
/*
 * Steps that the plait_plan_bind_* functions share.
 *
 * All checks come first, under the plan's lock where they read bound elements;
 * then one element of a table changes.  The replaced object is dropped without
 * the lock.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_BIND_CODE_H
#define PLAIT_SRC_GRAPH_PLAN_BIND_CODE_H

#include "graph/plan/plan_object.h"

/* Enter a plan with names; leave it with plait__object_leave().  PLAIT_E_HANDLE;
 * PLAIT_E_STATE, with nothing entered, if it has no names. */
plait_status plait__bind_enter(plait_plan *plan, plait__plan_object **out,
			       plait_error *error);

/* Find the index of a name in its table.  PLAIT_E_INVALID: null, or unknown. */
plait_status plait__bind_find(const plait__plan_object *plan_object,
			      uint32_t kind, const char *name, uint32_t *out,
			      plait_error *error);
/* Returns PLAIT_E_INVALID, with the names of this kind in the text. */
plait_status plait__bind_unknown(const plait__plan_object *plan_object,
				 uint32_t kind, const char *name,
				 plait_error *error);

/* Take the lock.  PLAIT_E_STATE, without the lock, once the plan has run. */
plait_status plait__bind_begin(plait__plan_object *plan_object,
			       plait_error *error);

/* Release the lock, then drop `old` unless it is null. */
void plait__bind_end(plait__plan_object *plan_object, plait__object *old);

/* Replace an element and hold the new object; the caller drops the returned one,
 * which may be null.  Caller holds the lock. */
plait__object *plait__bind_exchange(plait__object **place,
				    plait__object *object);

#endif
