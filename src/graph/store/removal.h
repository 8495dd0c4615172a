/* SPDX-License-Identifier: MIT */
/*
 * Removed nodes of a store.  A removed node keeps its place, so that other
 * numbers stay valid, and names nothing any more: a join without cost, or the
 * region that its bodies belong to.  Its table entries stay until the store is
 * reset.
 */
#ifndef PLAIT_SRC_GRAPH_STORE_REMOVAL_H
#define PLAIT_SRC_GRAPH_STORE_REMOVAL_H

#include "graph/store/store.h"

/* Mark a node of the scope as removed, again or for the first time; call
 * plait__removal_settle after the last one. */
void plait__removal_mark(plait__store *store, uint32_t scope, uint32_t node);

/* Drop the edges of marked nodes, and the bodies of marked regions. */
void plait__removal_settle(plait__store *store, uint32_t scope);

/* Drop all edges from `before` to `after`; returns their number. */
uint32_t plait__removal_edge(plait__store *store, uint32_t scope,
			     uint32_t before, uint32_t after);

#endif
