/* SPDX-License-Identifier: MIT */
/* Nesting of bodies: enclosing loops, and which loops a node may refer to. */
#ifndef PLAIT_SRC_GRAPH_BUILD_SCOPES_H
#define PLAIT_SRC_GRAPH_BUILD_SCOPES_H

#include "graph/store/store.h"

/* Return the region of the innermost loop around a scope, of any kind, or
 * PLAIT__NONE. */
uint32_t plait__scopes_enclosing_loop(const plait__store *store,
				      uint32_t scope);

/* Returns true if `inner` is `outer` or a body within it. */
bool plait__scopes_is_inside(const plait__store *store, uint32_t inner,
			     uint32_t outer);

/*
 * Returns true if nodes of a scope may use the rotations of a loop: those in
 * its body, and those of the scope that contains the loop, with all bodies
 * there.
 */
bool plait__scopes_sees_loop(const plait__store *store, uint32_t scope,
			     uint32_t region);

/* Convert between a rotation's index and its public number; PLAIT__NONE for a
 * number of another graph, and when the loop was removed. */
uint64_t plait__scopes_rotation_number(const plait__store *store,
				       uint32_t rotation);
uint32_t plait__scopes_find_rotation(const plait__store *store,
				     uint64_t number);

#endif
