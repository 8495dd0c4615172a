/* SPDX-License-Identifier: MIT */
/*
 * Workspace of the planner: an accounted list of blocks from the caller's
 * allocator.  Every block that is not kept is freed at the end, on success and
 * on every error; the peak of bytes held is known.
 */
#ifndef PLAIT_SRC_PLAN_SCHEDULE_WORKSPACE_H
#define PLAIT_SRC_PLAN_SCHEDULE_WORKSPACE_H

#include "plait/base.h"

/*
 * A slab is one block that others are cut from, until it is claimed for an
 * array of the plan: pages that were touched early cost no fault later.
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
	uint32_t slab;			/* the slab that it was cut from */
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
	/* Free list of large blocks: pages in use cost no fault. They are held,
	 * but never raise the peak. */
	plait__workspace_block spares[PLAIT__WORKSPACE_SPARES];
	uint32_t spare_count;
	void *slabs[PLAIT__WORKSPACE_SLABS];	/* null: not open */
} plait__workspace;

void plait__workspace_init(plait__workspace *work,
			   const plait_allocator *allocator);

/* Free every block. */
void plait__workspace_fini(plait__workspace *work);

/* Allocate `count` elements of `each` bytes, not zeroed; null if there is no
 * memory.  0 elements get one. */
void *plait__workspace_alloc(plait__workspace *work, uint64_t count,
			     uint64_t each);

/* Likewise, zeroed, or with every byte 0xff (all PLAIT__NONE). */
void *plait__workspace_alloc_zero(plait__workspace *work, uint64_t count,
				  uint64_t each);
void *plait__workspace_alloc_none(plait__workspace *work, uint64_t count,
				  uint64_t each);

/*
 * Open a slab of `bytes` and some slack.  Cut blocks are freed like others; a
 * block that does not fit is allocated.  A small slab is never opened: it would
 * not pay.
 */
plait_status plait__workspace_open_slab(plait__workspace *work, uint32_t slab,
					uint64_t bytes);
void *plait__workspace_cut(plait__workspace *work, uint32_t slab,
			   uint64_t count, uint64_t each);
void *plait__workspace_cut_zero(plait__workspace *work, uint32_t slab,
				uint64_t count, uint64_t each);
void *plait__workspace_cut_none(plait__workspace *work, uint32_t slab,
				uint64_t count, uint64_t each);

/* Allocate a block, from the slab's own memory if no cut block is left in
 * it. */
void *plait__workspace_claim(plait__workspace *work, uint32_t slab,
			     uint64_t count, uint64_t each);

/* Resize a block; null leaves it as it was. */
void *plait__workspace_resize(plait__workspace *work, void *pointer,
			      uint64_t count, uint64_t each);

/* Ensure room for `need` elements in an array of *capacity; grows by half.
 * Returns PLAIT_OK, or PLAIT_E_NOMEM with the array as it was. */
plait_status plait__workspace_reserve(plait__workspace *work, void **pointer,
				      uint32_t *capacity, uint64_t need,
				      uint64_t each);

/* Free one block; null is allowed. */
void plait__workspace_free(plait__workspace *work, void *pointer);

/*
 * Shrink a block to `count` elements and hand it to the caller: the workspace
 * no longer owns it.  0 elements free it and set *out to null.
 */
plait_status plait__workspace_keep(plait__workspace *work, void *pointer,
				   uint64_t count, uint64_t each, void **out);

#endif
