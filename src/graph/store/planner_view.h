/* SPDX-License-Identifier: MIT */
/*
 * Planner input of a store, without copies of its tables.  Valid until the
 * store changes.
 */
#ifndef PLAIT_SRC_GRAPH_STORE_PLANNER_VIEW_H
#define PLAIT_SRC_GRAPH_STORE_PLANNER_VIEW_H

#include "graph/store/store.h"

/* Fill `input`; release it with plait__planner_view_fini().  After a failure
 * there is nothing to release: PLAIT_E_NOMEM, or PLAIT_E_INVALID for a graph of
 * too many nodes or edges. */
plait_status plait__planner_view_init(const plait__store *store,
				      plait__input *input, plait_error *error);
void plait__planner_view_fini(const plait__store *store, plait__input *input);

#endif
