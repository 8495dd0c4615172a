/* SPDX-License-Identifier: MIT */
/* Workspace of the planner: accounted blocks, spares for reuse, slabs. */
#include "plan/schedule/workspace.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <string.h>

/* Blocks from this size on are rounded to pages and kept as spares. */
enum { LARGE_BYTES = 65536, PAGE_BYTES = 4096 };

void plait__workspace_init(plait__workspace *arena, const plait_allocator *allocator)
{
	memset(arena, 0, sizeof(*arena));
	arena->allocator = allocator;
}

static void free_spare(plait__workspace *arena)
{
	const plait__workspace_block *spare = &arena->spares[--arena->spare_count];

	arena->held_bytes -= spare->bytes;
	plait__free(arena->allocator, spare->pointer, spare->bytes);
}

void plait__workspace_fini(plait__workspace *arena)
{
	while (arena->spare_count > 0)
		free_spare(arena);
	while (arena->count > 0) {
		arena->count--;
		if (arena->blocks[arena->count].slab != PLAIT__WORKSPACE_NO_SLAB)
			continue;
		plait__free(arena->allocator, arena->blocks[arena->count].pointer,
			    arena->blocks[arena->count].bytes);
	}
	plait__free(arena->allocator, arena->blocks,
		    arena->capacity * sizeof(*arena->blocks));
	arena->blocks = NULL;
	arena->capacity = 0;
	arena->held_bytes = 0;
}

/* Free spares until `bytes` more do not raise the peak. */
static void make_room(plait__workspace *arena, uint64_t bytes)
{
	while (arena->spare_count > 0 &&
	       arena->held_bytes + bytes > arena->peak_bytes)
		free_spare(arena);
}

static void *take_spare(plait__workspace *arena, uint64_t bytes)
{
	for (uint32_t i = arena->spare_count; i-- > 0;) {
		void *pointer = arena->spares[i].pointer;

		if (arena->spares[i].bytes != bytes)
			continue;
		arena->spares[i] = arena->spares[--arena->spare_count];
		arena->held_bytes -= bytes;
		return pointer;
	}
	return NULL;
}

static void account(plait__workspace *arena, uint64_t less, uint64_t more)
{
	arena->held_bytes = arena->held_bytes - less + more;
	if (arena->held_bytes > arena->peak_bytes)
		arena->peak_bytes = arena->held_bytes;
}

/* Ensure room for one more entry in the list of blocks. */
static bool has_room(plait__workspace *arena)
{
	uint64_t each = sizeof(*arena->blocks);
	uint32_t capacity = arena->capacity * 2 + 64;
	void *moved;

	if (arena->count < arena->capacity)
		return true;
	moved = arena->capacity == 0 ?
		plait__alloc(arena->allocator, capacity * each) :
		plait__realloc(arena->allocator, arena->blocks,
			       arena->capacity * each, capacity * each);
	if (moved == NULL)
		return false;
	account(arena, arena->capacity * each, capacity * each);
	arena->blocks = moved;
	arena->capacity = capacity;
	return true;
}

void *plait__workspace_alloc(plait__workspace *arena, uint64_t count, uint64_t each)
{
	uint64_t bytes;
	void *pointer;

	if (!has_room(arena))
		return NULL;
	if (__builtin_mul_overflow(count ? count : 1, each, &bytes) ||
	    bytes > PTRDIFF_MAX)
		return NULL;
	if (bytes >= LARGE_BYTES)
		bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	pointer = take_spare(arena, bytes);
	if (pointer == NULL) {
		make_room(arena, bytes);
		pointer = arena->allocator->resize(arena->allocator->user_data,
						   NULL, 0, bytes);
	}
	if (pointer == NULL)
		return NULL;
	arena->blocks[arena->count++] = (plait__workspace_block){
		.pointer = pointer, .bytes = bytes
	};
	account(arena, 0, bytes);
	return pointer;
}

static void *fill(void *pointer, uint64_t count, uint64_t each, int byte)
{
	if (pointer != NULL)
		memset(pointer, byte, (size_t)((count ? count : 1) * each));
	return pointer;
}

void *plait__workspace_alloc_zero(plait__workspace *arena, uint64_t count, uint64_t each)
{
	return fill(plait__workspace_alloc(arena, count, each), count, each, 0);
}

void *plait__workspace_alloc_none(plait__workspace *arena, uint64_t count, uint64_t each)
{
	return fill(plait__workspace_alloc(arena, count, each), count, each, 0xff);
}

/* ---- slabs ---- */

/* Cut blocks are aligned to cache lines; none begins at the start of its slab,
 * so that a pointer identifies one block. */
enum { LINE_BYTES = 64, MOST_CUTS = 24 };

plait_status plait__workspace_open_slab(plait__workspace *arena, uint32_t slab,
				    uint64_t bytes)
{
	if (bytes < LARGE_BYTES)
		return PLAIT_OK;
	arena->slabs[slab] = plait__workspace_alloc(
		arena, bytes + LINE_BYTES * MOST_CUTS, 1);
	return arena->slabs[slab] != NULL ? PLAIT_OK : PLAIT_E_NOMEM;
}

/* Returns the first gap between the cut blocks of a slab, or null. */
static void *find_gap(const plait__workspace *arena, uint32_t slab, uint64_t bytes)
{
	char *start = arena->slabs[slab], *at = start + LINE_BYTES;
	char *end = start;

	for (uint32_t i = 0; i < arena->count; i++) {
		const plait__workspace_block *block = &arena->blocks[i];
		char *pointer = block->pointer;

		if (pointer == start)
			end = start + block->bytes;
		if (block->slab != slab || pointer >= at + bytes ||
		    at >= pointer + block->bytes)
			continue;
		at = pointer + block->bytes;
		i = UINT32_MAX;		/* scan all blocks again */
	}
	return at <= end && bytes <= (uint64_t)(end - at) ? at : NULL;
}

void *plait__workspace_cut(plait__workspace *arena, uint32_t slab, uint64_t count,
		       uint64_t each)
{
	plait__workspace_block cut = { .slab = slab };

	if (arena->slabs[slab] == NULL ||
	    __builtin_mul_overflow(count, each, &cut.bytes) ||
	    cut.bytes < LARGE_BYTES / 2 || cut.bytes > PTRDIFF_MAX / 2 ||
	    !has_room(arena))
		return plait__workspace_alloc(arena, count, each);
	cut.bytes = (cut.bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	cut.pointer = find_gap(arena, slab, cut.bytes);
	if (cut.pointer == NULL)
		return plait__workspace_alloc(arena, count, each);
	arena->blocks[arena->count++] = cut;
	return cut.pointer;
}

void *plait__workspace_cut_zero(plait__workspace *arena, uint32_t slab, uint64_t count,
			    uint64_t each)
{
	return fill(plait__workspace_cut(arena, slab, count, each), count, each, 0);
}

void *plait__workspace_cut_none(plait__workspace *arena, uint32_t slab, uint64_t count,
			    uint64_t each)
{
	return fill(plait__workspace_cut(arena, slab, count, each), count, each,
		    0xff);
}

void *plait__workspace_claim(plait__workspace *arena, uint32_t slab, uint64_t count,
			 uint64_t each)
{
	void *pointer = arena->slabs[slab];
	bool is_cut = false;

	arena->slabs[slab] = NULL;
	for (uint32_t i = 0; i < arena->count; i++)
		is_cut |= arena->blocks[i].slab == slab;
	/* The slab stays on the list until the end. */
	if (pointer == NULL || is_cut)
		return plait__workspace_alloc(arena, count, each);
	return plait__workspace_resize(arena, pointer, count, each);
}

/* Recent blocks are asked for most often: search from the end. */
static uint32_t find_block(const plait__workspace *arena, const void *pointer)
{
	uint32_t i = arena->count;

	while (i > 0)
		if (arena->blocks[--i].pointer == pointer)
			return i;
	return UINT32_MAX;
}

/* A cut block that grows moves out of its slab. */
static void *move_cut(plait__workspace *arena, plait__workspace_block cut,
		      uint64_t count, uint64_t each)
{
	uint64_t bytes = count * each;
	void *moved = plait__workspace_alloc(arena, count, each);

	if (moved == NULL)
		return NULL;
	memcpy(moved, cut.pointer, bytes < cut.bytes ? bytes : cut.bytes);
	plait__workspace_free(arena, cut.pointer);
	return moved;
}

void *plait__workspace_resize(plait__workspace *arena, void *pointer, uint64_t count,
			  uint64_t each)
{
	uint32_t i = find_block(arena, pointer);
	uint64_t bytes;
	void *moved;

	if (__builtin_mul_overflow(count ? count : 1, each, &bytes))
		return NULL;
	if (arena->blocks[i].slab != PLAIT__WORKSPACE_NO_SLAB)
		return move_cut(arena, arena->blocks[i], count, each);
	if (bytes > arena->blocks[i].bytes)
		make_room(arena, bytes);
	moved = plait__realloc(arena->allocator, pointer,
			       arena->blocks[i].bytes, bytes);
	if (moved == NULL)
		return NULL;
	account(arena, arena->blocks[i].bytes, bytes);
	arena->blocks[i].pointer = moved;
	arena->blocks[i].bytes = bytes;
	return moved;
}

plait_status plait__workspace_reserve(plait__workspace *arena, void **pointer,
				  uint32_t *capacity, uint64_t need,
				  uint64_t each)
{
	uint64_t grown = (uint64_t)*capacity + *capacity / 2 + 16;
	void *moved;

	if (need <= *capacity)
		return PLAIT_OK;
	if (need >= UINT32_MAX)
		return PLAIT_E_NOMEM;
	if (grown < need)
		grown = need;
	if (grown >= UINT32_MAX)
		grown = UINT32_MAX - 1;
	moved = *pointer == NULL ? plait__workspace_alloc(arena, grown, each)
		: plait__workspace_resize(arena, *pointer, grown, each);
	if (moved == NULL)
		return PLAIT_E_NOMEM;
	*pointer = moved;
	*capacity = (uint32_t)grown;
	return PLAIT_OK;
}

static void unlist(plait__workspace *arena, uint32_t i)
{
	arena->count--;
	arena->blocks[i] = arena->blocks[arena->count];
}

void plait__workspace_free(plait__workspace *arena, void *pointer)
{
	uint32_t i;

	if (pointer == NULL)
		return;
	i = find_block(arena, pointer);
	if (arena->blocks[i].slab != PLAIT__WORKSPACE_NO_SLAB) {
		/* The memory belongs to the slab. */
	} else if (arena->blocks[i].bytes >= LARGE_BYTES &&
	    arena->spare_count < PLAIT__WORKSPACE_SPARES) {
		arena->spares[arena->spare_count++] = arena->blocks[i];
	} else {
		account(arena, arena->blocks[i].bytes, 0);
		plait__free(arena->allocator, pointer, arena->blocks[i].bytes);
	}
	unlist(arena, i);
}

plait_status plait__workspace_keep(plait__workspace *arena, void *pointer, uint64_t count,
			       uint64_t each, void **out)
{
	*out = NULL;
	if (count == 0) {
		plait__workspace_free(arena, pointer);
		return PLAIT_OK;
	}
	pointer = plait__workspace_resize(arena, pointer, count, each);
	/* A cut block has moved into a block of its own, perhaps a larger
	 * one. */
	if (pointer != NULL &&
	    arena->blocks[find_block(arena, pointer)].bytes != count * each)
		pointer = plait__workspace_resize(arena, pointer, count, each);
	if (pointer == NULL)
		return PLAIT_E_NOMEM;
	unlist(arena, find_block(arena, pointer));
	*out = pointer;
	return PLAIT_OK;
}
