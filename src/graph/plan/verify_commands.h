/* SPDX-License-Identifier: MIT */
/*
 * Whether a plan from outside can be run at all: that each command has what
 * its kind needs, arguments are those of its kernel's signature, and memory is
 * inside of its buffer.  What a builder made is so; bytes may be anything.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_VERIFY_COMMANDS_H
#define PLAIT_SRC_GRAPH_PLAN_VERIFY_COMMANDS_H

#include "graph/plan/plan_object.h"

/*
 * With every name bound.  PLAIT_E_UNSUPPORTED: a loop or case without a
 * predicate, as a text has them.  PLAIT_E_INVALID: which command does not fit.
 */
plait_status plait__verify_commands(const plait__plan_object *plan_object, plait_error *error);

#endif
