/* SPDX-License-Identifier: MIT */
/* Edges of the newest task of a record, by the rules of the flow itself: the
 * functions of access/. */
#ifndef PLAIT_SRC_FLOW_SHOW_RECORD_EDGES_H
#define PLAIT_SRC_FLOW_SHOW_RECORD_EDGES_H

#include "flow/show/record.h"

/* Readers that a front has no room for: numbers as in fronts. */
typedef struct plait__record_mark {
	uint64_t numbers[PLAIT__FRONT_READERS];
} plait__record_mark;

/* Add the edges of the newest task to the record. */
void plait__record_edges_find(plait__record *record);

#endif
