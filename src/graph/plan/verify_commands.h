/* SPDX-License-Identifier: MIT */
/*
 * Verification of a loaded plan before its first run: each command has the
 * fields of its kind, arguments match the kernel's signature, and memory is
 * within its buffer.  Plans of a graph satisfy this by construction; bytes of a
 * file need not.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_VERIFY_COMMANDS_H
#define PLAIT_SRC_GRAPH_PLAN_VERIFY_COMMANDS_H

#include "graph/plan/plan_object.h"

/*
 * Verify; every name is bound, and the caller holds plan_object->lock.
 * PLAIT_E_UNSUPPORTED: a loop or case without a predicate, as the text form has
 * them, or scratch that the device does not align.  PLAIT_E_INVALID names the
 * command.
 */
plait_status plait__verify_commands(const plait__plan_object *plan_object,
				    plait_error *error);

#endif
