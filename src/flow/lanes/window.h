/* SPDX-License-Identifier: MIT */
/*
 * The submitter's side of the op ring: numbers, room, and the cells of
 * arguments.  The window bounds the memory of a flow: an op gets a number when
 * the one W before it is done.  Guarded by the lock of the flow.
 *
 * Cells are words of 8 bytes in a ring of their own, each op's in a row.  They
 * are free again once all ops up to theirs are done.
 */
#ifndef PLAIT_SRC_FLOW_LANES_WINDOW_H
#define PLAIT_SRC_FLOW_LANES_WINDOW_H

#include "flow/lanes/op_ring.h"

#include "base/alloc.h"

enum {
	PLAIT__WINDOW_LEAST = 16,
	PLAIT__WINDOW_DEFAULT = 4096,
	/* Over a world most ops are behind transfers, and workers look at all of
	 * them; horizons bound the run-ahead anyway. */
	PLAIT__WINDOW_OVER_WORLD = 256,
	PLAIT__WINDOW_MOST = 1 << 20,
	/* Cells for each op, and at least. */
	PLAIT__WINDOW_CELLS = 4,
	PLAIT__WINDOW_CELLS_LEAST = 8192
};

typedef struct plait__window {
	plait__op_ring ring;
	uint64_t newest;
	uint64_t settled; /* all ops up to this one are done */
	uint64_t *cells;
	uint64_t cell_mask;
	uint64_t cells_begin; /* of the ops that are not settled */
	uint64_t cells_end;
	uint64_t cells_taken; /* the end of those that no op owns yet */
} plait__window;

/* Zeroed memory; returns false without memory. */
bool plait__window_init(plait__window *window,
			const plait_allocator *allocator, uint64_t size);
void plait__window_fini(plait__window *window,
			const plait_allocator *allocator);

/* Find the ops that are done since. */
void plait__window_settle(plait__window *window);

/* Returns true if there is room for as many ops, and cells for one of them. */
bool plait__window_has_room(plait__window *window, uint64_t ops,
			    uint64_t cells);

/* Returns that many cells in a row, which has_room has found.  No op owns them
 * before plait__window_keep_cells: the next call may return the same. */
uint64_t *plait__window_take_cells(plait__window *window, uint64_t cells);

/* The next op owns the cells that were taken last. */
static inline void plait__window_keep_cells(plait__window *window)
{
	window->cells_end = window->cells_taken;
}

/* Number the next op. */
static inline plait__op *plait__window_next(plait__window *window)
{
	plait__op *op = plait__op_at(&window->ring, ++window->newest);

	op->cells_end = window->cells_end;
	return op;
}

static inline uint64_t plait__window_size(const plait__window *window)
{
	return window->ring.mask + 1;
}

#endif
