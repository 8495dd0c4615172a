/* SPDX-License-Identifier: MIT */
/* Workspace of the planner: accounted blocks, spares for reuse, slabs. */
#include "plan/schedule/workspace.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <string.h>

/* Blocks from this size on are rounded to pages and kept as spares. */
enum { LARGE_BYTES = 65536, PAGE_BYTES = 4096 };

void plait__workspace_init(plait__workspace *work,
			   const plait_allocator *allocator)
{
	memset(work, 0, sizeof(*work));
	work->allocator = allocator;
}

static void free_spare(plait__workspace *work)
{
	const plait__workspace_block *spare =
		&work->spares[--work->spare_count];

	work->held_bytes -= spare->bytes;
	plait__free(work->allocator, spare->pointer, spare->bytes);
}

void plait__workspace_fini(plait__workspace *work)
{
	while (work->spare_count > 0)
		free_spare(work);
	while (work->count > 0) {
		work->count--;
		if (work->blocks[work->count].slab != PLAIT__WORKSPACE_NO_SLAB)
			continue;
		plait__free(work->allocator, work->blocks[work->count].pointer,
			    work->blocks[work->count].bytes);
	}
	plait__free(work->allocator, work->blocks,
		    work->capacity * sizeof(*work->blocks));
	work->blocks = NULL;
	work->capacity = 0;
	work->held_bytes = 0;
}

/* Free spares until `bytes` more do not raise the peak. */
static void make_room(plait__workspace *work, uint64_t bytes)
{
	while (work->spare_count > 0 &&
	       work->held_bytes + bytes > work->peak_bytes)
		free_spare(work);
}

static void *take_spare(plait__workspace *work, uint64_t bytes)
{
	for (uint32_t i = work->spare_count; i-- > 0;) {
		void *pointer = work->spares[i].pointer;

		if (work->spares[i].bytes != bytes)
			continue;
		work->spares[i] = work->spares[--work->spare_count];
		work->held_bytes -= bytes;
		return pointer;
	}
	return NULL;
}

static void account(plait__workspace *work, uint64_t less, uint64_t more)
{
	work->held_bytes = work->held_bytes - less + more;
	if (work->held_bytes > work->peak_bytes)
		work->peak_bytes = work->held_bytes;
}

/* Ensure room for one more entry in the list of blocks. */
static bool has_room(plait__workspace *work)
{
	uint64_t each = sizeof(*work->blocks);
	uint32_t capacity = work->capacity * 2 + 64;
	void *moved;

	if (work->count < work->capacity)
		return true;
	moved = work->capacity == 0 ?
		plait__alloc(work->allocator, capacity * each) :
		plait__realloc(work->allocator, work->blocks,
			       work->capacity * each, capacity * each);
	if (moved == NULL)
		return false;
	account(work, work->capacity * each, capacity * each);
	work->blocks = moved;
	work->capacity = capacity;
	return true;
}

void *plait__workspace_alloc(plait__workspace *work, uint64_t count,
			     uint64_t each)
{
	uint64_t bytes;
	void *pointer;

	if (!has_room(work))
		return NULL;
	if (__builtin_mul_overflow(count ? count : 1, each, &bytes) ||
	    bytes > PTRDIFF_MAX)
		return NULL;
	if (bytes >= LARGE_BYTES)
		bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	pointer = take_spare(work, bytes);
	if (pointer == NULL) {
		make_room(work, bytes);
		pointer = work->allocator->resize(work->allocator->user_data,
						  NULL, 0, bytes);
	}
	if (pointer == NULL)
		return NULL;
	work->blocks[work->count++] = (plait__workspace_block){
		.pointer = pointer, .bytes = bytes
	};
	account(work, 0, bytes);
	return pointer;
}

static void *fill(void *pointer, uint64_t count, uint64_t each, int byte)
{
	if (pointer != NULL)
		memset(pointer, byte, (size_t)((count ? count : 1) * each));
	return pointer;
}

void *plait__workspace_alloc_zero(plait__workspace *work, uint64_t count,
				  uint64_t each)
{
	return fill(plait__workspace_alloc(work, count, each), count, each, 0);
}

void *plait__workspace_alloc_none(plait__workspace *work, uint64_t count,
				  uint64_t each)
{
	return fill(plait__workspace_alloc(work, count, each), count, each,
		    0xff);
}

/* ---- slabs ---- */

/* Cut blocks are aligned to cache lines; none begins at the start of its slab,
 * so that a pointer identifies one block. */
enum { LINE_BYTES = 64, MOST_CUTS = 24 };

plait_status plait__workspace_open_slab(plait__workspace *work, uint32_t slab,
					uint64_t bytes)
{
	if (bytes < LARGE_BYTES)
		return PLAIT_OK;
	work->slabs[slab] = plait__workspace_alloc(
		work, bytes + LINE_BYTES * MOST_CUTS, 1);
	return work->slabs[slab] != NULL ? PLAIT_OK : PLAIT_E_NOMEM;
}

/* Returns the first gap between the cut blocks of a slab, or null. */
static void *find_gap(const plait__workspace *work, uint32_t slab,
		      uint64_t bytes)
{
	char *start = work->slabs[slab], *at = start + LINE_BYTES;
	char *end = start;

	for (uint32_t i = 0; i < work->count; i++) {
		const plait__workspace_block *block = &work->blocks[i];
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

void *plait__workspace_cut(plait__workspace *work, uint32_t slab,
			   uint64_t count, uint64_t each)
{
	plait__workspace_block cut = { .slab = slab };

	if (work->slabs[slab] == NULL ||
	    __builtin_mul_overflow(count, each, &cut.bytes) ||
	    cut.bytes < LARGE_BYTES / 2 || cut.bytes > PTRDIFF_MAX / 2 ||
	    !has_room(work))
		return plait__workspace_alloc(work, count, each);
	cut.bytes = (cut.bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	cut.pointer = find_gap(work, slab, cut.bytes);
	if (cut.pointer == NULL)
		return plait__workspace_alloc(work, count, each);
	work->blocks[work->count++] = cut;
	return cut.pointer;
}

void *plait__workspace_cut_zero(plait__workspace *work, uint32_t slab,
				uint64_t count, uint64_t each)
{
	return fill(plait__workspace_cut(work, slab, count, each), count, each,
		    0);
}

void *plait__workspace_cut_none(plait__workspace *work, uint32_t slab,
				uint64_t count, uint64_t each)
{
	return fill(plait__workspace_cut(work, slab, count, each), count, each,
		    0xff);
}

void *plait__workspace_claim(plait__workspace *work, uint32_t slab,
			     uint64_t count, uint64_t each)
{
	void *pointer = work->slabs[slab];
	bool is_cut = false;

	work->slabs[slab] = NULL;
	for (uint32_t i = 0; i < work->count; i++)
		is_cut |= work->blocks[i].slab == slab;
	/* The slab stays on the list until the end. */
	if (pointer == NULL || is_cut)
		return plait__workspace_alloc(work, count, each);
	return plait__workspace_resize(work, pointer, count, each);
}

/* Recent blocks are asked for most often: search from the end. */
static uint32_t find_block(const plait__workspace *work, const void *pointer)
{
	uint32_t i = work->count;

	while (i > 0)
		if (work->blocks[--i].pointer == pointer)
			return i;
	return UINT32_MAX;
}

/* A cut block that grows moves out of its slab.  The block is a cut one. */
static void *move_cut(plait__workspace *work, plait__workspace_block cut,
		      uint64_t count, uint64_t each)
{
	uint64_t bytes = count * each;
	void *moved = plait__workspace_alloc(work, count, each);

	if (moved == NULL)
		return NULL;
	memcpy(moved, cut.pointer, bytes < cut.bytes ? bytes : cut.bytes);
	plait__workspace_free(work, cut.pointer);
	return moved;
}

void *plait__workspace_resize(plait__workspace *work, void *pointer,
			      uint64_t count, uint64_t each)
{
	uint32_t i = find_block(work, pointer);
	uint64_t bytes;
	void *moved;

	if (__builtin_mul_overflow(count ? count : 1, each, &bytes))
		return NULL;
	if (work->blocks[i].slab != PLAIT__WORKSPACE_NO_SLAB)
		return move_cut(work, work->blocks[i], count, each);
	if (bytes > work->blocks[i].bytes)
		make_room(work, bytes);
	moved = plait__realloc(work->allocator, pointer,
			       work->blocks[i].bytes, bytes);
	if (moved == NULL)
		return NULL;
	account(work, work->blocks[i].bytes, bytes);
	work->blocks[i].pointer = moved;
	work->blocks[i].bytes = bytes;
	return moved;
}

plait_status plait__workspace_reserve(plait__workspace *work, void **pointer,
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
	moved = *pointer == NULL ? plait__workspace_alloc(work, grown, each)
		: plait__workspace_resize(work, *pointer, grown, each);
	if (moved == NULL)
		return PLAIT_E_NOMEM;
	*pointer = moved;
	*capacity = (uint32_t)grown;
	return PLAIT_OK;
}

static void unlist(plait__workspace *work, uint32_t i)
{
	work->count--;
	work->blocks[i] = work->blocks[work->count];
}

void plait__workspace_free(plait__workspace *work, void *pointer)
{
	uint32_t i;

	if (pointer == NULL)
		return;
	i = find_block(work, pointer);
	if (work->blocks[i].slab != PLAIT__WORKSPACE_NO_SLAB) {
		/* The memory belongs to the slab. */
	} else if (work->blocks[i].bytes >= LARGE_BYTES &&
		   work->spare_count < PLAIT__WORKSPACE_SPARES) {
		work->spares[work->spare_count++] = work->blocks[i];
	} else {
		account(work, work->blocks[i].bytes, 0);
		plait__free(work->allocator, pointer, work->blocks[i].bytes);
	}
	unlist(work, i);
}

plait_status plait__workspace_keep(plait__workspace *work, void *pointer,
				   uint64_t count, uint64_t each, void **out)
{
	*out = NULL;
	if (count == 0) {
		plait__workspace_free(work, pointer);
		return PLAIT_OK;
	}
	pointer = plait__workspace_resize(work, pointer, count, each);
	/* A cut block has moved into a block of its own, perhaps a larger
	 * one. */
	if (pointer != NULL &&
	    work->blocks[find_block(work, pointer)].bytes != count * each)
		pointer = plait__workspace_resize(work, pointer, count, each);
	if (pointer == NULL)
		return PLAIT_E_NOMEM;
	unlist(work, find_block(work, pointer));
	*out = pointer;
	return PLAIT_OK;
}
