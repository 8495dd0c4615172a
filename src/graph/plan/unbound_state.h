/* SPDX-License-Identifier: MIT */
/*
 * Unbound names of a plan that was read: which are left, and the seal that
 * fixes the tables before the first run.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_UNBOUND_STATE_H
#define PLAIT_SRC_GRAPH_PLAN_UNBOUND_STATE_H

#include "graph/plan/plan_object.h"

/*
 * Find out which devices the plan means, and what else it has to be told.
 * For plans that were read, and for those of a graph that was.
 */
plait_status plait__unbound_state_open(plait__plan_object *plan_object, plait_error *error);

/* Whether every element of the tables is there. */
bool plait__unbound_is_none(const plait__plan_object *plan_object);

/*
 * Before the first run: nothing is bound from now on, so that the tables can
 * be read without the lock.  PLAIT_E_STATE with the name of something that is
 * not bound; else what plait__verify_commands finds.  Cheap when it was sealed before.
 */
plait_status plait__unbound_state_seal(plait__plan_object *plan_object, plait_error *error);

/* How many names are not bound. */
uint32_t plait__unbound_count(plait__plan_object *plan_object);

/* Take the lock and return true if the element of a name is set. */
bool plait__unbound_state_is_bound(plait__plan_object *plan_object,
				   const plait__binding *binding);

#endif
