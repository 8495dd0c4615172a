/* SPDX-License-Identifier: MIT */
/*
 * Elements of a plan's tables that its commands use.  The tables are those of
 * the whole graph, also in a plan of a part.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_USED_TABLES_H
#define PLAIT_SRC_GRAPH_PLAN_USED_TABLES_H

#include "plan/plan.h"

#include <stdbool.h>

/* How commands use a function; a combination. */
enum { PLAIT__USED_AS_CALL = 1 << 0, PLAIT__USED_AS_PREDICATE = 1 << 1 };

/* One byte per element, not 0 if used: 1, or the uses of a function; one block
 * of memory. */
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
