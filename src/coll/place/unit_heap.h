/* SPDX-License-Identifier: MIT */
/*
 * Pairing heaps of units: any number of heaps over one set of units, a unit in
 * at most one of them.  The caller keeps the root, NONE while empty.
 */
#ifndef PLAIT_SRC_COLL_PLACE_UNIT_HEAP_H
#define PLAIT_SRC_COLL_PLACE_UNIT_HEAP_H

#include "coll/dag/dag.h"

typedef struct plait__unit_heap {
	const plait__dag *dag;
	uint32_t *child, *sibling; /* by node */
	/* Order: program order if set, else the longest path to a sink first,
	 * then program order. */
	bool by_number;
} plait__unit_heap;

/* Returns 0, or -1 without memory; fini in both cases. */
int plait__unit_heap_init(plait__unit_heap *heap, const plait__dag *dag);
void plait__unit_heap_fini(plait__unit_heap *heap);

/* Returns true if unit `a` comes first. */
bool plait__unit_heap_before(const plait__unit_heap *heap, uint32_t a,
			     uint32_t b);

/* Add a unit that is in no heap. */
void plait__unit_heap_push(plait__unit_heap *heap, uint32_t *root,
			   uint32_t unit);

/* Remove and return the first unit of a heap that is not empty. */
uint32_t plait__unit_heap_pop(plait__unit_heap *heap, uint32_t *root);

#endif
