/* SPDX-License-Identifier: MIT */
/*
 * Predecessors of one task, each once.  A true one wrote what the task reads:
 * if it failed, the task is not run.  The others only come before.  Ops up to
 * `settled` are done, so only true ones that may have failed are kept of them.
 * Pure.
 */
#ifndef PLAIT_SRC_FLOW_ACCESS_PREDS_H
#define PLAIT_SRC_FLOW_ACCESS_PREDS_H

#include "flow/region/front_map.h"

enum { PLAIT__PREDS_FEW = 16, PLAIT__PREDS_RECENT = 128 };

typedef struct plait__pred {
	uint64_t number;
	bool is_true;
} plait__pred;

typedef struct plait__preds {
	const plait_allocator *allocator;
	uint64_t mask; /* window - 1: of newer ops, this part is unique */
	uint64_t settled;
	bool keeps_settled; /* true ones; there are failures */
	bool lacks_memory;
	uint32_t count;
	uint32_t capacity;
	plait__pred *items; /* `few`, or allocated */
	/* Per low bits of a number: where one may be. */
	uint32_t recent[PLAIT__PREDS_RECENT];
	/* With more than a few: per part of a number, when it was added last,
	 * and where it is. */
	uint32_t serial;
	uint32_t *stamps;
	uint32_t *places;
	/* Marks that fronts with too many readers need. */
	uint64_t marks;
	uint64_t last_full[PLAIT__FRONT_READERS]; /* readers of the last such front */
	plait__pred few[PLAIT__PREDS_FEW];
} plait__preds;

/* `window` is a power of two (`mask`). */
void plait__preds_init(plait__preds *preds, const plait_allocator *allocator,
		       uint64_t window);
void plait__preds_fini(plait__preds *preds);

/* Begin with the preds of another task. */
void plait__preds_begin(plait__preds *preds, uint64_t settled,
			bool keeps_settled);

/* The slow part of add. */
void plait__preds_insert(plait__preds *preds, uint64_t number, bool is_true);

/* Add op `number`; 0 is none. */
static inline void plait__preds_add(plait__preds *preds, uint64_t number,
				    bool is_true)
{
	const uint64_t low = number % PLAIT__PREDS_RECENT;
	uint32_t i = preds->recent[low];
	uint64_t there;

	if (number <= preds->settled &&
	    (number == 0 || !is_true || !preds->keeps_settled))
		return;
	there = i < preds->count ? preds->items[i].number : ~number;
	if (there == number) {
		/* Neighbouring elements mostly have the same ops. */
		preds->items[i].is_true |= is_true;
	} else if (there % PLAIT__PREDS_RECENT != low &&
		   preds->count < PLAIT__PREDS_FEW) {
		/* Each number of the set has stored its place in the entry of
		 * its low bits, so this one is not in the set. */
		preds->recent[low] = preds->count;
		preds->items[preds->count++] = (plait__pred){ number, is_true };
	} else {
		plait__preds_insert(preds, number, is_true);
	}
}

#endif
