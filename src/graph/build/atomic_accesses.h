/* SPDX-License-Identifier: MIT */
/*
 * Atomic accesses of a launch: those that commute with each other.  Atomic
 * operations of two devices, or on a mapping, need not be atomic to each other,
 * so an access of the mode `atomic` stays atomic in the plan only if the code
 * runs on the device that has the memory.  Memory of a plan parameter has a
 * known device in a context of one device only.  All others become reads and
 * writes.
 */
#ifndef PLAIT_SRC_GRAPH_BUILD_ATOMIC_ACCESSES_H
#define PLAIT_SRC_GRAPH_BUILD_ATOMIC_ACCESSES_H

#include "graph/build/graph.h"

/* Make those accesses of the draft that do not commute reads and writes.  The
 * device of the draft is known. */
void plait__atomic_accesses_settle(const plait__node_draft *draft);

#endif
