/* SPDX-License-Identifier: MIT */
/*
 * Unbound names of a plan that was read: which are left, and the seal that
 * fixes the tables before the first run.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_UNBOUND_STATE_H
#define PLAIT_SRC_GRAPH_PLAN_UNBOUND_STATE_H

#include "graph/plan/plan_object.h"

/*
 * List the names to bind, and find the devices of the context that the plan
 * names.  For loaded plans, and for plans of a graph in its text form, before
 * another thread can have the plan.  PLAIT_E_NOMEM.
 */
plait_status plait__unbound_state_open(plait__plan_object *plan_object,
				       plait_error *error);

/* Returns true if every kernel, buffer and signal of the tables is set, and the
 * device of every lane.  Temporaries need no buffer; functions are not looked at.
 * Takes no lock: no other thread can have the plan yet. */
bool plait__unbound_is_none(const plait__plan_object *plan_object);

/*
 * Seal the tables before the first run, which then reads them without the lock.
 * PLAIT_E_STATE names an unbound element; otherwise the status of
 * plait__verify_commands() and plait__verify_backends().  Repeated calls are cheap.
 */
plait_status plait__unbound_state_seal(plait__plan_object *plan_object,
				       plait_error *error);

/* Return the number of unbound names.  Takes the lock. */
uint32_t plait__unbound_count(plait__plan_object *plan_object);

/* Returns true if the element of a name is set.  Takes the lock. */
bool plait__unbound_state_is_bound(plait__plan_object *plan_object,
				   const plait__binding *binding);

#endif
