/* SPDX-License-Identifier: MIT */
/* Bodies within bodies: which loop a node is in, and which it may speak of. */
#ifndef PLAIT_SRC_GRAPH_BUILD_SCOPES_H
#define PLAIT_SRC_GRAPH_BUILD_SCOPES_H

#include "graph/store/store.h"

/* The innermost WHILE or DO around a scope, a region's index; or none. */
uint32_t plait__scopes_enclosing_loop(const plait__store *store, uint32_t scope);

/* Whether `inner` is `outer` or lies somewhere in its bodies. */
bool plait__scopes_is_inside(const plait__store *store, uint32_t inner,
			     uint32_t outer);

/* Whether nodes of a scope may use what a loop carries: those in its body, and
 * those of the scope that has the loop, with all bodies there. */
bool plait__scopes_sees_loop(const plait__store *store, uint32_t scope,
			     uint32_t region);

/* The public number of a rotation, and back: none if it is of another graph. */
uint64_t plait__scopes_rotation_number(const plait__store *store,
				       uint32_t rotation);
uint32_t plait__scopes_find_rotation(const plait__store *store, uint64_t number);

#endif
