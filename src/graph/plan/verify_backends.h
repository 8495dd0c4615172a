/* SPDX-License-Identifier: MIT */
/* Checks that the objects of a loaded plan are usable where its commands run. */
#ifndef PLAIT_SRC_GRAPH_PLAN_VERIFY_BACKENDS_H
#define PLAIT_SRC_GRAPH_PLAN_VERIFY_BACKENDS_H

#include "graph/plan/plan_object.h"

/*
 * Check each command against the device of its lane: its memory and its signal
 * are of that device's backend, and the device can call its host function.
 * Everything is bound, and the commands fit.  PLAIT_E_UNSUPPORTED names the
 * node, the object and both devices.  Caller holds plan_object->lock.
 */
plait_status plait__verify_backends(const plait__plan_object *plan_object,
				    plait_error *error);

#endif
