/* SPDX-License-Identifier: MIT */
/* Numbers and room of a flow's ops; see window.h. */
#include "flow/lanes/window.h"

bool plait__window_init(plait__window *window,
			const plait_allocator *allocator, uint64_t size)
{
	uint64_t cells = size * PLAIT__WINDOW_CELLS;

	if (cells < PLAIT__WINDOW_CELLS_LEAST)
		cells = PLAIT__WINDOW_CELLS_LEAST;
	window->ring.mask = size - 1;
	window->cell_mask = cells - 1;
	window->ring.ops = plait__cacheline_alloc(
		allocator, size * sizeof(*window->ring.ops));
	window->cells = plait__cacheline_alloc(
		allocator, cells * sizeof(*window->cells));
	return window->ring.ops != NULL && window->cells != NULL;
}

void plait__window_fini(plait__window *window,
			const plait_allocator *allocator)
{
	plait__cacheline_free(allocator, window->ring.ops,
			      plait__window_size(window) *
				      sizeof(*window->ring.ops));
	plait__cacheline_free(allocator, window->cells,
			      (window->cell_mask + 1) *
				      sizeof(*window->cells));
}

void plait__window_settle(plait__window *window)
{
	uint64_t settled = window->settled;

	while (settled < window->newest &&
	       plait__op_is_done(&window->ring, settled + 1))
		settled++;
	if (settled == window->settled)
		return;
	window->settled = settled;
	window->cells_begin = plait__op_at(&window->ring, settled)->cells_end;
}

/* Cells that are skipped at the end of the ring. */
static uint64_t gap_of(const plait__window *window, uint64_t cells)
{
	uint64_t size = window->cell_mask + 1;
	uint64_t at = window->cells_end & window->cell_mask;

	return at + cells > size ? size - at : 0;
}

static bool has_room(const plait__window *window, uint64_t ops, uint64_t cells)
{
	uint64_t end = window->cells_end + gap_of(window, cells) + cells;

	return window->newest + ops - window->settled <=
		       plait__window_size(window) &&
	       end - window->cells_begin <= window->cell_mask + 1;
}

bool plait__window_has_room(plait__window *window, uint64_t ops,
			    uint64_t cells)
{
	if (has_room(window, ops, cells))
		return true;
	plait__window_settle(window);
	return has_room(window, ops, cells);
}

uint64_t *plait__window_take_cells(plait__window *window, uint64_t cells)
{
	uint64_t begin = window->cells_end + gap_of(window, cells);

	window->cells_taken = begin + cells;
	return &window->cells[begin & window->cell_mask];
}
