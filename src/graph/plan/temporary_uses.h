/* SPDX-License-Identifier: MIT */
/*
 * Uses of the memory of a plan's instances.  An item is a temporary, or the
 * scratch of a command, which has its place already.  Two items clash if some
 * uses of one neither happen all before nor all after those of the other.
 */
#ifndef PLAIT_SRC_GRAPH_PLAN_TEMPORARY_USES_H
#define PLAIT_SRC_GRAPH_PLAN_TEMPORARY_USES_H

#include "graph/plan/temporary_places.h"

/* One use of an item by a command of body 0. */
struct plait__temporary_use {
	uint32_t item;
	uint32_t command;
};

struct plait__temporary_item {
	uint32_t slot;		/* none: scratch */
	uint32_t device;
	uint32_t first;		/* its first command in plan->order; none:
				 * unused */
	uint32_t last_use;	/* while uses are added: the last command */
	uint64_t bytes;
	uint64_t offset;	/* PLAIT__TEMPORARY_UNUSED: no place yet */
};

struct plait__temporary_items {
	const plait__plan_object *plan_object;
	const plait__plan *plan;
	const plait_allocator *allocator;
	uint32_t *index_of;	/* by slot: its item, or none */
	uint32_t *position;	/* by command of body 0: its index in the
				 * submission order (plan->order) */
	struct plait__temporary_item *items; /* temporaries, then scratch */
	uint32_t *placing;	/* temporaries, as one way to place them takes
				 * them; filled by temporary_places.c */
	uint32_t temporary_count;
	bool has_scratch;	/* scratch is listed, too */
	uint32_t count;
	uint32_t item_room;
	struct plait__temporary_use *uses;
	uint32_t use_count;
	uint32_t use_room;
	uint32_t words;		/* of a set; 0: nothing is shared */
	uint64_t *before;	/* by command: uses that happen before it */
	uint64_t *used;		/* by item: its uses */
	uint64_t *safe;		/* by item: uses that happen before all of
				 * its own */
	uint32_t clash_words;
	uint64_t *clashes;	/* by item: those that must not share with it */
	/* Allocated here, filled by temporary_places.c. */
	uint64_t *limit;	/* by device: see find_limits() */
	uint64_t *ends;		/* by device: end of the arena */
	uint64_t *offsets;	/* by slot: the caller's, the result */
	uint64_t *arena_bytes;	/* by device: the caller's; places only */
};

/* Fill the items and their clashes; `plan`, `allocator` and `offsets` are set,
 * all other fields are zero.  The offsets are reset to UNUSED.  Returns false
 * without memory; free in any case. */
bool plait__temporary_uses_find(struct plait__temporary_items *items);
void plait__temporary_uses_free(const struct plait__temporary_items *items);

static inline bool plait__temporary_uses_clash(
	const struct plait__temporary_items *items, uint32_t one,
	uint32_t other)
{
	return (items->clashes[(size_t)one * items->clash_words + other / 64] >>
		other % 64 & 1) != 0;
}

#endif
