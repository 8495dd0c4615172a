/* SPDX-License-Identifier: MIT */
/* Copies of data in memories of devices; see data_copies.h. */
#include "flow/device/data_copies.h"

#include "base/alloc.h"

static uint64_t bytes_of(uint32_t count)
{
	return sizeof(plait__data_copies) + count * sizeof(plait__data_copy);
}

plait__data_copies *plait__data_copies_make(const plait_allocator *allocator,
					    const plait_box *whole,
					    uint32_t count)
{
	plait__data_copies *copies = plait__alloc(allocator, bytes_of(count));

	if (copies == NULL)
		return NULL;
	copies->count = count;
	copies->is_line = whole->high[1] - whole->low[1] == 1 &&
			  whole->high[2] - whole->low[2] == 1;
	for (uint32_t i = 0; i < count; i++)
		plait__front_map_init(&copies->items[i].map, allocator, whole);
	plait__coherence_init(&copies->coherence, allocator, whole, 1);
	if (!copies->coherence.failed)
		return copies;
	plait__data_copies_free(copies, allocator);
	return NULL;
}

static void release(plait__device_block *block)
{
	plait__buffer *buffer = plait__device_block_empty(block);

	if (buffer != NULL)
		plait__object_release(plait__object_handle(&buffer->object),
				      PLAIT_OBJECT_BUFFER);
}

void plait__data_copies_free(plait__data_copies *copies,
			     const plait_allocator *allocator)
{
	if (copies == NULL)
		return;
	for (uint32_t i = 0; i < copies->count; i++) {
		plait__data_copy *copy = &copies->items[i];

		release(&copy->block);
		if (copy->growth != NULL) {
			release(&copy->growth->block);
			plait__free(allocator, copy->growth,
				    sizeof(*copy->growth));
		}
		plait__front_map_fini(&copy->map);
	}
	plait__coherence_fini(&copies->coherence);
	plait__free(allocator, copies, bytes_of(copies->count));
}

/* Versions that a version becomes by many changes, at most: more than shapes of
 * programs make. */
enum { CUT_MOST = 64 };

/* Versions after some changes, at most.  On a line a change cuts at two points;
 * else it may cut each version. */
static uint64_t count_most(const plait__data_copies *copies, uint32_t changes)
{
	const uint64_t count = copies->coherence.versions.count;
	uint64_t most = count;

	if (copies->is_line)
		return count + 3 * (uint64_t)changes;
	for (uint32_t i = 0; i < changes && most < CUT_MOST * (count + i); i++)
		most = (PLAIT__BOX_LIST_PARTS + 1) * most + 1;
	return changes > 1 && most > CUT_MOST * (count + changes) ?
		       CUT_MOST * (count + changes) : most;
}

bool plait__data_copies_reserve(plait__data_copies *copies, uint32_t changes)
{
	plait__vector *versions = &copies->coherence.versions;
	const uint64_t most = count_most(copies, changes);

	return !copies->coherence.failed && most <= UINT32_MAX &&
	       (versions->capacity >= most ||
		plait__vector_reserve(versions, (uint32_t)most -
						versions->count) == 0);
}

enum { MANY = 16 };

void plait__data_copies_forget(plait__data_copies *copies,
			       bool (*has_succeeded)(void *arg,
						     uint32_t writer),
			       void *arg)
{
	plait__vector *versions = &copies->coherence.versions;

	if (versions->count < MANY || versions->count < copies->forget_at)
		return;
	for (uint32_t i = 0; i < versions->count; i++) {
		plait__version *version = plait__vector_at(versions, i);

		if (version->writer != 0 &&
		    has_succeeded(arg, version->writer))
			version->writer = 0;
	}
	plait__coherence_join(versions);
	copies->forget_at = 2 * versions->count;
}

/* ---- losses ---- */

struct losing {
	plait__data_copies *copies;
	uint32_t memory;
	uint64_t number;
};

/* A task that reads what is left there fails as the copy did: the copy is its
 * predecessor. */
static void lose_piece(void *arg, plait__front *front, const plait_box *piece)
{
	const struct losing *by = arg;

	if (front->writer != by->number)
		return;
	if (plait__data_copies_reserve(by->copies, 1))
		plait__coherence_lose(&by->copies->coherence, piece,
				      by->memory);
	else
		plait__coherence_drop_around(&by->copies->coherence, piece,
					     by->memory);
}

void plait__data_copies_lose(plait__data_copies *copies, plait__front_map *map,
			     const plait_box *box, uint32_t memory,
			     uint64_t number)
{
	struct losing by = { copies, memory, number };

	plait__front_map_visit_box(map, box, lose_piece, &by);
}

void plait__data_copies_visit(plait__data_copies *copies,
			      plait__front_visit visit, void *arg)
{
	for (uint32_t i = 0; copies != NULL && i < copies->count; i++)
		plait__front_map_visit_all(&copies->items[i].map, visit, arg);
}
