/* SPDX-License-Identifier: MIT */
/*
 * Room behind mappings of the caller, in the windows of all ranks.  A mapping is an
 * op as long as it is open, and the window does not move past it.  A rank that
 * finds its window full may not refuse a task that others take, so all ranks count
 * the ops of each rank, in the order of the program, and refuse together, when half
 * of the smallest window is behind a mapping.  The other half is for one more
 * submission, and for what ranks do not have in common: marks, and copies to devices.
 *
 * Callers hold the lock of the flow.
 */
#ifndef PLAIT_SRC_FLOW_RANK_ROOM_H
#define PLAIT_SRC_FLOW_RANK_ROOM_H

#include "flow/rank_state.h"

/* Count an op of a rank, or of each. */
void plait__rank_room_count(plait__flow_ranks *ranks, uint32_t rank);

/* A mapping is about to be opened. */
void plait__rank_room_map(plait__flow *flow, plait__data_mapping *mapping);

/* PLAIT_E_DEADLOCK: the caller has a mapping, and has to end it first. */
plait_status plait__rank_room_check(const plait__flow *flow,
				    plait_error *error);

#endif
