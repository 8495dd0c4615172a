/* SPDX-License-Identifier: MIT */
/*
 * Memory while planning: a short ledger of blocks from the caller's allocator.
 * Whatever is not kept is given back at once, on success and on every error,
 * and the most that was held at any time is known.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_WORKSPACE_H
#define PLAIT_SRC_PLAN_SCHEDULE_WORKSPACE_H

#include "plait/base.h"

/*
 * A slab is one block from which others are cut, until it is claimed for what
 * the plan keeps: what was touched early needs no page fault late.
 */
enum {
	PLAIT__WORKSPACE_NO_SLAB,
	PLAIT__WORKSPACE_EARLY,		/* becomes the plan's commands */
	PLAIT__WORKSPACE_LATE,		/* becomes the plan's nodes */
	PLAIT__WORKSPACE_SLABS
};

typedef struct plait__workspace_block {
	void *pointer;
	uint64_t bytes;
	uint32_t slab;			/* from which it was cut */
	uint32_t reserved0;
} plait__workspace_block;

enum { PLAIT__WORKSPACE_SPARES = 8 };

typedef struct plait__workspace {
	const plait_allocator *allocator;
	uint64_t held_bytes;
	uint64_t peak_bytes;
	uint32_t count;
	uint32_t capacity;
	plait__workspace_block *blocks;
	/* Large blocks that were given back, for who takes one next: memory
	 * that was used before costs no page fault.  They are held, but never
	 * make the peak higher. */
	plait__workspace_block spares[PLAIT__WORKSPACE_SPARES];
	uint32_t spare_count;
	void *slabs[PLAIT__WORKSPACE_SLABS];	/* null: not open */
} plait__workspace;

void plait__workspace_init(plait__workspace *arena, const plait_allocator *allocator);

/* Give back every block. */
void plait__workspace_fini(plait__workspace *arena);

/* `count` elements of `each` bytes, not zeroed; null when there is none.
 * 0 elements get one. */
void *plait__workspace_alloc(plait__workspace *arena, uint64_t count, uint64_t each);

/* The same, zeroed, and with every byte 0xff: all PLAIT__NONE. */
void *plait__workspace_alloc_zero(plait__workspace *arena, uint64_t count, uint64_t each);
void *plait__workspace_alloc_none(plait__workspace *arena, uint64_t count, uint64_t each);

/*
 * Open a slab of so many bytes, and a little more.  Blocks cut from it are
 * given back like others; what does not fit is taken.  A small slab is not
 * worth it, and never opened.
 */
plait_status plait__workspace_open_slab(plait__workspace *arena, uint32_t slab,
				    uint64_t bytes);
void *plait__workspace_cut(plait__workspace *arena, uint32_t slab, uint64_t count,
		       uint64_t each);
void *plait__workspace_cut_zero(plait__workspace *arena, uint32_t slab, uint64_t count,
			    uint64_t each);
void *plait__workspace_cut_none(plait__workspace *arena, uint32_t slab, uint64_t count,
			    uint64_t each);

/* A block like any other: the slab's own memory if no cut is left in it. */
void *plait__workspace_claim(plait__workspace *arena, uint32_t slab, uint64_t count,
			 uint64_t each);

/* Another size for a block; null leaves it as it was. */
void *plait__workspace_resize(plait__workspace *arena, void *pointer, uint64_t count,
			  uint64_t each);

/* Make sure that an array of *capacity elements has room for `need`; grows by
 * half.  0, or PLAIT_E_NOMEM with the array as it was. */
plait_status plait__workspace_reserve(plait__workspace *arena, void **pointer,
				  uint32_t *capacity, uint64_t need,
				  uint64_t each);

/* Give back one block; null is fine. */
void plait__workspace_free(plait__workspace *arena, void *pointer);

/*
 * Cut a block to `count` elements and take it off the ledger: it is the
 * caller's now.  0 elements give it back and return null in *out.
 */
plait_status plait__workspace_keep(plait__workspace *arena, void *pointer, uint64_t count,
			       uint64_t each, void **out);

#endif
