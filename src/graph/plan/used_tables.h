/* SPDX-License-Identifier: MIT */
/*
 * Elements of a plan's tables that its commands use.  The tables are those of
 * the whole graph, also in a plan of a part.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_USED_TABLES_H
#define PLAIT_SRC_GRAPH_PLAN_USED_TABLES_H

#include "plan/plan.h"

#include <stdbool.h>

/* One byte per element, 1 if used; one block of memory. */
typedef struct plait__used_tables {
	uint8_t *kernels;
	uint8_t *slots;
	uint8_t *signals;
	uint8_t *functions;
	uint8_t *devices;
	uint64_t bytes;
} plait__used_tables;

/* Returns false without memory. */
bool plait__used_tables_init(plait__used_tables *used, const plait__plan *plan,
			     const plait_allocator *allocator);
void plait__used_tables_fini(plait__used_tables *used,
			     const plait_allocator *allocator);

#endif
